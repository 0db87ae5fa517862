// SPDX-License-Identifier: BSD-3-Clause
// The cores from which a placement takes.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "launch/topology.h"

namespace syncline {

using Cores = std::vector<size_t>;  // indices into Topology::cores

bool has_cpu(const Core& core, int cpu);
// All CPUs of these cores.
Cpus cpus_of(const Topology& topology, const Cores& cores);
// Those of `from` that are not among `others`, and those that are; both ascend.
Cores without(const Cores& from, const Cores& others);
Cores within(const Cores& from, const Cores& others);
// All cores of the sockets of these.
Cores sockets_around(const Topology& topology, const Cores& cores);

// Both ascend.
struct Supply {
    Cores free;   // a job takes these first
    Cores taken;  // by other jobs, or by the user for agents: a job takes these last

    size_t all() const { return free.size() + taken.size(); }
    // All free cores if they suffice; else so many, if there are so many; else all, each several times. Ascending.
    Cores choose(size_t count) const;
};

// Hands out cores, each once, as close together as there are.
class CorePool {
  public:
    CorePool(const Topology& topology, const Cores& cores);

    // So many cores, of one socket if one has them. The pool has so many.
    Cores take(size_t count);

  private:
    Cores& best_socket(size_t count);

    std::map<uint32_t, Cores> sockets_;
};

}  // namespace syncline
