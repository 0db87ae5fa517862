// SPDX-License-Identifier: BSD-3-Clause
// One function for each workload of a cluster.
#pragma once

#include "sim/models/cluster/model.h"

namespace syncline::sim {

Results run_cluster_barrier(const ClusterParameters& parameters);
Results run_cluster_fence(const ClusterParameters& parameters);
Results run_cluster_lock(const ClusterParameters& parameters);
Results run_cluster_atomics(const ClusterParameters& parameters);

}  // namespace syncline::sim
