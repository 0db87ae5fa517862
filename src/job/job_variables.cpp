// SPDX-License-Identifier: BSD-3-Clause
#include "job/job_variables.h"

#include "base/trace.h"
#include "base/variables.h"
#include "firmware/wire.h"

namespace syncline {
namespace {

std::optional<uint32_t> wished_number(const char* name) {
    const std::optional<uint64_t> number = number_in(name);
    return number ? std::optional(static_cast<uint32_t>(*number)) : std::nullopt;
}

std::optional<bool> wished_answer(const char* name) {
    const std::optional<std::string> text = text_in(name);
    return text ? std::optional(*text == "yes") : std::nullopt;
}

}  // namespace

JobVariables job_variables() {
    static_assert(SLW_WINDOW_MAX == 64, "as the table of variables says");
    static_assert(trace_events_max == 65536, "as the table of variables says");
    return {.transport = text_in("SYNCLINE_TRANSPORT"),
            .window = wished_number("SYNCLINE_WINDOW"),
            .authenticate = wished_answer("SYNCLINE_AUTHENTICATE"),
            .peer_timeout_ms = wished_number("SYNCLINE_PEER_TIMEOUT"),
            .join_timeout_ms = wished_number("SYNCLINE_JOIN_TIMEOUT"),
            .memory_limit = size_in("SYNCLINE_MEMORY_LIMIT"),
            .trace_events = wanted_trace_events()};
}

}  // namespace syncline
