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
    std::string name;  // of the operation, or original_ratio
    std::string title;
    std::vector<double> rounds;    // how many times better, run by run
    double got;                    // the median of them
    std::optional<double> wanted;  // at least; none: the ratio is only stated

    bool reached() const { return !wanted || got >= *wanted; }
};

class ArmciMeasured {
  public:
    void add(const std::string& operation, const std::string& library, const Statement& run) {
        runs_[{operation, library}].push_back(run);
    }
    // One of each run; empty if it was not measured.
    const std::vector<Statement>& runs(const std::string& operation, const std::string& library) const;
    // A row for each operation that the first of the libraries has, named by `name_of`, with those that have it.
    std::vector<Row> rows(const std::vector<std::string>& libraries, const char* ArmciOperation::* name_of) const;
    // One for each operation that both have, on so many nodes.
    std::vector<ArmciRatio> ratios(const std::string& own, const std::string& peer, uint64_t nodes) const;
    // The barrier behind puts, against its original algorithm. None if that was not measured.
    std::optional<ArmciRatio> original(const std::string& own, uint64_t nodes) const;

  private:
    std::map<std::pair<std::string, std::string>, std::vector<Statement>> runs_;
};

}  // namespace syncline::bench
