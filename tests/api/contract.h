// SPDX-License-Identifier: BSD-3-Clause
// The contract suite's frame: one program, named cases, only include/syncline.h. A PE that finds something wrong says
// where and ends the whole job. The frame frees what a case has allocated, and finds what else it keeps of the heap.
#pragma once

#include <syncline.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace contract {

struct Case {
    const char* name;
    void (*run)();
    bool joined = true;   // the frame calls syncline_init() before and syncline_finalize() after
    bool leaves = false;  // keeps memory until the job ends: the last case of its job
};

extern const Case* const case_lists[];

// Prints the place, what was expected and the library's own sentence; ends the job.
[[noreturn]] void fail(const char* file, int line, const char* expected, long long found);

#define EXPECT(condition)                                        \
    do {                                                         \
        if (!(condition)) {                                      \
            ::contract::fail(__FILE__, __LINE__, #condition, 0); \
        }                                                        \
    } while (false)

// `call` returns `status`.
#define EXPECT_STATUS(call, status)                                             \
    do {                                                                        \
        if (const int found_ = (call); found_ != (status)) {                    \
            ::contract::fail(__FILE__, __LINE__, #call " == " #status, found_); \
        }                                                                       \
    } while (false)

#define MUST(call) EXPECT_STATUS(call, SYNCLINE_OK)

// `call` fails with `status`, and the sentence about it names `name`.
#define EXPECT_ERROR(call, status, name)       \
    do {                                       \
        ::contract::forget_error();            \
        EXPECT_STATUS(call, status);           \
        EXPECT(::contract::error_names(name)); \
    } while (false)

// Makes sure that a sentence found later is about a later call.
void forget_error();
bool error_names(const char* name);

inline int rank() {
    return syncline_rank();
}
inline int size() {
    return syncline_size();
}

// SYNCLINE_LONG=1 in the environment.
bool is_long();
// Operations per PE: `normal`; fewer where 30 % of the packets are lost, and each takes its time; more if is_long().
int repeats(int normal);

// Zeroed symmetric memory, until the case ends if the case does not free it; ends in a barrier.
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

// A small generator of its own for every PE, so that PEs do different things and every run the same.
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
