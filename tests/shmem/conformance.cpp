// SPDX-License-Identifier: BSD-3-Clause
// Method: `conformance CASE...` runs a case for each section of the specification, one after another in one job. Each
// initialises the library anew, which OpenSHMEM 1.6 allows.
#include <cstdio>
#include <cstring>

#include "cases.h"
#include "suite.h"

namespace {

struct Case {
    const char* name;
    int (*run)();
};

#define ROW(NAME) {#NAME, run_##NAME},
constexpr Case cases[] = {SHMEM_CASES_(ROW)};

const Case* find(const char* name) {
    for (const Case& one : cases) {
        if (std::strcmp(one.name, name) == 0) {
            return &one;
        }
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        const Case* const chosen = find(argv[i]);
        if (chosen == nullptr) {
            std::fprintf(stderr, "conformance: there is no case '%s'; cases.h has them\n", argv[i]);
            return 2;
        }
        suite::begin(chosen->name);
        suite::end(chosen->run());
    }
    return 0;
}
