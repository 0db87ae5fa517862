// SPDX-License-Identifier: BSD-3-Clause
// The forms in which simulations leave: text for people, JSON and CSV for programs, an SVG picture. They name the
// version that made them, and nothing in them depends on when or where, so equal experiments give equal files. Text has
// rounded numbers with their units; JSON and CSV have all digits.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/experiments/experiment.h"
#include "sim/experiments/sweep.h"

namespace syncline::tools {

nlohmann::ordered_json json_of_results(const sim::Results& results);
sim::Results results_of_json(const nlohmann::ordered_json& json);

// Four digits, and all those before the point.
std::string rounded(double number);
// Rounded, with the unit that the end of a result's name stands for.
std::string quantity(const std::string& name, const sim::Value& value);
// A line for each result.
std::string results_text(const sim::Results& results);

std::string json_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);
std::string csv_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);
// Throws Failure if the experiment has nothing to draw, or draws it against what is not varied.
void check_plot(const sim::Experiment& experiment);
// Throws Failure also if it names a result that there is not.
std::string plot_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);
// One line for each point: what was varied, and the result that is drawn, or else the first one.
std::string table_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);

}  // namespace syncline::tools
