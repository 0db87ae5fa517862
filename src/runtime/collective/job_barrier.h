// SPDX-License-Identifier: BSD-3-Clause
// The barrier to start with: dissemination over all PEs with remote adds.
//
// In round k PE r adds 1 to the word of round k at PE (r + 2^k) mod n and waits until its own word of that round has
// reached the number of barriers so far. Words only grow and adds happen exactly once, so consecutive barriers need
// no reset and an early message is simply counted. n * ceil(log2 n) messages, ceil(log2 n) latencies.
//
// A PE that dies: a PE that waits for it longer than a moment asks its NIC with a small get; a closed port, or silence
// for the peer timeout, breaks the barrier for good, and the PE that finds out tells all by a word of theirs. So
// does one whose own signal may not have arrived, because it has taken a node for dead that was only cut off for a
// while.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/memory/runtime_words.h"
#include "runtime/process/endpoint.h"

namespace syncline {

class JobBarrier {
  public:
    explicit JobBarrier(Endpoint* endpoint) : endpoint_(endpoint) {}

    // OK, _PEER or _NODE. One caller at a time.
    int run();
    // Before this PE's memory goes, behind a run() that has succeeded: waits until all PEs are out of that one. Without
    // it, a PE that another one holds up in the last barrier finds those gone that have left in order, and takes them
    // for dead. Nothing is under way any more, so a PE that is missing now is no error.
    void part();

  private:
    int run_rounds();
    int signal(uint32_t to, syncline_address_t word);

    Endpoint* const endpoint_;
    uint64_t count_ = 0;
};

// This PE has given a node up.
bool has_silent_node(Endpoint* endpoint);

// Asks a PE's NIC for a word of the PE, which it answers while the PE is there: OK, _PEER or _NODE.
int probe(Endpoint* endpoint, uint32_t rank);

// Waits until `done()`, which the PEs `from` are to bring about: OK, _NODE, or _PEER once one of them is found gone, or
// the job's barriers broken. It asks one PE more each time, in turn: the PEs that it waits for may have found out that
// another one is gone, and not come for that reason.
template <typename Done>
int await_pes(Endpoint* endpoint, std::span<const uint32_t> from, Done&& done) {
    constexpr uint64_t patience_ns = 500 * ns_per_ms;  // before the PEs are asked
    const uint64_t* const broken = endpoint->reserved().own(RuntimeWords::broken);
    const auto is_broken = [&] { return __atomic_load_n(broken, __ATOMIC_ACQUIRE) != 0; };
    for (uint32_t other = endpoint->rank() + 1;; other++) {
        const int waited = endpoint->waiting().wait_for([&] { return done() || is_broken(); }, now_ns() + patience_ns);
        if (done()) {
            return SYNCLINE_OK;
        }
        if (is_broken()) {
            return SYNCLINE_ERR_PEER;
        }
        if (waited != SYNCLINE_ERR_TIMEOUT) {
            return waited;
        }
        if (has_silent_node(endpoint)) {
            return SYNCLINE_ERR_PEER;
        }
        int status = probe(endpoint, other % endpoint->size());
        for (size_t i = 0; i < from.size() && status == SYNCLINE_OK; i++) {
            status = probe(endpoint, from[i]);
        }
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
}

// Breaks the barriers of all PEs for good: a PE is gone.
void break_barriers(Endpoint* endpoint);

}  // namespace syncline
