/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Sums of IEEE 754 binary32 and binary64 numbers by integer instructions, rounded to nearest, ties to even, because BPF
 * has no floating point. A result equals the CPU's, bit for bit, unless it is NaN: then it is some quiet NaN.
 *
 * The exponent and the fraction of a number are one integer that grows with its magnitude. Both steps below rest on
 * that: the larger magnitude is the larger integer, and a carry out of the fraction counts the exponent up by itself,
 * from the subnormal numbers to the normal ones and from the largest number to infinity.
 */
#ifndef SYNCLINE_FIRMWARE_FLOAT_H
#define SYNCLINE_FIRMWARE_FLOAT_H

#include "platform.h"

enum { FW_GUARD_BITS = 3 }; /* behind the fraction: two bits, and one that says whether any lower bit is set */

/* Returns value >> shift, whose last bit also says whether a set bit fell off. */
FW_INLINE uint64_t fw_shift_sticky(uint64_t value, uint32_t shift) {
    if (shift > 63) {
        return value != 0;
    }
    const uint64_t rest = value >> (shift & 63);
    return rest | (rest << (shift & 63) != value);
}

/* Returns how far the highest set bit of `value`, which is not 0, is below bit `top`. */
FW_INLINE uint32_t fw_zeros_below(uint64_t value, uint32_t top) {
    uint32_t zeros = 0;
    value <<= 63 - top;
    for (uint32_t step = 32; step != 0; step /= 2) {
        if (!(value >> (64 - step))) {
            zeros += step;
            value <<= step;
        }
    }
    return zeros;
}

/* Returns x + y, for numbers with that many bits of fraction, whose sign is bit `top`. */
FW_INLINE uint64_t fw_float_sum(uint64_t x, uint64_t y, uint32_t fraction, uint32_t top) {
    const uint64_t sign = 1ull << top;
    const uint64_t one = 1ull << fraction; /* one in the exponent, and the bit in front of a normal number's fraction */
    const uint64_t infinity = sign - one;
    if ((x & ~sign) < (y & ~sign)) {
        const uint64_t smaller = x;
        x = y;
        y = smaller;
    }
    const uint64_t large = x & ~sign;
    const uint64_t small = y & ~sign;
    const int differ = ((x ^ y) & sign) != 0;
    if (large >= infinity) {
        const int none = large > infinity || (small == infinity && differ);
        return none ? infinity | one >> 1 : x; /* one NaN for all: partners of an exchange add in opposite orders */
    }
    /* Subnormal numbers have the exponent of the smallest normal ones, without the bit in front. */
    uint64_t exponent = large >> fraction;
    uint64_t other = small >> fraction;
    uint64_t sum = (large & (one - 1)) | (exponent ? one : 0);
    uint64_t addend = (small & (one - 1)) | (other ? one : 0);
    exponent += !exponent;
    other += !other;
    sum <<= FW_GUARD_BITS;
    addend = fw_shift_sticky(addend << FW_GUARD_BITS, (uint32_t)(exponent - other));
    sum = differ ? sum - addend : sum + addend;
    if (!sum) {
        return x & y & sign; /* +0, unless both are -0 */
    }
    const uint32_t leading = fraction + FW_GUARD_BITS;
    if (sum >> (leading + 1)) {
        sum = sum >> 1 | (sum & 1);
        exponent++;
    } else if (!(sum >> leading)) {
        const uint32_t zeros = fw_zeros_below(sum, leading);
        const uint64_t shift = zeros < exponent - 1 ? zeros : exponent - 1;
        sum <<= shift & 63;
        exponent -= shift;
    }
    /* The bit in front of the fraction, if it is set, adds one to the exponent. */
    const uint64_t rest = sum & ((1 << FW_GUARD_BITS) - 1);
    const uint64_t half = 1 << (FW_GUARD_BITS - 1);
    uint64_t result = ((exponent - 1) << fraction) + (sum >> FW_GUARD_BITS);
    result += rest > half || (rest == half && (result & 1));
    return (result < infinity ? result : infinity) | (x & sign);
}

FW_GLOBAL uint64_t fw_add_double(uint64_t x, uint64_t y) {
    return fw_float_sum(x, y, 52, 63);
}

FW_GLOBAL uint32_t fw_add_float(uint32_t x, uint32_t y) {
    return (uint32_t)fw_float_sum(x, y, 23, 31);
}

#endif
