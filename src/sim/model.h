// SPDX-License-Identifier: BSD-3-Clause
// The simulated machines, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/results.h"
#include "sim/settings.h"

namespace syncline::sim {

class Model {
  public:
    virtual ~Model() = default;
    virtual void visit(Visitor* visitor) = 0;
    // Throws Failure with the reason if there can be no such machine. The same parameters give the same results.
    virtual Results run() const = 0;
};

std::vector<std::string> model_names();
// Throws Failure if there is no such model.
std::unique_ptr<Model> make_model(const std::string& name);

// The model with these parameters. Throws Failure at a parameter that is unknown or out of bounds.
std::unique_ptr<Model> make_model(const std::string& name, const Values& values);

}  // namespace syncline::sim
