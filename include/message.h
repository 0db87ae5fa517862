/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARMCI's message layer: messages between processes, and collective calls over numbers. Global Arrays includes it by
 * this name. Without another library; beside MPI, messages of the two do not meet.
 *
 * Operations of collective calls are "+", "*", "max", "min", "absmax", "absmin", and of integers "or", "&&"
 * and "||". Scopes: all
 * processes, those of the own node, or the first one of each node. All members give the same arguments.
 */
#ifndef ARMCI_MESSAGE_H
#define ARMCI_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARMCI_INT (-99)
#define ARMCI_LONG (-101)
#define ARMCI_LONG_LONG (-102)
#define ARMCI_FLOAT (-306)
#define ARMCI_DOUBLE (-307)

#define SCOPE_ALL 333
#define SCOPE_NODE 337
#define SCOPE_MASTERS 339

/* Joins the job as ARMCI_Init() does. */
ARMCI_API void armci_msg_init(int* argc, char*** argv);
#ifdef MSG_COMMS_MPI
static inline void armci_msg_init_comm(MPI_Comm comm) {
    (void)ARMCI_Init_mpi_comm(comm);
}
#endif
ARMCI_API void armci_msg_finalize(void);
ARMCI_API int armci_msg_me(void);
ARMCI_API int armci_msg_nproc(void);
ARMCI_API void armci_msg_abort(int code);
/* Seconds, since some moment. */
ARMCI_API double armci_timer(void);

/* Returns when the buffer may be reused; the message may be longer than the receiver has room for now. */
ARMCI_API void armci_msg_snd(int tag, void* buffer, int bytes, int to);
/* The next message with the tag from that process; *length: its bytes, no more than `bytes`. */
ARMCI_API void armci_msg_rcv(int tag, void* buffer, int bytes, int* length, int from);
/* From any process, whose number is returned. */
ARMCI_API int armci_msg_rcvany(int tag, void* buffer, int bytes, int* length);

ARMCI_API void armci_msg_barrier(void);
ARMCI_API void armci_msg_bcast(void* buffer, int bytes, int root);
ARMCI_API void armci_msg_brdcst(void* buffer, int bytes, int root);
ARMCI_API void armci_msg_bcast_scope(int scope, void* buffer, int bytes, int root);
/* The binary tree of a scope: -1 where there is no such neighbour. */
ARMCI_API void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right);
/* The result to all; of reduce: to the first member. */
ARMCI_API void armci_msg_gop_scope(int scope, void* numbers, int count, char* operation, int type);
ARMCI_API void armci_msg_reduce_scope(int scope, void* numbers, int count, char* operation, int type);
ARMCI_API void armci_msg_reduce(void* numbers, int count, char* operation, int type);
/* Of those that contribute: "min" or "max" of the first number; the others of the member that has it come along. */
ARMCI_API void armci_msg_sel_scope(int scope, void* numbers, int count, char* operation, int type, int contributes);
#define armci_msg_sel(numbers, count, operation, type, contributes) \
    armci_msg_sel_scope(SCOPE_ALL, (numbers), (count), (operation), (type), (contributes))
ARMCI_API void armci_msg_igop(int* numbers, int count, char* operation);
ARMCI_API void armci_msg_lgop(long* numbers, int count, char* operation);
ARMCI_API void armci_msg_llgop(long long* numbers, int count, char* operation);
ARMCI_API void armci_msg_fgop(float* numbers, int count, char* operation);
ARMCI_API void armci_msg_dgop(double* numbers, int count, char* operation);
/* Adds up arrays that are NULL everywhere but at one process. */
ARMCI_API void armci_exchange_address(void* addresses[], int count);

ARMCI_API void armci_msg_clus_brdcst(void* buffer, int bytes);
ARMCI_API void armci_msg_clus_igop(int* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_lgop(long* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_llgop(long long* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_fgop(float* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_dgop(double* numbers, int count, char* operation);

/* Among the members of a group; roots are members' numbers in it. */
ARMCI_API void armci_msg_group_barrier(ARMCI_Group* group);
ARMCI_API void armci_msg_group_bcast_scope(int scope, void* buffer, int bytes, int root, ARMCI_Group* group);
ARMCI_API void armci_grp_clus_brdcst(void* buffer, int bytes, int master, int members, ARMCI_Group* group);
ARMCI_API void armci_msg_group_gop_scope(int scope, void* numbers, int count, char* operation, int type,
                                         ARMCI_Group* group);
ARMCI_API void armci_msg_group_igop(int* numbers, int count, char* operation, ARMCI_Group* group);
ARMCI_API void armci_msg_group_lgop(long* numbers, int count, char* operation, ARMCI_Group* group);
ARMCI_API void armci_msg_group_llgop(long long* numbers, int count, char* operation, ARMCI_Group* group);
ARMCI_API void armci_msg_group_fgop(float* numbers, int count, char* operation, ARMCI_Group* group);
ARMCI_API void armci_msg_group_dgop(double* numbers, int count, char* operation, ARMCI_Group* group);
ARMCI_API void armci_exchange_address_grp(void* addresses[], int count, ARMCI_Group* group);

#ifdef __cplusplus
}
#endif

#endif
