// SPDX-License-Identifier: BSD-3-Clause
// Symmetric memory as arrays; put, get and accumulate between an array and another PE's memory in its place.
#pragma once

#include "numpy_interface.h"

namespace syncline_python {

// An array of bytes over memory that is not the array's own.
nb::object array_over(void* memory, size_t bytes);

void bind_memory(nb::module_& module);
void bind_accumulate(nb::module_& module);

}  // namespace syncline_python
