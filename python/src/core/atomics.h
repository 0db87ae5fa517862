// SPDX-License-Identifier: BSD-3-Clause
// Atomics on elements of arrays: those with a result, and updates without one.
#pragma once

#include "numpy_interface.h"

namespace syncline_python {

void bind_atomics(nb::module_& module);
void bind_updates(nb::module_& module);

}  // namespace syncline_python
