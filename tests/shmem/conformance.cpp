// SPDX-License-Identifier: BSD-3-Clause
// Method: `conformance CASE...` runs a case for each section of the specification, one after another in one job. Each
// initialises the library anew, which OpenSHMEM 1.6 allows. `conformance --list` names the cases.
#include "case_list.h"
#include "cases.h"
#include "suite.h"

namespace {

constexpr suite::Case cases[] = {SHMEM_CASES_(SUITE_ROW)};

}  // namespace

int main(int argc, char** argv) {
    for (const suite::Case* const one : suite::chosen_cases(cases, argc, argv)) {
        suite::begin(one->name);
        one->run();
        suite::end();
    }
    return 0;
}
