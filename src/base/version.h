// SPDX-License-Identifier: BSD-3-Clause
// The version of everything that is built together: the version of CMakeLists.txt, and behind it the commit if a git
// checkout is built, as in "0.1.0 (a0b5207-dirty)". Programs print it with --version, and every result file records it.
#pragma once

namespace syncline {

const char* version();

}  // namespace syncline
