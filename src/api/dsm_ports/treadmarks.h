// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the parts of TreadMarks' interface share.
#pragma once

#include <cstdint>

#include "Tmk.h"

namespace syncline::ports {

// The program's arguments behind "--".
struct TreadMarksOptions {
    int statistics = 0;       // 1: of all processes together; 2: also of each process
    unsigned long pages = 0;  // 0: the number without the option
    long processes = 0;       // 0: not given
};
TreadMarksOptions read_treadmarks_options(int argc, char* const* argv);

// Makes the list of variables that processes distribute. Collective.
void open_distribution();

// Takes over the values that other processes have distributed before this acquire.
void take_distributed(const char* call);

// Copies this process's counts to Tmk_stat, and prints those of all processes at the end. print is collective.
void note_statistics();
void print_treadmarks_statistics(int how);

}  // namespace syncline::ports
