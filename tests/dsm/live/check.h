// SPDX-License-Identifier: BSD-3-Clause
// The frame of all cases: a check that says where it fails and ends the job, and shared memory as values of a type.
#pragma once

#include <fmt/format.h>
#include <syncline/dsm.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/prng.h"
#include "cases.h"

namespace dsm_live {

inline int me() {
    return syncline_dsm_process();
}
inline int size() {
    return syncline_dsm_processes();
}

[[noreturn]] inline void fail(const char* file, int line, const std::string& why) {
    const char* const name = std::strrchr(file, '/');
    std::fprintf(stderr, "process %d: %s:%d: %s\n", me(), name != nullptr ? name + 1 : file, line, why.c_str());
    syncline_abort(1);
}

#define CHECK(condition)                                      \
    do {                                                      \
        if (!(condition)) {                                   \
            ::dsm_live::fail(__FILE__, __LINE__, #condition); \
        }                                                     \
    } while (false)

// Fails with numbers that help to understand the failure.
#define CHECK_THAT(condition, ...)                                                                         \
    do {                                                                                                   \
        if (!(condition)) {                                                                                \
            ::dsm_live::fail(__FILE__, __LINE__, std::string(#condition ": ") + fmt::format(__VA_ARGS__)); \
        }                                                                                                  \
    } while (false)

// Check that a call succeeds, or fails with a status and an error message that contains some words.
#define CHECK_OK(call)                                                                                        \
    do {                                                                                                      \
        const int status_of_call = (call);                                                                    \
        CHECK_THAT(status_of_call == SYNCLINE_OK, "{}: {} {}", #call, status_of_call, syncline_last_error()); \
    } while (false)
#define CHECK_FAILS(call, status, words)                                                                      \
    do {                                                                                                      \
        const int status_of_call = (call);                                                                    \
        CHECK_THAT(status_of_call == (status), "{}: {}, and not {}", #call, status_of_call, #status);         \
        CHECK_THAT(std::strstr(syncline_last_error(), words) != nullptr, "{}: '{}' does not say '{}'", #call, \
                   syncline_last_error(), words);                                                             \
    } while (false)

inline void barrier() {
    CHECK_OK(syncline_dsm_barrier());
}

// Values that all processes share; all processes make and free them together.
template <typename T>
class Shared {
  public:
    explicit Shared(size_t count, int homes = SYNCLINE_DSM_FIRST_TOUCH)
        : at_(static_cast<T*>(syncline_dsm_alloc(count * sizeof(T), homes))) {
        CHECK_THAT(at_ != nullptr, "{}", syncline_last_error());
        // Memory that was allocated before still has its former contents.
        if (me() == 0 && homes == SYNCLINE_DSM_FIRST_TOUCH) {
            std::memset(static_cast<void*>(at_), 0, count * sizeof(T));
        }
        barrier();
    }
    ~Shared() { CHECK_OK(syncline_dsm_free(at_)); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    // Each access is a single access of the processor, where and when the program says.
    volatile T& operator[](size_t i) const { return at_[i]; }
    T* data() const { return at_; }

  private:
    T* const at_;
};

class Locked {
  public:
    explicit Locked(uint32_t lock) : lock_(lock) { CHECK_OK(syncline_dsm_lock(lock)); }
    ~Locked() { CHECK_OK(syncline_dsm_unlock(lock_)); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    const uint32_t lock_;
};

constexpr size_t page_words = 4096 / sizeof(uint64_t);

// Flags keep their values from case to case, so each case uses flags of its own.
inline uint32_t take_numbers(uint32_t count) {
    uint32_t first = 0;
    if (me() == 0) {
        CHECK_OK(syncline_dsm_take_numbers(count, &first));
    }
    CHECK_OK(syncline_dsm_broadcast(0, &first, sizeof(first)));
    return first;
}

}  // namespace dsm_live
