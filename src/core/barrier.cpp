// SPDX-License-Identifier: BSD-3-Clause
#include "core/barrier.h"

#include "base/clock.h"
#include "core/error_text.h"

namespace syncline {

namespace {
constexpr uint64_t patience_ns = 500 * ns_per_ms;  // before the PE that is waited for is asked
}  // namespace

int Barrier::signal(uint32_t to, syncline_address_t word) {
    AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64, .rank = static_cast<int>(to), .target = word};
    add.operand[0] = 1;
    add.runtime = true;
    return endpoint_->atomic_post(add);
}

int Barrier::probe(uint32_t rank) {
    uint64_t word;
    return endpoint_->read_runtime_word(rank, RuntimeWords::probe, &word);
}

// Has a node been given up that this PE signals to? It may live, and wait for what it will never get.
bool Barrier::signals_are_lost() {
    const uint32_t size = endpoint_->size();
    bool lost = false;
    for (uint32_t distance = 1; distance < size; distance *= 2) {
        lost |= endpoint_->is_silent(static_cast<int>((endpoint_->rank() + distance) % size));
    }
    return lost;
}

int Barrier::await(uint32_t from, const uint64_t* word) {
    const uint64_t* const broken = endpoint_->runtime_word(RuntimeWords::broken);
    for (;;) {
        const int waited = endpoint_->wait_for(
            [&] {
                return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= count_ ||
                       __atomic_load_n(broken, __ATOMIC_ACQUIRE) != 0;
            },
            now_ns() + patience_ns);
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) >= count_) {
            return SYNCLINE_OK;
        }
        if (__atomic_load_n(broken, __ATOMIC_ACQUIRE) != 0) {
            return SYNCLINE_ERR_PEER;
        }
        if (waited == SYNCLINE_ERR_TIMEOUT) {
            if (const int status = signals_are_lost() ? SYNCLINE_ERR_PEER : probe(from); status != SYNCLINE_OK) {
                return status;
            }
        } else if (waited != SYNCLINE_OK) {
            return waited;
        }
    }
}

void Barrier::tell_everybody() {
    const uint64_t yes = 1;
    for (uint32_t rank = 0; rank < endpoint_->size(); rank++) {
        AtomicCall store = {
            .operation = SYNCLINE_SWAP | SYNCLINE_64, .rank = static_cast<int>(rank), .target = RuntimeWords::broken};
        store.operand[0] = yes;
        store.runtime = true;
        (void)endpoint_->atomic_post(store);  // those who are gone do not mind
        // Lets it out by itself: behind a store that is refused, because its PE is gone, a packet is not executed.
        (void)endpoint_->wait_for([] { return true; });
    }
}

int Barrier::meet() {
    const uint32_t size = endpoint_->size();
    const uint32_t rank = endpoint_->rank();
    count_++;
    for (uint32_t round = 0, distance = 1; distance < size; round++, distance *= 2) {
        int status = signal((rank + distance) % size, RuntimeWords::barrier_round(round));
        if (status == SYNCLINE_OK) {
            status =
                await((rank + size - distance) % size, endpoint_->runtime_word(RuntimeWords::barrier_round(round)));
        }
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
    return SYNCLINE_OK;
}

// Takes part even if an operation before has failed: the others count on it.
int Barrier::run() {
    const int quiet = endpoint_->quiet();
    const std::string text = quiet != SYNCLINE_OK ? last_error_text() : "";
    const int met = quiet == SYNCLINE_ERR_NODE ? quiet : meet();
    if (met == SYNCLINE_ERR_PEER) {
        tell_everybody();
    }
    if (met != SYNCLINE_OK) {
        return error(met, "syncline_barrier: {}", syncline_error_string(met));
    }
    return quiet == SYNCLINE_OK ? quiet : error(quiet, "syncline_barrier: {}", text);
}

}  // namespace syncline
