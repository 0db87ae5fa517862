// SPDX-License-Identifier: BSD-3-Clause
#include "base/toml_depth.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr std::string_view quotes = "\"'";

// Returns the position behind the text in quotes that begins at `at`: text on one line, or on several lines in three
// quotes. A backslash escapes the next character only between double quotes.
size_t behind_text(std::string_view toml, size_t at) {
    const std::string_view three = toml.substr(at, 3);
    const bool long_text = three.size() == 3 && three[1] == three[0] && three[2] == three[0];
    const std::string_view end = long_text ? three : toml.substr(at, 1);
    for (at += end.size(); at < toml.size(); at++) {
        if (toml.substr(at, end.size()) == end) {
            return at + end.size();
        }
        if (!long_text && toml[at] == '\n') {
            return at;
        }
        at += toml[at] == '\\' && end[0] == '"' ? 1 : 0;
    }
    return toml.size();
}

// Returns whether a key goes on with this character. A number has one point, so it is no deep key.
bool goes_on(char c) {
    const auto is_between = [c](char first, char last) { return c >= first && c <= last; };
    return is_between('a', 'z') || is_between('A', 'Z') || is_between('0', '9') || c == '-' || c == '_' || c == '.' ||
           c == ' ' || c == '\t' || static_cast<signed char>(c) < 0;
}

}  // namespace

std::optional<size_t> line_of_deep_key(std::string_view toml) {
    size_t parts = 1;
    for (size_t at = 0; at < toml.size();) {
        if (quotes.find(toml[at]) != std::string_view::npos) {
            at = behind_text(toml, at);
            continue;
        }
        if (toml[at] == '#') {
            at = std::min(toml.find('\n', at), toml.size());
            continue;
        }
        parts = !goes_on(toml[at]) ? 1 : parts + (toml[at] == '.' ? 1 : 0);
        if (parts > toml_parts_max) {
            return 1 + static_cast<size_t>(std::count(toml.begin(), toml.begin() + static_cast<ptrdiff_t>(at), '\n'));
        }
        at++;
    }
    return std::nullopt;
}

}  // namespace syncline
