// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/job_barrier.h"

#include "base/clock.h"
#include "runtime/ground/error_text.h"

namespace syncline {

int JobSignals::send(int member, const Step& step, uint64_t) {
    AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64,
                      .rank = member,
                      .target = RuntimeWords::job_barrier_round(step.number),
                      .operand = {1, 0}};
    add.runtime = true;
    return endpoint_->posting().post(add);
}

bool JobSignals::take(int, const Step& step, uint64_t*) {
    const uint64_t* const word = endpoint_->reserved().own(RuntimeWords::job_barrier_round(step.number));
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= step.round;
}

int JobSignals::await(int member, const Step& step, uint64_t* value) {
    const auto from = static_cast<uint32_t>(member);
    return await_pes(endpoint_, {&from, 1}, [&] { return take(member, step, value); });
}

// Returns whether this PE has given up a node. The node may be alive, and wait for a signal that will never come.
bool has_silent_node(Endpoint* endpoint) {
    for (uint32_t rank = 0; rank < endpoint->size(); rank++) {
        if (endpoint->fabrics().is_silent(static_cast<int>(rank))) {
            return true;
        }
    }
    return false;
}

void break_barriers(Endpoint* endpoint) {
    for (uint32_t rank = 0; rank < endpoint->size(); rank++) {
        AtomicCall store = {
            .operation = SYNCLINE_SWAP | SYNCLINE_64, .rank = static_cast<int>(rank), .target = RuntimeWords::broken};
        store.operand[0] = 1;
        store.runtime = true;
        (void)endpoint->posting().post(store);  // if a PE is gone, it refuses the store
        // Sends the packet by itself: if a PE is gone and refuses a store, its node does not execute the rest of the
        // packet.
        (void)endpoint->waiting().wait_for([] { return true; });
    }
}

// Takes part even if an earlier operation has failed, because the other PEs count on this PE.
int JobBarrier::run() {
    const int quiet = endpoint_->posting().quiet();
    const std::string text = quiet != SYNCLINE_OK ? last_sentence() : "";
    const int met = quiet == SYNCLINE_ERR_NODE ? quiet : rounds_.pass();
    if (met == SYNCLINE_ERR_PEER) {
        break_barriers(endpoint_);
    }
    if (met != SYNCLINE_OK) {
        return error(met, "{}", endpoint_->checks().sentence_of(met));
    }
    return quiet == SYNCLINE_OK ? quiet : error(quiet, "{}", text);
}

void JobBarrier::part() {
    (void)rounds_.pass();
}

}  // namespace syncline
