// SPDX-License-Identifier: BSD-3-Clause
// Traces: the operations of a live run, with the times at which it sent them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/models/atomic_unit/operation.h"

namespace syncline::sim::atomic_unit {

// A line of a trace is `<ns> <initiator> <target node> <operation> <word> <operand> [comparand]`; the operations are
// operation_names. Empty lines and text after a # do not count.
struct TraceLine {
    double ns;
    uint32_t initiator, target;
    Request request;
};
// Reads a file, or else a trace that is part of the program. Throws Failure, which names a wrong line.
std::vector<TraceLine> read_trace(const std::string& name, uint64_t pes, uint64_t nodes);

}  // namespace syncline::sim::atomic_unit
