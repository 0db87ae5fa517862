// SPDX-License-Identifier: BSD-3-Clause
// The binding of one job's PEs on this machine: placement.h decides it, core_claims.h keeps other jobs away.
#pragma once

#include <string>
#include <vector>

#include "launch/core_claims.h"
#include "launch/placement.h"

namespace syncline {

struct Binding {
    Topology topology;
    Placement placement;
    CoreClaims claims;  // hold as long as the binding
};

// Claims the cores that the job gets. Throws Failure where `--bind-to` asks for more than there is.
Binding bind_job(const JobShape& job, BindTo bind_to);

// As bind_job() would bind now; claims nothing.
Binding preview_binding(const JobShape& job, BindTo bind_to);

// The lines that --report-bindings prints: one for each PE and each private daemon, or one that says why PEs are not
// bound.
std::vector<std::string> describe(const Binding& binding, const RankMap& map);

// Threads that OMP_NUM_THREADS gives each PE: the largest number of these settings (NAME=value) and of this process's
// environment.
long threads_of_pe(const std::vector<std::string>& settings);

}  // namespace syncline
