// SPDX-License-Identifier: BSD-3-Clause
// Numbers in texts that come from the kernel and from libraries.
#pragma once

#include <cstdlib>

namespace syncline {

// Returns the decimal number with which a text begins, whatever follows; 0: there is none. Blanks may come first.
// Allocates nothing.
inline long leading_number(const char* text) {
    return std::strtol(text, nullptr, 10);
}

}  // namespace syncline
