// SPDX-License-Identifier: BSD-3-Clause
// The environment's settings for a job that processes of a launcher make together: those of rank 0 hold for all.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

struct GatheringOptions {
    std::string daemon;
    uint64_t heap_bytes;
    std::string transport = "auto";
    uint32_t timeout_ms = 60000;  // until all have joined
    uint32_t window = 0;          // see default_window()
    bool authenticate = true;
    uint32_t peer_timeout_ms = 5000;
};

// Throws Failure, with the variable's name.
GatheringOptions gathering_options_from_environment(uint32_t ranks);

}  // namespace syncline
