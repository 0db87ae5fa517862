// SPDX-License-Identifier: BSD-3-Clause
// A process's number before it has joined its job.
#pragma once

#include <cstdlib>
#include <string>

namespace syncline {

// As the launcher says it in the environment; "0" without a launcher.
inline std::string launcher_rank() {
    for (const char* const variable : {"SYNCLINE_RANK", "PMIX_RANK", "PMI_RANK"}) {
        if (const char* const rank = std::getenv(variable); rank != nullptr) {
            return rank;
        }
    }
    return "0";
}

}  // namespace syncline
