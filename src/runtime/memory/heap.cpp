// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory/heap.h"

#include <algorithm>
#include <iterator>

#include "base/sizes.h"

namespace syncline {

namespace {
constexpr uint64_t granule = 16;
}

Heap::Heap(uint64_t start, uint64_t end) {
    free_[start] = end;
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
        used_[offset] = offset + size;
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
