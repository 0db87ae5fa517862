// SPDX-License-Identifier: BSD-3-Clause
// Numbers in texts of the kernel's and of libraries.
#pragma once

#include <cstdlib>

namespace syncline {

// The decimal number that a text begins with, whatever follows; 0: there is none. Blanks may come first. Allocates
// nothing.
inline long leading_number(const char* text) {
    return std::strtol(text, nullptr, 10);
}

}  // namespace syncline
