// SPDX-License-Identifier: BSD-3-Clause
// Mapped memory with one owner.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>

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
