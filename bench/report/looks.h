// SPDX-License-Identifier: BSD-3-Clause
// How each series looks, the same in all charts. Colours are those of Okabe and Ito, which readers with any colour
// vision tell apart; shapes and dashes differ too, so that lines which coincide are both seen.
#pragma once

#include <string>

#include "bench/report/figure.h"

namespace syncline::bench {

constexpr const char* better_colour = "#0072b2";
constexpr const char* worse_colour = "#d55e00";

// The look of the series that is `number` among those without a look of their own.
Look look_of(size_t number);
// By the name in a result's file.
Look look_of(const std::string& series, size_t number);
// The name for people.
std::string label_of(const std::string& series);

}  // namespace syncline::bench
