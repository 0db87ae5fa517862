// SPDX-License-Identifier: BSD-3-Clause
// What can be measured on a Myrinet machine.
#pragma once

#include "sim/models/myrinet/model.h"

namespace syncline::sim {

// Barriers, one after the other (paper 004).
Results run_barrier(const MyrinetParameters& parameters);
// Node 0 changes a word of node 1 from one value to the next (000, section V.A).
Results run_compare_swap(const MyrinetParameters& parameters);
// All nodes but node 0 take and leave a lock whose word is there (000, section V.B).
Results run_lock(const MyrinetParameters& parameters);
// The same, while the main thread of node 0 counts, or sends to node 2, and only node 1 locks (000, section V.C).
Results run_counter(const MyrinetParameters& parameters);
Results run_bandwidth(const MyrinetParameters& parameters);

}  // namespace syncline::sim
