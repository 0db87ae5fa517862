// SPDX-License-Identifier: BSD-3-Clause
// One function for each workload of a Myrinet machine.
#pragma once

#include "sim/models/myrinet/model.h"

namespace syncline::sim::myrinet {

// Runs barriers, one after the other (Buntinas 2001).
Results run_barrier(const Parameters& parameters);
// Node 0 changes a word of node 1 from one value to the next (Buntinas 2002, section V.A).
Results run_compare_swap(const Parameters& parameters);
// All nodes but node 0 take and leave a lock whose word is there (Buntinas 2002, section V.B).
Results run_lock(const Parameters& parameters);
// Node 1 takes and leaves that lock while the main thread of node 0 counts, or sends to node 2 (Buntinas 2002, section
// V.C).
Results run_counter(const Parameters& parameters);
Results run_bandwidth(const Parameters& parameters);

}  // namespace syncline::sim::myrinet
