// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench bulk`: the numbers of one MTU, round by round.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/statements.h"
#include "bench/report/bulk_quantities.h"
#include "bench/report/results.h"

namespace syncline::bench {

class Measured {
  public:
    void add(const std::string& subject, const std::string& condition, const Statement& round) {
        rounds_[{subject, condition}].push_back(round);
    }
    // One of each round; empty if it was not measured.
    std::vector<Statement> rounds(const std::string& subject, const std::string& condition) const;
    // A row for each subject of the quantity, named by `name_of`.
    std::vector<Row> rows(const Quantity& quantity, const char* BulkSubject::* name_of) const;

  private:
    std::map<std::pair<std::string, std::string>, std::vector<Statement>> rounds_;
};

}  // namespace syncline::bench
