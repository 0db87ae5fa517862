// SPDX-License-Identifier: BSD-3-Clause
// A simulated machine: it has parameters, and a run of it gives results.
//
// Each folder of sim/models/ is a model. Its model.h has the type Parameters, whose visit() names each parameter, and a
// function run() that takes them; ModelOf makes a Model from the two.
#pragma once

#include "sim/kernel/results.h"
#include "sim/kernel/settings.h"

namespace syncline::sim {

class Model {
  public:
    virtual ~Model() = default;
    virtual void visit(Visitor* visitor) = 0;
    // Throws Failure with the reason if no machine can have these parameters. Equal parameters give equal results.
    virtual Results run() const = 0;
};

template <typename Parameters, Results (*run_with)(const Parameters&)>
class ModelOf final : public Model {
  public:
    void visit(Visitor* visitor) override { parameters_.visit(visitor); }
    Results run() const override { return run_with(parameters_); }

  private:
    Parameters parameters_;
};

}  // namespace syncline::sim
