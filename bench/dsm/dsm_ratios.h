// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: ratios of two quantities that were measured by turns, and the limits that are wanted of some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/dsm/dsm_measured.h"
#include "bench/dsm/dsm_settings.h"

namespace syncline::bench {

struct DsmRatio {
    const char* name;   // in a result's file
    std::string title;  // of the line in the table, which has a column for each number of nodes
    DsmPoint of;        // the first quantity
    std::vector<double> rounds;
    double got;                            // the median of them
    std::optional<double> wanted = {};     // none: the ratio is only stated
    bool at_most = false;                  // else at least
    std::optional<double> published = {};  // elsewhere

    bool reached() const { return !wanted || (at_most ? got <= *wanted : got >= *wanted); }
};

// Those whose quantities were measured, line by line; page_ratios(): on the links of this MTU.
std::vector<DsmRatio> page_ratios(const DsmSettings& settings, const DsmMeasured& measured, int mtu);
std::vector<DsmRatio> application_ratios(const DsmSettings& settings, const DsmMeasured& measured);

}  // namespace syncline::bench
