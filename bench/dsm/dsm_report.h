// SPDX-License-Identifier: BSD-3-Clause
// The table that `syncline bench dsm` prints, and the file that it writes.
#pragma once

#include "bench/dsm/dsm_ratios.h"

namespace syncline::bench {

struct DsmResult {
    const DsmSettings& settings;
    const DsmMeasured& measured;
    const std::vector<std::string>& failures;  // runs of applications
};

std::vector<std::string> dsm_remarks(const DsmResult& result, const Machine& machine);
std::string dsm_table(const DsmResult& result, const Machine& machine);
Json dsm_json(const DsmResult& result, const Machine& machine);

}  // namespace syncline::bench
