// SPDX-License-Identifier: BSD-3-Clause
// The counts of a process. Any thread adds; the words are independent of each other.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace syncline::dsm {

class Count {
  public:
    void operator+=(uint64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }
    void operator++(int) { *this += 1; }
    uint64_t value() const { return value_.load(std::memory_order_relaxed); }
    void clear() { value_.store(0, std::memory_order_relaxed); }

  private:
    std::atomic<uint64_t> value_{0};
};

// X(name), in the order of syncline_dsm_statistics_t.
#define SYNCLINE_DSM_COUNTS(X) \
    X(read_faults)             \
    X(write_faults)            \
    X(fetches)                 \
    X(pages_fetched)           \
    X(pages_prefetched)        \
    X(twins)                   \
    X(diffs)                   \
    X(diff_bytes)              \
    X(home_updates)            \
    X(notices_sent)            \
    X(notices_received)        \
    X(invalidations)           \
    X(homes_assigned)          \
    X(lock_acquires)           \
    X(barriers) X(messages_handled) X(fault_ns) X(fetch_ns) X(flush_ns) X(lock_ns) X(barrier_ns) X(handler_ns)

struct Statistics {
#define SYNCLINE_DSM_COUNT(name) Count name;
    SYNCLINE_DSM_COUNTS(SYNCLINE_DSM_COUNT)
#undef SYNCLINE_DSM_COUNT
};

// Adds the time that a scope takes.
class Timed {
  public:
    explicit Timed(Count* count) : count_(count), start_(now_ns()) {}
    ~Timed() { *count_ += now_ns() - start_; }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

  private:
    Count* const count_;
    const uint64_t start_;
};

}  // namespace syncline::dsm
