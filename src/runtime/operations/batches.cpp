// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/batches.h"

#include "base/check.h"
#include "runtime/ground/error_text.h"

namespace syncline {

Batch* Batches::open() {
    auto batch = std::make_unique<Batch>();
    Batch* const opened = batch.get();
    const std::lock_guard<std::mutex> guard(guard_);
    open_.emplace(opened, std::move(batch));
    return opened;
}

void Batches::close(Batch* batch) {
    const std::lock_guard<std::mutex> guard(guard_);
    SYNCLINE_ASSERT(open_.contains(batch), "batch %p is not open", static_cast<void*>(batch));
    open_.erase(batch);
}

int Batches::move(Batch* batch, Direction direction, Transfer transfer) {
    const syncline_address_t address = transfer.remote;
    if (const int status = checks_->range(transfer.rank, address, transfer.bytes);
        status != SYNCLINE_OK || transfer.bytes == 0) {
        return status;
    }
    Fabric& fabric = fabrics_->of(transfer.rank);
    const int status = waiting_->start([&] { return fabric.move(direction, &transfer, batch); });
    return status == SYNCLINE_OK ? status : checks_->explain(status, transfer.rank, address);
}

int Batches::put(Batch* batch, int rank, syncline_address_t target, const void* source, size_t bytes, bool lasts) {
    return move(batch, Direction::kPut, {rank, target, static_cast<uint8_t*>(const_cast<void*>(source)), bytes, lasts});
}

int Batches::get(Batch* batch, int rank, syncline_address_t source, void* target, size_t bytes) {
    return move(batch, Direction::kGet, {rank, source, static_cast<uint8_t*>(target), bytes});
}

int Batches::move_pieces(Batch* batch, Direction direction, Pieces pieces) {
    if (const int status = checks_->pieces(pieces); status != SYNCLINE_OK) {
        return status;
    }
    Fabric& fabric = fabrics_->of(pieces.rank);
    const int status = waiting_->start([&] { return fabric.move_pieces(direction, &pieces, batch); });
    return status == SYNCLINE_OK ? status : checks_->explain(status, pieces.rank, pieces.base);
}

int Batches::atomic(Batch* batch, const AtomicCall& call) {
    if (const int status = checks_->atomic(call); status != SYNCLINE_OK) {
        return status;
    }
    Fabric& fabric = fabrics_->of(call.rank, call.operation);
    const int status = waiting_->start([&] { return fabric.atomic(call, batch); });
    return status == SYNCLINE_OK ? status : checks_->explain(status, call.rank, call.target);
}

// The last bytes travel with the signal, if the fabric can do that. The bytes in front of them have to be at the target
// before that.
int Batches::put_signal(Batch* batch, syncline_address_t target, const void* source, size_t bytes,
                        const AtomicCall& signal) {
    int status = checks_->range(signal.rank, target, bytes);
    status = status == SYNCLINE_OK ? checks_->atomic(signal) : status;
    if (status != SYNCLINE_OK || bytes == 0) {
        return status != SYNCLINE_OK ? status : atomic(batch, signal);
    }
    Fabric& fabric = fabrics_->of(signal.rank);
    const size_t tail = fabrics_->bytes_with_signal(signal, target, bytes);
    SYNCLINE_ASSERT(tail <= bytes, "%zu of %zu bytes with the signal", tail, bytes);
    const size_t head = bytes - tail;
    if (head != 0) {
        status = put(batch, signal.rank, target, source, head);
        status = status == SYNCLINE_OK ? complete(batch) : status;
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
    if (tail == 0) {
        return atomic(batch, signal);
    }
    auto* const from = static_cast<uint8_t*>(const_cast<void*>(source)) + head;
    const Transfer last = {signal.rank, target + head, from, tail};
    status = waiting_->start([&] { return fabric.put_signal(last, signal, batch); });
    return status == SYNCLINE_OK ? status : checks_->explain(status, signal.rank, target);
}

int Batches::complete(Batch* batch) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const int waited = batch->is_over()
                           ? static_cast<int>(SYNCLINE_OK)
                           : waiting_->wait_for([&] { return batch->is_over(); }, UINT64_MAX, {WaitFor::kQuiet});
    const int failed = batch->take_status();
    const int status = waited != SYNCLINE_OK ? waited : failed;
    return status == SYNCLINE_OK
               ? status
               : error(status, "an operation that was not waited for failed: {}", checks_->sentence_of(status));
}

bool Batches::is_complete(Batch* batch) {
    fabrics_->flush();
    fabrics_->progress();
    return batch->is_over();
}

}  // namespace syncline
