// SPDX-License-Identifier: BSD-3-Clause
// Method: `conformance CASE...`, started by `syncline run` in rows of tests/api/configurations, runs the cases one
// after another on all processes. All use include/armci.h and include/message.h only, and compare with what they
// compute themselves. `conformance --list` names the cases.
#include <cstdio>
#include <cstring>

#include "case_list.h"
#include "check.h"
#include "suite.h"

namespace {

#define ROW(NAME) {#NAME, run_##NAME},
constexpr suite::Case cases[] = {ARMCI_CASES_(ROW)};

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
        return suite::list(cases);
    }
    for (int i = 1; i < argc; i++) {
        if (suite::find(cases, argv[i]) == nullptr) {
            std::fprintf(stderr, "conformance: there is no case '%s'; --list names them\n", argv[i]);
            return 2;
        }
    }
    CHECK(ARMCI_Initialized() == 0);
    CHECK(ARMCI_Init_args(&argc, &argv) == 0);
    for (int i = 1; i < argc; i++) {
        suite::begin(argv[i]);
        suite::find(cases, argv[i])->run();
        ARMCI_Barrier();
        suite::end(0);
    }
    suite::begin("finalize");
    ARMCI_Finalize();
    CHECK(ARMCI_Initialized() == 0);
    suite::end(0);
    return 0;
}
