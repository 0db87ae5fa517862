// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/two_cpus.h"

#include <sched.h>

#include <vector>

namespace syncline::bench {

TwoCpus TwoCpus::choose() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ::sched_getaffinity(0, sizeof(allowed), &allowed);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; cpu++) {
        if (CPU_ISSET(static_cast<size_t>(cpu), &allowed)) {
            cpus.push_back(cpu);
        }
    }
    return {cpus.front(), cpus.back()};
}

}  // namespace syncline::bench
