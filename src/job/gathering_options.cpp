// SPDX-License-Identifier: BSD-3-Clause
#include "job/gathering_options.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/failure.h"
#include "base/sizes.h"
#include "job/bootstrap.h"
#include "job/heap_size.h"
#include "job/job.h"

namespace syncline {
namespace {

void read_number(const char* name, const char* needs, uint32_t least, uint32_t most, uint32_t* value) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return;
    }
    const std::string_view all(text);
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
    if (error != std::errc() || end != all.data() + all.size() || number < least || number > most) {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}': needs {}", name, text, needs);
    }
    *value = number;
}

void read_yes_or_no(const char* name, bool* value) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return;
    }
    if (std::string_view(text) != "yes" && std::string_view(text) != "no") {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}': needs yes or no", name, text);
    }
    *value = text[0] == 'y';
}

}  // namespace

GatheringOptions gathering_options_from_environment(uint32_t ranks) {
    GatheringOptions options;
    options.daemon = address_of_service();
    options.heap_bytes = plus(round_up(heap_size_from_environment(ranks).bytes, SLW_BLOCK_BYTES), heap_reserved_bytes);
    if (const char* const transport = std::getenv("SYNCLINE_TRANSPORT"); transport != nullptr) {
        options.transport = transport;
    }
    static_assert(SLW_WINDOW_MAX == 64, "as the sentence says");
    read_number("SYNCLINE_WINDOW", "packets in flight from a PE to a node, 1 to 64", 1, SLW_WINDOW_MAX,
                &options.window);
    read_yes_or_no("SYNCLINE_AUTHENTICATE", &options.authenticate);
    read_number("SYNCLINE_PEER_TIMEOUT", "milliseconds", 1, UINT32_MAX, &options.peer_timeout_ms);
    read_number("SYNCLINE_JOIN_TIMEOUT", "milliseconds", 1, UINT32_MAX, &options.timeout_ms);
    return options;
}

}  // namespace syncline
