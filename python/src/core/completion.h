// SPDX-License-Identifier: BSD-3-Clause
// Completion of what this PE has started, and waiting for what others write.
#pragma once

#include "numpy_interface.h"

namespace syncline_python {

void bind_completion(nb::module_& module);

}  // namespace syncline_python
