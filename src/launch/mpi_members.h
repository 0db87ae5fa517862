// SPDX-License-Identifier: BSD-3-Clause
// The PEs of a job that uses MPI: which have begun with it, finished or ended, and whether the job can go on.
// Bookkeeping without system calls, as in members.h; the launcher feeds it with the PMIx server's reports.
//
// MPI does not survive a process that ends between MPI_Init and MPI_Finalize, whichever way it ends: the others wait in
// vain. They do so as well for one that ends without MPI_Init. `sh -c './program; true'` hides how its program ended;
// the server sees its connection go.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/members.h"

namespace syncline {

class MpiMembers {
  public:
    using Verdict = Members::Verdict;

    explicit MpiMembers(uint32_t ranks) : members_(ranks) {}

    // Times are in ns of CLOCK_MONOTONIC; a rank that there is not changes nothing.
    std::optional<Verdict> begun(uint32_t rank);
    void finished(uint32_t rank);
    // The PE has asked for the end of the job: how it ends does not matter.
    void aborted(uint32_t rank);
    // The connection of a PE that has not finished is gone: its process may be about to end, which says more.
    void lost(uint32_t rank, uint64_t now);
    // The process that the launcher started for the PE has ended, with waitpid()'s status.
    std::optional<Verdict> process_ended(uint32_t rank, int status);
    // PEs whose connection is gone for longer than an exit takes, while their process runs.
    std::optional<Verdict> look(uint64_t now);
    // look() has to be called soon.
    bool must_look() const;

  private:
    enum class State { kAbsent, kInside, kFinished };
    struct Member {
        State state = State::kAbsent;
        bool ended = false;
        bool aborted = false;
        std::optional<uint64_t> lost_ns;
    };

    bool any_inside() const;

    std::vector<Member> members_;
    struct Absent {
        uint32_t rank;
        int status;  // waitpid()'s
    };
    std::optional<Absent> absent_;  // a PE that has ended without MPI, and no other one had begun
};

}  // namespace syncline
