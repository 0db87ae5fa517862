// SPDX-License-Identifier: BSD-3-Clause
#include "sim/kernel/results.h"

#include "base/failure.h"

namespace syncline::sim {

double Results::number(const std::string& name) const {
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

bool Results::flag(const std::string& name) const {
    for (const auto& [known, value] : values_) {
        if (known == name && std::holds_alternative<bool>(value)) {
            return std::get<bool>(value);
        }
    }
    fail(SYNCLINE_ERR_INVALID, "this model has no result {} that is true or false", name);
}

}  // namespace syncline::sim
