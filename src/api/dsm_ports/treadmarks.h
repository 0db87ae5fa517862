// SPDX-License-Identifier: BSD-3-Clause
// The parts of TreadMarks' interface share these.
#pragma once

#include <cstdint>

#include "Tmk.h"

namespace syncline::ports {

// The program's arguments behind "--".
struct TreadMarksOptions {
    int statistics = 0;       // 1: of all processes together; 2: of each, too
    unsigned long pages = 0;  // 0: as many as there are without the option
    long processes = 0;       // 0: not said
};
TreadMarksOptions read_treadmarks_options(int argc, char* const* argv);

// Variables that processes have distributed. Collective.
void open_distribution();

// Takes over what others have distributed in front of this acquire.
void take_distributed(const char* call);

// Counts of this process into Tmk_stat, and at the end of all processes. print is collective.
void note_statistics();
void print_treadmarks_statistics(int how);

}  // namespace syncline::ports
