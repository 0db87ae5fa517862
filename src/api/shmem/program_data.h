// SPDX-License-Identifier: BSD-3-Clause
// The program's variables as symmetric memory.
#pragma once

namespace syncline::shmem {

// The pages of the program's data become segments, with the same numbers at all PEs: if all run the same program.
void show_program_data(const char* call);

}  // namespace syncline::shmem
