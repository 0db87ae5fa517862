// SPDX-License-Identifier: BSD-3-Clause
// The objects of this process whose variables are the user's: the program, and the shared libraries that it has loaded,
// except the system's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/attachment/memory_move.h"

namespace syncline {

struct ProgramObject {
    std::string name;  // for messages
    // A hash of the file's name and of the object's layout, equal at all PEs that have loaded the same object. The
    // program comes before all libraries.
    uint64_t key = 0;
    std::vector<MemoryRun> runs;  // the pages that the process may write
};

// Returns the objects in the order of their keys, each key once.
std::vector<ProgramObject> find_program_objects();

}  // namespace syncline
