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
    // A team that the world has.
    explicit UserTeam(Team* team) : team_(team), config_{} {}
    // A team that a split has made.
    UserTeam(std::unique_ptr<Team> team, const shmem_team_config_t& config)
        : own_(std::move(team)), team_(own_.get()), config_(config) {}

    Group& group() { return team_->group(); }
    const shmem_team_config_t& config() const { return config_; }

    // Completes and destroys the contexts, before the team leaves.
    void destroy_contexts();
    UserContext* create_context(long options);
    void destroy_context(UserContext* context);

    // Keeps a team that a split has made, until it is destroyed.
    static UserTeam* keep(std::unique_ptr<UserTeam> team);
    // All members call it.
    static void destroy(UserTeam* team);
    // Destroys all remaining teams, in the order of their creation, which is the same at all members.
    static void destroy_all();

  private:
    std::unique_ptr<Team> own_;
    Team* const team_;
    const shmem_team_config_t config_;
    std::mutex guard_;
    std::set<UserContext*> contexts_;
};

// Returns the team behind a handle; NULL for SHMEM_TEAM_INVALID.
UserTeam* team_of(shmem_team_t handle);
// As team_of(), for calls that need a team.
UserTeam& valid_team(shmem_team_t handle);
shmem_team_t handle_of(const UserTeam* team);

}  // namespace syncline::shmem
