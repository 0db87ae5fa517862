// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/job_barrier.h"

#include "base/clock.h"
#include "runtime/process/error_text.h"

namespace syncline {

int JobBarrier::signal(uint32_t to, syncline_address_t word) {
    AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64, .rank = static_cast<int>(to), .target = word};
    add.operand[0] = 1;
    add.runtime = true;
    return endpoint_->posting().post(add);
}

int probe(Endpoint* endpoint, uint32_t rank) {
    uint64_t ignored;
    return endpoint->reserved().read(rank, RuntimeWords::probe, &ignored);
}

// Returns whether this PE has given up a node. The node may be alive, and wait for a signal that will never come.
bool has_silent_node(Endpoint* endpoint) {
    for (uint32_t rank = 0; rank < endpoint->size(); rank++) {
        if (endpoint->fabrics().of(static_cast<int>(rank)).is_silent(static_cast<int>(rank))) {
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

int JobBarrier::run_rounds() {
    const uint32_t size = endpoint_->size();
    const uint32_t rank = endpoint_->rank();
    count_++;
    for (uint32_t round = 0, distance = 1; distance < size; round++, distance *= 2) {
        int status = signal((rank + distance) % size, RuntimeWords::job_barrier_round(round));
        if (status == SYNCLINE_OK) {
            const uint64_t* const word = endpoint_->reserved().own(RuntimeWords::job_barrier_round(round));
            const uint32_t from = (rank + size - distance) % size;
            status =
                await_pes(endpoint_, {&from, 1}, [&] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= count_; });
        }
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
    return SYNCLINE_OK;
}

// Takes part even if an earlier operation has failed, because the other PEs count on this PE.
int JobBarrier::run() {
    const int quiet = endpoint_->posting().quiet();
    const std::string text = quiet != SYNCLINE_OK ? last_sentence() : "";
    const int met = quiet == SYNCLINE_ERR_NODE ? quiet : run_rounds();
    if (met == SYNCLINE_ERR_PEER) {
        break_barriers(endpoint_);
    }
    if (met != SYNCLINE_OK) {
        return error(met, "{}", endpoint_->checks().sentence_of(met));
    }
    return quiet == SYNCLINE_OK ? quiet : error(quiet, "{}", text);
}

void JobBarrier::part() {
    (void)run_rounds();
}

}  // namespace syncline
