// SPDX-License-Identifier: BSD-3-Clause
// Traces: operations that a live run has sent, and when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/models/atomic_unit/operation.h"

namespace syncline::sim::atomic_unit {

// A line of a trace: `<ns> <initiator> <target node> <add|xor|swap|compare-swap|add-double> <word> <operand>
// [comparand]`. Empty lines and what follows a # do not count.
struct TraceLine {
    double ns;
    uint32_t initiator, target;
    Request request;
};
// Reads a file, or else a trace that is part of the program. Throws Failure that names the line that is wrong.
std::vector<TraceLine> read_trace(const std::string& name, uint64_t pes, uint64_t nodes);

}  // namespace syncline::sim::atomic_unit
