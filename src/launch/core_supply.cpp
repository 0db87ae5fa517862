// SPDX-License-Identifier: BSD-3-Clause
#include "launch/core_supply.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace syncline {

bool has_cpu(const Core& core, int cpu) {
    return cpu >= 0 && std::binary_search(core.cpus.begin(), core.cpus.end(), static_cast<uint32_t>(cpu));
}

Cpus cpus_of(const Topology& topology, const Cores& cores) {
    Cpus cpus;
    for (const size_t core : cores) {
        cpus.insert(cpus.end(), topology.cores[core].cpus.begin(), topology.cores[core].cpus.end());
    }
    std::sort(cpus.begin(), cpus.end());
    return cpus;
}

Cores without(const Cores& from, const Cores& others) {
    Cores left;
    std::set_difference(from.begin(), from.end(), others.begin(), others.end(), std::back_inserter(left));
    return left;
}

Cores within(const Cores& from, const Cores& others) {
    Cores common;
    std::set_intersection(from.begin(), from.end(), others.begin(), others.end(), std::back_inserter(common));
    return common;
}

Cores sockets_around(const Topology& topology, const Cores& cores) {
    Cores around;
    for (size_t core = 0; core < topology.cores.size(); core++) {
        if (std::any_of(cores.begin(), cores.end(),
                        [&](size_t one) { return topology.cores[one].socket == topology.cores[core].socket; })) {
            around.push_back(core);
        }
    }
    return around;
}

Cores Supply::choose(size_t count) const {
    if (count <= free.size()) {
        return free;
    }
    Cores chosen = free;
    chosen.insert(chosen.end(), taken.begin(), taken.end());
    if (count < chosen.size()) {
        chosen.resize(count);
    }
    const Cores once = chosen;
    while (chosen.size() < count) {
        chosen.insert(chosen.end(), once.begin(), once.end());
    }
    SYNCLINE_ASSERT(chosen.size() >= count, "%zu of %zu cores", chosen.size(), count);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

CorePool::CorePool(const Topology& topology, const Cores& cores) {
    for (const size_t core : cores) {
        sockets_[topology.cores[core].socket].push_back(core);
    }
}

Cores CorePool::take(size_t count) {
    Cores taken;
    while (taken.size() < count) {
        Cores& socket = best_socket(count - taken.size());
        SYNCLINE_ASSERT(!socket.empty(), "%zu of %zu cores are left", taken.size(), count);
        const auto end = socket.begin() + static_cast<ptrdiff_t>(std::min(count - taken.size(), socket.size()));
        taken.insert(taken.end(), socket.begin(), end);
        socket.erase(socket.begin(), end);
    }
    return taken;
}

// The smallest socket that has enough keeps the larger ones for larger nodes; else the largest one gives all.
Cores& CorePool::best_socket(size_t count) {
    const auto is_better = [count](const auto& one, const auto& other) {
        const size_t left = one.second.size();
        const size_t right = other.second.size();
        if ((left >= count) != (right >= count)) {
            return left >= count;
        }
        return left >= count ? left < right : left > right;
    };
    return std::min_element(sockets_.begin(), sockets_.end(), is_better)->second;
}

}  // namespace syncline
