// SPDX-License-Identifier: BSD-3-Clause
// The memory that this daemon has promised its jobs: their heaps, their tables and the memory that their PEs have
// registered.
//
// Memory is promised when it is made, and taken when a PE touches it. So a promise can be kept only if all memory that
// is promised and not touched fits into the memory that the machine, and the control group, have left. If several nodes
// are parts of one machine, each daemon counts as if the others asked for as much. The launcher also gives each node a
// share of the memory that its own control group, in which the PEs run, has left. A promise beyond the narrowest of
// these is refused.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "base/check.h"

namespace syncline {

class NodeMemory {
  public:
    // `limit`: for all jobs together. `proc`: where /proc is mounted. `limit_of_user` holds for each owner of jobs
    // except root and this process's user.
    explicit NodeMemory(uint64_t limit = UINT64_MAX, std::string proc = "/proc", uint64_t limit_of_user = UINT64_MAX)
        : limit_(limit), limit_of_user_(limit_of_user), proc_(std::move(proc)) {}
    uint64_t promised() const;
    uint64_t promised_to(uid_t user) const;
    // Holds from now on; earlier promises stay.
    void set_limits(uint64_t limit, uint64_t limit_of_user);

    // A job's part, which the job gives back when it ends.
    class Share {
      public:
        // `limit`: for this job. `nodes`: how many share the machine. `untouched`: how much of the promised memory is
        // untouched.
        Share(NodeMemory* memory, uid_t owner, uint64_t limit, uint32_t nodes, std::function<uint64_t()> untouched);
        ~Share();
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

        // Takes the memory with which the job begins; the launcher has counted it for all nodes. Throws Failure.
        void begin(uint64_t bytes) { promise("the job", bytes, 1); }
        // Takes more memory, while the other nodes of the machine may do so, too. Throws Failure.
        void grow(uint64_t bytes) { promise("the registration", bytes, nodes_); }
        void grow_tables(uint64_t bytes) { promise("the records of requests", bytes, nodes_); }
        void grow_trace(uint64_t bytes) { promise("the trace", bytes, nodes_); }
        void give_back(uint64_t bytes) {
            SYNCLINE_ASSERT(bytes <= promised_, "%lu of %lu bytes", bytes, promised_);
            promised_ -= bytes;
        }
        uint64_t promised() const { return promised_; }

      private:
        friend class NodeMemory;
        void promise(const char* what, uint64_t bytes, uint64_t times);

        NodeMemory* const memory_;
        const uid_t owner_;
        const uint64_t limit_;
        const uint64_t nodes_;
        const std::function<uint64_t()> untouched_;
        uint64_t promised_ = 0;
    };

  private:
    uint64_t limit_;
    uint64_t limit_of_user_;
    const std::string proc_;
    std::set<const Share*> shares_;
};

}  // namespace syncline
