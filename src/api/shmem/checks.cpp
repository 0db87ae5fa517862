// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/checks.h"

#include <dlfcn.h>

#include <vector>

#include "base/hash.h"

namespace syncline::shmem {
namespace {

// The names of calls are in this library, at one offset in every process.
const char* library_base() {
    static const char* const base = [] {
        Dl_info found = {};
        dladdr(reinterpret_cast<const void*>(&agree), &found);
        return static_cast<const char*>(found.dli_fbase);
    }();
    return base;
}

}  // namespace

// Each member sends the others the name of its call (32 bits) and a hash of the arguments (32 bits).
void agree(Group& group, std::initializer_list<uint64_t> arguments) {
    const auto name = static_cast<uint64_t>(current_call - library_base());
    const uint64_t own = name << 32 | (hash_of({arguments.begin(), arguments.size()}) & UINT32_MAX);
    std::vector<uint64_t> all;
    check(group.exchange(own, &all));
    for (int member = 0; member < group.size(); member++) {
        const uint64_t other = all[static_cast<size_t>(member)];
        if (other >> 32 != name) {
            die(
                fmt::format("PE {} is in {} instead: all members of a collective make the same calls in the same "
                            "order",
                            group.world(member), library_base() + (other >> 32)));
        }
        if (other != own) {
            die(
                fmt::format("PE {} passes other arguments than PE {}: sizes, roots and symmetric objects must be "
                            "the same at all members",
                            group.world(member), library->me));
        }
    }
}

uint64_t symmetric_place(const void* dest) {
    const Region* const region = library->world.memory().find(dest, 1);
    return region != nullptr ? region->address + (reinterpret_cast<uintptr_t>(dest) - region->start) : 0;
}

void must_not_overlap(const void* dest, size_t dest_bytes, const void* source, size_t source_bytes, Same same) {
    const auto to = reinterpret_cast<uintptr_t>(dest);
    const auto from = reinterpret_cast<uintptr_t>(source);
    if ((same == Same::kAllowed && to == from) || to + dest_bytes <= from || from + source_bytes <= to) {
        return;
    }
    die(fmt::format("dest, {} bytes at {}, and source, {} bytes at {}, overlap", dest_bytes, dest, source_bytes,
                    source));
}

}  // namespace syncline::shmem
