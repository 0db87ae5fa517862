// SPDX-License-Identifier: BSD-3-Clause
// How collective calls combine numbers.
#pragma once

#include <cstddef>

namespace syncline::armci {

struct Numbers {
    size_t width;
    void (*combine)(void* into, const void* from, int count);
};

// By message.h's names of types and operations; refuses others.
Numbers numbers_of(int type, const char* operation);

}  // namespace syncline::armci
