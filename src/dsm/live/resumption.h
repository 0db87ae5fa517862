// SPDX-License-Identifier: BSD-3-Clause
// Whether a program goes on after a fault with the registers that it had. It does on every processor; valgrind gives a
// signal handler the registers of an earlier instruction, unless it is told to keep them.
#pragma once

namespace syncline::dsm {

// Makes a fault itself if valgrind runs the process, before the library installs its own handlers; else costs nothing.
bool resumes_with_registers();

}  // namespace syncline::dsm
