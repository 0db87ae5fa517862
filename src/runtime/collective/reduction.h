// SPDX-License-Identifier: BSD-3-Clause
// How a round of the NICs' barrier combines its members' values, and the conversion of numbers to such values of 64
// bits.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "firmware/tables.h"

namespace syncline {

enum class Reduction : uint8_t {
    kNone = FW_COMBINE_NONE,
    kSum = FW_COMBINE_SUM,  // modulo 2^64
    kMin = FW_COMBINE_MIN,  // of signed integers
    kMax = FW_COMBINE_MAX,
    kAnd = FW_COMBINE_AND,
    kOr = FW_COMBINE_OR,
    kXor = FW_COMBINE_XOR,
    kSumDouble = FW_COMBINE_SUM_DOUBLE,
    kSumFloat = FW_COMBINE_SUM_FLOAT,  // in the low half; the high half is 0
};

// Converts a double to a signed integer that compares as the double does, and back; -0 is less than 0.
constexpr uint64_t ordered(uint64_t bits) {
    return bits >> 63 != 0 ? bits ^ INT64_MAX : bits;
}

// Moves unsigned integers so that the NIC's signed order equals their order.
template <std::integral T>
constexpr uint64_t bias_of(Reduction how) {
    return std::is_unsigned_v<T> && (how == Reduction::kMin || how == Reduction::kMax) ? 1ull << 63 : 0;
}

// Converts a number to a value that `how` combines, and back. Floats are compared as doubles, and added as floats.
template <std::integral T>
constexpr uint64_t value_of(Reduction how, T number) {
    return static_cast<uint64_t>(number) ^ bias_of<T>(how);
}

template <std::integral T>
constexpr T number_of(Reduction how, uint64_t value) {
    return static_cast<T>(value ^ bias_of<T>(how));
}

template <std::floating_point T>
constexpr uint64_t value_of(Reduction how, T number) {
    if (how == Reduction::kMin || how == Reduction::kMax) {
        return ordered(std::bit_cast<uint64_t>(static_cast<double>(number)));
    }
    if constexpr (sizeof(T) == sizeof(float)) {
        return std::bit_cast<uint32_t>(number);
    } else {
        return std::bit_cast<uint64_t>(number);
    }
}

template <std::floating_point T>
constexpr T number_of(Reduction how, uint64_t value) {
    if (how == Reduction::kMin || how == Reduction::kMax) {
        return static_cast<T>(std::bit_cast<double>(ordered(value)));
    }
    if constexpr (sizeof(T) == sizeof(float)) {
        return std::bit_cast<float>(static_cast<uint32_t>(value));
    } else {
        return std::bit_cast<double>(value);
    }
}

}  // namespace syncline
