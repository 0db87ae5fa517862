// SPDX-License-Identifier: BSD-3-Clause
// Teams (1.5, section 9.4). All but those of a node whose PEs have no common distance, and their parts, are strided in
// the numbers of the job.
//
// A team's number is the area of its words; its parent's members agree on one that is free at all of them. It may be in
// use for several teams at once that have no PE in common. Numbers of the NICs' barriers are the whole job's: they
// are taken with an atomic at PE 0; a team that gets none meets by software.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "api/shmem/group.h"

namespace syncline::shmem {

class Team {
  public:
    Team(int number, Members members, const shmem_team_config_t& config);

    Group& group() { return group_; }
    int number() const { return number_; }
    const shmem_team_config_t& config() const { return config_; }

    // Opens the NICs' barrier, if the team is on several nodes and there is one. All members call it.
    void join();
    // Gives everything back. All members call it.
    void leave(const char* what);

    Context* create_context(long options);
    void destroy_context(Context* context);

    // Keeps a team that a split has made, until it is destroyed.
    static Team* keep(std::unique_ptr<Team> team);
    // All members call it.
    static void destroy(const char* what, Team* team);
    // The same for all that are left, in the order they were made in, which is the members' own.
    static void destroy_all(const char* what);

    // The numbers that this PE is not in a team of, as bits.
    static uint64_t free_numbers();

  private:
    const int number_;
    Group group_;
    const shmem_team_config_t config_;
    int barrier_number_ = -1;
    std::mutex guard_;
    std::set<Context*> contexts_;
};

// What a handle stands for; NULL for SHMEM_TEAM_INVALID.
Team* team_of(const char* what, shmem_team_t handle);
// The same for calls that need one.
Team& valid_team(const char* what, shmem_team_t handle);
shmem_team_t handle_of(const Team* team);

}  // namespace syncline::shmem
