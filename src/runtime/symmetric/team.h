// SPDX-License-Identifier: BSD-3-Clause
// A group with words of its own (OpenSHMEM 1.5, section 9.4).
//
// A team's number says which area its words are in; its parent's members agree on a number that is free at all of them.
// Several teams at once may have one number if they have no PE in common. A team over several nodes takes a number
// for a barrier (barrier_numbers.h); a team that gets none runs its barriers by its own signals.
//
// Threads: the members make collective calls one at a time.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/symmetric/group.h"

namespace syncline {

// The numbers of the teams that a PE is in, as bits.
struct TeamNumbers {
    std::atomic<uint64_t> in_use{0};
};

class Team {
  public:
    Team(World* world, int number, Members members);
    ~Team();  // call leave() first
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    Group& group() { return group_; }

    // Opens a numbered barrier, if the team is on several nodes and a number is free. All members call it. Returns OK,
    // or the group's status.
    int join();
    // Gives all resources back. All members call it. Returns OK, or the group's status.
    int leave();

    // Stores a number that no member of the parent uses, or -1 if there is none. All members call it. Returns OK, or
    // the group's status.
    static int agree_on_number(World* world, Group* parent, int* number);

  private:
    int open_numbered_barrier();

    World* const world_;
    const int number_;
    Group group_;
    int barrier_number_ = -1;
};

}  // namespace syncline
