/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic operations: the general call, and the typed calls, which execute in line. Programs include syncline.h. */
#ifndef SYNCLINE_ATOMICS_H
#define SYNCLINE_ATOMICS_H

#include "syncline/operations.h"
#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Atomics ------------------------------------------------------------------------------------------------ */

/*
 * An atomic operation is the sum of three values: an operation, a width, and FETCH or nothing. The operations are
 * SYNCLINE_ADD, _AND, _OR, _XOR, _SWAP (without FETCH: an atomic store), _CAS (compare&swap), _SMIN and _SMAX (minimum
 * and maximum of signed numbers), _UMIN and _UMAX (of unsigned ones): SYNCLINE_OPERATIONS_ has what each does.
 */
#define SYNCLINE_CONSTANT_(name, NAME, number, forms, how, sign, next) SYNCLINE_##NAME = SYNCLINE_CODE_(number),
enum syncline_operation {
    SYNCLINE_32 = 2 << 3,
    SYNCLINE_64 = 3 << 3,
    SYNCLINE_128 = 4 << 3, /* only SWAP and CAS; a pair of 64-bit numbers, aligned to 16 */

    SYNCLINE_FETCH = 0x40,

    SYNCLINE_OPERATIONS_(SYNCLINE_CONSTANT_)
};

/*
 * The general atomic. `operand`, `comparand` (for CAS, else NULL) and `result` (with FETCH, else NULL) point to values
 * of the operation's width. A CAS stores `operand` if memory equals `comparand`; its result is the old value, so it has
 * succeeded if result == comparand.
 *
 * syncline_atomic     complete on return.
 * syncline_atomic_nb  `result` is written when it completes. Request and tag are those of syncline_put_nb().
 * syncline_atomic_post  without FETCH; travels with others in one packet. Complete at a fence, quiet or barrier.
 *
 * Errors: _INVALID (no such combination), _RANK, _ADDRESS, _ALIGNMENT, _PEER, _NODE.
 */
SYNCLINE_API int syncline_atomic(int operation, int rank, syncline_address_t target, const void* operand,
                                 const void* comparand, void* result);
SYNCLINE_API int syncline_atomic_nb(int operation, int rank, syncline_address_t target, const void* operand,
                                    const void* comparand, void* result, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_atomic_post(int operation, int rank, syncline_address_t target, const void* operand,
                                      const void* comparand);

/*
 * The typed calls, for 32 and 64 bits:
 *
 *      int syncline_fetch_add64(int rank, syncline_address_t target, uint64_t value, uint64_t* old);
 *      int syncline_add64(int rank, syncline_address_t target, uint64_t value);              posted
 *      int syncline_fetch_add64_nb(..., uint64_t* old, uint64_t tag, syncline_request_t* request);
 *
 * and likewise for and, or, xor, umin and umax; for smin and smax, whose numbers are int64_t or int32_t; swap (only
 * with the old value) and store (posted); and compare&swap:
 *
 *      int syncline_cas64(int rank, syncline_address_t target, uint64_t comparand, uint64_t value, uint64_t* old);
 *
 * On a PE of the same node they compile to a bounds check and the CPU's atomic instruction; for a minimum and a
 * maximum, to a loop of its compare&swap. Each is also a function of the library, by the same name, for languages that
 * load the library (ctypes, Rust, Fortran).
 */
#ifndef SYNCLINE_TYPED_CALL_
#define SYNCLINE_TYPED_CALL_ static inline /* the library compiles its functions from this header, too */
#endif

/* Internal to the inline calls below: the heaps of this node's PEs. Programs must not rely on it. */
struct syncline_port_ {
    unsigned char* heap;
    const uint64_t* length;  /* of the heap, in bytes; 0 once its PE is gone. The daemon writes it */
    const uint32_t* waiting; /* not 0 while the PE sleeps */
};
struct syncline_view_ {
    uint32_t first_rank;               /* the lowest rank of this node */
    uint32_t ranks;                    /* from it to this node's highest rank; 0: no heap can be accessed directly */
    const struct syncline_port_* port; /* one for each of these ranks; ranks of other nodes have length 0 */
};
SYNCLINE_API extern struct syncline_view_ syncline_view_;
SYNCLINE_API void syncline_wake_(uint32_t rank);
SYNCLINE_API int syncline_post_(int operation, int rank, syncline_address_t target, uint64_t value);
/* As syncline_atomic() and syncline_atomic_nb(), for the typed calls, whose names their error messages give. */
SYNCLINE_API int syncline_fetch_(int operation, int rank, syncline_address_t target, const void* operand,
                                 const void* comparand, void* result);
SYNCLINE_API int syncline_fetch_nb_(int operation, int rank, syncline_address_t target, const void* operand,
                                    const void* comparand, void* result, uint64_t tag, syncline_request_t* request);

static inline const struct syncline_port_* syncline_direct_(int rank, syncline_address_t address, uint64_t width) {
    const uint32_t place = (uint32_t)rank - syncline_view_.first_rank;
    if (__builtin_expect(place >= syncline_view_.ranks || (int64_t)address < 65536, 0)) {
        return NULL; /* the PE is on another node, or the address belongs to the runtime's own words */
    }
    const struct syncline_port_* const port = &syncline_view_.port[place];
    if (__builtin_expect(
            address + width > __atomic_load_n(port->length, __ATOMIC_RELAXED) || (address & (width - 1)) != 0, 0)) {
        return NULL; /* out of bounds, misaligned, or registered memory */
    }
    return port;
}

/* Adds integers, not pointers: gcc 14 warns of pointers here, which it takes to point behind the heap's end. */
static inline void* syncline_word_(const struct syncline_port_* port, syncline_address_t address) {
    return (void*)((uintptr_t)port->heap + address);
}

/* Pairs with the sleeper's store to `waiting`, which precedes its last look (sequentially consistent). */
static inline void syncline_written_(const struct syncline_port_* port, int rank) {
    if (__builtin_expect(__atomic_load_n(port->waiting, __ATOMIC_SEQ_CST) != 0, 0)) {
        syncline_wake_((uint32_t)rank);
    }
}

/* A typed call that returns the old value, and its form that does not wait: `call` is its name without the width. */
#define SYNCLINE_ATOMIC_FETCH_(call, name, operation, bits, type)                                                   \
    SYNCLINE_TYPED_CALL_ int syncline_##call##bits(int rank, syncline_address_t target, type value, type* old) {    \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                               \
        if (__builtin_expect(port != NULL && old != NULL, 1)) {                                                     \
            *old = syncline_apply_##name##bits##_((type*)syncline_word_(port, target), value, 0);                   \
            syncline_written_(port, rank);                                                                          \
            return SYNCLINE_OK;                                                                                     \
        }                                                                                                           \
        return syncline_fetch_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, NULL, old);    \
    }                                                                                                               \
    SYNCLINE_TYPED_CALL_ int syncline_##call##bits##_nb(int rank, syncline_address_t target, type value, type* old, \
                                                        uint64_t tag, syncline_request_t* request) {                \
        return syncline_fetch_nb_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, NULL, old,  \
                                  tag, request);                                                                    \
    }

#define SYNCLINE_ATOMIC_POST_(call, name, operation, bits, type)                                      \
    SYNCLINE_TYPED_CALL_ int syncline_##call##bits(int rank, syncline_address_t target, type value) { \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                 \
        if (__builtin_expect(port != NULL, 1)) {                                                      \
            (void)syncline_apply_##name##bits##_((type*)syncline_word_(port, target), value, 0);      \
            syncline_written_(port, rank);                                                            \
            return SYNCLINE_OK;                                                                       \
        }                                                                                             \
        return syncline_post_((operation) | SYNCLINE_##bits, rank, target, (uint##bits##_t)value);    \
    }

#define SYNCLINE_ATOMIC_CAS_(name, operation, bits, type)                                                              \
    SYNCLINE_TYPED_CALL_ int syncline_##name##bits(int rank, syncline_address_t target, type comparand, type value,    \
                                                   type* old) {                                                        \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                                  \
        if (__builtin_expect(port != NULL && old != NULL, 1)) {                                                        \
            *old = syncline_apply_##name##bits##_((type*)syncline_word_(port, target), value, comparand);              \
            syncline_written_(port, rank);                                                                             \
            return SYNCLINE_OK;                                                                                        \
        }                                                                                                              \
        return syncline_fetch_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, &comparand, old); \
    }                                                                                                                  \
    SYNCLINE_TYPED_CALL_ int syncline_##name##bits##_nb(int rank, syncline_address_t target, type comparand,           \
                                                        type value, type* old, uint64_t tag,                           \
                                                        syncline_request_t* request) {                                 \
        return syncline_fetch_nb_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, &comparand,    \
                                  old, tag, request);                                                                  \
    }

/* The typed calls of an operation, by what executes it. */
#define SYNCLINE_CALLS_INSTRUCTION_(name, operation, bits, type)      \
    SYNCLINE_ATOMIC_FETCH_(fetch_##name, name, operation, bits, type) \
    SYNCLINE_ATOMIC_POST_(name, name, operation, bits, type)
#define SYNCLINE_CALLS_LOOP_(name, operation, bits, type) SYNCLINE_CALLS_INSTRUCTION_(name, operation, bits, type)
#define SYNCLINE_CALLS_EXCHANGE_(name, operation, bits, type) \
    SYNCLINE_ATOMIC_FETCH_(name, name, operation, bits, type) \
    SYNCLINE_ATOMIC_POST_(store, name, operation, bits, type)
#define SYNCLINE_CALLS_COMPARE_(name, operation, bits, type) SYNCLINE_ATOMIC_CAS_(name, operation, bits, type)

#define SYNCLINE_TYPED_CALLS_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_CALLS_##how##_(name, SYNCLINE_##NAME, 64, sign##64##_t)      \
        SYNCLINE_CALLS_##how##_(name, SYNCLINE_##NAME, 32, sign##32##_t)
SYNCLINE_OPERATIONS_(SYNCLINE_TYPED_CALLS_)

/* A pair of 64-bit numbers; 16-byte aligned in the segment. */
typedef struct syncline_pair {
    uint64_t low;
    uint64_t high;
} syncline_pair_t;

SYNCLINE_TYPED_CALL_ int syncline_swap128(int rank, syncline_address_t target, syncline_pair_t value,
                                          syncline_pair_t* old) {
    return syncline_fetch_(SYNCLINE_SWAP | SYNCLINE_128 | SYNCLINE_FETCH, rank, target, &value, NULL, old);
}

SYNCLINE_TYPED_CALL_ int syncline_cas128(int rank, syncline_address_t target, syncline_pair_t comparand,
                                         syncline_pair_t value, syncline_pair_t* old) {
    return syncline_fetch_(SYNCLINE_CAS | SYNCLINE_128 | SYNCLINE_FETCH, rank, target, &value, &comparand, old);
}

#ifdef __cplusplus
}
#endif

#endif
