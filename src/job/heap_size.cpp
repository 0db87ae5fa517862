// SPDX-License-Identifier: BSD-3-Clause
#include "job/heap_size.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/failure.h"
#include "job/job.h"

namespace syncline {
namespace {

constexpr std::string_view units = "kmgt";
constexpr long double bytes_max = 0x1p62L;  // far more than there is, and what is added later does not overflow

// The value of a variable that is set.
std::optional<uint64_t> size_of(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    const std::optional<uint64_t> bytes = parse_size(text);
    if (!bytes) {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}', not a size such as 64M or 1.5g", name, text);
    }
    return bytes;
}

}  // namespace

// from_chars(), unlike strtod(), reads a point in every locale, and neither blanks nor hexadecimal.
std::optional<uint64_t> parse_size(std::string_view text) {
    long double number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number) || std::signbit(number)) {
        return std::nullopt;
    }
    const char* const end = text.data() + text.size();
    if (rest != end) {
        const auto power = units.find(static_cast<char>(*rest | 0x20));
        if (power == std::string_view::npos) {
            return std::nullopt;
        }
        number = std::ldexp(number, 10 * (static_cast<int>(power) + 1));
    }
    return static_cast<uint64_t>(std::min(std::ceil(number), bytes_max));
}

HeapSize heap_size_from_environment(uint32_t pes) {
    for (const char* const name : {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE"}) {
        if (const std::optional<uint64_t> bytes = size_of(name)) {
            return {*bytes + pes * team_words_per_pe + team_words, name};
        }
    }
    const char* const own = "SYNCLINE_HEAP_SIZE";
    if (const std::optional<uint64_t> bytes = size_of(own); bytes.value_or(0) != 0) {
        return {*bytes, own};
    }
    return {heap_bytes_default, nullptr};
}

}  // namespace syncline
