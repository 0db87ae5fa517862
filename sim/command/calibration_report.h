// SPDX-License-Identifier: BSD-3-Clause
// The output of a calibration: settings for `sim run`, a page for people, JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/command/observations.h"
#include "sim/experiments/calibrate.h"

namespace syncline::tools {

struct CalibrationReport {
    uint64_t fit_up_to = 4;
    Observed observed;
    sim::Calibration calibration;
    sim::Separation separation;
    std::vector<sim::Prediction> predictions;
};

std::string settings_of(const CalibrationReport& report);
std::string markdown_of(const CalibrationReport& report);
std::string json_of(const CalibrationReport& report);

}  // namespace syncline::tools
