/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The generic calls of C11: the type of an argument chooses the function. If the first argument may be a context, its
 * type decides first. Pointers may be qualified; the function that is chosen says what it does with the object.
 */
#ifndef SHMEM_GENERIC_H
#define SHMEM_GENERIC_H

#include "shmem/functions.h"

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

/* The choice for a type that does not fit; a call of it does not compile. */
void shmem_no_such_type_(void);

#define SHMEM_FIRST_(...) SHMEM_FIRST_OF_(__VA_ARGS__, 0)
#define SHMEM_FIRST_OF_(FIRST, ...) FIRST
#define SHMEM_SECOND_(...) SHMEM_SECOND_OF_(__VA_ARGS__, 0, 0)
#define SHMEM_SECOND_OF_(FIRST, SECOND, ...) SECOND

/* F is (PREFIX, SUFFIX), for shmem_PREFIX NAME SUFFIX. */
#define SHMEM_UNPACK_(PREFIX, SUFFIX) PREFIX, SUFFIX
#define SHMEM_JOIN_(F, NAME) SHMEM_JOIN_UNPACKED_(SHMEM_UNPACK_ F, NAME)
#define SHMEM_JOIN_UNPACKED_(...) SHMEM_JOINED_(__VA_ARGS__)
#define SHMEM_JOINED_(PREFIX, SUFFIX, NAME) shmem_##PREFIX##NAME##SUFFIX
#define SHMEM_CASE_(F, NAME, TYPE)                               \
    TYPE* : SHMEM_JOIN_(F, NAME),                                \
            const TYPE* : SHMEM_JOIN_(F, NAME),                  \
                          volatile TYPE* : SHMEM_JOIN_(F, NAME), \
                                           const volatile TYPE* : SHMEM_JOIN_(F, NAME),

/* shmem_PREFIX NAME SUFFIX for the type that `argument` points to. */
#define SHMEM_SELECT_(TYPES, PREFIX, SUFFIX, argument) \
    _Generic((argument), TYPES(SHMEM_CASE_, (PREFIX, SUFFIX)) default: shmem_no_such_type_)
#define SHMEM_BY_FIRST_(TYPES, SUFFIX, ...) SHMEM_SELECT_(TYPES, , SUFFIX, SHMEM_FIRST_(__VA_ARGS__))(__VA_ARGS__)
#define SHMEM_BY_SECOND_(TYPES, SUFFIX, ...) SHMEM_SELECT_(TYPES, , SUFFIX, SHMEM_SECOND_(__VA_ARGS__))(__VA_ARGS__)
#define SHMEM_MAYBE_CTX_(TYPES, SUFFIX, ...)                                         \
    _Generic((SHMEM_FIRST_(__VA_ARGS__)),                                            \
        shmem_ctx_t: SHMEM_SELECT_(TYPES, ctx_, SUFFIX, SHMEM_SECOND_(__VA_ARGS__)), \
        default: SHMEM_SELECT_(TYPES, , SUFFIX, SHMEM_FIRST_(__VA_ARGS__)))(__VA_ARGS__)

#define shmem_p(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _p, __VA_ARGS__)
#define shmem_g(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _g, __VA_ARGS__)
#define shmem_put(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _put, __VA_ARGS__)
#define shmem_get(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _get, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _get_nbi, __VA_ARGS__)
#define shmem_iput(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _iput, __VA_ARGS__)
#define shmem_iget(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _iget, __VA_ARGS__)
#define shmem_ibput(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _ibput, __VA_ARGS__)
#define shmem_ibget(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _ibget, __VA_ARGS__)
#define shmem_put_signal(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_TYPES_, _put_signal_nbi, __VA_ARGS__)
#define shmem_signal_set(...) \
    _Generic((SHMEM_FIRST_(__VA_ARGS__)), shmem_ctx_t: shmem_ctx_signal_set, default: shmem_signal_set)(__VA_ARGS__)
#define shmem_signal_add(...) \
    _Generic((SHMEM_FIRST_(__VA_ARGS__)), shmem_ctx_t: shmem_ctx_signal_add, default: shmem_signal_add)(__VA_ARGS__)

#define shmem_atomic_fetch(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _atomic_swap, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) \
    SHMEM_MAYBE_CTX_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _atomic_swap_nbi, __VA_ARGS__)

#define SHMEM_ATOMIC_(SUFFIX, ...) SHMEM_MAYBE_CTX_(SHMEM_GENERIC_ATOMIC_TYPES_, _atomic_##SUFFIX, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) SHMEM_ATOMIC_(compare_swap, __VA_ARGS__)
#define shmem_atomic_inc(...) SHMEM_ATOMIC_(inc, __VA_ARGS__)
#define shmem_atomic_add(...) SHMEM_ATOMIC_(add, __VA_ARGS__)
#define shmem_atomic_and(...) SHMEM_ATOMIC_(and, __VA_ARGS__)
#define shmem_atomic_or(...) SHMEM_ATOMIC_(or, __VA_ARGS__)
#define shmem_atomic_xor(...) SHMEM_ATOMIC_(xor, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEM_ATOMIC_(fetch_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEM_ATOMIC_(fetch_add, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEM_ATOMIC_(fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEM_ATOMIC_(fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEM_ATOMIC_(fetch_xor, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) SHMEM_ATOMIC_(compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) SHMEM_ATOMIC_(fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) SHMEM_ATOMIC_(fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) SHMEM_ATOMIC_(fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) SHMEM_ATOMIC_(fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) SHMEM_ATOMIC_(fetch_xor_nbi, __VA_ARGS__)

#define shmem_broadcast(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_TYPES_, _broadcast, __VA_ARGS__)
#define shmem_collect(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_TYPES_, _collect, __VA_ARGS__)
#define shmem_fcollect(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_TYPES_, _fcollect, __VA_ARGS__)
#define shmem_alltoall(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_TYPES_, _alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_TYPES_, _alltoalls, __VA_ARGS__)
#define shmem_and_reduce(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_INTEGER_TYPES_, _and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_INTEGER_TYPES_, _or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_INTEGER_TYPES_, _xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_TYPES_, _max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_TYPES_, _min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_SUM_TYPES_, _sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_SUM_TYPES_, _prod_reduce, __VA_ARGS__)
#define shmem_sum_inscan(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_SUM_TYPES_, _sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...) SHMEM_BY_SECOND_(SHMEM_GENERIC_SUM_TYPES_, _sum_exscan, __VA_ARGS__)
#define shmem_sync(...) \
    _Generic((SHMEM_FIRST_(__VA_ARGS__)), shmem_team_t: shmem_team_sync, default: shmem_sync)(__VA_ARGS__)

#define SHMEM_WAIT_(SUFFIX, ...) SHMEM_BY_FIRST_(SHMEM_GENERIC_WAIT_TYPES_, SUFFIX, __VA_ARGS__)
#define shmem_wait_until(...) SHMEM_WAIT_(_wait_until, __VA_ARGS__)
#define shmem_wait_until_all(...) SHMEM_WAIT_(_wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) SHMEM_WAIT_(_wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) SHMEM_WAIT_(_wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) SHMEM_WAIT_(_wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) SHMEM_WAIT_(_wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) SHMEM_WAIT_(_wait_until_some_vector, __VA_ARGS__)
#define shmem_test(...) SHMEM_WAIT_(_test, __VA_ARGS__)
#define shmem_test_all(...) SHMEM_WAIT_(_test_all, __VA_ARGS__)
#define shmem_test_any(...) SHMEM_WAIT_(_test_any, __VA_ARGS__)
#define shmem_test_some(...) SHMEM_WAIT_(_test_some, __VA_ARGS__)
#define shmem_test_all_vector(...) SHMEM_WAIT_(_test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) SHMEM_WAIT_(_test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) SHMEM_WAIT_(_test_some_vector, __VA_ARGS__)

/* Deprecated since 1.4. */
#define shmem_fetch(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _fetch, __VA_ARGS__)
#define shmem_set(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _set, __VA_ARGS__)
#define shmem_swap(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_EXTENDED_ATOMIC_TYPES_, _swap, __VA_ARGS__)
#define shmem_cswap(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_ATOMIC_TYPES_, _cswap, __VA_ARGS__)
#define shmem_finc(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_ATOMIC_TYPES_, _finc, __VA_ARGS__)
#define shmem_inc(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_ATOMIC_TYPES_, _inc, __VA_ARGS__)
#define shmem_fadd(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_ATOMIC_TYPES_, _fadd, __VA_ARGS__)
#define shmem_add(...) SHMEM_BY_FIRST_(SHMEM_GENERIC_ATOMIC_TYPES_, _add, __VA_ARGS__)

#endif

#endif
