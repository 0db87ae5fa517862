// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on sizes that a caller, an option or the environment gives.
//
// A result that does not fit 64 bits becomes `too_large` and stays so through further steps. No memory is that long, so
// every check of a range and every allocator refuses it like any other size that is too large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace syncline {

constexpr uint64_t too_large = UINT64_MAX;

// No object of C is longer, because ptrdiff_t holds the distance between two of its bytes.
constexpr uint64_t object_bytes_max = PTRDIFF_MAX;

constexpr uint64_t times(uint64_t count, uint64_t bytes) {
    uint64_t product = 0;
    return __builtin_mul_overflow(count, bytes, &product) ? too_large : product;
}

constexpr uint64_t plus(uint64_t bytes, uint64_t more) {
    uint64_t sum = 0;
    return __builtin_add_overflow(bytes, more, &sum) ? too_large : sum;
}

constexpr uint64_t round_up(uint64_t bytes, uint64_t multiple) {
    const uint64_t above = plus(bytes, multiple - 1);
    return above == too_large ? too_large : above / multiple * multiple;
}

// Returns whether `count` elements of `element` bytes can be an object. With a constant element it is one comparison.
constexpr bool is_object(uint64_t count, uint64_t element) {
    return element == 0 || count <= object_bytes_max / element;
}

// Reads a number, whole or with a fraction, and K, M, G or T in either case for powers of 1024. Text behind the unit is
// ignored, so 64m, 64MB and 64MiB are equal. Rounds up. Returns nothing if the text is not such a size.
std::optional<uint64_t> parse_size(std::string_view text);

}  // namespace syncline
