// SPDX-License-Identifier: BSD-3-Clause
#include "job/variables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>

namespace syncline {
namespace {

constexpr std::string_view prefix = "SYNCLINE_";

// The tests look for each name that the sources ask the environment for (variables_test), and that the pages for users
// have those that are for users.
constexpr KnownVariable variables[] = {
    {"SYNCLINE_AUTHENTICATE", true},
    {"SYNCLINE_BOOTSTRAP", true},
    {"SYNCLINE_DAEMON", true},
    {"SYNCLINE_DEBUG", true},
    {"SYNCLINE_DSM_FAULTS", true},
    {"SYNCLINE_DSM_PROTOCOL", true},
    {"SYNCLINE_DSM_SIZE", true},
    {"SYNCLINE_DSM_STATISTICS", true},
    {"SYNCLINE_DSM_STATISTICS_FILE", true},
    {"SYNCLINE_HEAP_LIMIT", true},
    {"SYNCLINE_HEAP_SIZE", true},
    {"SYNCLINE_JOIN_TIMEOUT", true},
    {"SYNCLINE_MEMORY_LIMIT", true},
    {"SYNCLINE_PEER_TIMEOUT", true},
    {"SYNCLINE_TRANSPORT", true},
    {"SYNCLINE_WAIT", true},
    {"SYNCLINE_WINDOW", true},
    // `syncline run` sets these for its PEs.
    {"SYNCLINE_JOB", false},
    {"SYNCLINE_RANK", false},
    {"SYNCLINE_SOCKET", false},
    {"SYNCLINE_TOKEN", false},
    // Tests, and scripts of the build.
    {"SYNCLINE_CASE_SECONDS", false},
    {"SYNCLINE_KEEP_SYMBOLS", false},
    {"SYNCLINE_LONG", false},
    {"SYNCLINE_SEED", false},
    {"SYNCLINE_SEEDS", false},
    {"SYNCLINE_TEST_COMMAND", false},
    {"SYNCLINE_TEST_LOSS", false},
    {"SYNCLINE_TEST_MARK", false},
    {"SYNCLINE_TEST_WINDOW", false},
    {"SYNCLINE_VERIFIER_LOG", false},
};

bool is_in_table(std::string_view name) {
    return std::any_of(std::begin(variables), std::end(variables),
                       [&](const KnownVariable& known) { return name == known.name; });
}

// Letters to insert, to leave out or to change from one to the other (Levenshtein).
size_t letters_between(std::string_view one, std::string_view other) {
    std::vector<size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < one.size(); i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < other.size(); j++) {
            const size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (one[i] != other[j] ? 1 : 0)});
            diagonal = above;
        }
    }
    return row.back();
}

// "; is SYNCLINE_WAIT meant?", or "".
std::string meant_by(std::string_view name) {
    constexpr size_t near = 3;
    const KnownVariable* best = nullptr;
    size_t least = near;
    for (const KnownVariable& known : variables) {
        if (const size_t steps = letters_between(name, known.name); known.documented && steps < least) {
            least = steps;
            best = &known;
        }
    }
    return best != nullptr ? fmt::format("; is {} meant?", best->name) : "";
}

}  // namespace

std::span<const KnownVariable> known_variables() {
    return variables;
}

std::vector<std::string> unread_variables(const char* const* environment) {
    std::vector<std::string> warnings;
    for (; *environment != nullptr; environment++) {
        const std::string_view name(*environment, std::strcspn(*environment, "="));
        if (name.starts_with(prefix) && !is_in_table(name)) {
            warnings.push_back(fmt::format("warning: nothing reads the variable {}{}", name, meant_by(name)));
        }
    }
    return warnings;
}

void warn_of_unread_variables() {
    for (const std::string& warning : unread_variables(environ)) {
        fmt::print(stderr, "syncline: {}\n", warning);
    }
}

}  // namespace syncline
