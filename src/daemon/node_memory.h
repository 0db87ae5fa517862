// SPDX-License-Identifier: BSD-3-Clause
// The memory that this daemon has promised its jobs: their heaps, their tables and all that their PEs have registered.
//
// Memory is promised when it is made and taken when a PE touches it. So a promise is kept only if all that is promised
// and not touched fits into what the machine, and the control group, have left; and where several nodes are parts of
// one machine, each daemon counts as if the others asked for as much. The launcher also gives each node a share of what
// its own control group, in which the PEs run, has left. Beyond the narrowest of these a promise is refused.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace syncline {

class NodeMemory {
  public:
    // `limit`: of all jobs together. `proc`: where /proc is mounted.
    // `limit_of_user` holds for each owner of jobs but root and this process's user.
    explicit NodeMemory(uint64_t limit = UINT64_MAX, std::string proc = "/proc", uint64_t limit_of_user = UINT64_MAX)
        : limit_(limit), limit_of_user_(limit_of_user), proc_(std::move(proc)) {}
    uint64_t promised() const;
    uint64_t promised_to(uid_t user) const;
    // From now on; what is promised stays so.
    void set_limits(uint64_t limit, uint64_t limit_of_user);

    // A job's part, which it gives back when it ends.
    class Share {
      public:
        // `limit`: of this job. `nodes`: that share the machine. `untouched`: how much of the promised memory is.
        Share(NodeMemory* memory, uid_t owner, uint64_t limit, uint32_t nodes, std::function<uint64_t()> untouched);
        ~Share();
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

        // Takes the memory that the job begins with; the launcher has counted it for all nodes. Throws Failure.
        void begin(uint64_t bytes) { promise("the job", bytes, 1); }
        // Takes more, as may the other nodes of the machine at this moment. Throws Failure.
        void grow(uint64_t bytes) { promise("the registration", bytes, nodes_); }
        void give_back(uint64_t bytes) { promised_ -= bytes; }
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
