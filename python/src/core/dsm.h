// SPDX-License-Identifier: BSD-3-Clause
// The distributed shared memory: arrays that all processes read and write as they do their own.
#pragma once

#include "numpy_interface.h"

namespace syncline_python {

bool is_dsm_open();
// An exception of a signal's handler has left a call half done.
bool is_dsm_interrupted();

void bind_dsm(nb::module_& module);

}  // namespace syncline_python
