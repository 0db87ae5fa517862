// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/catalogue.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/failure.h"
#include "syncline/operations.h"

namespace syncline::perf {
namespace {

constexpr const char* all_atomics = "atomics";

constexpr Entry accumulate(const char* name, uint32_t element_bytes) {
    return {.name = name, .group = "accumulate", .unit = element_bytes, .streams = true};
}

constexpr Entry atomic(const char* name, const char* group, uint32_t bytes) {
    return {.name = name, .group = group, .bytes = bytes, .streams = true};
}

#define SYNCLINE_PERF_WORDS_(name) atomic(name "32", name, 4), atomic(name "64", name, 8),
#define SYNCLINE_PERF_PAIRS_(name) SYNCLINE_PERF_WORDS_(name) atomic(name "128", name, 16),
#define SYNCLINE_PERF_FETCHES_INSTRUCTION_(name) SYNCLINE_PERF_WORDS_("fetch_" #name)
#define SYNCLINE_PERF_FETCHES_LOOP_(name) SYNCLINE_PERF_WORDS_("fetch_" #name)
#define SYNCLINE_PERF_FETCHES_EXCHANGE_(name) SYNCLINE_PERF_PAIRS_(#name)
#define SYNCLINE_PERF_FETCHES_COMPARE_(name) SYNCLINE_PERF_PAIRS_(#name)
#define SYNCLINE_PERF_POSTS_INSTRUCTION_(name) SYNCLINE_PERF_WORDS_(#name)
#define SYNCLINE_PERF_POSTS_LOOP_(name) SYNCLINE_PERF_WORDS_(#name)
#define SYNCLINE_PERF_POSTS_EXCHANGE_(name) SYNCLINE_PERF_WORDS_("store")
#define SYNCLINE_PERF_POSTS_COMPARE_(name)
#define SYNCLINE_PERF_FETCHES_(name, NAME, number, forms, how, sign, next) SYNCLINE_PERF_FETCHES_##how##_(name)
#define SYNCLINE_PERF_POSTS_(name, NAME, number, forms, how, sign, next) SYNCLINE_PERF_POSTS_##how##_(name)

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
    SYNCLINE_OPERATIONS_(SYNCLINE_PERF_FETCHES_)
        SYNCLINE_OPERATIONS_(SYNCLINE_PERF_POSTS_){.name = "lock", .group = "lock"},
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
