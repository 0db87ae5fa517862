// SPDX-License-Identifier: BSD-3-Clause
// Method: `conformance CASE...`, started by `syncline run` in rows of tests/api/configurations, runs the cases one
// after another on all processes. They use include/syncline/dsm.h only, plain loads and stores, and compare with what
// they compute themselves. SYNCLINE_DSM_PROTOCOL and SYNCLINE_DSM_FAULTS say how. `conformance --list` names the cases.
#include <cstdio>

#include "case_list.h"
#include "check.h"
#include "suite.h"

namespace {

constexpr suite::Case cases[] = {DSM_CASES_(SUITE_ROW)};

}  // namespace

int main(int argc, char** argv) {
    const auto chosen = suite::chosen_cases(cases, argc, argv);
    if (syncline_dsm_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "%s\n", syncline_last_error());
        return 1;
    }
    for (const suite::Case* const one : chosen) {
        suite::begin(one->name);
        one->run();
        dsm_live::barrier();
        suite::end();
    }
    suite::begin("finalize");
    CHECK_OK(syncline_dsm_finalize());
    suite::end();
    return 0;
}
