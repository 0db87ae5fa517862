// SPDX-License-Identifier: BSD-3-Clause
// Locks between PEs: of all kinds, for readers and writers, and counting semaphores.
#pragma once

#include "numpy_interface.h"

namespace syncline_python {

void bind_locks(nb::module_& module);

}  // namespace syncline_python
