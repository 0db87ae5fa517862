// SPDX-License-Identifier: BSD-3-Clause
#include "launch/cpus.h"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <memory>

namespace syncline {
namespace {

constexpr size_t cpus_max = 1 << 20;

struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using KernelSet = std::unique_ptr<cpu_set_t, Free>;

}  // namespace

// The kernel refuses a set that is shorter than its own.
Cpus own_cpus() {
    Cpus cpus;
    for (size_t size = CPU_SETSIZE; size <= cpus_max; size *= 2) {
        const KernelSet set(CPU_ALLOC(size));
        const size_t bytes = CPU_ALLOC_SIZE(size);
        if (::sched_getaffinity(0, bytes, set.get()) == 0) {
            for (uint32_t cpu = 0; cpu < size; cpu++) {
                if (CPU_ISSET_S(cpu, bytes, set.get())) {
                    cpus.push_back(cpu);
                }
            }
            break;
        }
        if (errno != EINVAL) {
            break;
        }
    }
    return cpus;
}

std::string format_cpus(const Cpus& cpus) {
    std::string text;
    for (size_t first = 0, last = 0; first < cpus.size(); first = ++last) {
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) {
            last++;
        }
        text += text.empty() ? "" : ",";
        text += first == last ? fmt::format("{}", cpus[first]) : fmt::format("{}-{}", cpus[first], cpus[last]);
    }
    return text;
}

bool run_on(const Cpus& cpus) {
    const size_t size = cpus.empty() ? 1 : cpus.back() + size_t{1};
    const KernelSet set(CPU_ALLOC(size));
    const size_t bytes = CPU_ALLOC_SIZE(size);
    CPU_ZERO_S(bytes, set.get());
    for (const uint32_t cpu : cpus) {
        CPU_SET_S(cpu, bytes, set.get());
    }
    return ::sched_setaffinity(0, bytes, set.get()) == 0;
}

}  // namespace syncline
