/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The list of atomic operations. The constants and typed calls of syncline.h, OpenSHMEM's and Python's atomics, the
 * wire's codes, and all that executes an operation (the NIC's program and the agent's, the CPU on memory that is
 * mapped, the models of the simulator) are made from this list, so a new operation is a row here.
 *
 * Programs include syncline.h. Names that end in an underscore are internal.
 */
#ifndef SYNCLINE_OPERATIONS_H
#define SYNCLINE_OPERATIONS_H

/*
 * X(name, NAME, number, forms, how, sign, next)
 *
 * - name, NAME: of calls (syncline_fetch_add64) and constants (SYNCLINE_ADD, on the wire SLW_ADD).
 * - number: 0 to 31, by which the wire and the constants know the operation. A release never changes a number.
 * - forms: the widths it has. WORDS: 32 and 64 bits, with and without the old value. PAIRS: also 128. STORES: as PAIRS,
 *   and 8 and 16 without the old value.
 * - how: what executes it. INSTRUCTION: an instruction of that name, with and without the old value, which every CPU
 *   and BPF have. EXCHANGE. COMPARE: compare&swap, the only one with a comparand. LOOP: compare&swap until it hits. A
 *   NIC ends a loop after some rounds and answers RETRY, and the initiator sends the operation again.
 * - sign: of the numbers, uint or int. Where it does not matter: uint.
 * - next: what the word becomes, by `old`, `operand` and `comparand`, which are numbers of its width and sign.
 *
 * The rows stand in the order of their numbers.
 */
/* clang-format off */
#define SYNCLINE_OPERATIONS_(X)                                                             \
    X(add,  ADD,  0, WORDS,  INSTRUCTION, uint, old + operand)                              \
    X(and,  AND,  1, WORDS,  INSTRUCTION, uint, old & operand)                              \
    X(or,   OR,   2, WORDS,  INSTRUCTION, uint, old | operand)                              \
    X(xor,  XOR,  3, WORDS,  INSTRUCTION, uint, old ^ operand)                              \
    X(swap, SWAP, 4, STORES, EXCHANGE,    uint, operand)                                    \
    X(cas,  CAS,  5, PAIRS,  COMPARE,     uint, old == comparand ? operand : old)           \
    X(smin, SMIN, 6, WORDS,  LOOP,        int,  operand < old ? operand : old) /* signed */ \
    X(smax, SMAX, 7, WORDS,  LOOP,        int,  operand > old ? operand : old)              \
    X(umin, UMIN, 8, WORDS,  LOOP,        uint, operand < old ? operand : old)              \
    X(umax, UMAX, 9, WORDS,  LOOP,        uint, operand > old ? operand : old)
/* clang-format on */

/*
 * An operation's constant has the lower three bits of its number in bits 0 to 2, and the others in bits 20 and 21,
 * where the first word of a unit on the wire has them.
 */
#define SYNCLINE_CODE_(number) (((number) & 7) | ((number) & 24) << 17)
#define SYNCLINE_NUMBER_(code) (((code) & 7) | ((code) >> 17 & 24))

#ifndef __bpf__

#include <stdint.h>

/*
 * syncline_apply_<name><bits>_(word, operand, comparand): the CPU executes the operation on a word that all executors
 * of the node may change at the same time. Returns the old value. Sequentially consistent.
 */
#define SYNCLINE_APPLY_INSTRUCTION_(name, type, next) return __atomic_fetch_##name(word, operand, __ATOMIC_SEQ_CST);
#define SYNCLINE_APPLY_EXCHANGE_(name, type, next) return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
#define SYNCLINE_APPLY_COMPARE_(name, type, next)                                                  \
    __atomic_compare_exchange_n(word, &comparand, operand, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return comparand;
#define SYNCLINE_APPLY_LOOP_(name, type, next)                                                        \
    type old = __atomic_load_n(word, __ATOMIC_RELAXED);                                               \
    while (!__atomic_compare_exchange_n(word, &old, (next), 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) { \
    }                                                                                                 \
    return old;

#define SYNCLINE_DEFINE_APPLY_(name, bits, how, type, next)                                                            \
    static inline                                                                                                      \
        __attribute__((always_inline)) type syncline_apply_##name##bits##_(type* word, type operand, type comparand) { \
        (void)comparand;                                                                                               \
        SYNCLINE_APPLY_##how##_(name, type, next)                                                                      \
    }
#define SYNCLINE_DEFINE_APPLIES_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_DEFINE_APPLY_(name, 32, how, sign##32##_t, next)                \
    SYNCLINE_DEFINE_APPLY_(name, 64, how, sign##64##_t, next)
SYNCLINE_OPERATIONS_(SYNCLINE_DEFINE_APPLIES_)

#endif

#endif
