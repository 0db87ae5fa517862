// SPDX-License-Identifier: BSD-3-Clause
// Whether a program goes on behind a fault with the registers that it had. Every processor does that; valgrind gives a
// handler of signals the registers of an earlier instruction, unless it is told to keep them.
#pragma once

namespace syncline::dsm {

// Makes a fault by itself where valgrind runs the process, in front of the library's own handlers; else costs nothing.
bool resumes_with_registers();

}  // namespace syncline::dsm
