// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/team.h"

#include <bit>

namespace syncline::shmem {
namespace {

std::mutex numbers_guard;
uint64_t numbers_in_use = 0;
std::vector<std::unique_ptr<Team>> kept;  // guarded by numbers_guard

// A barrier number that nobody in the job uses, taken at PE 0; -1 if there is none.
int take_barrier_number(const char* what) {
    uint64_t seen = 0;
    for (;;) {
        if (seen == UINT64_MAX) {
            return -1;
        }
        const int number = std::countr_one(seen);
        uint64_t before = 0;
        AtomicCall set = {
            .operation = SYNCLINE_OR | SYNCLINE_64 | SYNCLINE_FETCH, .rank = 0, .target = workspace.numbers()};
        set.operand[0] = 1ull << number;
        set.result = &before;
        check(what, runtime->endpoint.atomic(set));
        if ((before >> number & 1) == 0) {
            return number;
        }
        seen |= before;
    }
}

void give_barrier_number_back(const char* what, int number) {
    uint64_t before = 0;
    AtomicCall clear = {
        .operation = SYNCLINE_AND | SYNCLINE_64 | SYNCLINE_FETCH, .rank = 0, .target = workspace.numbers()};
    clear.operand[0] = ~(1ull << number);
    clear.result = &before;
    check(what, runtime->endpoint.atomic(clear));
}

}  // namespace

Team::Team(int number, Members members, const shmem_team_config_t& config)
    : number_(number), group_(number, std::move(members)), config_(config) {
    const std::lock_guard<std::mutex> guard(numbers_guard);
    numbers_in_use |= 1ull << number;
}

Team* Team::keep(std::unique_ptr<Team> team) {
    const std::lock_guard<std::mutex> guard(numbers_guard);
    kept.push_back(std::move(team));
    return kept.back().get();
}

void Team::destroy(const char* what, Team* team) {
    team->leave(what);
    const std::lock_guard<std::mutex> guard(numbers_guard);
    std::erase_if(kept, [team](const std::unique_ptr<Team>& other) { return other.get() == team; });
}

void Team::destroy_all(const char* what) {
    while (!kept.empty()) {
        destroy(what, kept.front().get());
    }
}

uint64_t Team::free_numbers() {
    const std::lock_guard<std::mutex> guard(numbers_guard);
    return ~numbers_in_use;
}

void Team::join() {
    const char* const what = "shmem_team_split_strided";
    if (!group_.spans_nodes()) {
        return;
    }
    if (group_.me() == 0) {
        barrier_number_ = take_barrier_number(what);
        for (int member = 1; member < group_.size(); member++) {
            group_.leave_value(what, member, static_cast<uint64_t>(barrier_number_));
        }
    }
    group_.barrier(what);
    if (group_.me() != 0) {
        barrier_number_ = static_cast<int>(group_.own_value(0));
    }
    group_.sync(what);  // only now may the next collective of a faster member overwrite the value
    if (barrier_number_ >= 0) {
        group_.open_meeting(what, static_cast<uint32_t>(barrier_number_));
    }
}

void Team::leave(const char* what) {
    group_.close_meeting(what);
    if (barrier_number_ >= 0 && group_.me() == 0) {
        give_barrier_number_back(what, barrier_number_);
    }
    for (Context* const context : contexts_) {
        quiet(what, *context);
        runtime->endpoint.close_batch(context->batch);
        delete context;
    }
    const std::lock_guard<std::mutex> guard(numbers_guard);
    numbers_in_use &= ~(1ull << number_);
}

Context* Team::create_context(long options) {
    auto* const context = new Context;
    context->batch = runtime->endpoint.open_batch();
    group_.describe(context);
    context->team = this;
    context->options = options;
    const std::lock_guard<std::mutex> guard(guard_);
    contexts_.insert(context);
    return context;
}

void Team::destroy_context(Context* context) {
    {
        const std::lock_guard<std::mutex> guard(guard_);
        contexts_.erase(context);
    }
    runtime->endpoint.close_batch(context->batch);
    delete context;
}

Team* team_of(const char* what, shmem_team_t handle) {
    Runtime& state = initialized(what);
    if (handle == SHMEM_TEAM_WORLD) {
        return state.world.get();
    }
    return handle == SHMEM_TEAM_SHARED ? state.shared.get() : reinterpret_cast<Team*>(handle);
}

Team& valid_team(const char* what, shmem_team_t handle) {
    Team* const team = team_of(what, handle);
    if (team == nullptr) {
        die(what, "the team is SHMEM_TEAM_INVALID");
    }
    return *team;
}

shmem_team_t handle_of(const Team* team) {
    if (team == runtime->world.get()) {
        return SHMEM_TEAM_WORLD;
    }
    return team == runtime->shared.get() ? SHMEM_TEAM_SHARED : reinterpret_cast<shmem_team_t>(const_cast<Team*>(team));
}

}  // namespace syncline::shmem
