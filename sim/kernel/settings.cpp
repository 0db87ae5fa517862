// SPDX-License-Identifier: BSD-3-Clause
#include "sim/kernel/settings.h"

#include <fmt/format.h>

#include "base/failure.h"

namespace syncline::sim {

namespace {

std::string joined(std::span<const char* const> names) {
    std::string text;
    for (const char* const name : names) {
        text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
    }
    return text;
}

std::string folder_of(const std::string& key) {
    const size_t dot = key.rfind('.');
    return dot == std::string::npos ? "" : key.substr(0, dot);
}

}  // namespace

std::string text_of(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? "true" : "false";
    }
    if (const auto* integer = std::get_if<int64_t>(&value)) {
        return fmt::format("{}", *integer);
    }
    if (const auto* number = std::get_if<double>(&value)) {
        return fmt::format("{}", *number);
    }
    return fmt::format("\"{}\"", std::get<std::string>(value));
}

const Value* Reader::find(const char* key) {
    known_.insert(key);
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
}

void Reader::count(const char* key, uint64_t* value, uint64_t least, uint64_t most, const char* /*help*/) {
    const Value* const given = find(key);
    if (given == nullptr) {
        return;
    }
    const auto* const integer = std::get_if<int64_t>(given);
    if (integer == nullptr || *integer < 0 || static_cast<uint64_t>(*integer) < least ||
        static_cast<uint64_t>(*integer) > most) {
        fail(SYNCLINE_ERR_INVALID, "{} = {}: give a whole number from {} to {}", key, text_of(*given), least, most);
    }
    *value = static_cast<uint64_t>(*integer);
}

void Reader::number(const char* key, double* value, double least, double most, const char* /*help*/) {
    const Value* const given = find(key);
    if (given == nullptr) {
        return;
    }
    double number = least - 1;
    if (const auto* const integer = std::get_if<int64_t>(given)) {
        number = static_cast<double>(*integer);
    } else if (const auto* const real = std::get_if<double>(given)) {
        number = *real;
    }
    if (!(number >= least && number <= most)) {
        fail(SYNCLINE_ERR_INVALID, "{} = {}: give a number from {:g} to {:g}", key, text_of(*given), least, most);
    }
    *value = number;
}

void Reader::flag(const char* key, bool* value, const char* /*help*/) {
    const Value* const given = find(key);
    if (given == nullptr) {
        return;
    }
    if (!std::holds_alternative<bool>(*given)) {
        fail(SYNCLINE_ERR_INVALID, "{} = {}: give true or false", key, text_of(*given));
    }
    *value = std::get<bool>(*given);
}

void Reader::text(const char* key, std::string* value, const char* /*help*/) {
    const Value* const given = find(key);
    if (given == nullptr) {
        return;
    }
    if (!std::holds_alternative<std::string>(*given)) {
        fail(SYNCLINE_ERR_INVALID, "{} = {}: give a text in quotes", key, text_of(*given));
    }
    *value = std::get<std::string>(*given);
}

void Reader::choice_index(const char* key, int* value, std::span<const char* const> names, const char* /*help*/) {
    const Value* const given = find(key);
    if (given == nullptr) {
        return;
    }
    const auto* const name = std::get_if<std::string>(given);
    for (size_t i = 0; name != nullptr && i < names.size(); i++) {
        if (*name == names[i]) {
            *value = static_cast<int>(i);
            return;
        }
    }
    fail(SYNCLINE_ERR_INVALID, "{} = {}: give one of {}", key, text_of(*given), joined(names));
}

void Reader::finish() const {
    for (const auto& [key, value] : values_) {
        if (known_.contains(key)) {
            continue;
        }
        std::string siblings;
        for (const std::string& known : known_) {
            if (folder_of(known) == folder_of(key)) {
                siblings += (siblings.empty() ? "" : ", ") + known;
            }
        }
        fail(SYNCLINE_ERR_INVALID, "there is no parameter {} in this model; there is {}", key,
             siblings.empty() ? "no such table" : siblings);
    }
}

void Lister::count(const char* key, uint64_t* value, uint64_t least, uint64_t most, const char* help) {
    lines_.push_back({key, static_cast<int64_t>(*value), fmt::format("{} ({} to {})", help, least, most)});
}

void Lister::number(const char* key, double* value, double least, double most, const char* help) {
    lines_.push_back({key, *value, fmt::format("{} ({:g} to {:g})", help, least, most)});
}

void Lister::flag(const char* key, bool* value, const char* help) {
    lines_.push_back({key, *value, help});
}

void Lister::text(const char* key, std::string* value, const char* help) {
    lines_.push_back({key, *value, help});
}

void Lister::choice_index(const char* key, int* value, std::span<const char* const> names, const char* help) {
    lines_.push_back(
        {key, std::string(names[static_cast<size_t>(*value)]), fmt::format("{}: {}", help, joined(names))});
}

}  // namespace syncline::sim
