/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams (1.5, section 9.4), contexts (9.5) and sessions (1.6).
 */
#ifndef SHMEM_TEAMS_H
#define SHMEM_TEAMS_H

#include "shmem/types.h"

/* Opaque handles. */
typedef struct shmem_context_* shmem_ctx_t;
typedef struct shmem_team_* shmem_team_t;

typedef struct {
    int num_contexts;
} shmem_team_config_t;

typedef struct {
    size_t total_ops;
} shmem_ctx_session_config_t;

/*
 * shmem_team_split_strided(3): sets of PEs
 * shmem_team_split_strided shmem_team_split_2d shmem_team_destroy shmem_team_my_pe shmem_team_n_pes
 * shmem_team_get_config shmem_team_translate_pe
 *
 * A team numbers some PEs from 0. SHMEM_TEAM_WORLD has all PEs. SHMEM_TEAM_SHARED has the PEs of the caller's own node,
 * into whose memory shmem_ptr(3) points, in the order of their numbers. shmem_team_split_strided() makes a team of size
 * PEs of the parent: start, start + stride, and so on; the stride may be negative. shmem_team_split_2d() lays the
 * parent's PEs out in rows of xrange PEs and makes a team of every row and of every column. A PE that is not in a new
 * team gets SHMEM_TEAM_INVALID.
 *
 * shmem_team_translate_pe() returns the number in dest_team of a PE of source_team. shmem_team_my_pe() returns the
 * caller's number in a team, and shmem_team_n_pes() the number of the team's PEs. shmem_team_get_config() returns the
 * config that the team was made with; its num_contexts reserves nothing.
 *
 * A PE may be in 62 teams at a time besides SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED. Up to 64 teams of a job that are on
 * several nodes synchronise by a NIC barrier; further ones synchronise by messages of their PEs.
 *
 * Blocking: splits are collective over the parent, and shmem_team_destroy() over the team. shmem_team_destroy()
 * completes the operations of the team's contexts and destroys these contexts. The other calls send nothing.
 *
 * Threads: only one thread of a PE may be in a collective call of a team at a time.
 *
 * Errors: a call returns -1 if the team is SHMEM_TEAM_INVALID, if the PE is not in the team, if the new team would have
 * a member that is not in the parent, or if all numbers are taken. Destroying SHMEM_TEAM_WORLD or SHMEM_TEAM_SHARED
 * ends the job.
 *
 * Specification: 1.5, 9.4
 */

/*
 * shmem_ctx_create(3): operations that are ordered and completed together
 * shmem_ctx_create shmem_team_create_ctx shmem_ctx_destroy shmem_ctx_get_team
 *
 * shmem_ctx_quiet(3) of a context completes the operations on that context only. On a context of a team, PEs are
 * numbered as in the team. SHMEM_CTX_DEFAULT belongs to SHMEM_TEAM_WORLD and is there from the beginning. There may be
 * any number of contexts. The options SHMEM_CTX_SERIALIZED, _PRIVATE and _NOSTORE change nothing: contexts of one PE
 * share its connections.
 *
 * shmem_ctx_get_team() returns the team of a context.
 *
 * Blocking: shmem_ctx_destroy() completes the operations of the context. None of the calls is collective.
 *
 * Errors: shmem_team_create_ctx() of SHMEM_TEAM_INVALID and shmem_ctx_get_team() of SHMEM_CTX_INVALID return -1;
 * destroying SHMEM_CTX_DEFAULT ends the job; destroying SHMEM_CTX_INVALID does nothing.
 *
 * Specification: 1.5, 9.5
 */

/*
 * shmem_ctx_session_start(3): a hint of operations to come
 * shmem_ctx_session_start shmem_ctx_session_stop
 *
 * A session is a series of operations on a context, with options (SHMEM_CTX_SESSION_BATCH) and, if
 * SHMEM_CTX_SESSION_TOTAL_OPS is in config_mask, the expected number of operations, total_ops. The hints change
 * nothing, because many atomics without a result travel in one packet at all times. A session may be started twice and
 * be stopped twice; neither call completes or orders any operation. On SHMEM_CTX_INVALID they do nothing.
 *
 * Blocking: no call blocks or sends anything.
 *
 * Specification: 1.6
 *
 * See also: shmem_ctx_create(3), shmem_quiet(3)
 */
#define SHMEM_TEAMS_(F)                                                                                                \
    F(int, team_my_pe, (shmem_team_t team))                                                                            \
    F(int, team_n_pes, (shmem_team_t team))                                                                            \
    F(int, team_get_config, (shmem_team_t team, long config_mask, shmem_team_config_t* config))                        \
    F(int, team_translate_pe, (shmem_team_t source_team, int source_pe, shmem_team_t dest_team))                       \
    F(int, team_split_strided,                                                                                         \
      (shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t* config, long config_mask, \
       shmem_team_t* new_team))                                                                                        \
    F(int, team_split_2d,                                                                                              \
      (shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config, long xaxis_mask,                 \
       shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask, shmem_team_t* yaxis_team))  \
    F(void, team_destroy, (shmem_team_t team))                                                                         \
    F(int, ctx_create, (long options, shmem_ctx_t* ctx))                                                               \
    F(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx))                                       \
    F(void, ctx_destroy, (shmem_ctx_t ctx))                                                                            \
    F(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t * team))                                                       \
    F(void, ctx_session_start,                                                                                         \
      (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config, long config_mask))                     \
    F(void, ctx_session_stop, (shmem_ctx_t ctx))

#endif
