// SPDX-License-Identifier: BSD-3-Clause
// The list of a program's cases, by name.
#pragma once

#include <cstdio>
#include <cstring>

namespace suite {

struct Case {
    const char* name;
    void (*run)();
};

// Returns NULL if there is no case of that name.
template <typename Cases>
const Case* find(const Cases& cases, const char* name) {
    for (const Case& one : cases) {
        if (std::strcmp(one.name, name) == 0) {
            return &one;
        }
    }
    return nullptr;
}

// Prints the names, for --list. Returns 0.
template <typename Cases>
int list(const Cases& cases) {
    for (const Case& one : cases) {
        std::printf("%s\n", one.name);
    }
    return 0;
}

}  // namespace suite
