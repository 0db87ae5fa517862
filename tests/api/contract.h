// SPDX-License-Identifier: BSD-3-Clause
// The frame of the contract suite: one program with named cases, which use include/syncline.h only. A PE that finds a
// fault says where and ends the whole job. The frame frees the memory that a case has allocated, and finds any other
// memory of the heap that the case keeps.
#pragma once

#include <syncline.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "cases.h"

namespace contract {

// Prints the place, the expectation and the library's own error message; ends the job.
[[noreturn]] void fail(const char* file, int line, const char* expected, long long found);

#define EXPECT(condition)                                        \
    do {                                                         \
        if (!(condition)) {                                      \
            ::contract::fail(__FILE__, __LINE__, #condition, 0); \
        }                                                        \
    } while (false)

// Checks that `call` returns `status`.
#define EXPECT_STATUS(call, status)                                             \
    do {                                                                        \
        if (const int found_ = (call); found_ != (status)) {                    \
            ::contract::fail(__FILE__, __LINE__, #call " == " #status, found_); \
        }                                                                       \
    } while (false)

#define MUST(call) EXPECT_STATUS(call, SYNCLINE_OK)

// Checks that `call` fails with `status`, and that its error message contains `name`.
#define EXPECT_ERROR(call, status, name)       \
    do {                                       \
        ::contract::forget_error();            \
        EXPECT_STATUS(call, status);           \
        EXPECT(::contract::error_names(name)); \
    } while (false)

// Makes sure that an error message found later is about a later call.
void forget_error();
bool error_names(const char* name);

inline int rank() {
    return syncline_rank();
}
inline int size() {
    return syncline_size();
}

// Returns whether the environment has SYNCLINE_LONG=1.
bool is_long();
// Returns the number of operations per PE: `normal`; fewer where 30 % of the packets are lost, because each operation
// then takes long; more if is_long().
int repeats(int normal);

// Allocates zeroed symmetric memory, which the frame frees at the case's end if the case does not; ends in a barrier.
syncline_address_t allocate(size_t bytes);

template <typename Word = uint64_t>
Word* local(syncline_address_t address) {
    return static_cast<Word*>(syncline_local(address));
}

inline uint64_t read64(int from, syncline_address_t address) {
    uint64_t value = 0;
    MUST(syncline_get(from, address, &value, sizeof(value)));
    return value;
}

uint64_t now_us();
void sleep_us(uint64_t duration);

// A small generator, one for every PE, so that PEs do different things, and the same things in every run.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    uint64_t below(uint64_t bound) { return next() % bound; }

  private:
    uint64_t state_;
};

}  // namespace contract
