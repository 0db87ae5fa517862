// SPDX-License-Identifier: BSD-3-Clause
// Endpoint: batches, which are operations that are never handed back: each packet counts in one until it is answered.
#include <algorithm>

#include "fabric/memory/direct_copy.h"
#include "runtime/operations/endpoint.h"
#include "runtime/process/error_text.h"

namespace syncline {

uint32_t Endpoint::open_batch() {
    Lock lock(lock_);
    const uint32_t batch = operations_.allocate(0, true);
    operations_.at(batch).started = true;
    return batch;
}

void Endpoint::close_batch(uint32_t batch) {
    Lock lock(lock_);
    operations_.release(batch);
}

int Endpoint::bulk_in(uint32_t batch, uint8_t code, int rank, syncline_address_t address, uint8_t* local,
                      size_t bytes) {
    const char* const what = code == SLW_PUT ? "syncline_put" : "syncline_get";
    if (const int status = refuse_local(what, rank, address); status != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    const int status = start_bulk(lock, code, rank, address, local, bytes, batch);
    progress();
    return status == SYNCLINE_OK ? status : explain(status, what, rank, address);
}

int Endpoint::put_in(uint32_t batch, int rank, syncline_address_t target, const void* source, size_t bytes) {
    if (const int status = check_range("syncline_put", rank, target, bytes); status != SYNCLINE_OK || bytes == 0) {
        return status;
    }
    if (void* const memory = direct(rank, target, bytes); memory != nullptr) {
        copy_direct(static_cast<uint8_t*>(memory), static_cast<const uint8_t*>(source), bytes);
        written(port_of(rank));
        return SYNCLINE_OK;
    }
    return bulk_in(batch, SLW_PUT, rank, target, static_cast<uint8_t*>(const_cast<void*>(source)), bytes);
}

int Endpoint::get_in(uint32_t batch, int rank, syncline_address_t source, void* target, size_t bytes) {
    if (const int status = check_range("syncline_get", rank, source, bytes); status != SYNCLINE_OK || bytes == 0) {
        return status;
    }
    if (void* const memory = direct(rank, source, bytes); memory != nullptr) {
        copy_direct(static_cast<uint8_t*>(target), static_cast<const uint8_t*>(memory), bytes);
        return SYNCLINE_OK;
    }
    return bulk_in(batch, SLW_GET, rank, source, static_cast<uint8_t*>(target), bytes);
}

int Endpoint::atomic_in(uint32_t batch, const AtomicCall& call) {
    const char* const what = "syncline_atomic_nb";
    if (const int status = check_atomic(what, call); status != SYNCLINE_OK) {
        return status;
    }
    if (void* const word = direct(call.rank, call.target, call.width()); word != nullptr) {
        return atomic_direct(call, word);
    }
    if (const int status = refuse_local(what, call.rank, call.target); status != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    const int status = start_atomic(lock, call, batch);
    progress();
    return status == SYNCLINE_OK ? status : explain(status, what, call.rank, call.target);
}

// The last piece travels with the signal. What is in front of it has to be there before.
int Endpoint::put_signal_in(uint32_t batch, syncline_address_t target, const void* source, size_t bytes,
                            const AtomicCall& signal) {
    const uint64_t in_last_block = ((target + bytes - 1) & (SLW_BLOCK_BYTES - 1)) + 1;
    const size_t tail = std::min<uint64_t>({bytes, in_last_block, signalled_put_bytes});
    const size_t head = bytes - tail;
    const auto* const from = static_cast<const uint8_t*>(source);
    if (bytes == 0 || direct(signal.rank, target, bytes) != nullptr) {
        const int status = put_in(batch, signal.rank, target, source, bytes);
        return status != SYNCLINE_OK ? status : atomic_in(batch, signal);
    }
    if (head != 0) {
        int status = put_in(batch, signal.rank, target, from, head);
        if (status == SYNCLINE_OK) {
            status = complete_batch(batch);
        }
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
    if (int status = check_range("syncline_put", signal.rank, target + head, tail);
        status != SYNCLINE_OK || (status = check_atomic("syncline_atomic", signal)) != SYNCLINE_OK ||
        (status = refuse_local("syncline_put", signal.rank, target)) != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    flush(connection_to(signal.rank));
    const int status = start_chunk(lock, SLW_PUT, signal.rank, target + head, const_cast<uint8_t*>(from + head),
                                   static_cast<uint32_t>(tail), batch, &signal);
    progress();
    return status == SYNCLINE_OK ? status : explain(status, "syncline_put", signal.rank, target);
}

int Endpoint::complete_batch(uint32_t batch) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    int waited = SYNCLINE_OK;
    Lock lock(lock_);
    if (operations_.at(batch).packets != 0) {
        lock.unlock();
        waited = wait_for([&] { return operations_.at(batch).packets == 0; });
        lock.lock();
    }
    const int status = operations_.at(batch).status;
    operations_.at(batch).status = SYNCLINE_OK;
    if (waited == SYNCLINE_OK && status == SYNCLINE_OK) {
        return SYNCLINE_OK;
    }
    const int worst = waited != SYNCLINE_OK ? waited : status;
    return error(worst, "an operation that was not waited for failed: {}", sentence_of(worst));
}

bool Endpoint::batch_is_complete(uint32_t batch) {
    Lock lock(lock_);
    flush_all();
    progress();
    return operations_.at(batch).packets == 0;
}

}  // namespace syncline
