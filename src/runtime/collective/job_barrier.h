// SPDX-License-Identifier: BSD-3-Clause
// The barrier that needs no set-up: dissemination over all PEs with remote adds.
//
// In round k PE r adds 1 to the word of round k at PE (r + 2^k) mod n and waits until its own word of that round has
// reached the number of barriers so far. Words only grow and adds happen exactly once, so consecutive barriers need no
// reset, and an early message is simply counted. Costs n * ceil(log2 n) messages and ceil(log2 n) latencies.
//
// If a PE dies: a PE that waits for it for longer than a moment asks its NIC by a small get. A closed port, or silence
// for the peer timeout, breaks the barrier for good, and the PE that finds out writes a word of all PEs to tell them. A
// PE also breaks the barrier if its own signal may not have arrived, because it has taken a node for dead that was only
// cut off for a while.
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

    // Returns OK, _PEER or _NODE. One caller at a time.
    int run();
    // Waits until all PEs are out of the last run(), which must have succeeded; called before this PE's memory goes.
    // Without it, a PE that is delayed in the last barrier would find those PEs gone that have left in order, and take
    // them for dead. No operation is under way any more, so a PE that is missing now is no error.
    void part();

  private:
    int run_rounds();
    int signal(uint32_t to, syncline_address_t word);

    Endpoint* const endpoint_;
    uint64_t count_ = 0;
};

// Returns whether this PE has given up a node.
bool has_silent_node(Endpoint* endpoint);

// Asks a PE's NIC for a word of the PE; the NIC answers while the PE is there. Returns OK, _PEER or _NODE.
int probe(Endpoint* endpoint, uint32_t rank);

// Waits until `done()`, which the PEs `from` are to bring about. Returns OK, _NODE, or _PEER once one of these PEs is
// found gone or the job's barriers are broken. Each time, it asks one further PE in turn: the PEs that it waits for may
// have found out that another PE is gone, and stay away for that reason.
// another one is gone, and not come for that reason.
template <typename Done>
int await_pes(Endpoint* endpoint, std::span<const uint32_t> from, Done&& done) {
    constexpr uint64_t patience_ns = 500 * ns_per_ms;  // time of waiting before the PEs are asked
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

// Breaks the barriers of all PEs for good, because a PE is gone.
void break_barriers(Endpoint* endpoint);

}  // namespace syncline
