// SPDX-License-Identifier: BSD-3-Clause
// Whether the PEs of the job are still there, for waits that do not know which PE is to end them.
//
// A daemon closes the heap of a PE that has died or left, in a table that its node's PEs see: look() finds these PEs by
// loads. A PE of another node answers for itself: look() asks some of them at a time, in turn, each by a request to its
// NIC, which returns an error if the PE is gone or, after the peer timeout, if its node is silent. look() reports a PE
// that is gone once: a program that is built to survive a death is told, and can wait again.
//
// Threads: any; one thread looks at a time, and the others find nothing meanwhile.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "runtime/ground/waiting.h"
#include "runtime/operations/reserved.h"

namespace syncline {

class Liveness {
  public:
    static constexpr uint64_t patience_ns = 500 * ns_per_ms;  // of a wait before it looks, and between looks

    Liveness(Attachment* attachment, Reserved* reserved);

    // Returns a PE that is gone and has not been reported; waits for answers of other nodes.
    std::optional<uint32_t> look();
    // As look(), but asks `first`, if it is a PE, before the others, and reports it each time.
    std::optional<uint32_t> look(int first);
    // As look(), for callers with a loop of their own: does nothing if the last look was less than patience_ns ago.
    std::optional<uint32_t> look_now_and_then();

  private:
    static constexpr uint32_t asked_at_once = 8;

    bool report(uint32_t rank);

    Attachment* const attachment_;
    Reserved* const reserved_;
    std::mutex looking_;
    std::vector<bool> reported_;
    std::vector<uint16_t> elsewhere_;  // ranks on other nodes
    uint32_t next_ = 0;                // index of the next of them to ask
    uint64_t looked_at_ns_ = 0;
};

// Waits until `done()`, with an aim for the trace. Returns OK, _NODE, or _PEER with `gone` set when a PE is found gone;
// see Liveness::look() for `first`.
template <typename Done>
int wait_among_living(Waiting* waiting, Liveness* liveness, int first, uint32_t* gone, const Waiting::Aim& aim,
                      Done&& done) {
    for (;;) {
        const int waited = waiting->wait_for(done, now_ns() + Liveness::patience_ns, aim);
        if (waited != SYNCLINE_ERR_TIMEOUT) {
            return waited;
        }
        if (const std::optional<uint32_t> found = liveness->look(first)) {
            *gone = *found;
            return done() ? SYNCLINE_OK : SYNCLINE_ERR_PEER;
        }
    }
}

}  // namespace syncline
