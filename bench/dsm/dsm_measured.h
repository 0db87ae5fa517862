// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: the numbers of all rounds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/measure/statements.h"
#include "bench/report/quantities.h"
#include "bench/report/result_json.h"

namespace syncline::bench {

struct DsmPoint {
    std::string benchmark, subject, condition;
    uint32_t nodes;
    int mtu;
    std::string size = {};  // size of an application

    auto operator<=>(const DsmPoint&) const = default;
};

class DsmMeasured {
  public:
    void add(const DsmPoint& point, const Statement& round) { rounds_[point].push_back(round); }
    // Returns one statement of each round; empty if the quantity was not measured.
    const std::vector<Statement>& rounds(const DsmPoint& point) const;
    bool has(const DsmPoint& point) const { return !rounds(point).empty(); }
    double median(const DsmPoint& point) const { return cell_of(rounds(point)).median; }
    // Returns all numbers of a quantity, as entries of a result.
    void add_entries(const Quantity& quantity, Json* result) const;

  private:
    std::map<DsmPoint, std::vector<Statement>> rounds_;
};

}  // namespace syncline::bench
