// SPDX-License-Identifier: BSD-3-Clause
#include "base/sizes.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace syncline {
namespace {

constexpr std::string_view units = "kmgt";
constexpr long double bytes_max = 0x1p62L;  // far more than exists, and later additions do not overflow

}  // namespace

// from_chars(), unlike strtod(), expects a point in every locale, and accepts neither blanks nor hexadecimal.
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

}  // namespace syncline
