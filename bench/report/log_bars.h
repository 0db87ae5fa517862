// SPDX-License-Identifier: BSD-3-Clause
// A picture of quantities that differ by orders of magnitude: lying bars on a logarithmic scale.
#pragma once

#include <string>
#include <vector>

#include "bench/report/chart.h"

namespace syncline::bench {

struct Bar {
    std::string title;
    double value;  // the bar goes from 1 to it
    std::string label;
};

std::string picture_of_bars(const std::vector<Bar>& bars, const Chart::Texts& texts, const std::string& foot);

}  // namespace syncline::bench
