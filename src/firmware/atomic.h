/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Atomics of 32 and 64 bits. They are the CPU's own, so processes of the node may use ordinary atomic instructions on
 * the same words at the same time. An operation without a result becomes the plain locked instruction, because on x86 a
 * fetching and, or and xor is a loop of compare&swap.
 */
#ifndef SYNCLINE_FIRMWARE_ATOMIC_H
#define SYNCLINE_FIRMWARE_ATOMIC_H

#include "platform.h"

/* `operation`: a code without its width. Returns the old value, or 0 for the plain instructions. */
#define FW_DEFINE_ATOMIC(name, type, compare_and_swap)                                  \
    FW_INLINE type name(type* word, uint32_t operation, type operand, type comparand) { \
        switch (operation) {                                                            \
            case SLW_ADD:                                                               \
                FW_ADD(word, operand);                                                  \
                return 0;                                                               \
            case SLW_XOR:                                                               \
                FW_XOR(word, operand);                                                  \
                return 0;                                                               \
            case SLW_AND:                                                               \
                FW_AND(word, operand);                                                  \
                return 0;                                                               \
            case SLW_OR:                                                                \
                FW_OR(word, operand);                                                   \
                return 0;                                                               \
            case SLW_ADD | SLW_FETCH:                                                   \
                return FW_FETCH_ADD(word, operand);                                     \
            case SLW_AND | SLW_FETCH:                                                   \
                return FW_FETCH_AND(word, operand);                                     \
            case SLW_OR | SLW_FETCH:                                                    \
                return FW_FETCH_OR(word, operand);                                      \
            case SLW_XOR | SLW_FETCH:                                                   \
                return FW_FETCH_XOR(word, operand);                                     \
            case SLW_CAS:                                                               \
            case SLW_CAS | SLW_FETCH:                                                   \
                return compare_and_swap(word, comparand, operand);                      \
            default: /* SLW_SWAP, with and without fetch */                             \
                return FW_EXCHANGE(word, operand);                                      \
        }                                                                               \
    }

FW_DEFINE_ATOMIC(fw_atomic64, uint64_t, fw_cas64)
FW_DEFINE_ATOMIC(fw_atomic32, uint32_t, fw_cas32)

#endif
