// SPDX-License-Identifier: BSD-3-Clause
#include "job/job_variables.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/failure.h"
#include "base/sizes.h"
#include "firmware/wire.h"
#include "job/transport_kind.h"

namespace syncline {
namespace {

std::optional<uint32_t> wished_number(const char* name, const char* needs, uint32_t most) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    const std::string_view all(text);
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
    if (error != std::errc() || end != all.data() + all.size() || number < 1 || number > most) {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}': needs {}", name, text, needs);
    }
    return number;
}

std::optional<bool> wished_answer(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    if (std::string_view(text) != "yes" && std::string_view(text) != "no") {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}': needs yes or no", name, text);
    }
    return text[0] == 'y';
}

std::optional<std::string> wished_transport(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    if (std::string_view(text) != "auto" && !transport_named(text)) {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}': needs auto, shm, udp or xdp", name, text);
    }
    return text;
}

std::optional<uint64_t> wished_size(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    const std::optional<uint64_t> bytes = parse_size(text);
    if (bytes.value_or(0) == 0) {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}', not a size such as 64G", name, text);
    }
    return bytes;
}

}  // namespace

JobVariables job_variables() {
    static_assert(SLW_WINDOW_MAX == 64, "as the sentence says");
    return {
        .transport = wished_transport("SYNCLINE_TRANSPORT"),
        .window = wished_number("SYNCLINE_WINDOW", "packets in flight from a PE to a node, 1 to 64", SLW_WINDOW_MAX),
        .authenticate = wished_answer("SYNCLINE_AUTHENTICATE"),
        .peer_timeout_ms = wished_number("SYNCLINE_PEER_TIMEOUT", "milliseconds", UINT32_MAX),
        .join_timeout_ms = wished_number("SYNCLINE_JOIN_TIMEOUT", "milliseconds", UINT32_MAX),
        .memory_limit = wished_size("SYNCLINE_MEMORY_LIMIT")};
}

}  // namespace syncline
