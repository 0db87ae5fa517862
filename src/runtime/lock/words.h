// SPDX-License-Identifier: BSD-3-Clause
// The locks' use of an endpoint: accesses to words of other PEs, each a blocking call, counted.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/endpoint/endpoint.h"

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
    int add32(int rank, syncline_address_t word, uint32_t value);  // gets no old value; returns when the add is done
    int put(int rank, syncline_address_t word, uint64_t value);
    int put32(int rank, syncline_address_t word, uint32_t value);
    int get(int rank, syncline_address_t word, uint64_t* value);

    // Returns this PE's own copy of a word, for plain CPU atomics.
    uint64_t* own(syncline_address_t word) const { return static_cast<uint64_t*>(endpoint_->memory().local(word)); }
    uint32_t* own32(syncline_address_t word) const { return static_cast<uint32_t*>(endpoint_->memory().local(word)); }

    // Returns a PE's word if it is mapped here, or NULL.
    const uint64_t* mapped(int rank, syncline_address_t word) const {
        return static_cast<const uint64_t*>(rank == this->rank() ? own(word)
                                                                 : endpoint_->memory().pointer(rank, word, 8));
    }

    Endpoint* endpoint() const { return endpoint_; }
    int rank() const { return static_cast<int>(endpoint_->rank()); }
    int size() const { return static_cast<int>(endpoint_->size()); }

    // Idles for about `duration_ns` and makes progress; yields the CPU to other processes first. Returns OK or _NODE.
    int pause(uint64_t duration_ns);
    // Returns OK or _NODE. Asks the daemon only now and then, so a caller may call often.
    int look_at_daemon();
    // Returns the status that a call ends with, or _NODE if the daemon is gone, which may be the cause of any failure.
    int last_word(int status);

    // Returns the number of requests to other PEs so far, over any fabric.
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
