// SPDX-License-Identifier: BSD-3-Clause
// One function for each workload of a cluster.
#pragma once

#include "sim/models/cluster/model.h"

namespace syncline::sim::cluster {

Results run_barrier(const Parameters& parameters);
Results run_fence(const Parameters& parameters);
Results run_lock(const Parameters& parameters);
Results run_atomics(const Parameters& parameters);

}  // namespace syncline::sim::cluster
