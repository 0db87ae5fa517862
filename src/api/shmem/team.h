// SPDX-License-Identifier: BSD-3-Clause
// Teams as programs see them (1.5, section 9.4): a team of the runtime with its configuration and contexts.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "api/shmem/library.h"

namespace syncline::shmem {

class UserTeam {
  public:
    // One that the world has.
    explicit UserTeam(Team* team) : team_(team), config_{} {}
    // One that a split has made.
    UserTeam(std::unique_ptr<Team> team, const shmem_team_config_t& config)
        : own_(std::move(team)), team_(own_.get()), config_(config) {}

    Group& group() { return team_->group(); }
    const shmem_team_config_t& config() const { return config_; }

    // Completes and destroys the contexts. Before the team leaves.
    void destroy_contexts();
    UserContext* create_context(long options);
    void destroy_context(UserContext* context);

    // Keeps a team that a split has made, until it is destroyed.
    static UserTeam* keep(std::unique_ptr<UserTeam> team);
    // All members call it.
    static void destroy(UserTeam* team);
    // Destroys all that are left, in the order they were made in, which is one at all members.
    static void destroy_all();

  private:
    std::unique_ptr<Team> own_;
    Team* const team_;
    const shmem_team_config_t config_;
    std::mutex guard_;
    std::set<UserContext*> contexts_;
};

// The team behind a handle; NULL for SHMEM_TEAM_INVALID.
UserTeam* team_of(shmem_team_t handle);
// team_of() for calls that need a team.
UserTeam& valid_team(shmem_team_t handle);
shmem_team_t handle_of(const UserTeam* team);

}  // namespace syncline::shmem
