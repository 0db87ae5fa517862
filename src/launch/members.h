// SPDX-License-Identifier: BSD-3-Clause
// The PEs of a job: which have joined it, left it or ended, and whether the job can go on. Bookkeeping without system
// calls; the launcher feeds it.
//
// The others wait in vain for a PE whose program exits before it joined or without having left, so the job ends with a
// sentence. A signal that kills a PE after it joined does not end the job by itself: a native program may be built to
// survive that, and its operations and waits return an error. Before it joined no daemon can tell the others, so the
// job ends. `sh -c './program; true'` hides how its program ended; the daemon knows that the PE is gone, and the
// wrapper that lives on shows that no signal killed the PE's process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/protocol/daemon_protocol.h"

namespace syncline {

class Members {
  public:
    // Why the job ends, and its exit code.
    struct Verdict {
        std::string sentence;
        int code;
    };

    explicit Members(uint32_t ranks) : members_(ranks) {}

    // A daemon's notice. `now` in ns of CLOCK_MONOTONIC.
    std::optional<Verdict> notice(const MemberNotice& notice, uint64_t now);
    // The PE has asked for the end of the job.
    void aborted(uint32_t rank);
    // The process that the launcher started for the PE has ended, with waitpid()'s status.
    std::optional<Verdict> process_ended(uint32_t rank, int status, uint64_t now);
    // Members of which only half is known for longer than an exit takes: gone with a process that runs, or the reverse.
    std::optional<Verdict> look(uint64_t now);
    // look() has to be called soon.
    bool must_look() const;
    // The PE's process has ended, and its daemon has not said yet whether it left, and may have an abort of it to pass
    // on.
    bool must_await_daemon(uint32_t rank) const { return half_known(members_[rank]); }
    bool has_aborted(uint32_t rank) const { return members_[rank].aborted; }

  private:
    // A daemon's word of a PE whose process has ended is awaited for longer: it may have an abort to pass on, and a
    // machine with much to do has given it no time for four seconds.
    static constexpr uint64_t exit_ns = 1'000'000'000;
    static constexpr uint64_t notice_ns = 20'000'000'000;

    struct Member {
        MemberState state = MemberState::kAbsent;
        std::optional<int> status;   // its process has ended
        uint64_t half_known_ns = 0;  // since when
        bool aborted = false;        // it has asked for the end of the job: how it ends does not matter
    };

    // A daemon passes a PE's abort on before it says that the PE is gone. Both the exit and that notice are awaited, so
    // a PE that has ended the job itself is not complained about.
    static bool half_known(const Member& member) {
        return !member.aborted &&
               (member.status ? member.state == MemberState::kJoined : member.state == MemberState::kGone);
    }
    bool any_joined() const;
    std::optional<Verdict> judge(uint32_t rank) const;

    std::vector<Member> members_;
    std::optional<uint32_t> absent_;  // a PE that ended with 0 before it joined; no other PE had joined
};

}  // namespace syncline
