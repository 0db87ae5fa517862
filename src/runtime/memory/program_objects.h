// SPDX-License-Identifier: BSD-3-Clause
// The objects of this process whose variables are the user's: the program, and the shared libraries that it has loaded,
// but for those of the system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/memory_move.h"

namespace syncline {

struct ProgramObject {
    std::string name;  // for a sentence
    // A hash of its file's name and its layout, equal at all PEs that have loaded the same object. The program comes
    // before all libraries.
    uint64_t key = 0;
    std::vector<MemoryRun> runs;  // the pages that it may write
};

// In the order of their keys, of which each is there once.
std::vector<ProgramObject> find_program_objects();

}  // namespace syncline
