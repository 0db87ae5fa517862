// SPDX-License-Identifier: BSD-3-Clause
// The locks' use of an endpoint: words of other PEs, one call each, counted. All calls are complete on return.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/process/endpoint.h"

namespace syncline {

class Words {
  public:
    explicit Words(Endpoint* endpoint) : endpoint_(endpoint) {}

    int swap(int rank, syncline_address_t word, uint64_t value, uint64_t* old);
    int compare_swap(int rank, syncline_address_t word, uint64_t comparand, uint64_t value, uint64_t* old);
    int compare_swap32(int rank, syncline_address_t word, uint32_t comparand, uint32_t value, uint32_t* old);
    int fetch_add(int rank, syncline_address_t word, uint64_t value, uint64_t* old);
    int fetch_or(int rank, syncline_address_t word, uint64_t bits, uint64_t* old);
    int fetch_and(int rank, syncline_address_t word, uint64_t bits, uint64_t* old);
    int add32(int rank, syncline_address_t word, uint32_t value);  // nothing comes back but that it is done
    int put(int rank, syncline_address_t word, uint64_t value);
    int put32(int rank, syncline_address_t word, uint32_t value);
    int get(int rank, syncline_address_t word, uint64_t* value);

    // This PE's own copy of a word, for plain CPU atomics.
    uint64_t* own(syncline_address_t word) const { return static_cast<uint64_t*>(endpoint_->memory().local(word)); }
    uint32_t* own32(syncline_address_t word) const { return static_cast<uint32_t*>(endpoint_->memory().local(word)); }

    Endpoint* endpoint() const { return endpoint_; }
    int rank() const { return static_cast<int>(endpoint_->rank()); }
    int size() const { return static_cast<int>(endpoint_->size()); }

    // Idles for about `duration_ns`, making progress. The CPU is offered to others first. OK or _NODE.
    int pause(uint64_t duration_ns);
    // OK or _NODE. Asks the daemon now and then only, so a caller may look often.
    int look_at_daemon();
    // The status that a call ends with, or _NODE if the daemon is gone: it may be the cause of any failure.
    int last_word(int status);

    // Requests to other PEs so far, whatever carries them.
    uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
    void count(int rank) {
        if (rank != this->rank()) {
            requests_.fetch_add(1, std::memory_order_relaxed);
        }
    }

  private:
    int atomic(int operation, int rank, syncline_address_t word, uint64_t operand, uint64_t comparand, void* old);

    Endpoint* const endpoint_;
    std::atomic<uint64_t> requests_{0};
};

}  // namespace syncline
