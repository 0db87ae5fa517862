// SPDX-License-Identifier: BSD-3-Clause
// A simulated machine: it has parameters, runs, and leaves results.
//
// A folder of sim/models/ is one. Its model.h has the type Parameters, whose visit() names each parameter, and a
// function run() of them; ModelOf makes a Model of the two.
#pragma once

#include "sim/kernel/results.h"
#include "sim/kernel/settings.h"

namespace syncline::sim {

class Model {
  public:
    virtual ~Model() = default;
    virtual void visit(Visitor* visitor) = 0;
    // Throws Failure with the reason if there can be no such machine. Equal parameters give equal results.
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
