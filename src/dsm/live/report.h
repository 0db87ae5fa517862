// SPDX-License-Identifier: BSD-3-Clause
// The statistics of processes as text.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dsm/core/statistics.h"

namespace syncline::dsm {

class Report {
  public:
#define SYNCLINE_DSM_COUNT(name) +1
    static constexpr size_t counts = SYNCLINE_DSM_COUNTS(SYNCLINE_DSM_COUNT);
#undef SYNCLINE_DSM_COUNT
    static constexpr size_t bytes = counts * sizeof(uint64_t);

    explicit Report(const Statistics& statistics);
    explicit Report(const uint8_t* stored);
    void store(uint8_t* to) const;

    const std::array<uint64_t, counts>& values() const { return values_; }

  private:
    std::array<uint64_t, counts> values_;
};

// Returns a table: a line for each count, with the sum, the least and the greatest over the processes.
std::string text_of(const std::vector<Report>& reports);

// Returns {"processes": 2, "counts": {"read_faults": {"sum": 5, "least": 1, "greatest": 4}, ...}}, by the names of
// syncline_dsm_statistics_t.
std::string json_of(const std::vector<Report>& reports);

}  // namespace syncline::dsm
