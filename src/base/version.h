// SPDX-License-Identifier: BSD-3-Clause
// The version of everything that is built together: CMakeLists.txt's, and behind it the commit where a git checkout is
// built, as in "0.1.0 (a0b5207-dirty)". Programs say it with --version, and every result file records it.
#pragma once

namespace syncline {

const char* version();

}  // namespace syncline
