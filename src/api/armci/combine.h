// SPDX-License-Identifier: BSD-3-Clause
// How collective calls combine numbers.
#pragma once

#include <cstddef>
#include <string>

namespace syncline::armci {

struct Numbers {
    size_t width;
    void (*combine)(void* into, const void* from, int count);
};

// ARMCI compares as many characters as the name has. Behind them may be blanks, as Fortran passes them, or no text at
// all.
bool begins_with(const char* operation, const char* name);

// As much of it as a sentence can show.
std::string shown(const char* operation);

// By message.h's names of types and operations; refuses others.
Numbers numbers_of(int type, const char* operation);

}  // namespace syncline::armci
