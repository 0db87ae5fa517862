// SPDX-License-Identifier: BSD-3-Clause
#include "base/variables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string_view>

#include "base/failure.h"
#include "base/sizes.h"

namespace syncline {
namespace {

constexpr std::string_view prefix = "SYNCLINE_";

const Variable* find_variable(std::string_view name) {
    const std::span<const Variable> all = variables();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Variable& known) { return name == known.name; });
    return found != all.end() ? &*found : nullptr;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (size_t start = 0; start < text.size();) {
        const size_t end = std::min(text.find(' ', start), text.size());
        words.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    return words;
}

// "auto, shm, udp or xdp".
std::string choice_of(const std::vector<std::string_view>& words) {
    std::string text;
    for (size_t i = 0; i < words.size(); i++) {
        text += i == 0 ? "" : i + 1 < words.size() ? ", " : " or ";
        text += words[i];
    }
    return text;
}

std::optional<uint64_t> parse_number(std::string_view text) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool is_within(const Variable& variable, const std::optional<uint64_t>& number) {
    return number && *number >= variable.least && *number <= variable.most;
}

// The words behind "needs", for a value that makes no sense; "" for others.
std::string needs_of(const Variable& variable, const char* value) {
    switch (variable.form) {
        case VariableForm::kWord: {
            const std::vector<std::string_view> words = words_of(variable.words);
            return std::find(words.begin(), words.end(), value) != words.end() ? "" : choice_of(words);
        }
        case VariableForm::kNumber:
            return is_within(variable, parse_number(value)) ? "" : variable.needs;
        case VariableForm::kSize:
            return is_within(variable, parse_size(value)) ? "" : "a size such as 64M or 1.5g";
        default:
            return "";
    }
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
    const Variable* best = nullptr;
    size_t least = near;
    for (const Variable& known : variables()) {
        if (const size_t steps = letters_between(name, known.name); known.is_for_users() && steps < least) {
            least = steps;
            best = &known;
        }
    }
    return best != nullptr ? fmt::format("; is {} meant?", best->name) : "";
}

}  // namespace

const Variable& variable_named(const char* name) {
    const Variable* const found = find_variable(name);
    assert(found != nullptr);
    return *found;
}

std::optional<SetVariable> find_set(const Variable& variable) {
    for (const char* const name : {variable.name, variable.deprecated}) {
        if (const char* const value = *name != '\0' ? std::getenv(name) : nullptr; value != nullptr) {
            return SetVariable{name, value};
        }
    }
    return std::nullopt;
}

std::string mistake_in(const Variable& variable, const SetVariable& set) {
    const std::string needs = needs_of(variable, set.value);
    return needs.empty() ? "" : fmt::format("{} is '{}': needs {}", set.name, set.value, needs);
}

std::optional<std::string> text_in(const char* name) {
    const Variable& variable = variable_named(name);
    const std::optional<SetVariable> set = find_set(variable);
    if (!set) {
        return std::nullopt;
    }
    if (const std::string mistake = mistake_in(variable, *set); !mistake.empty()) {
        fail(SYNCLINE_ERR_INVALID, "{}", mistake);
    }
    return set->value;
}

std::optional<uint64_t> number_in(const char* name) {
    const std::optional<std::string> text = text_in(name);
    return text ? parse_number(*text) : std::nullopt;
}

std::optional<uint64_t> size_in(const char* name) {
    const std::optional<std::string> text = text_in(name);
    return text ? parse_size(*text) : std::nullopt;
}

std::vector<std::string> unread_variables(const char* const* environment) {
    std::vector<std::string> warnings;
    for (; *environment != nullptr; environment++) {
        const std::string_view name(*environment, std::strcspn(*environment, "="));
        if (name.starts_with(prefix) && find_variable(name) == nullptr) {
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
