// SPDX-License-Identifier: BSD-3-Clause
// The workloads of Underwood 2008: a stream of operations for each PE.
#pragma once

#include <memory>
#include <vector>

#include "sim/models/atomic_unit/model.h"
#include "sim/models/atomic_unit/processor.h"

namespace syncline::sim::atomic_unit {

// Returns one stream for each PE.
std::vector<std::unique_ptr<Stream>> make_streams(const Parameters& parameters);

// Returns the number of words of each node's memory that the workload needs.
uint64_t words_needed(const Parameters& parameters);

}  // namespace syncline::sim::atomic_unit
