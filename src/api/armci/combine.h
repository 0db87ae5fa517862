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

// Returns whether `operation` begins with `name`. ARMCI compares as many characters as the name has; behind them there
// may be blanks, which Fortran passes, or no terminating zero.
bool begins_with(const char* operation, const char* name);

// Returns as much of the operation as a message can show.
std::string shown(const char* operation);

// Returns the combination for message.h's names of a type and an operation; refuses other names.
Numbers numbers_of(int type, const char* operation);

}  // namespace syncline::armci
