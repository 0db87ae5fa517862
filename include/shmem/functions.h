/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function of OpenSHMEM 1.6, deprecated ones included, as SHMEM_FUNCTIONS_(F): F(RESULT, NAME, ARGUMENTS) is
 * expanded for each, NAME without its prefix. shmem.h and pshmem.h declare them by it, the library makes its aliases.
 *
 * The section numbers are those of the specification, version 1.5, where there is one.
 */
#ifndef SHMEM_FUNCTIONS_H
#define SHMEM_FUNCTIONS_H

#include "shmem/types.h"

/* Handles. Not to be looked into. */
typedef struct shmem_context_* shmem_ctx_t;
typedef struct shmem_team_* shmem_team_t;

typedef struct {
    int num_contexts;
} shmem_team_config_t;

typedef struct {
    size_t total_ops;
} shmem_session_config_t;

/* ---- 9.1 Set-up, exit and query; 9.2 threads ------------------------------------------------------------------ */

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
    F(void, pcontrol, (int level, ...))

/* ---- 9.3 Memory: collective over all PEs ------------------------------------------------------------------------ */

#define SHMEM_MEMORY_(F)                             \
    F(void*, malloc, (size_t size))                  \
    F(void, free, (void* pointer))                   \
    F(void*, realloc, (void* pointer, size_t size))  \
    F(void*, align, (size_t alignment, size_t size)) \
    F(void*, calloc, (size_t count, size_t size))    \
    F(void*, malloc_with_hints, (size_t size, long hints))

/* ---- 9.4 Teams; 9.5 contexts ------------------------------------------------------------------------------------ */

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
    F(void, session_start, (shmem_ctx_t ctx, long options, const shmem_session_config_t* config, long config_mask))    \
    F(void, session_stop, (shmem_ctx_t ctx))

/* ---- 9.6 Remote memory access; 9.8 signalling ------------------------------------------------------------------- */

/* Both with a context and on the default one. ARGUMENTS opens with what follows the context. */
#define SHMEM_CTX_(F, RESULT, NAME, ...) \
    F(RESULT, NAME, (__VA_ARGS__))       \
    F(RESULT, ctx_##NAME, (shmem_ctx_t ctx, __VA_ARGS__))

/* For elements of one size: T is `void`, or the type. */
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

/* ---- 9.7 Atomic memory operations ------------------------------------------------------------------------------- */

#define SHMEM_ATOMIC_EXTENDED_(F, NAME, TYPE)                                                \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_fetch, const TYPE* source, int pe)                     \
    SHMEM_CTX_(F, void, NAME##_atomic_set, TYPE* dest, TYPE value, int pe)                   \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_swap, TYPE* dest, TYPE value, int pe)                  \
    SHMEM_CTX_(F, void, NAME##_atomic_fetch_nbi, TYPE* fetch, const TYPE* source, int pe)    \
    SHMEM_CTX_(F, void, NAME##_atomic_swap_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe) \
    F(TYPE, NAME##_fetch, (const TYPE* source, int pe))                                      \
    F(void, NAME##_set, (TYPE * dest, TYPE value, int pe))                                   \
    F(TYPE, NAME##_swap, (TYPE * dest, TYPE value, int pe))

#define SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, OPERATION)                                   \
    SHMEM_CTX_(F, void, NAME##_atomic_##OPERATION, TYPE* dest, TYPE value, int pe)       \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_fetch_##OPERATION, TYPE* dest, TYPE value, int pe) \
    SHMEM_CTX_(F, void, NAME##_atomic_fetch_##OPERATION##_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe)

#define SHMEM_ATOMIC_STANDARD_(F, NAME, TYPE)                                                                   \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_compare_swap, TYPE* dest, TYPE cond, TYPE value, int pe)                  \
    SHMEM_CTX_(F, void, NAME##_atomic_compare_swap_nbi, TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe) \
    SHMEM_CTX_(F, void, NAME##_atomic_inc, TYPE* dest, int pe)                                                  \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_fetch_inc, TYPE* dest, int pe)                                            \
    SHMEM_CTX_(F, void, NAME##_atomic_fetch_inc_nbi, TYPE* fetch, TYPE* dest, int pe)                           \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, add)                                                                    \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, and)                                                                    \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, or)                                                                     \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, xor)                                                                    \
    F(TYPE, NAME##_cswap, (TYPE * dest, TYPE cond, TYPE value, int pe))                                         \
    F(TYPE, NAME##_finc, (TYPE * dest, int pe))                                                                 \
    F(void, NAME##_inc, (TYPE * dest, int pe))                                                                  \
    F(TYPE, NAME##_fadd, (TYPE * dest, TYPE value, int pe))                                                     \
    F(void, NAME##_add, (TYPE * dest, TYPE value, int pe))

#define SHMEM_ATOMICS_(F)                                   \
    SHMEM_EXTENDED_ATOMIC_TYPES_(SHMEM_ATOMIC_EXTENDED_, F) \
    SHMEM_ATOMIC_TYPES_(SHMEM_ATOMIC_STANDARD_, F)

/* ---- 9.9 Collectives over teams, and the deprecated ones over active sets ---------------------------------------- */

#define SHMEM_COLLECTIVE_TYPED_(F, NAME, TYPE)                                                              \
    F(int, NAME##_alltoall, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))            \
    F(int, NAME##_alltoalls,                                                                                \
      (shmem_team_t team, TYPE * dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems))    \
    F(int, NAME##_broadcast, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems, int root)) \
    F(int, NAME##_collect, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))             \
    F(int, NAME##_fcollect, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))

#define SHMEM_REDUCE_(F, NAME, TYPE, OPERATION) \
    F(int, NAME##_##OPERATION##_reduce, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nreduce))
#define SHMEM_REDUCE_BITS_(F, NAME, TYPE) \
    SHMEM_REDUCE_(F, NAME, TYPE, and)     \
    SHMEM_REDUCE_(F, NAME, TYPE, or)      \
    SHMEM_REDUCE_(F, NAME, TYPE, xor)
#define SHMEM_REDUCE_ORDER_(F, NAME, TYPE) \
    SHMEM_REDUCE_(F, NAME, TYPE, max)      \
    SHMEM_REDUCE_(F, NAME, TYPE, min)
#define SHMEM_REDUCE_SUM_(F, NAME, TYPE)                                                           \
    SHMEM_REDUCE_(F, NAME, TYPE, sum)                                                              \
    SHMEM_REDUCE_(F, NAME, TYPE, prod)                                                             \
    F(int, NAME##_sum_inscan, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems)) \
    F(int, NAME##_sum_exscan, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))

#define SHMEM_TO_ALL_(F, NAME, TYPE, OPERATION)                                                               \
    F(void, NAME##_##OPERATION##_to_all,                                                                      \
      (TYPE * dest, const TYPE* source, int nreduce, int PE_start, int logPE_stride, int PE_size, TYPE* pWrk, \
       long* pSync))
#define SHMEM_TO_ALL_BITS_(F, NAME, TYPE) \
    SHMEM_TO_ALL_(F, NAME, TYPE, and)     \
    SHMEM_TO_ALL_(F, NAME, TYPE, or)      \
    SHMEM_TO_ALL_(F, NAME, TYPE, xor)
#define SHMEM_TO_ALL_ORDER_(F, NAME, TYPE) \
    SHMEM_TO_ALL_(F, NAME, TYPE, max)      \
    SHMEM_TO_ALL_(F, NAME, TYPE, min)
#define SHMEM_TO_ALL_SUM_(F, NAME, TYPE) \
    SHMEM_TO_ALL_(F, NAME, TYPE, sum)    \
    SHMEM_TO_ALL_(F, NAME, TYPE, prod)

#define SHMEM_ACTIVE_SET_(F, BITS)                                                                                  \
    F(void, broadcast##BITS,                                                                                        \
      (void* dest, const void* source, size_t nelems, int PE_root, int PE_start, int logPE_stride, int PE_size,     \
       long* pSync))                                                                                                \
    F(void, collect##BITS,                                                                                          \
      (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync))    \
    F(void, fcollect##BITS,                                                                                         \
      (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync))    \
    F(void, alltoall##BITS,                                                                                         \
      (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync))    \
    F(void, alltoalls##BITS,                                                                                        \
      (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start, int logPE_stride, \
       int PE_size, long* pSync))

#define SHMEM_COLLECTIVES_(F)                                                                           \
    F(void, barrier_all, (void))                                                                        \
    F(void, sync_all, (void))                                                                           \
    F(int, team_sync, (shmem_team_t team))                                                              \
    F(void, barrier, (int PE_start, int logPE_stride, int PE_size, long* pSync))                        \
    F(void, sync, (int PE_start, int logPE_stride, int PE_size, long* pSync))                           \
    F(int, alltoallmem, (shmem_team_t team, void* dest, const void* source, size_t nelems))             \
    F(int, alltoallsmem,                                                                                \
      (shmem_team_t team, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems)) \
    F(int, broadcastmem, (shmem_team_t team, void* dest, const void* source, size_t nelems, int root))  \
    F(int, collectmem, (shmem_team_t team, void* dest, const void* source, size_t nelems))              \
    F(int, fcollectmem, (shmem_team_t team, void* dest, const void* source, size_t nelems))             \
    SHMEM_TYPES_(SHMEM_COLLECTIVE_TYPED_, F)                                                            \
    SHMEM_INTEGER_TYPES_(SHMEM_REDUCE_BITS_, F)                                                         \
    SHMEM_TYPES_(SHMEM_REDUCE_ORDER_, F)                                                                \
    SHMEM_SUM_TYPES_(SHMEM_REDUCE_SUM_, F)                                                              \
    SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_TO_ALL_BITS_, F)                                                  \
    SHMEM_TO_ALL_TYPES_(SHMEM_TO_ALL_ORDER_, F)                                                         \
    SHMEM_TO_ALL_SUM_TYPES_(SHMEM_TO_ALL_SUM_, F)                                                       \
    SHMEM_ACTIVE_SET_(F, 32)                                                                            \
    SHMEM_ACTIVE_SET_(F, 64)

/* ---- 9.10 Point-to-point synchronisation; 9.11 ordering; 9.12 locks -------------------------------------------------
 */

#define SHMEM_WAIT_TYPED_(F, NAME, TYPE)                                                                               \
    F(void, NAME##_wait_until, (TYPE * ivar, int cmp, TYPE cmp_value))                                                 \
    F(void, NAME##_wait_until_all, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))          \
    F(size_t, NAME##_wait_until_any, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))        \
    F(size_t, NAME##_wait_until_some,                                                                                  \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE cmp_value))                      \
    F(void, NAME##_wait_until_all_vector, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE* cmp_values)) \
    F(size_t, NAME##_wait_until_any_vector,                                                                            \
      (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE* cmp_values))                                     \
    F(size_t, NAME##_wait_until_some_vector,                                                                           \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE* cmp_values))                    \
    F(int, NAME##_test, (TYPE * ivar, int cmp, TYPE cmp_value))                                                        \
    F(int, NAME##_test_all, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))                 \
    F(size_t, NAME##_test_any, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))              \
    F(size_t, NAME##_test_some,                                                                                        \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE cmp_value))                      \
    F(int, NAME##_test_all_vector, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE* cmp_values))        \
    F(size_t, NAME##_test_any_vector, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE* cmp_values))     \
    F(size_t, NAME##_test_some_vector,                                                                                 \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE* cmp_values))                    \
    F(void, NAME##_wait, (TYPE * ivar, TYPE cmp_value))

#define SHMEM_ORDER_(F)                                                               \
    SHMEM_WAIT_TYPES_(SHMEM_WAIT_TYPED_, F)                                           \
    F(uint64_t, signal_wait_until, (uint64_t* sig_addr, int cmp, uint64_t cmp_value)) \
    F(void, fence, (void))                                                            \
    F(void, ctx_fence, (shmem_ctx_t ctx))                                             \
    F(void, quiet, (void))                                                            \
    F(void, ctx_quiet, (shmem_ctx_t ctx))                                             \
    F(void, pe_quiet, (const int* target_pes, size_t npes))                           \
    F(void, ctx_pe_quiet, (shmem_ctx_t ctx, const int* target_pes, size_t npes))

#define SHMEM_LOCKS_(F)               \
    F(void, set_lock, (long* lock))   \
    F(void, clear_lock, (long* lock)) \
    F(int, test_lock, (long* lock))

/* ---- Deprecated ------------------------------------------------------------------------------------------------- */

#define SHMEM_DEPRECATED_(F)                               \
    F(void, wait_until, (long* ivar, int cmp, long value)) \
    F(void, wait, (long* ivar, long value))                \
    F(void, clear_cache_inv, (void))                       \
    F(void, set_cache_inv, (void))                         \
    F(void, clear_cache_line_inv, (void* dest))            \
    F(void, set_cache_line_inv, (void* dest))              \
    F(void, udcflush, (void))                              \
    F(void, udcflush_line, (void* dest))

#define SHMEM_FUNCTIONS_(F) \
    SHMEM_SETUP_(F)         \
    SHMEM_MEMORY_(F)        \
    SHMEM_TEAMS_(F)         \
    SHMEM_RMA_(F)           \
    SHMEM_ATOMICS_(F)       \
    SHMEM_COLLECTIVES_(F)   \
    SHMEM_ORDER_(F)         \
    SHMEM_LOCKS_(F)         \
    SHMEM_DEPRECATED_(F)

#endif
