/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARMCI's message layer: messages between processes, and collective calls over numbers. Global Arrays includes it by
 * this name. It needs no other library. In a program that also uses MPI, these messages and MPI's are separate.
 *
 * Buffers.     Local memory of any kind. Lengths are in bytes, counts are in numbers.
 * Operations.  "+", "*", "max", "min", "absmax" and "absmin" (the largest and smallest absolute value); for integers
 *              also "or", "|" or "bor" (of bits), "&" or "band" (of bits), "&&" or "land", "||" or "lor" (0 or 1). Only
 *              these characters count, whatever follows them: Fortran's blanks, or no terminating zero. All members get
 *              equal bits.
 * Scopes.      SCOPE_ALL: all processes. SCOPE_NODE: the processes of the caller's node. SCOPE_MASTERS: the first
 *              process of each node; at other processes the call returns at once.
 * Collective.  All members make the same calls, in one order, with matching arguments.
 * Errors.      As in armci.h: one error message, and the end of the job. A wait for a process that is gone ends the
 *              job, too.
 */
#ifndef ARMCI_MESSAGE_H
#define ARMCI_MESSAGE_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of numbers. */
#define ARMCI_INT (-99)
#define ARMCI_LONG (-101)
#define ARMCI_LONG_LONG (-102)
#define ARMCI_FLOAT (-306)
#define ARMCI_DOUBLE (-307)

/* Scopes of collective calls. */
#define SCOPE_ALL 333
#define SCOPE_NODE 337
#define SCOPE_MASTERS 339

/* ---- Set-up and process numbers ---- */

/*
 * Joins the job as ARMCI_Init() and ARMCI_Init_mpi_comm() do, also for ARMCI's calls. One armci_msg_finalize() is
 * enough for all of them, and the end of the program has the same effect. In a program with MPI the call initialises
 * MPI first, unless the program has done so.
 */
ARMCI_API void armci_msg_init(int* argc, char*** argv);
#if defined(MSG_COMMS_MPI) || defined(MPI_VERSION)
static inline void armci_msg_init_comm(MPI_Comm comm) {
    (void)ARMCI_Init_mpi_comm(comm);
}
#endif
/*
 * Collective. Leaves the job if ARMCI_Finalize() has been called as often as ARMCI_Init(); otherwise the process leaves
 * it at the end of the program. Finalises MPI, unless the program has done so: no call of MPI may follow.
 */
ARMCI_API void armci_msg_finalize(void);
/* The number of this process, from 0, and the number of processes. */
ARMCI_API int armci_msg_me(void);
ARMCI_API int armci_msg_nproc(void);
/* Ends the job as ARMCI_Error() does, with this exit status. */
ARMCI_API void armci_msg_abort(int code);
/* Returns seconds since some fixed moment. */
ARMCI_API double armci_timer(void);

/* ---- Messages ---- */

/*
 * Sends to a process, with a tag of 0 or more. Returns when the buffer may be reused. A message may have any length; if
 * the receiver makes no call of this layer, the sender waits once 64 parts of 4 KiB are at the receiver.
 */
ARMCI_API void armci_msg_snd(int tag, void* buffer, int bytes, int to);
/*
 * Waits for the next message with the tag from that process. Messages of a sender with one tag keep their order. Stores
 * the message's length in *length, unless `length` is NULL. A message of more than `bytes` ends the job.
 */
ARMCI_API void armci_msg_rcv(int tag, void* buffer, int bytes, int* length, int from);
/* As armci_msg_rcv(), but from any process; returns that process's number. */
ARMCI_API int armci_msg_rcvany(int tag, void* buffer, int bytes, int* length);

/* ---- Collective calls among all processes ---- */

/* As ARMCI_Barrier(): a fence and a barrier in one. */
ARMCI_API void armci_msg_barrier(void);
/* Copy the bytes of process `root` to all processes, or to those of a scope that contains the root. */
ARMCI_API void armci_msg_bcast(void* buffer, int bytes, int root);
ARMCI_API void armci_msg_brdcst(void* buffer, int bytes, int root);
ARMCI_API void armci_msg_bcast_scope(int scope, void* buffer, int bytes, int root);
/* Stores this process's neighbours in the binary tree of a scope, as process numbers: -1 means no such neighbour. */
ARMCI_API void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right);
/* Combines the numbers of all members, place by place; `type` is ARMCI_INT and so on. Each member gets the result. */
ARMCI_API void armci_msg_gop_scope(int scope, void* numbers, int count, char* operation, int type);
/* As armci_msg_gop_scope(), but only the first member gets the result. The other members' numbers may change. */
ARMCI_API void armci_msg_reduce_scope(int scope, void* numbers, int count, char* operation, int type);
ARMCI_API void armci_msg_reduce(void* numbers, int count, char* operation, int type);
/*
 * Selects the data of one member. The `bytes` of data begin with a number of the type; among the members that
 * contribute, the member whose number is the "min" or the "max" is selected, and all members get its data. If no member
 * contributes, they get the data of some member.
 */
ARMCI_API void armci_msg_sel_scope(int scope, void* data, int bytes, char* operation, int type, int contributes);
#define armci_msg_sel(data, bytes, operation, type, contributes) \
    armci_msg_sel_scope(SCOPE_ALL, (data), (bytes), (operation), (type), (contributes))
/* As armci_msg_gop_scope() over all processes, for numbers of one type. */
ARMCI_API void armci_msg_igop(int* numbers, int count, char* operation);
ARMCI_API void armci_msg_lgop(long* numbers, int count, char* operation);
ARMCI_API void armci_msg_llgop(long long* numbers, int count, char* operation);
ARMCI_API void armci_msg_fgop(float* numbers, int count, char* operation);
ARMCI_API void armci_msg_dgop(double* numbers, int count, char* operation);
/* Adds up arrays of addresses, each entry of which is NULL except at one process: all processes get all entries. */
ARMCI_API void armci_exchange_address(void* addresses[], int count);

/* ---- Collective calls among the processes of a node ---- */

/* Copies the bytes of the first process of the node to the node's other processes. */
ARMCI_API void armci_msg_clus_brdcst(void* buffer, int bytes);
/* As armci_msg_igop() and its variants, among the processes of the node. */
ARMCI_API void armci_msg_clus_igop(int* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_lgop(long* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_llgop(long long* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_fgop(float* numbers, int count, char* operation);
ARMCI_API void armci_msg_clus_dgop(double* numbers, int count, char* operation);

/* ---- Collective calls among the members of a group ---- */

/*
 * As the calls among all processes; NULL is the default group. A root is a process's number among all processes, not
 * its rank in the group: ARMCI defines it so, and Global Arrays relies on that.
 */
ARMCI_API void armci_msg_group_barrier(ARMCI_Group* group);
ARMCI_API void armci_msg_group_bcast_scope(int scope, void* buffer, int bytes, int root, ARMCI_Group* group);
/* Copies from the group's first member on the node to its others there; `master` and `members` make no difference. */
ARMCI_API void armci_grp_clus_brdcst(void* buffer, int bytes, int master, int members, ARMCI_Group* group);
/* As armci_msg_gop_scope(), armci_msg_igop() and its variants, and armci_exchange_address(). */
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
