// SPDX-License-Identifier: BSD-3-Clause
// One function for each paper.
#pragma once

#include "sim/experiments/measurements.h"
#include "sim/papers/reproduce.h"

namespace syncline::sim {

Fidelity reproduce_000(Measurements* m);
Fidelity reproduce_001(Measurements* m);
Fidelity reproduce_002(Measurements* m);
Fidelity reproduce_003(Measurements* m);
Fidelity reproduce_004(Measurements* m);

}  // namespace syncline::sim
