// SPDX-License-Identifier: BSD-3-Clause
// Method: `conformance CASE...`, started by `syncline run` in rows of tests/api/configurations, runs the cases one
// after another on all processes. They use include/syncline/dsm.h only, plain loads and stores, and compare with what
// they compute themselves. SYNCLINE_DSM_PROTOCOL and SYNCLINE_DSM_FAULTS say how. `conformance --list` names the cases.
#include <cstdio>
#include <cstring>

#include "case_list.h"
#include "check.h"
#include "suite.h"

namespace {

#define ROW(NAME) {#NAME, run_##NAME},
constexpr suite::Case cases[] = {DSM_CASES_(ROW)};

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
    if (syncline_dsm_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "%s\n", syncline_last_error());
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        suite::begin(argv[i]);
        suite::find(cases, argv[i])->run();
        dsm_live::barrier();
        suite::end(0);
    }
    suite::begin("finalize");
    CHECK_OK(syncline_dsm_finalize());
    suite::end(0);
    return 0;
}
