// SPDX-License-Identifier: BSD-3-Clause
// The output of `syncline perf`: tables for people while it measures, and at the end a file for programs, in the form
// of all benchmarks (bench/results/README.md).
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/report/result_json.h"
#include "tools/perf/plan.h"

namespace syncline::perf {

// For each pair, the numbers of each step.
using Numbers = std::vector<std::vector<Measured>>;

class Report {
  public:
    // Throws Failure if the file cannot be written to.
    Report(const Options& options, const Job& job);

    void begin();
    void add(const Section& section, const Numbers& numbers);
    void end();

  private:
    void print(const std::string& text) const;
    void add_to_file(const Section& section, const Numbers& numbers);

    const Options& options_;
    const Job& job_;
    std::FILE* const stream_;
    bench::Json json_;
};

// The text of a section's tables.
std::string tables_of(const Section& section, const Numbers& numbers, const Job& job);

}  // namespace syncline::perf
