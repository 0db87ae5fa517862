// SPDX-License-Identifier: BSD-3-Clause
// A simulated machine: it has parameters, runs, and leaves results.
#pragma once

#include "sim/kernel/results.h"
#include "sim/kernel/settings.h"

namespace syncline::sim {

class Model {
  public:
    virtual ~Model() = default;
    virtual void visit(Visitor* visitor) = 0;
    // Throws Failure with the reason if there can be no such machine. The same parameters give the same results.
    virtual Results run() const = 0;
};

}  // namespace syncline::sim
