// SPDX-License-Identifier: BSD-3-Clause
// MPI in the PEs of `syncline run`: MPI_Init finds all of them through PMIx, with the numbers that they have.
//
// A job without MPI pays for a listening socket in each network namespace and for some variables. The server is a
// process that begins with the first connection (pmix_server.h), and relays that one and all others to the PMIx
// library, which cannot take over a socket. It is one for all nodes of a job: they are on one machine, and MPI takes
// them for one node.
//
// The server listens on 127.0.0.1, as mpirun's does, so other users of the machine reach it. PMIx refuses a process
// that does not name the job, and the name holds 128 random bits that only the PEs know.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "launch/plan.h"
#include "launch/pmix_server.h"

namespace syncline {

class PmixService {
  public:
    ~PmixService() { end(0); }

    // Where a namespace has no 127.0.0.1, its PEs have no PMIx. `programs`: the first rank of each. Throws Failure.
    void listen(const Plan& plan, std::vector<uint32_t> programs);
    // Variables for a PE.
    std::vector<std::string> environment_of(uint32_t rank, const PlannedNode& node) const;

    // Descriptors that serve() looks at.
    std::vector<int> fds() const;
    // Starts the server if a PE wants it. Throws Failure.
    void serve();
    // A report that has come.
    std::optional<PmixReport> take_report();
    // The server has ended, which it must not do by itself; waitpid()'s status, once.
    std::optional<int> reap();
    // Returns when the server has removed all that was left. SIGKILL ends one that takes longer.
    void end(uint64_t patience_ns);

  private:
    struct Listener {
        UniqueFd fd;
        uint16_t port = 0;
    };

    PmixJob job_;
    std::map<int, Listener> listeners_;  // by the descriptor of the network namespace
    UniqueFd control_;
    pid_t server_ = 0;
};

}  // namespace syncline
