// SPDX-License-Identifier: BSD-3-Clause
// A group with words of its own (OpenSHMEM 1.5, section 9.4).
//
// A team's number is the area of its words; its parent's members agree on one that is free at all of them. It may be in
// use for several teams at once that have no PE in common. A team over several nodes takes a number of the NICs'
// barriers (barrier_numbers.h); one that gets none runs its barriers in software.
//
// Threads: the members' collective calls, one at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/collective/group.h"

namespace syncline {

// The numbers that a PE is in a team of, as bits.
struct TeamNumbers {
    std::atomic<uint64_t> in_use{0};
};

class Team {
  public:
    Team(World* world, int number, Members members);
    ~Team();  // after leave()
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    Group& group() { return group_; }

    // Opens the NICs' barrier, if the team is on several nodes and there is one. All members call it. OK, or the
    // group's.
    int join();
    // Gives everything back. All members call it. OK, or the group's.
    int leave();

    // A number that no member of the parent uses; -1 if there is none. All members call it. OK, or the group's.
    static int agree_on_number(World* world, Group* parent, int* number);

  private:
    int open_nic_barrier();

    TeamNumbers* const numbers_;
    const int number_;
    Group group_;
    int barrier_number_ = -1;
};

}  // namespace syncline
