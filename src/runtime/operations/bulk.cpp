// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/bulk.h"

namespace syncline {
namespace {

Transfer putting(int rank, syncline_address_t target, const void* source, size_t bytes) {
    return {rank, target, static_cast<uint8_t*>(const_cast<void*>(source)), bytes};
}

Transfer getting(int rank, syncline_address_t source, void* target, size_t bytes) {
    return {rank, source, static_cast<uint8_t*>(target), bytes};
}

}  // namespace

// What was started before an error is waited for: it still uses the caller's buffer.
int Bulk::move(Direction direction, Transfer transfer) {
    const syncline_address_t address = transfer.remote;
    if (const int status = checks_->range(transfer.rank, address, transfer.bytes);
        status != SYNCLINE_OK || transfer.bytes == 0) {
        return status;
    }
    Fabric& fabric = fabrics_->of(transfer.rank);
    Completion completion;
    if (const int started = waiting_->start([&] { return fabric.move(direction, &transfer, &completion); });
        started != SYNCLINE_OK) {
        completion.fail(started);
    }
    const int status = waiting_->finish(&completion);
    return status == SYNCLINE_OK ? status : checks_->explain(status, transfer.rank, address);
}

int Bulk::start(Direction direction, Transfer transfer, uint64_t tag, syncline_request_t* request) {
    const syncline_address_t address = transfer.remote;
    if (const int status = checks_->range(transfer.rank, address, transfer.bytes); status != SYNCLINE_OK) {
        return status;
    }
    Fabric& fabric = fabrics_->of(transfer.rank);
    Request* const begun = requests_->begin(tag, request);
    int status = SYNCLINE_OK;
    if (transfer.bytes != 0) {
        status = waiting_->start([&] { return fabric.move(direction, &transfer, begun); });
    }
    if (status != SYNCLINE_OK && fabric.capabilities().maps_memory) {
        requests_->drop(begun);
        return checks_->explain(status, transfer.rank, address);
    }
    requests_->hand_out(begun, status, request);
    return SYNCLINE_OK;
}

int Bulk::put(int rank, syncline_address_t target, const void* source, size_t bytes) {
    return move(Direction::kPut, putting(rank, target, source, bytes));
}

int Bulk::get(int rank, syncline_address_t source, void* target, size_t bytes) {
    return move(Direction::kGet, getting(rank, source, target, bytes));
}

int Bulk::put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                 syncline_request_t* request) {
    return start(Direction::kPut, putting(rank, target, source, bytes), tag, request);
}

int Bulk::get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                 syncline_request_t* request) {
    return start(Direction::kGet, getting(rank, source, target, bytes), tag, request);
}

}  // namespace syncline
