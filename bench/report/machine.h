// SPDX-License-Identifier: BSD-3-Clause
// What a result is to be read with: the machine that it was measured on.
#pragma once

#include <string>

namespace syncline::bench {

struct Machine {
    std::string cpu;
    unsigned cores;  // online
    std::string kernel;
    std::string compiler;
    std::string date;  // UTC, ISO 8601

    std::string line() const;  // for people
};

Machine describe_machine();

}  // namespace syncline::bench
