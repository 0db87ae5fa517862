// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench armci`: the numbers of all runs, and the ratios of this library's to others'.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/statements.h"
#include "bench/report/armci_operations.h"

namespace syncline::bench {

struct ArmciRatio {
    std::string name;  // name of the operation, or original_ratio
    std::string title;
    std::vector<double> rounds;    // how many times better Syncline is, run by run
    double got;                    // the median of the rounds
    std::optional<double> wanted;  // the limit that `got` must reach; none: the ratio is only stated

    bool reached() const { return !wanted || got >= *wanted; }
};

class ArmciMeasured {
  public:
    void add(const std::string& operation, const std::string& library, const Statement& run) {
        runs_[{operation, library}].push_back(run);
    }
    // Returns one statement of each run; empty if the quantity was not measured.
    const std::vector<Statement>& runs(const std::string& operation, const std::string& library) const;
    // Returns a row for each operation that the first library has, named by `name_of`, with a cell for each library
    // that has the operation.
    std::vector<Row> rows(const std::vector<std::string>& libraries, const char* ArmciOperation::* name_of) const;
    // Returns a ratio for each operation that both libraries have, on this many nodes.
    std::vector<ArmciRatio> ratios(const std::string& own, const std::string& peer, uint64_t nodes) const;
    // Returns the ratio of the barrier after puts to its original algorithm. None if that was not measured.
    std::optional<ArmciRatio> original(const std::string& own, uint64_t nodes) const;

  private:
    std::map<std::pair<std::string, std::string>, std::vector<Statement>> runs_;
};

}  // namespace syncline::bench
