// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/team.h"

namespace syncline::shmem {

UserTeam* UserTeam::keep(std::unique_ptr<UserTeam> team) {
    const std::lock_guard<std::mutex> guard(library->kept_guard);
    library->kept.push_back(std::move(team));
    return library->kept.back().get();
}

void UserTeam::destroy(UserTeam* team) {
    check(team->team_->leave());
    team->destroy_contexts();
    const std::lock_guard<std::mutex> guard(library->kept_guard);
    std::erase_if(library->kept, [team](const std::unique_ptr<UserTeam>& other) { return other.get() == team; });
}

void UserTeam::destroy_all() {
    while (!library->kept.empty()) {
        destroy(library->kept.front().get());
    }
}

void UserTeam::destroy_contexts() {
    for (UserContext* const context : contexts_) {
        quiet(*context);
        library->endpoint.batches().close(context->batch);
        delete context;
    }
    contexts_.clear();
}

UserContext* UserTeam::create_context(long options) {
    auto* const context = new UserContext;
    static_cast<Context&>(*context) = group().context();
    context->batch = library->endpoint.batches().open();
    context->team = this;
    context->options = options;
    const std::lock_guard<std::mutex> guard(guard_);
    contexts_.insert(context);
    return context;
}

void UserTeam::destroy_context(UserContext* context) {
    {
        const std::lock_guard<std::mutex> guard(guard_);
        contexts_.erase(context);
    }
    library->endpoint.batches().close(context->batch);
    delete context;
}

UserTeam* team_of(shmem_team_t handle) {
    Library& state = initialized();
    if (handle == SHMEM_TEAM_WORLD) {
        return state.all.get();
    }
    return handle == SHMEM_TEAM_SHARED ? state.shared.get() : reinterpret_cast<UserTeam*>(handle);
}

UserTeam& valid_team(shmem_team_t handle) {
    UserTeam* const team = team_of(handle);
    if (team == nullptr) {
        die("the team is SHMEM_TEAM_INVALID");
    }
    return *team;
}

shmem_team_t handle_of(const UserTeam* team) {
    if (team == library->all.get()) {
        return SHMEM_TEAM_WORLD;
    }
    return team == library->shared.get() ? SHMEM_TEAM_SHARED
                                         : reinterpret_cast<shmem_team_t>(const_cast<UserTeam*>(team));
}

}  // namespace syncline::shmem
