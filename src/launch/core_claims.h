// SPDX-License-Identifier: BSD-3-Clause
// Cores that jobs have claimed. Without claims each of two jobs that run at once would take this machine's first cores
// while the others idle.
//
// A launcher claims a core by a UNIX socket with an abstract name, "@syncline/core-" and the core's first CPU. The
// kernel lets one process have a name at a time, and takes the name back when that process ends, also by kill -9. No
// file stays, no daemon keeps a list, and no privilege is needed. The PEs do not inherit the socket.
//
// Any user of the machine can make sockets with these names. Claims keep only the default from binding: a core that is
// claimed in bad faith costs jobs their binding and nothing else, because PEs that are not bound run wherever the
// kernel puts them, and `--bind-to core` takes claimed cores where free ones do not suffice.
//
// Abstract names belong to a network namespace. A launcher in another one than the machine's, as most containers are,
// does not see the jobs outside, so there the default binds only within a cpuset or mask that leaves out CPUs of the
// machine: such CPUs are likely its own. Programs that bind themselves without claims, such as those of mpirun, are not
// seen anywhere.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/unique_fd.h"
#include "launch/topology.h"

namespace syncline {

class CoreClaims {
  public:
    // Whether a process outside of containers sees the claims of this one, and the reverse.
    static bool are_seen_by_all();
    // Which of the cores are claimed, by any process.
    static std::vector<bool> claimed(const Topology& topology);
    // Claims these of the topology's cores, all or none. The claims last until the object or the process ends.
    static std::optional<CoreClaims> claim(const Topology& topology, const std::vector<size_t>& cores);

  private:
    std::vector<UniqueFd> sockets_;
};

}  // namespace syncline
