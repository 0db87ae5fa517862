// SPDX-License-Identifier: BSD-3-Clause
// A launcher that speaks PMIx, version 3 or newer. Its library is loaded when it is needed, so that programs run where
// there is none. PMIx counts its users in a process: an MPI library in the same process is another user.
#pragma once

#include <cstdint>
#include <memory>

#include "job/launchers/launcher.h"

namespace syncline {

// Returns why its library cannot be loaded here, or "".
std::string why_no_pmix_library();

// Throws Failure: there is no library, or no server answers it. `members` are the launcher's numbers, in the order of
// the ranks that they get; empty: all its processes.
std::unique_ptr<Launcher> connect_to_pmix(const std::vector<uint32_t>& members);

}  // namespace syncline
