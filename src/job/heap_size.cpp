// SPDX-License-Identifier: BSD-3-Clause
#include "job/heap_size.h"

#include <cstdlib>
#include <optional>

#include "base/failure.h"
#include "base/sizes.h"
#include "job/job.h"

namespace syncline {
namespace {

// Returns the value of a variable that is set.
std::optional<uint64_t> size_of(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    const std::optional<uint64_t> bytes = parse_size(text);
    if (!bytes) {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}', not a size such as 64M or 1.5g", name, text);
    }
    return bytes;
}

}  // namespace

HeapSize heap_size_from_environment(uint32_t pes) {
    for (const char* const name : {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE"}) {
        if (const std::optional<uint64_t> bytes = size_of(name)) {
            return {*bytes + pes * team_words_per_pe + team_words, name};
        }
    }
    const char* const own = "SYNCLINE_HEAP_SIZE";
    if (const std::optional<uint64_t> bytes = size_of(own); bytes.value_or(0) != 0) {
        return {*bytes, own};
    }
    return {heap_bytes_default, nullptr};
}

}  // namespace syncline
