// SPDX-License-Identifier: BSD-3-Clause
#include "tools/size_option.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "base/failure.h"

namespace syncline::tools {

uint64_t parse_size(const char* option, const std::string& text) {
    uint64_t number = 0;
    const auto [unit, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string letters(unit, text.data() + text.size());
    std::transform(letters.begin(), letters.end(), letters.begin(), [](unsigned char c) { return std::toupper(c); });
    const size_t power = letters.empty() ? 0 : std::string_view("BKMGTPE").find(letters[0]);
    const std::string rest = letters.empty() ? "" : letters.substr(1);
    if (error != std::errc() || power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "IB") ||
        (power == 0 && !rest.empty()) || number > UINT64_MAX >> (10 * power)) {
        fail(SYNCLINE_ERR_INVALID, "{} cannot be '{}': give a whole number of bytes, or one with a unit, as in 64MiB",
             option, text);
    }
    return number << (10 * power);
}

}  // namespace syncline::tools
