// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/catalogue.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/failure.h"

namespace syncline::perf {
namespace {

constexpr const char* all_atomics = "atomics";

constexpr Entry accumulate(const char* name, uint32_t element_bytes) {
    return {.name = name, .group = "accumulate", .unit = element_bytes, .streams = true};
}

constexpr Entry atomic(const char* name, const char* group, uint32_t bytes) {
    return {.name = name, .group = group, .bytes = bytes, .streams = true};
}

constexpr Entry entries[] = {
    {.name = "put", .group = "put", .unit = 1, .streams = true},
    {.name = "get", .group = "get", .unit = 1, .streams = true},
    {.name = "put_signal", .group = "put_signal", .party = Party::kBoth, .unit = 1, .part = 0.5},
    accumulate("accumulate_int32", 4),
    accumulate("accumulate_int64", 8),
    accumulate("accumulate_float", 4),
    accumulate("accumulate_double", 8),
    accumulate("accumulate_complex_float", 8),
    accumulate("accumulate_complex_double", 16),
    atomic("fetch_add32", "fetch_add", 4),
    atomic("fetch_add64", "fetch_add", 8),
    atomic("fetch_and32", "fetch_and", 4),
    atomic("fetch_and64", "fetch_and", 8),
    atomic("fetch_or32", "fetch_or", 4),
    atomic("fetch_or64", "fetch_or", 8),
    atomic("fetch_xor32", "fetch_xor", 4),
    atomic("fetch_xor64", "fetch_xor", 8),
    atomic("swap32", "swap", 4),
    atomic("swap64", "swap", 8),
    atomic("swap128", "swap", 16),
    atomic("cas32", "cas", 4),
    atomic("cas64", "cas", 8),
    atomic("cas128", "cas", 16),
    atomic("add32", "add", 4),
    atomic("add64", "add", 8),
    atomic("and32", "and", 4),
    atomic("and64", "and", 8),
    atomic("or32", "or", 4),
    atomic("or64", "or", 8),
    atomic("xor32", "xor", 4),
    atomic("xor64", "xor", 8),
    atomic("store32", "store", 4),
    atomic("store64", "store", 8),
    {.name = "lock", .group = "lock"},
    {.name = "barrier", .group = "barrier", .party = Party::kAll},
};

bool is_named(const Entry& entry, const std::string& word) {
    return word == entry.name || word == entry.group || (word == all_atomics && entry.is_atomic());
}

}  // namespace

std::vector<const Entry*> select(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (std::none_of(std::begin(entries), std::end(entries),
                         [&](const Entry& one) { return is_named(one, word); })) {
            fail(SYNCLINE_ERR_INVALID, "there is no operation '{}': give {}, or one type or width, as fetch_add64",
                 word, fmt::join(operation_words(), ", "));
        }
    }
    std::vector<const Entry*> selected;
    for (const Entry& entry : entries) {
        if (std::any_of(words.begin(), words.end(), [&](const std::string& word) { return is_named(entry, word); })) {
            selected.push_back(&entry);
        }
    }
    return selected;
}

std::vector<std::string> operation_words() {
    std::vector<std::string> words;
    for (const Entry& entry : entries) {
        if (words.empty() || words.back() != entry.group) {
            words.emplace_back(entry.group);
        }
    }
    words.emplace_back(all_atomics);
    return words;
}

}  // namespace syncline::perf
