// SPDX-License-Identifier: BSD-3-Clause
// Sets of CPUs, by the kernel's numbers. No number is too large for them, as one above 1023 is for a cpu_set_t.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

using Cpus = std::vector<uint32_t>;  // ascending

// The CPUs that this process may use: its affinity mask, which the kernel keeps within its cpuset.
Cpus own_cpus();

// As in "0-3,8".
std::string format_cpus(const Cpus& cpus);

// Has the calling thread run on these CPUs only, and all that it starts from then on. Returns false with errno set if
// the kernel refuses. Allocates no memory of the process's heap beyond the set, so a child may call it before exec.
bool run_on(const Cpus& cpus);

}  // namespace syncline
