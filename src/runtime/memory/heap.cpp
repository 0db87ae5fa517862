// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory/heap.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/sizes.h"

namespace syncline {

namespace {
constexpr uint64_t granule = 16;
}

Heap::Heap(uint64_t start, uint64_t end) {
    SYNCLINE_ASSERT(start < end, "a heap from %lu to %lu", start, end);
    free_[start] = end;
}

// Free and used ranges follow each other without overlapping, and no two free ranges touch.
void Heap::check() const {
#ifdef SYNCLINE_CHECKS
    uint64_t before = 0;
    for (const auto& [start, end] : free_) {
        SYNCLINE_CHECK(start < end, "free from %lu to %lu", start, end);
        SYNCLINE_CHECK(before == 0 || start > before, "free from %lu, and up to %lu", start, before);
        before = end;
        const auto used = used_.lower_bound(start);
        SYNCLINE_CHECK(used == used_.end() || used->first >= end, "free up to %lu, used from %lu", end, used->first);
        SYNCLINE_CHECK(used == used_.begin() || std::prev(used)->second <= start, "free from %lu, used up to %lu",
                       start, std::prev(used)->second);
    }
#endif
}

uint64_t Heap::allocate(uint64_t bytes, uint64_t alignment) {
    const uint64_t size = std::max(granule, round_up(bytes, granule));
    const uint64_t align = std::max(granule, alignment);
    for (auto range = free_.begin(); range != free_.end(); ++range) {
        const auto [start, end] = *range;
        const uint64_t offset = round_up(start, align);
        if (offset >= end || end - offset < size) {
            continue;
        }
        free_.erase(range);
        if (offset != start) {
            free_[start] = offset;
        }
        if (offset + size != end) {
            free_[offset + size] = end;
        }
        SYNCLINE_ASSERT(offset % align == 0 && offset >= start && offset + size <= end,
                        "%lu bytes at %lu, of %lu to %lu", size, offset, start, end);
        used_[offset] = offset + size;
        check();
        return offset;
    }
    return none;
}

bool Heap::free(uint64_t offset) {
    const auto found = used_.find(offset);
    if (found == used_.end()) {
        return false;
    }
    auto [start, end] = *found;
    used_.erase(found);
    const auto next = free_.lower_bound(start);
    if (next != free_.end() && next->first == end) {
        end = next->second;
        free_.erase(next);
    }
    const auto after = free_.lower_bound(start);
    if (after != free_.begin() && std::prev(after)->second == start) {
        std::prev(after)->second = end;
    } else {
        free_[start] = end;
    }
    check();
    return true;
}

uint64_t Heap::largest_free() const {
    uint64_t largest = 0;
    for (const auto& [start, end] : free_) {
        largest = std::max(largest, end - start);
    }
    return largest;
}

}  // namespace syncline
