// SPDX-License-Identifier: BSD-3-Clause
#include "job/heap_size.h"

#include <optional>

#include "base/variables.h"

namespace syncline {

HeapSize heap_size_from_environment(uint32_t pes) {
    const char* const shmem = "SHMEM_SYMMETRIC_SIZE";
    if (const std::optional<uint64_t> bytes = size_in(shmem)) {
        const std::optional<SetVariable> set = find_set(variable_named(shmem));  // perhaps under its other name
        return {*bytes + pes * team_words_per_pe + team_words, set ? set->name : shmem};
    }
    const char* const own = "SYNCLINE_HEAP_SIZE";
    if (const std::optional<uint64_t> bytes = size_in(own); bytes.value_or(0) != 0) {
        return {*bytes, own};
    }
    return {heap_bytes_default, nullptr};
}

}  // namespace syncline
