// SPDX-License-Identifier: BSD-3-Clause
#include "sim/papers/reproduce.h"

#include <map>

#include "sim/experiments/measurements.h"
#include "sim/papers/reproduce_papers.h"

namespace syncline::sim {
namespace {

const std::map<std::string, Fidelity (*)(Measurements*)> reproductions = {{"000", reproduce_000},
                                                                          {"001", reproduce_001},
                                                                          {"002", reproduce_002},
                                                                          {"003", reproduce_003},
                                                                          {"004", reproduce_004}};

}  // namespace

std::vector<std::string> papers() {
    std::vector<std::string> numbers;
    for (const auto& [number, reproduction] : reproductions) {
        numbers.push_back(number);
    }
    return numbers;
}

std::vector<Fidelity> reproduce(const std::vector<std::string>& numbers,
                                const std::function<void(const std::string&)>& progress) {
    Measurements measurements(progress);
    std::vector<Fidelity> reproduced;
    for (const std::string& number : numbers) {
        reproduced.push_back(reproductions.at(number)(&measurements));
    }
    return reproduced;
}

}  // namespace syncline::sim
