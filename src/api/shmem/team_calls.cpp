// SPDX-License-Identifier: BSD-3-Clause
// Teams and contexts (1.5, sections 9.4 and 9.5), and sessions (1.6).
#include <bit>

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

// A number that no member of the parent uses, or -1.
int agree_on_number(const char* what, Group& parent) {
    uint64_t free = UINT64_MAX;
    for (const uint64_t at_member : parent.exchange(what, Team::free_numbers())) {
        free &= at_member;
    }
    return free != 0 ? std::countr_zero(free) : -1;
}

// The members start, start + stride, ... of the parent become a team; NULL for the others. The parent's members all
// call it, those of other new teams with the same number and other members. Returns when all words are new.
Team* split(const char* what, Group& parent, int number, int start, int stride, int size,
            const shmem_team_config_t& config) {
    auto team = std::make_unique<Team>(number, parent.members().part(start, stride, size), config);
    const bool member = team->group().me() >= 0;
    if (member) {
        team->group().clear();
    }
    parent.sync(what);
    if (!member) {
        team->leave(what);
        return nullptr;
    }
    team->join();
    return Team::keep(std::move(team));
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

int pshmem_team_my_pe(shmem_team_t handle) {
    Team* const team = team_of("shmem_team_my_pe", handle);
    return team != nullptr ? team->group().me() : -1;
}

int pshmem_team_n_pes(shmem_team_t handle) {
    Team* const team = team_of("shmem_team_n_pes", handle);
    return team != nullptr ? team->group().size() : -1;
}

int pshmem_team_get_config(shmem_team_t handle, long config_mask, shmem_team_config_t* config) {
    Team* const team = team_of("shmem_team_get_config", handle);
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
    const char* const what = "shmem_team_translate_pe";
    Team* const source = team_of(what, source_team);
    Team* const dest = team_of(what, dest_team);
    if (source == nullptr || dest == nullptr || source_pe < 0 || source_pe >= source->group().size()) {
        return -1;
    }
    return dest->group().members().find(source->group().world(source_pe));
}

int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                              const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team) {
    const char* const what = "shmem_team_split_strided";
    about_to_wait(what);
    Team* const parent = team_of(what, parent_team);
    must_be_given(what, new_team, "new_team");
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
    const int number = agree_on_number(what, parent->group());
    if (number < 0) {
        return -1;
    }
    const Team* const team =
        split(what, parent->group(), number, start, size > 1 ? stride : 1, size, config_of(config, config_mask));
    *new_team = team != nullptr ? handle_of(team) : SHMEM_TEAM_INVALID;
    return 0;
}

int pshmem_team_split_2d(shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config, long xaxis_mask,
                         shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask,
                         shmem_team_t* yaxis_team) {
    const char* const what = "shmem_team_split_2d";
    about_to_wait(what);
    Team* const parent = team_of(what, parent_team);
    must_be_given(what, xaxis_team, "xaxis_team");
    must_be_given(what, yaxis_team, "yaxis_team");
    *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
    if (parent == nullptr || xrange < 1) {
        return -1;
    }
    Group& group = parent->group();
    const int width = xrange < group.size() ? xrange : group.size();
    const int row = group.me() / width;
    const int column = group.me() % width;
    const int first = row * width;
    const int x_number = agree_on_number(what, group);
    if (x_number < 0) {
        return -1;
    }
    Team* const row_team = split(what, group, x_number, first, 1, std::min(width, group.size() - first),
                                 config_of(xaxis_config, xaxis_mask));
    const int y_number = agree_on_number(what, group);
    if (y_number < 0) {
        Team::destroy(what, row_team);
        return -1;
    }
    const Team* const column_team = split(what, group, y_number, column, width, (group.size() - column - 1) / width + 1,
                                          config_of(yaxis_config, yaxis_mask));
    *xaxis_team = handle_of(row_team);
    *yaxis_team = handle_of(column_team);
    return 0;
}

void pshmem_team_destroy(shmem_team_t handle) {
    const char* const what = "shmem_team_destroy";
    about_to_wait(what);
    Team* const team = team_of(what, handle);
    if (team == nullptr) {
        return;
    }
    if (handle == SHMEM_TEAM_WORLD || handle == SHMEM_TEAM_SHARED) {
        die(what, "SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED last as long as the program");
    }
    Team::destroy(what, team);
}

int pshmem_team_create_ctx(shmem_team_t handle, long options, shmem_ctx_t* ctx) {
    const char* const what = "shmem_team_create_ctx";
    about_to_wait(what);
    Team* const team = team_of(what, handle);
    must_be_given(what, ctx, "ctx");
    *ctx = SHMEM_CTX_INVALID;
    if (team == nullptr) {
        return -1;
    }
    *ctx = reinterpret_cast<shmem_ctx_t>(team->create_context(options));
    return 0;
}

int pshmem_ctx_create(long options, shmem_ctx_t* ctx) {
    must_be_given("shmem_ctx_create", ctx, "ctx");
    return pshmem_team_create_ctx(SHMEM_TEAM_WORLD, options, ctx);
}

void pshmem_ctx_destroy(shmem_ctx_t ctx) {
    const char* const what = "shmem_ctx_destroy";
    if (ctx == SHMEM_CTX_INVALID) {
        return;
    }
    if (ctx == SHMEM_CTX_DEFAULT) {
        die(what, "SHMEM_CTX_DEFAULT lasts as long as the program");
    }
    Context& context = context_of(what, ctx);
    quiet(what, context);
    context.team->destroy_context(&context);
}

int pshmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team) {
    const char* const what = "shmem_ctx_get_team";
    must_be_given(what, team, "team");
    *team = SHMEM_TEAM_INVALID;
    if (ctx == SHMEM_CTX_INVALID) {
        return -1;
    }
    const Context& context = context_of(what, ctx);
    *team = context.team != nullptr ? handle_of(context.team) : SHMEM_TEAM_WORLD;
    return 0;
}

// Hints change nothing: atomics without a result gather in packets always.
void pshmem_ctx_session_start(shmem_ctx_t ctx, long, const shmem_ctx_session_config_t*, long) {
    if (ctx != SHMEM_CTX_INVALID) {
        (void)context_of("shmem_ctx_session_start", ctx);
    }
}

void pshmem_ctx_session_stop(shmem_ctx_t ctx) {
    if (ctx != SHMEM_CTX_INVALID) {
        (void)context_of("shmem_ctx_session_stop", ctx);
    }
}

DEFINE_NAMES(SHMEM_TEAMS_)

}  // extern "C"
