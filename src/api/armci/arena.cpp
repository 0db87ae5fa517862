// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/arena.h"

#include <sys/mman.h>

#include <algorithm>

namespace syncline::armci {
namespace {

constexpr uint64_t block = 64 << 10;

constexpr uint64_t rounded(uint64_t bytes, uint64_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

uint8_t* Arena::allocate_in(Part* part, uint64_t bytes) {
    for (auto gap = part->free.begin(); gap != part->free.end(); ++gap) {
        const auto [start, end] = *gap;
        if (end - start < bytes) {
            continue;
        }
        part->free.erase(gap);
        if (end - start > bytes) {
            part->free.emplace(start + bytes, end);
        }
        part->used.emplace(start, start + bytes);
        return part->region.base + start;
    }
    return nullptr;
}

// Grows by as much as the arena has already; if the memory is too short for that, by no more than the request.
bool Arena::grow(uint64_t bytes) {
    const uint64_t wanted = std::max({rounded(bytes, block), bytes_, least});
    for (const uint64_t size : {rounded(wanted, block), rounded(bytes, block)}) {
        void* const base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED) {
            continue;
        }
        Part part;
        part.region = {static_cast<uint8_t*>(base), size, SYNCLINE_ADDRESS_NONE};
        if (syncline_register(base, size, &part.region.address) == SYNCLINE_OK) {
            part.free.emplace(0, size);
            parts_.push_back(std::move(part));
            bytes_ += size;
            return true;
        }
        ::munmap(base, size);
    }
    return false;
}

uint8_t* Arena::allocate(uint64_t bytes) {
    const uint64_t whole = rounded(std::max<uint64_t>(bytes, 1), line);
    for (Part& part : parts_) {
        if (uint8_t* const found = allocate_in(&part, whole); found != nullptr) {
            return found;
        }
    }
    return grow(whole) ? allocate_in(&parts_.back(), whole) : nullptr;
}

bool Arena::free(void* block) {
    for (Part& part : parts_) {
        const auto offset = static_cast<uint64_t>(static_cast<uint8_t*>(block) - part.region.base);
        const auto found = part.used.find(offset);
        if (offset >= part.region.bytes || found == part.used.end()) {
            continue;
        }
        uint64_t start = offset, end = found->second;
        part.used.erase(found);
        const auto next = part.free.find(end);
        if (next != part.free.end()) {
            end = next->second;
            part.free.erase(next);
        }
        const auto after = part.free.lower_bound(start);
        if (after != part.free.begin() && std::prev(after)->second == start) {
            start = std::prev(after)->first;
        }
        part.free[start] = end;
        return true;
    }
    return false;
}

void Arena::give_back() {
    for (const Part& part : parts_) {
        (void)syncline_deregister(part.region.address);
    }
    parts_.clear();
}

syncline_address_t Arena::address_of(const void* block) const {
    for (const Part& part : parts_) {
        const auto offset = static_cast<uint64_t>(static_cast<const uint8_t*>(block) - part.region.base);
        if (offset < part.region.bytes) {
            return part.region.address + offset;
        }
    }
    return SYNCLINE_ADDRESS_NONE;
}

}  // namespace syncline::armci
