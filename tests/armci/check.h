// SPDX-License-Identifier: BSD-3-Clause
// The frame of all cases: a check that says where it fails and ends the job, blocks of all processes, drawn numbers.
#pragma once

#include <fmt/format.h>
#include <message.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cases.h"

namespace armci_test {

inline int me() {
    return armci_msg_me();
}
inline int size() {
    return armci_msg_nproc();
}
inline int next(int distance = 1) {
    return (me() + distance) % size();
}

inline std::string replay;  // for a case that draws its operations: the command that replays them

[[noreturn]] inline void fail(const char* file, int line, const std::string& why) {
    const char* const name = std::strrchr(file, '/');
    const std::string again = replay.empty() ? "" : "; replay: " + replay;
    ARMCI_Error(fmt::format("{}:{}: {}{}", name != nullptr ? name + 1 : file, line, why, again).c_str(), 1);
}

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            ::armci_test::fail(__FILE__, __LINE__, #condition); \
        }                                                       \
    } while (false)

// Fails with numbers that help to understand the failure.
#define CHECK_THAT(condition, ...)                                                                           \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            ::armci_test::fail(__FILE__, __LINE__, std::string(#condition ": ") + fmt::format(__VA_ARGS__)); \
        }                                                                                                    \
    } while (false)

// Every process draws different numbers, and every run the same ones.
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
    // low to high
    int between(int low, int high) { return low + static_cast<int>(below(static_cast<uint64_t>(high - low) + 1)); }
    void fill(void* bytes, size_t count) {
        for (size_t i = 0; i < count; i++) {
            static_cast<uint8_t*>(bytes)[i] = static_cast<uint8_t>(next() >> 24);
        }
    }

  private:
    uint64_t state_;
};

// Memory with the same count of numbers at each process, zero at first. All processes make and free it together.
template <typename T>
class Blocks {
  public:
    explicit Blocks(size_t count) : at_(static_cast<size_t>(size())) {
        CHECK(ARMCI_Malloc(at_.data(), static_cast<armci_size_t>(count * sizeof(T))) == 0);
        std::memset(at_[static_cast<size_t>(me())], 0, count * sizeof(T));
        ARMCI_Barrier();
    }
    ~Blocks() { CHECK(ARMCI_Free(own()) == 0); }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;

    // Returns the place at a process; for a process of another node it is no pointer.
    T* at(int process) const { return static_cast<T*>(at_[static_cast<size_t>(process)]); }
    T* own() const { return at(me()); }

  private:
    std::vector<void*> at_;
};

template <typename T>
T get_one(const T* at, int process) {
    T value{};
    CHECK(ARMCI_Get(const_cast<T*>(at), &value, sizeof(value), process) == 0);
    return value;
}

template <typename T>
void put_one(const T& value, T* at, int process) {
    CHECK(ARMCI_Put(const_cast<T*>(&value), at, sizeof(value), process) == 0);
}

// Returns a text about the first byte that differs; "" if none does.
inline std::string difference(const void* found, const void* expected, size_t bytes) {
    const auto* const one = static_cast<const uint8_t*>(found);
    const auto* const other = static_cast<const uint8_t*>(expected);
    for (size_t i = 0; i < bytes; i++) {
        if (one[i] != other[i]) {
            return fmt::format("byte {} of {} is {}, expected {}", i, bytes, one[i], other[i]);
        }
    }
    return "";
}

#define CHECK_SAME(found, expected, bytes)                                            \
    do {                                                                              \
        const std::string differs = ::armci_test::difference(found, expected, bytes); \
        CHECK_THAT(differs.empty(), "{}", differs);                                   \
    } while (false)

inline char* text(const char* literal) {  // ARMCI's operations are char*
    return const_cast<char*>(literal);
}

}  // namespace armci_test
