/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remote memory access (1.5, section 9.6), and signals (9.8).
 */
#ifndef SHMEM_RMA_H
#define SHMEM_RMA_H

#include "shmem/teams.h"

/*
 * shmem_put(3): copies to the memory of a PE
 * shmem_{,ctx_}TYPENAME_put shmem_{,ctx_}putSIZE shmem_{,ctx_}putmem shmem_{,ctx_}TYPENAME_p
 * shmem_{,ctx_}TYPENAME_put_nbi shmem_{,ctx_}putSIZE_nbi shmem_{,ctx_}putmem_nbi
 *
 * Copies nelems elements from source, which may be any memory, to the symmetric dest at a PE; shmem_p() copies one
 * element, given by value. If a call puts a single aligned element of 1, 2, 4 or 8 bytes, the target stores it at once:
 * a reader sees all of it or nothing.
 *
 * Completion: on return, the caller may write source again. After an _nbi call it may do so after shmem_quiet(3),
 * because a thread of the library sends large data while the PE computes. The data is at the PE after shmem_quiet(3) or
 * a barrier; on the caller's own node, when the call returns.
 *
 * Ordering: none between two puts, not even to the same address, unless shmem_fence(3) is between.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). A packet to another node carries 1392 to 8896 bytes, as many as the
 * links can carry, and the target stores them exactly once.
 *
 * Blocking: a call to another node waits while the window of that node (32 packets, `--window`) is full.
 *
 * Specification: 1.5, 9.6
 *
 * See also: shmem_get(3), shmem_iput(3), shmem_put_signal(3), shmem_quiet(3)
 */

/*
 * shmem_get(3): copies from the memory of a PE
 * shmem_{,ctx_}TYPENAME_get shmem_{,ctx_}getSIZE shmem_{,ctx_}getmem shmem_{,ctx_}TYPENAME_g
 * shmem_{,ctx_}TYPENAME_get_nbi shmem_{,ctx_}getSIZE_nbi shmem_{,ctx_}getmem_nbi
 *
 * Copies nelems elements from the symmetric source at a PE to dest, which may be any memory; shmem_g() returns one
 * element. If a call gets a single aligned element of 1, 2, 4 or 8 bytes, the target loads it at once.
 *
 * Completion: on return the data is there. After an _nbi call it is there after shmem_quiet(3), and until then the
 * caller must not touch dest.
 *
 * Ordering: a get does not wait for the caller's puts, not even of the same memory; call shmem_quiet(3) in between.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). A packet brings 1392 to 8896 bytes, as many as the links can carry.
 *
 * Blocking: a call waits until the data is there, and an _nbi call while the window of that node is full.
 *
 * Specification: 1.5, 9.6
 *
 * See also: shmem_put(3), shmem_iget(3), shmem_atomic_fetch(3), shmem_quiet(3)
 */

/*
 * shmem_iput(3): strided copies to and from the memory of a PE
 * shmem_{,ctx_}TYPENAME_i{put,get} shmem_{,ctx_}i{put,get}SIZE
 * shmem_{,ctx_}TYPENAME_ib{put,get} shmem_{,ctx_}ib{put,get}SIZE
 *
 * iput and iget copy elements that are dst apart at dest and sst apart at source, in elements. The ib calls of 1.6 copy
 * nblocks blocks of bsize elements; dst and sst are the distances between the beginnings of two blocks. Either may be
 * negative, or 0: then the first block is not the lowest one, or all blocks are one. Blocks that are written should not
 * overlap, because shared bytes get the data of any one of them. All blocks at the PE, and all bytes between them, are
 * in one symmetric object.
 *
 * Completion: puts complete as shmem_put(3) does. Gets have brought their data on return.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). To another node the blocks of a call travel together, as pieces; blocks
 * that adjoin at the PE are one piece. Up to 4096 blocks of a get are under way at once: at most 64 KiB, or one longer
 * block, if dst leaves gaps.
 *
 * Specification: 1.5, 9.6; 1.6 for the ib calls
 *
 * See also: shmem_put(3), shmem_get(3)
 */

/*
 * shmem_put_signal(3): put, and signal that the data is there
 * shmem_{,ctx_}TYPENAME_put_signal shmem_{,ctx_}putSIZE_signal shmem_{,ctx_}putmem_signal
 * shmem_{,ctx_}TYPENAME_put_signal_nbi shmem_{,ctx_}putSIZE_signal_nbi shmem_{,ctx_}putmem_signal_nbi
 * shmem_{,ctx_}signal_{set,add} shmem_signal_fetch
 *
 * Puts as shmem_put(3) does. When the data is at the PE, and not before, the call sets the symmetric word sig_addr
 * there to signal, or adds signal to it: SHMEM_SIGNAL_SET, SHMEM_SIGNAL_ADD. Updates are atomic with each other, with
 * those of shmem_signal_set() and shmem_signal_add() of 1.6, which put no data, and with 64-bit atomics.
 * shmem_signal_fetch() reads the caller's own word.
 *
 * Completion: on return, the caller may write source again, also after the _nbi calls, which do the same. Data and
 * signal are there after shmem_quiet(3); on the caller's own node, when the call returns.
 *
 * Ordering: none with the caller's other operations, unless shmem_fence(3) is between: the signal does not cover
 * earlier puts.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). Up to 1376 bytes that do not cross a multiple of 64 KiB travel in one
 * packet with the signal, and the NIC executes both. For more, the call first completes the packets in front of the
 * last one: it blocks for a round trip.
 *
 * Errors: the job ends if there is no such sig_op, or if sig_addr is not aligned to 8 bytes.
 *
 * Specification: 1.5, 9.8; 1.6 for shmem_signal_set() and shmem_signal_add()
 *
 * See also: shmem_wait_until(3), shmem_quiet(3)
 */
/* Declares both the call with a context and the call on the default one. ARGUMENTS is the list behind the context. */
#define SHMEM_CTX_(F, RESULT, NAME, ...) \
    F(RESULT, NAME, (__VA_ARGS__))       \
    F(RESULT, ctx_##NAME, (shmem_ctx_t ctx, __VA_ARGS__))

/* The calls for elements of one size: T is `void`, or the type. */
#define SHMEM_BULK_(F, PUT, GET, T)                                                                                 \
    SHMEM_CTX_(F, void, PUT, T* dest, const T* source, size_t nelems, int pe)                                       \
    SHMEM_CTX_(F, void, PUT##_nbi, T* dest, const T* source, size_t nelems, int pe)                                 \
    SHMEM_CTX_(F, void, PUT##_signal, T* dest, const T* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, \
               int sig_op, int pe)                                                                                  \
    SHMEM_CTX_(F, void, PUT##_signal_nbi, T* dest, const T* source, size_t nelems, uint64_t* sig_addr,              \
               uint64_t signal, int sig_op, int pe)                                                                 \
    SHMEM_CTX_(F, void, GET, T* dest, const T* source, size_t nelems, int pe)                                       \
    SHMEM_CTX_(F, void, GET##_nbi, T* dest, const T* source, size_t nelems, int pe)

#define SHMEM_STRIDED_(F, IPUT, IGET, IBPUT, IBGET, T)                                                               \
    SHMEM_CTX_(F, void, IPUT, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)         \
    SHMEM_CTX_(F, void, IGET, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)         \
    SHMEM_CTX_(F, void, IBPUT, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, \
               int pe)                                                                                               \
    SHMEM_CTX_(F, void, IBGET, T* dest, const T* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, \
               int pe)

#define SHMEM_RMA_TYPED_(F, NAME, TYPE)                                           \
    SHMEM_BULK_(F, NAME##_put, NAME##_get, TYPE)                                  \
    SHMEM_STRIDED_(F, NAME##_iput, NAME##_iget, NAME##_ibput, NAME##_ibget, TYPE) \
    SHMEM_CTX_(F, void, NAME##_p, TYPE* dest, TYPE value, int pe)                 \
    SHMEM_CTX_(F, TYPE, NAME##_g, const TYPE* source, int pe)

#define SHMEM_RMA_SIZED_(F, BITS, BYTES)       \
    SHMEM_BULK_(F, put##BITS, get##BITS, void) \
    SHMEM_STRIDED_(F, iput##BITS, iget##BITS, ibput##BITS, ibget##BITS, void)

#define SHMEM_RMA_(F)                                                            \
    SHMEM_TYPES_(SHMEM_RMA_TYPED_, F)                                            \
    SHMEM_SIZES_(SHMEM_RMA_SIZED_, F)                                            \
    SHMEM_BULK_(F, putmem, getmem, void)                                         \
    F(uint64_t, signal_fetch, (const uint64_t* sig_addr))                        \
    SHMEM_CTX_(F, void, signal_set, uint64_t* sig_addr, uint64_t signal, int pe) \
    SHMEM_CTX_(F, void, signal_add, uint64_t* sig_addr, uint64_t signal, int pe)

#endif
