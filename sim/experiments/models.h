// SPDX-License-Identifier: BSD-3-Clause
// The models, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/kernel/model.h"

namespace syncline::sim {

std::vector<std::string> model_names();
// Throws Failure if there is no such model.
std::unique_ptr<Model> make_model(const std::string& name);

// Returns the model with these parameters. Throws Failure at a parameter that is unknown or out of bounds.
std::unique_ptr<Model> make_model(const std::string& name, const Values& values);

}  // namespace syncline::sim
