// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/words.h"

#include "base/clock.h"
#include "base/os.h"

namespace syncline {

int Words::atomic(int operation, int rank, syncline_address_t word, uint64_t operand, uint64_t comparand, void* old) {
    AtomicCall call = {.operation = operation, .rank = rank, .target = word};
    call.operand[0] = operand;
    call.comparand[0] = comparand;
    call.result = old;
    count(rank);
    return endpoint_->atomics().execute(call);
}

int Words::swap(int rank, syncline_address_t word, uint64_t value, uint64_t* old) {
    return atomic(SYNCLINE_SWAP | SYNCLINE_64 | SYNCLINE_FETCH, rank, word, value, 0, old);
}

int Words::compare_swap(int rank, syncline_address_t word, uint64_t comparand, uint64_t value, uint64_t* old) {
    return atomic(SYNCLINE_CAS | SYNCLINE_64 | SYNCLINE_FETCH, rank, word, value, comparand, old);
}

int Words::compare_swap32(int rank, syncline_address_t word, uint32_t comparand, uint32_t value, uint32_t* old) {
    return atomic(SYNCLINE_CAS | SYNCLINE_32 | SYNCLINE_FETCH, rank, word, value, comparand, old);
}

int Words::fetch_add(int rank, syncline_address_t word, uint64_t value, uint64_t* old) {
    return atomic(SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH, rank, word, value, 0, old);
}

int Words::fetch_or(int rank, syncline_address_t word, uint64_t bits, uint64_t* old) {
    return atomic(SYNCLINE_OR | SYNCLINE_64 | SYNCLINE_FETCH, rank, word, bits, 0, old);
}

int Words::fetch_and(int rank, syncline_address_t word, uint64_t bits, uint64_t* old) {
    return atomic(SYNCLINE_AND | SYNCLINE_64 | SYNCLINE_FETCH, rank, word, bits, 0, old);
}

int Words::add32(int rank, syncline_address_t word, uint32_t value) {
    return atomic(SYNCLINE_ADD | SYNCLINE_32, rank, word, value, 0, nullptr);
}

int Words::put(int rank, syncline_address_t word, uint64_t value) {
    count(rank);
    return endpoint_->bulk().put(rank, word, &value, sizeof(value));
}

int Words::put32(int rank, syncline_address_t word, uint32_t value) {
    count(rank);
    return endpoint_->bulk().put(rank, word, &value, sizeof(value));
}

int Words::get(int rank, syncline_address_t word, uint64_t* value) {
    count(rank);
    return endpoint_->bulk().get(rank, word, value, sizeof(*value));
}

int Words::pause(uint64_t duration_ns) {
    yield_cpu();
    const int waited =
        endpoint_->waiting().wait_for([] { return false; }, now_ns() + duration_ns, {WaitFor::kUntraced});
    return waited == SYNCLINE_ERR_NODE ? waited : static_cast<int>(SYNCLINE_OK);
}

int Words::last_word(int status) {
    switch (status) {
        case SYNCLINE_OK:
        case SYNCLINE_ERR_NODE:
            return status;
        case SYNCLINE_ERR_BUSY:  // from a loop of tries
            return look_at_daemon() == SYNCLINE_OK ? status : static_cast<int>(SYNCLINE_ERR_NODE);
        default:
            return endpoint_->attachment().daemon_alive() ? status : static_cast<int>(SYNCLINE_ERR_NODE);
    }
}

int Words::look_at_daemon() {
    return endpoint_->waiting().daemon_answers(now_ns()) ? SYNCLINE_OK : SYNCLINE_ERR_NODE;
}

}  // namespace syncline
