// SPDX-License-Identifier: BSD-3-Clause
// The cases of a program. Its header `cases.h` names each case once, as CASE(name) in a macro that takes CASE; the case
// is the function run_name(). SUITE_ROW makes a row of the program's table from it, and suite_cases() of
// tests/suite/CMakeLists.txt makes CMake's list.
#pragma once

#include <span>
#include <vector>

#define SUITE_ROW(NAME) {#NAME, run_##NAME},

namespace suite {

struct Case {
    const char* name;
    void (*run)();
};

// Returns the cases that the command line names, in its order. With `--list` it prints all names and ends the process;
// a name that no case has ends the process with exit code 2.
std::vector<const Case*> chosen_cases(std::span<const Case> cases, int argc, char** argv);

}  // namespace suite
