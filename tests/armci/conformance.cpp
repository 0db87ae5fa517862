// SPDX-License-Identifier: BSD-3-Clause
// Method: `conformance CASE...`, started by `syncline run` in rows of tests/api/configurations, runs the cases one
// after another on all processes. All use include/armci.h and include/message.h only, and compare with what they
// compute themselves. `conformance --list` names the cases.
#include "case_list.h"
#include "check.h"
#include "suite.h"

namespace {

constexpr suite::Case cases[] = {ARMCI_CASES_(SUITE_ROW)};

}  // namespace

int main(int argc, char** argv) {
    const auto chosen = suite::chosen_cases(cases, argc, argv);
    CHECK(ARMCI_Initialized() == 0);
    CHECK(ARMCI_Init_args(&argc, &argv) == 0);
    for (const suite::Case* const one : chosen) {
        suite::begin(one->name);
        one->run();
        ARMCI_Barrier();
        suite::end();
    }
    suite::begin("finalize");
    ARMCI_Finalize();
    CHECK(ARMCI_Initialized() == 0);
    suite::end();
    return 0;
}
