/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Set-up, exit and queries (1.5, section 9.1) and threads (9.2).
 */
#ifndef SHMEM_SETUP_H
#define SHMEM_SETUP_H

#include "shmem/teams.h"

/*
 * shmem(3): rules for all calls of OpenSHMEM
 *
 * A job is a number of PEs, 0 to shmem_n_pes() - 1, that all run the same program. An object is symmetric if every PE
 * has it: memory of shmem_malloc(3) and its variants, and global and static variables of the program and of its shared
 * libraries outside /lib and /usr/lib. The object's address at the calling PE names it at every PE.
 *
 * shmem.h has the calls of OpenSHMEM 1.6, which are the calls of 1.5 and additions, and the deprecated calls. In C11 a
 * generic call, without the type in its name, chooses by the type of an argument. Every call has a second name with the
 * prefix pshmem_, in pshmem.h. The name without p is weak, so that a tool may define its own function by that name.
 *
 * Units: sizes of shmem_malloc(3) and of calls with mem in their name are in bytes, all others are in elements. A PE is
 * numbered as in the context's or the call's team.
 *
 * Executed by: on memory of a PE of the caller's own node, CPU instructions of the caller. On memory of a PE of another
 * node: with the transport xdp the NIC program of that node, with udp an agent, which is a thread of that node's
 * daemon. The target process never takes part. shmemx_executed_by(3) tells the executor for an address, `syncline info`
 * for every transport.
 *
 * Threads: shmem_init_thread(3) grants the requested level. Calls of several threads are then safe, except that two
 * collective calls of one team must not overlap at a PE.
 *
 * Errors: a call that makes no sense (no such PE or team, memory that is not symmetric, a word that is not aligned,
 * NULL, more elements or longer strides than any memory holds) writes one error message with the PE and the call to
 * stderr and ends the job with status 1. An operation on a PE that is gone ends the job, too, at the next call that
 * waits for it. With SHMEM_DEBUG=1 in the environment the library also checks that dest and source do not overlap where
 * they must not, and that all members of a team are in the same collective call with the same arguments, at the cost of
 * two more barriers for each call.
 *
 * See also: shmem_init(3), shmem_malloc(3), shmem_put(3), shmem_get(3), shmem_atomic_fetch(3), shmem_put_signal(3),
 * shmem_barrier_all(3), shmem_reduce(3), shmem_wait_until(3), shmem_quiet(3), shmem_set_lock(3), shmemx_executed_by(3)
 */

/*
 * shmem_init(3): begin and end a program
 * shmem_init shmem_init_thread shmem_query_thread shmem_query_initialized shmem_finalize shmem_global_exit start_pes
 *
 * shmem_init() and shmem_init_thread() make the job: when they return, the memory of all PEs is there. They may be
 * called several times; each call needs a shmem_finalize() of its own. shmem_init_thread() stores in *provided the
 * highest level that was requested since the first call, and shmem_query_thread() tells that level:
 * SHMEM_THREAD_SINGLE, _FUNNELED, _SERIALIZED or _MULTIPLE. All levels cost the same.
 *
 * The last shmem_finalize() waits for all PEs, completes the operations of all contexts, and destroys all contexts and
 * teams; memory of shmem_malloc(3) is gone. The earlier ones are barriers, as shmem_barrier_all(3) is. After the last
 * one, all PEs may call shmem_init() again; they find an empty heap, and their variables as they are. Until then a PE
 * may end as it likes, and must make no call but shmem_query_initialized(), which stores 1 in *initialized from the
 * first shmem_init() to the last shmem_finalize(), else 0.
 *
 * A program that ends with status 0 without the last shmem_finalize(), by exit() or by returning from main(), implies
 * that call. A program that ends with another status ends the whole job with that status.
 *
 * shmem_global_exit() ends the job at once, with this status, whatever the other PEs do. start_pes() is deprecated. It
 * acts as shmem_init() if that has not been called, and else does nothing; its shmem_finalize() may be left out. Its
 * argument is ignored.
 *
 * Blocking: shmem_init() and shmem_finalize() are collective over all PEs, except that a second shmem_init() returns at
 * once. shmem_global_exit() is not collective, and does not return.
 *
 * Threads: shmem_query_initialized() may be called by any thread at any time.
 *
 * Errors: shmem_init_thread() returns 0, or -1 if there is no such level. If the PE cannot join the job, or if a PE has
 * ended that the others need to initialise again, the call prints the reason and ends the job.
 *
 * Specification: 1.6, 9.1, 9.2
 */

/*
 * shmem_my_pe(3): the PEs of the job, and memory that is accessible
 * shmem_my_pe shmem_n_pes shmem_pe_accessible shmem_addr_accessible shmem_ptr shmem_team_ptr
 * shmem_info_get_version shmem_info_get_name shmem_pcontrol _my_pe _num_pes
 *
 * shmem_my_pe() returns the number of the caller, shmem_n_pes() the number of PEs. shmem_pe_accessible() returns 1 for
 * every PE of the job, else 0; shmem_addr_accessible() returns 1 if the address is symmetric, too.
 *
 * shmem_ptr() returns a pointer by which the caller can load and store the object dest of a PE, if that PE is on the
 * caller's own node (the caller included), else NULL. shmem_team_ptr() does so for a PE of a team. Stores through the
 * pointer do not wake a PE that sleeps in a wait (SYNCLINE_WAIT=block); that PE looks again every now and then.
 *
 * shmem_info_get_version() and shmem_info_get_name() store SHMEM_MAJOR_VERSION and SHMEM_MINOR_VERSION, and
 * SHMEM_VENDOR_STRING; name must have room for SHMEM_MAX_NAME_LEN bytes. shmem_pcontrol() does nothing: it is for
 * tools. _my_pe() and _num_pes() are deprecated.
 *
 * Blocking: no call blocks or sends anything.
 *
 * Specification: 1.5, 9.1, and 10 for shmem_pcontrol(); 1.6 for shmem_team_ptr()
 */

#define SHMEM_SETUP_(F)                                               \
    F(void, init, (void))                                             \
    F(void, finalize, (void))                                         \
    F(int, my_pe, (void))                                             \
    F(int, n_pes, (void))                                             \
    F(int, pe_accessible, (int pe))                                   \
    F(int, addr_accessible, (const void* address, int pe))            \
    F(void*, ptr, (const void* dest, int pe))                         \
    F(void*, team_ptr, (shmem_team_t team, const void* dest, int pe)) \
    F(void, info_get_version, (int* major, int* minor))               \
    F(void, info_get_name, (char* name))                              \
    F(int, init_thread, (int requested, int* provided))               \
    F(void, query_thread, (int* provided))                            \
    F(void, query_initialized, (int* initialized))                    \
    F(void, pcontrol, (int level, ...))

#endif
