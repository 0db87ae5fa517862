// SPDX-License-Identifier: BSD-3-Clause
// Mapped memory with one owner.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"
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

    // Maps `length` bytes of `fd` from `offset`, or anonymous memory if fd < 0. Returns false, with errno, on failure.
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

    // Maps for writing, at an address that is a multiple of `alignment`, a power of two and of the page. It never takes
    // more address space than `length`, because a limit of address space (ulimit -v) counts space that is only
    // reserved, too. It searches from the place where the kernel found room: downwards as the kernel does itself, and
    // then upwards, because under valgrind that place is at a low address. Returns false, with errno, on failure.
    bool map_aligned(int fd, size_t length, size_t alignment) {
        unmap();
        if (plus(length, alignment) > object_bytes_max) {
            errno = ENOMEM;
            return false;
        }
        void* const room = ::mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) {
            return false;
        }
        ::munmap(room, length);
        const uintptr_t first = reinterpret_cast<uintptr_t>(room) & ~(alignment - 1);
        errno = EEXIST;
        for (uintptr_t at = first; at != 0 && errno == EEXIST; at -= alignment) {
            if (map_at(fd, at, length)) {
                return true;
            }
        }
        for (uintptr_t at = first + alignment; at < addresses_end - length && errno == EEXIST; at += alignment) {
            if (map_at(fd, at, length)) {
                return true;
            }
        }
        errno = errno == EEXIST ? ENOMEM : errno;
        return false;
    }

    // Replaces the pages at `where` by those of `fd` from `offset`. Returns false, with errno, on failure.
    bool map_over(int fd, void* where, size_t length, off_t offset = 0) {
        unmap();
        if (::mmap(where, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset) == MAP_FAILED) {
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
        SYNCLINE_CHECK(offset <= length_, "%zu of %zu bytes", offset, length_);
        return reinterpret_cast<T*>(static_cast<uint8_t*>(address_) + offset);
    }
    size_t length() const { return length_; }
    explicit operator bool() const { return address_ != nullptr; }

  private:
    static constexpr uintptr_t addresses_end = 1ull << 47;  // end of a program's addresses on x86-64; arm64 has more

    // Returns false with EEXIST if something is mapped there. A kernel or tool that does not know the flag maps
    // elsewhere.
    bool map_at(int fd, uintptr_t at, size_t length) {
        const int flags = (fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED) | MAP_FIXED_NOREPLACE;
        void* const wanted = reinterpret_cast<void*>(at);
        void* const address = ::mmap(wanted, length, PROT_READ | PROT_WRITE, flags, fd, 0);
        if (address != MAP_FAILED && address != wanted) {
            ::munmap(address, length);
            errno = EEXIST;
        }
        if (address != wanted) {
            return false;
        }
        address_ = address;
        length_ = length;
        return true;
    }

    void* address_ = nullptr;
    size_t length_ = 0;
};

}  // namespace syncline
