// SPDX-License-Identifier: BSD-3-Clause
// This process as a PE of its job: from init() to finalize(), or to the end of the interpreter.
#pragma once

#include <syncline.h>

#include "collectives.h"

namespace syncline_python {

// The group of all PEs; raises where there is no job.
Group& world();

// For a loop that tests: makes progress, gives the CPU away and, told to block, sleeps the longer the later the turn
// is. _TIMEOUT, or why there is nothing to wait for any more.
int nap(int turn);

void bind_job(nb::module_& module);

}  // namespace syncline_python
