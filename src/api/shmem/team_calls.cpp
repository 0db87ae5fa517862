// SPDX-License-Identifier: BSD-3-Clause
// Teams and contexts (1.5, sections 9.4 and 9.5), and sessions (1.6).
#include "api/shmem/define.h"
#include "api/shmem/team.h"

namespace syncline::shmem {
namespace {

shmem_team_config_t config_of(const shmem_team_config_t* config, long mask) {
    shmem_team_config_t chosen = {0};
    if (config != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) {
        chosen.num_contexts = config->num_contexts;
    }
    return chosen;
}

// Makes a team of the parent's members start, start + stride, ... Returns NULL at the other members, and at all members
// if no number is left; then `number` is -1. All members of the parent call it, those of other new teams with other
// members. Returns when all words are reset.
UserTeam* split(Group& parent, int start, int stride, int size, const shmem_team_config_t& config, int* number) {
    check(Team::agree_on_number(&library->world, &parent, number));
    if (*number < 0) {
        return nullptr;
    }
    auto team = std::make_unique<Team>(&library->world, *number, parent.members().part(start, stride, size));
    const bool member = team->group().me() >= 0;
    if (member) {
        team->group().clear();
    }
    check(parent.sync());
    if (!member) {
        return nullptr;
    }
    check(team->join());
    return UserTeam::keep(std::make_unique<UserTeam>(std::move(team), config));
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

int pshmem_team_my_pe(shmem_team_t handle) {
    begin_call("shmem_team_my_pe");
    UserTeam* const team = team_of(handle);
    return team != nullptr ? team->group().me() : -1;
}

int pshmem_team_n_pes(shmem_team_t handle) {
    begin_call("shmem_team_n_pes");
    UserTeam* const team = team_of(handle);
    return team != nullptr ? team->group().size() : -1;
}

int pshmem_team_get_config(shmem_team_t handle, long config_mask, shmem_team_config_t* config) {
    begin_call("shmem_team_get_config");
    UserTeam* const team = team_of(handle);
    if (team == nullptr) {
        return -1;
    }
    if (config_mask != 0 && config == nullptr) {
        return -1;
    }
    if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) {
        config->num_contexts = team->config().num_contexts;
    }
    return 0;
}

int pshmem_team_translate_pe(shmem_team_t source_team, int source_pe, shmem_team_t dest_team) {
    begin_call("shmem_team_translate_pe");
    UserTeam* const source = team_of(source_team);
    UserTeam* const dest = team_of(dest_team);
    if (source == nullptr || dest == nullptr || source_pe < 0 || source_pe >= source->group().size()) {
        return -1;
    }
    return dest->group().members().find(source->group().world(source_pe));
}

int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                              const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
    begin_call("shmem_team_split_strided");
    about_to_wait();
    UserTeam* const parent = team_of(parent_team);
    must_be_given(new_team, "new_team");
    *new_team = SHMEM_TEAM_INVALID;
    if (parent == nullptr) {
        return -1;
    }
    const int members = parent->group().size();
    const int64_t last = start + (static_cast<int64_t>(size) - 1) * stride;
    if (start < 0 || start >= members || size < 1 || size > members || last < 0 || last >= members ||
        (stride == 0 && size > 1)) {
        return -1;
    }
    int number = -1;
    const UserTeam* const team =
        split(parent->group(), start, size > 1 ? stride : 1, size, config_of(config, config_mask), &number);
    if (number < 0) {
        return -1;
    }
    *new_team = team != nullptr ? handle_of(team) : SHMEM_TEAM_INVALID;
    return 0;
}

int pshmem_team_split_2d(shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config, long xaxis_mask,
                         shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask,
                         shmem_team_t* yaxis_team) {
    begin_call("shmem_team_split_2d");
    about_to_wait();
    UserTeam* const parent = team_of(parent_team);
    must_be_given(xaxis_team, "xaxis_team");
    must_be_given(yaxis_team, "yaxis_team");
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    if (parent == nullptr || xrange < 1) {
        return -1;
    }
    Group& group = parent->group();
    const int width = xrange < group.size() ? xrange : group.size();
    const int row = group.me() / width;
    const int column = group.me() % width;
    const int first = row * width;
    int number = -1;
    UserTeam* const row_team =
        split(group, first, 1, std::min(width, group.size() - first), config_of(xaxis_config, xaxis_mask), &number);
    if (number < 0) {
        return -1;
    }
    const UserTeam* const column_team = split(group, column, width, (group.size() - column - 1) / width + 1,
                                              config_of(yaxis_config, yaxis_mask), &number);
    if (number < 0) {
        UserTeam::destroy(row_team);
        return -1;
    }
    *xaxis_team = handle_of(row_team);
    *yaxis_team = handle_of(column_team);
    return 0;
}

void pshmem_team_destroy(shmem_team_t handle) {
    begin_call("shmem_team_destroy");
    about_to_wait();
    UserTeam* const team = team_of(handle);
    if (team == nullptr) {
        return;
    }
    if (handle == SHMEM_TEAM_WORLD || handle == SHMEM_TEAM_SHARED) {
        die("SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED last as long as the program");
    }
    UserTeam::destroy(team);
}

int pshmem_team_create_ctx(shmem_team_t handle, long options, shmem_ctx_t* ctx) {
    begin_call("shmem_team_create_ctx");
    about_to_wait();
    UserTeam* const team = team_of(handle);
    must_be_given(ctx, "ctx");
    *ctx = SHMEM_CTX_INVALID;
    if (team == nullptr) {
        return -1;
    }
    *ctx = reinterpret_cast<shmem_ctx_t>(team->create_context(options));
    return 0;
}

int pshmem_ctx_create(long options, shmem_ctx_t* ctx) {
    begin_call("shmem_ctx_create");
    must_be_given(ctx, "ctx");
    return pshmem_team_create_ctx(SHMEM_TEAM_WORLD, options, ctx);
}

void pshmem_ctx_destroy(shmem_ctx_t ctx) {
    begin_call("shmem_ctx_destroy");
    if (ctx == SHMEM_CTX_INVALID) {
        return;
    }
    if (ctx == SHMEM_CTX_DEFAULT) {
        die("SHMEM_CTX_DEFAULT lasts as long as the program");
    }
    UserContext& context = context_of(ctx);
    quiet(context);
    context.team->destroy_context(&context);
}

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) {
    begin_call("shmem_ctx_get_team");
    must_be_given(team, "team");
    *team = SHMEM_TEAM_INVALID;
    if (ctx == SHMEM_CTX_INVALID) {
        return -1;
    }
    const UserContext& context = context_of(ctx);
    *team = context.team != nullptr ? handle_of(context.team) : SHMEM_TEAM_WORLD;
    return 0;
}

// Hints change nothing: atomics without a result gather in packets at all times.
void pshmem_ctx_session_start(shmem_ctx_t ctx, long, const shmem_ctx_session_config_t*, long) {
    if (ctx != SHMEM_CTX_INVALID) {
        begin_call("shmem_ctx_session_start");
        (void)context_of(ctx);
    }
}

void pshmem_ctx_session_stop(shmem_ctx_t ctx) {
    if (ctx != SHMEM_CTX_INVALID) {
        begin_call("shmem_ctx_session_stop");
        (void)context_of(ctx);
    }
}

DEFINE_NAMES(SHMEM_TEAMS_)

}  // extern "C"
