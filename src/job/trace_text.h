// SPDX-License-Identifier: BSD-3-Clause
// Reads the traces of processes (base/trace.h) and renders them as one text, in the order of time.
//
// A ring is another process's memory, which may hold anything: a reader checks what it finds there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/trace.h"

namespace syncline {

struct ReadTrace {
    TraceOwner owner;
    std::vector<TraceEvent> events;  // by number
    std::vector<std::string> names;  // of calls, by place
};

// Returns nothing for memory, or for a file, that is no trace.
std::optional<ReadTrace> read_trace(std::span<const uint8_t> memory);
std::optional<ReadTrace> read_trace(int file);

// Returns the waits that have not ended, and then the last `most` events of all, each on a line of its own. All are of
// one machine, whose clock says `now_ns`. Empty: there is no event.
std::string render_traces(const std::vector<ReadTrace>& traces, uint64_t now_ns, size_t most);

}  // namespace syncline
