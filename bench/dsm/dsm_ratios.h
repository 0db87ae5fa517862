// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: ratios of two quantities that were measured alternately, and the limits of some of the ratios.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/dsm/dsm_measured.h"
#include "bench/dsm/dsm_settings.h"

namespace syncline::bench {

struct DsmRatio {
    const char* name;   // name in a result's file
    std::string title;  // title of the line in the table, which has a column for each number of nodes
    DsmPoint of;        // the first quantity
    std::vector<double> rounds;
    double got;                            // the median of the rounds
    std::optional<double> wanted = {};     // the limit; none: the ratio is only stated
    bool at_most = false;                  // `got` must be at most the limit; else at least
    std::optional<double> published = {};  // the ratio that Noronha 2004 states

    bool reached() const { return !wanted || (at_most ? got <= *wanted : got >= *wanted); }
};

// Return the ratios whose quantities were measured, line by line; page_ratios(): on links of this MTU.
std::vector<DsmRatio> page_ratios(const DsmSettings& settings, const DsmMeasured& measured, int mtu);
std::vector<DsmRatio> application_ratios(const DsmSettings& settings, const DsmMeasured& measured);

}  // namespace syncline::bench
