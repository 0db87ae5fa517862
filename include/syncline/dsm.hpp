// SPDX-License-Identifier: BSD-3-Clause
// C++ interface of the distributed shared memory: an allocator, an array, and a lock for std::lock_guard. C++11. dsm.h
// has the guarantees.
//
// Objects in shared memory have one address in all processes, so pointers between them work. Pointers to functions,
// virtual functions and private memory mean something else in each process.
#ifndef SYNCLINE_DSM_HPP
#define SYNCLINE_DSM_HPP

#include <cstddef>
#include <new>
#include <stdexcept>

#include "dsm.h"

namespace syncline {

// An allocator for containers that one process fills and all processes read, behind a release and an acquire. It
// allocates by syncline_dsm_alloc_one(). Throws std::bad_alloc.
template <typename T>
struct shared_allocator {
    using value_type = T;

    shared_allocator() noexcept = default;
    template <typename U>
    shared_allocator(const shared_allocator<U>&) noexcept {}

    T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) {
            throw std::bad_alloc();
        }
        void* const memory = syncline_dsm_alloc_one(count * sizeof(T), SYNCLINE_DSM_FIRST_TOUCH);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept { (void)syncline_dsm_free_one(memory); }
};

template <typename T, typename U>
bool operator==(const shared_allocator<T>&, const shared_allocator<U>&) noexcept {
    return true;
}
template <typename T, typename U>
bool operator!=(const shared_allocator<T>&, const shared_allocator<U>&) noexcept {
    return false;
}

// An array of T, zero-filled on first use of the memory. All processes construct it together and destroy it together;
// no constructor or destructor of T runs. `homes`: enum syncline_dsm_homes. Throws std::bad_alloc in all processes.
template <typename T>
class shared {
  public:
    explicit shared(std::size_t size, int homes = SYNCLINE_DSM_FIRST_TOUCH) : size_(size) {
        if (size > static_cast<std::size_t>(-1) / sizeof(T)) {
            throw std::bad_alloc();
        }
        data_ = static_cast<T*>(syncline_dsm_alloc(size * sizeof(T), homes));
        if (data_ == nullptr) {
            throw std::bad_alloc();
        }
    }
    ~shared() { (void)syncline_dsm_free(data_); }
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;

    T& operator[](std::size_t index) { return data_[index]; }
    const T& operator[](std::size_t index) const { return data_[index]; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

  private:
    T* data_ = nullptr;
    std::size_t size_;
};

// A lock by its number: std::lock_guard<syncline::shared_lock_number> and others take it. Throws std::runtime_error
// with the library's error message.
class shared_lock_number {
  public:
    explicit shared_lock_number(uint32_t number) : number_(number) {}
    void lock() { check(syncline_dsm_lock(number_)); }
    bool try_lock() {
        const int status = syncline_dsm_try_lock(number_);
        if (status != SYNCLINE_ERR_BUSY) {
            check(status);
        }
        return status == SYNCLINE_OK;
    }
    void unlock() { check(syncline_dsm_unlock(number_)); }

  private:
    static void check(int status) {
        if (status != SYNCLINE_OK) {
            throw std::runtime_error(syncline_last_error());
        }
    }

    uint32_t number_;
};

}  // namespace syncline

#endif
