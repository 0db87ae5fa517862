// SPDX-License-Identifier: BSD-3-Clause
// The results of a run: named values in a fixed order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/settings.h"

namespace syncline::sim {

class Results {
  public:
    void add(const std::string& name, const Value& value) { values_.emplace_back(name, value); }

    const std::vector<std::pair<std::string, Value>>& values() const { return values_; }

    // Returns the result of that name. Throws Failure unless it exists and is a number, or is true or false.
    double number(const std::string& name) const;
    bool flag(const std::string& name) const;

  private:
    std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace syncline::sim
