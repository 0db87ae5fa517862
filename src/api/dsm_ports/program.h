// SPDX-License-Identifier: BSD-3-Clause
// The program's own executable in this process's memory: its code, and those of its variables that are the process's
// private data of PARMACS.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline::ports {

struct Range {
    char* begin = nullptr;
    char* end = nullptr;
    size_t bytes() const { return static_cast<size_t>(end - begin); }
};

struct Program {
    static constexpr size_t ranges_max = 256;
    Range code;
    Range variables[ranges_max];  // without the variables that each process keeps for itself
    size_t variable_ranges = 0;
};

// Finds the code, and the private variables within the range that the linker's symbols name. It leaves out variables of
// libraries that the linker has put there by a copy relocation (stdout, optarg, environ), because they belong to the
// libraries.
Program find_program(Range variables);

// Name a variable by the number of its loaded object and its offset there, which are the same in another process that
// runs the same program. Object 0 is the executable. find_object() returns a negative number if no object holds the
// address.
int find_object(const void* address, size_t bytes, uintptr_t* offset);
void* address_in_object(int object, uintptr_t offset);

}  // namespace syncline::ports
