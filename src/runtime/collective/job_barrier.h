// SPDX-License-Identifier: BSD-3-Clause
// The barrier that needs no set-up: dissemination over all PEs with remote adds.
//
// Each PE has a word for each step, to which signals add 1 (signal_barrier.h); it waits until the word has reached the
// number of barriers so far. Words only grow and adds happen exactly once, so consecutive barriers need no reset, and
// an early signal is simply counted. Costs n * ceil(log2 n) messages and ceil(log2 n) latencies.
//
// If a PE dies: a PE that waits for it for longer than a moment asks its NIC by a small get. A closed port, or silence
// for the peer timeout, breaks the barrier for good, and the PE that finds out writes a word of all PEs to tell them. A
// PE also breaks the barrier if its own signal may not have arrived, because it has taken a node for dead that was only
// cut off for a while.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/collective/signal_barrier.h"
#include "runtime/endpoint/endpoint.h"
#include "runtime/ground/runtime_words.h"

namespace syncline {

class JobSignals final : public Signals {
  public:
    explicit JobSignals(Endpoint* endpoint) : endpoint_(endpoint) {}
    int send(int member, const Step& step, uint64_t value) override;
    bool take(int member, const Step& step, uint64_t* value) override;
    int await(int member, const Step& step, uint64_t* value) override;

  private:
    Endpoint* const endpoint_;
};

class JobBarrier {
  public:
    explicit JobBarrier(Endpoint* endpoint)
        : endpoint_(endpoint),
          signals_(endpoint),
          rounds_(&signals_, static_cast<int>(endpoint->size()), static_cast<int>(endpoint->rank())) {}

    // Returns OK, _PEER or _NODE. One caller at a time.
    int run();
    // Waits until all PEs are out of the last run(), which must have succeeded; called before this PE's memory goes.
    // Without it, a PE that is delayed in the last barrier would find those PEs gone that have left in order, and take
    // them for dead. No operation is under way any more, so a PE that is missing now is no error.
    void part();

  private:
    Endpoint* const endpoint_;
    JobSignals signals_;
    SignalBarrier rounds_;
};

// Returns whether this PE has given up a node.
bool has_silent_node(Endpoint* endpoint);

// Waits until `done()`, which the PEs `from` are to bring about. Returns OK, _NODE, or _PEER once one of these PEs is
// found gone or the job's barriers are broken. Each time, it asks one further PE in turn: the PEs that it waits for may
// have found out that another PE is gone, and stay away for that reason.
template <typename Done>
int await_pes(Endpoint* endpoint, std::span<const uint32_t> from, Done&& done) {
    constexpr uint64_t patience_ns = 500 * ns_per_ms;  // time of waiting before the PEs are asked
    const uint64_t* const broken = endpoint->reserved().own(RuntimeWords::broken);
    const auto is_broken = [&] { return __atomic_load_n(broken, __ATOMIC_ACQUIRE) != 0; };
    const Waiting::Aim aim = {WaitFor::kJobBarrier, from.size() == 1 ? static_cast<int>(from[0]) : -1};
    for (uint32_t other = endpoint->rank() + 1;; other++) {
        const int waited =
            endpoint->waiting().wait_for([&] { return done() || is_broken(); }, now_ns() + patience_ns, aim);
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
        int status = endpoint->reserved().probe(other % endpoint->size());
        for (size_t i = 0; i < from.size() && status == SYNCLINE_OK; i++) {
            status = endpoint->reserved().probe(from[i]);
        }
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
}

// Breaks the barriers of all PEs for good, because a PE is gone.
void break_barriers(Endpoint* endpoint);

}  // namespace syncline
