// SPDX-License-Identifier: BSD-3-Clause
// Sees every call of every PE on one lock, and reports broken promises. It knows nothing about the lock's algorithm
// except the words from which it reads the order of arrival.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/deterministic/any_lock.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {

// A PE must learn that the lock is broken within this virtual time after the fault, its call, or the last time that
// some PE got the lock or left, whichever is latest. The time allows a short peer timeout for each look.
constexpr uint64_t answer_ns_max = 2 * ns_per_s;

class Referee {
  public:
    explicit Referee(World* world) : world_(world) {}

    // A new lock replaces the former one.
    void begin(LockKind kind, syncline_address_t base, uint32_t home, uint32_t units);

    // Are called before and after each call. `deadline_ns` is as for Lock::acquire(); 0: try.
    void asks(uint32_t rank, bool reader, uint64_t deadline_ns);
    void answers(uint32_t rank, int status);
    void leaves(uint32_t rank);
    void left(uint32_t rank, int status);
    // Returns the PE that held the lock last and left; -1: there is none.
    int last_holder() const { return last_holder_; }

    // Are called in the critical section: the guarded counter was read, or is about to be written.
    void reads(uint32_t rank, int status, uint64_t count);
    void writes(uint64_t count) { count_ = count; }
    void write_failed() { certain_ = false; }

    // From now on calls may say that the lock is broken.
    void excuse() { excused_at_ = std::min(excused_at_, world_->scheduler().now()); }
    bool excused() const { return excused_at_ != UINT64_MAX; }
    void died(uint32_t rank);
    bool asked(uint32_t rank) const { return pes_[rank].ever_asked; }

    // Returns a PE's present role for the lock.
    const char* role_of(uint32_t rank) const;
    bool is_home(uint32_t rank) const { return rank == home_; }

    void wrong(std::string what);
    const std::string& verdict() const { return wrong_; }
    std::string who_is_in() const;
    uint64_t slowest_answer() const { return slowest_; }
    uint64_t grants() const { return grants_; }

  private:
    enum class Doing { kElse, kAsking, kHolding, kLeaving };
    struct Pe {
        Doing doing = Doing::kElse;
        bool reader = false;
        bool dead = false;
        bool gave_up = false;  // its place may still be in the queue
        bool ever_asked = false;
        uint64_t deadline_ns = 0;
        uint64_t since = 0;
        uint64_t tail = 0;             // the queue's tail when the PE asked
        std::vector<uint32_t> behind;  // PEs that are certainly ahead of this one
    };

    void note_order(uint32_t rank);
    bool is_surely_queued(uint32_t rank) const;
    void check_order(uint32_t rank);
    void check_exclusion(uint32_t rank);
    void check_status(uint32_t rank, int status, const char* call);
    uint64_t tail() const { return world_->peek(home_, base_ + LockLayout::tail); }

    World* const world_;
    LockKind kind_ = LockKind::kMcs;
    syncline_address_t base_ = 0;
    uint32_t home_ = 0;
    uint32_t units_ = 1;
    std::vector<Pe> pes_;
    int last_holder_ = -1;
    uint64_t count_ = 0;
    bool certain_ = true;
    uint64_t excused_at_ = UINT64_MAX;
    uint64_t moved_at_ = 0;  // when some PE last got the lock or left
    uint64_t slowest_ = 0;
    uint64_t grants_ = 0;
    std::string wrong_;
};

}  // namespace syncline::deterministic
