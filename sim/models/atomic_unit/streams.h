// SPDX-License-Identifier: BSD-3-Clause
// The workloads of paper 003, as streams of operations of each PE.
#pragma once

#include <memory>
#include <vector>

#include "sim/models/atomic_unit/parameters.h"
#include "sim/models/atomic_unit/processor.h"

namespace syncline::sim {

// A line of a trace: `<ns> <initiator> <target node> <add|xor|swap|compare-swap|add-double> <word> <operand>
// [comparand]`. Empty lines and what follows a # do not count.
struct TraceLine {
    double ns;
    uint32_t initiator, target;
    Request request;
};
// Of a file, or else of a trace that is part of the program. Throws Failure that names the line that is wrong.
std::vector<TraceLine> read_trace(const std::string& name, uint64_t pes, uint64_t nodes);

// One stream for each PE.
std::vector<std::unique_ptr<Stream>> make_streams(const MachineParameters& parameters);

// Words of each node's memory that the workload needs.
uint64_t words_needed(const MachineParameters& parameters);

}  // namespace syncline::sim
