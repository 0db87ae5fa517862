/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Atomics of 32 and 64 bits. They are the CPU's own, so processes of the node may use ordinary atomic instructions on
 * the same words at the same time. An operation without a result becomes the plain locked instruction, because on x86 a
 * fetching and, or and xor is a loop of compare&swap.
 */
#ifndef SYNCLINE_FIRMWARE_ATOMIC_H
#define SYNCLINE_FIRMWARE_ATOMIC_H

#include "platform.h"

/*
 * The cases of an operation in a switch over its number, with and without SLW_FETCH. fw_next32() and fw_next64() have
 * those that are a loop.
 */
#define FW_CASE_INSTRUCTION(NAME, bits) \
    case SLW_##NAME:                    \
        FW_##NAME(word, operand);       \
        return 0;                       \
    case SLW_##NAME | SLW_FETCH:        \
        return FW_FETCH_##NAME(word, operand);
#define FW_CASE_EXCHANGE(NAME, bits) \
    case SLW_##NAME:                 \
    case SLW_##NAME | SLW_FETCH:     \
        return FW_EXCHANGE(word, operand);
#define FW_CASE_COMPARE(NAME, bits) \
    case SLW_##NAME:                \
    case SLW_##NAME | SLW_FETCH:    \
        return fw_cas##bits(word, comparand, operand);
#define FW_CASE_LOOP(NAME, bits)
#define FW_CASE32(name, NAME, number, forms, how, sign, next) FW_CASE_##how(NAME, 32)
#define FW_CASE64(name, NAME, number, forms, how, sign, next) FW_CASE_##how(NAME, 64)

/*
 * `operation`: a code without its width, of an operation that is no loop. Returns the old value, or 0 for the plain
 * instructions.
 */
#define FW_DEFINE_ATOMIC(bits)                                                                                 \
    FW_INLINE uint##bits##_t fw_atomic##bits(uint##bits##_t* word, uint32_t operation, uint##bits##_t operand, \
                                             uint##bits##_t comparand) {                                       \
        switch (operation) { SYNCLINE_OPERATIONS_(FW_CASE##bits) }                                             \
        return 0;                                                                                              \
    }
FW_DEFINE_ATOMIC(64)
FW_DEFINE_ATOMIC(32)

/* The next value of a word, for the operations that are a loop. */
#define FW_NEXT_INSTRUCTION(NAME, type, next)
#define FW_NEXT_EXCHANGE(NAME, type, next)
#define FW_NEXT_COMPARE(NAME, type, next)
#define FW_NEXT_LOOP(NAME, type, next)       \
    case SLW_##NAME: {                       \
        const type old = (type)before;       \
        const type operand = (type)operand_; \
        return (uint64_t)(next);             \
    }
#define FW_NEXT32(name, NAME, number, forms, how, sign, next) FW_NEXT_##how(NAME, sign##32##_t, next)
#define FW_NEXT64(name, NAME, number, forms, how, sign, next) FW_NEXT_##how(NAME, sign##64##_t, next)
#define FW_DEFINE_NEXT(bits)                                                                   \
    FW_INLINE uint64_t fw_next##bits(uint32_t operation, uint64_t before, uint64_t operand_) { \
        (void)operand_;                                                                        \
        switch (operation & SLW_OPERATION_MASK) { SYNCLINE_OPERATIONS_(FW_NEXT##bits) }        \
        return before;                                                                         \
    }
FW_DEFINE_NEXT(64)
FW_DEFINE_NEXT(32)

#endif
