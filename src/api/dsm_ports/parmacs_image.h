// SPDX-License-Identifier: BSD-3-Clause
// A process's private data in shared memory, which CREATE hands to another process.
#pragma once

#include "program.h"

namespace syncline::ports {

// Runs lie one after the other; runs of zeros have no bytes.
struct Run {
    char* address = nullptr;
    uint64_t bytes = 0;
    const char* content = nullptr;  // nullptr: zeros
};

struct Image {
    uint64_t runs = 0;
    uint64_t capacity = 0;  // for the runs and contents behind this
    Run run[];
};

// Makes the image of this process's private data, in `last` if that is large enough, else in new memory. No process may
// be reading `last`. Pages whose content is there already are not written again.
Image* make_image(const Program& program, Image* last);

// Gives this process the private data of the image.
void take_image(const Image& image);

}  // namespace syncline::ports
