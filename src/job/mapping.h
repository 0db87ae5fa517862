// SPDX-License-Identifier: BSD-3-Clause
// Mapped memory with one owner.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/sizes.h"

namespace syncline {

class Mapping {
  public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept
        : address_(std::exchange(other.address_, nullptr)), length_(std::exchange(other.length_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(address_, other.address_);
        std::swap(length_, other.length_);
        return *this;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { unmap(); }

    // Maps `length` bytes of `fd` from `offset`, or anonymous memory if fd < 0. False and errno on failure.
    bool map(int fd, size_t length, bool writable = true, off_t offset = 0) {
        unmap();
        const int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
        void* const address = ::mmap(nullptr, length, writable ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, offset);
        if (address == MAP_FAILED) {
            return false;
        }
        address_ = address;
        length_ = length;
        return true;
    }

    // The same for writing, at an address that is a multiple of `alignment`, a power of two and of the page.
    bool map_aligned(int fd, size_t length, size_t alignment) {
        unmap();
        if (plus(length, alignment) > object_bytes_max) {
            errno = ENOMEM;
            return false;
        }
        void* const space =
            ::mmap(nullptr, length + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (space == MAP_FAILED) {
            return false;
        }
        const auto start = reinterpret_cast<uintptr_t>(space);
        const uintptr_t aligned = (start + alignment - 1) & ~(alignment - 1);
        const int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
        void* const address =
            ::mmap(reinterpret_cast<void*>(aligned), length, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0);
        const uintptr_t used = address != MAP_FAILED ? (length + 4095) & ~uintptr_t{4095} : 0;
        if (aligned != start) {
            ::munmap(space, aligned - start);
        }
        ::munmap(reinterpret_cast<void*>(aligned + used), start + alignment - aligned + length - used);
        address_ = address != MAP_FAILED ? address : nullptr;
        length_ = address != MAP_FAILED ? length : 0;
        return address_ != nullptr;
    }

    // Replaces the pages at `where` by those of `fd`. False and errno on failure.
    bool map_over(int fd, void* where, size_t length) {
        unmap();
        if (::mmap(where, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
            return false;
        }
        address_ = where;
        length_ = length;
        return true;
    }

    // Leaves the memory mapped for ever.
    void release() {
        address_ = nullptr;
        length_ = 0;
    }

    void unmap() {
        if (address_ != nullptr) {
            ::munmap(address_, length_);
        }
        release();
    }

    template <typename T = uint8_t>
    T* at(size_t offset = 0) const {
        return reinterpret_cast<T*>(static_cast<uint8_t*>(address_) + offset);
    }
    size_t length() const { return length_; }
    explicit operator bool() const { return address_ != nullptr; }

  private:
    void* address_ = nullptr;
    size_t length_ = 0;
};

}  // namespace syncline
