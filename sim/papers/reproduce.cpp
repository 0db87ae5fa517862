// SPDX-License-Identifier: BSD-3-Clause
#include "sim/papers/reproduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/experiments/measurements.h"
#include "sim/papers/reproduce_papers.h"

namespace syncline::sim {

std::vector<Fidelity> reproduce(const std::function<void(const std::string&)>& progress) {
    Measurements measurements(progress);
    return {reproduce_000(&measurements), reproduce_001(&measurements), reproduce_002(&measurements),
            reproduce_003(&measurements), reproduce_004(&measurements)};
}

}  // namespace syncline::sim
