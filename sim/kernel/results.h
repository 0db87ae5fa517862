// SPDX-License-Identifier: BSD-3-Clause
// What a run has measured: named numbers in a fixed order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "sim/kernel/settings.h"

namespace syncline::sim {

class Results {
  public:
    void add(const std::string& name, const Value& value) { values_.emplace_back(name, value); }

    const std::vector<std::pair<std::string, Value>>& values() const { return values_; }

    // A number; Failure if there is none of that name.
    double number(const std::string& name) const {
        for (const auto& [known, value] : values_) {
            if (known != name) {
                continue;
            }
            if (const auto* const real = std::get_if<double>(&value)) {
                return *real;
            }
            if (const auto* const integer = std::get_if<int64_t>(&value)) {
                return static_cast<double>(*integer);
            }
        }
        fail(SYNCLINE_ERR_INVALID, "this model has no result {} that is a number", name);
    }

    bool flag(const std::string& name) const {
        for (const auto& [known, value] : values_) {
            if (known == name && std::holds_alternative<bool>(value)) {
                return std::get<bool>(value);
            }
        }
        fail(SYNCLINE_ERR_INVALID, "this model has no result {} that is true or false", name);
    }

  private:
    std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace syncline::sim
