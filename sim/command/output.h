// SPDX-License-Identifier: BSD-3-Clause
// The output of simulations: text for people, JSON and CSV for programs, a picture. Each names the version that made
// it, and none depends on time or machine, so equal experiments give equal files. Text has rounded numbers with their
// units; JSON and CSV have all digits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/report/figure.h"
#include "sim/experiments/experiment.h"
#include "sim/experiments/sweep.h"

namespace syncline::tools {

nlohmann::ordered_json json_of_results(const sim::Results& results);
sim::Results results_of_json(const nlohmann::ordered_json& json);

// Returns the number with four digits, but with all digits before the point.
std::string rounded(double number);
// Returns the value rounded, with the unit that the end of the result's name stands for.
std::string quantity(const std::string& name, const sim::Value& value);
// Returns a line for each result.
std::string results_text(const sim::Results& results);

std::string json_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);
std::string csv_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);
// Throws Failure if the experiment has no plot, or if the plot's x is not varied.
void check_plot(const sim::Experiment& experiment);
// Throws Failure also if the plot names a result that does not exist.
bench::Figure plot_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);
// Returns one line for each point: the varied values, and the result that the plot draws, or else the first result.
std::string table_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points);

}  // namespace syncline::tools
