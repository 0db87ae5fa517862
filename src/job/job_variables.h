// SPDX-License-Identifier: BSD-3-Clause
// The environment's settings for a job: for `syncline run`, whose options override them, and for processes that make
// their job together (launchers/gathering.h). Without either, a default holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace syncline {

// The variables that are set.
struct JobVariables {
    std::optional<std::string> transport;  // "auto", or a transport's name
    std::optional<uint32_t> window;
    std::optional<bool> authenticate;
    std::optional<uint32_t> peer_timeout_ms;
    std::optional<uint32_t> join_timeout_ms;
    std::optional<uint64_t> memory_limit;
    uint32_t trace_events = 0;  // 0: no trace
};

// Throws Failure, which names the variable, for a value that makes no sense.
JobVariables job_variables();

}  // namespace syncline
