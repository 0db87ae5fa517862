// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/bulk.h"

#include <optional>

#include "base/sizes.h"
#include "runtime/ground/error_text.h"

namespace syncline {
namespace {

// The numbers that make up one element of syncline.h.
struct Numbers {
    Accumulate::Element each;
    uint32_t count;

    uint32_t bytes() const { return count * Accumulate::width_of(each); }
};

std::optional<Numbers> numbers_of(int element) {
    using Element = Accumulate::Element;
    switch (element) {
        case SYNCLINE_INT32:
            return Numbers{Element::kInt32, 1};
        case SYNCLINE_INT64:
            return Numbers{Element::kInt64, 1};
        case SYNCLINE_FLOAT:
            return Numbers{Element::kFloat, 1};
        case SYNCLINE_DOUBLE:
            return Numbers{Element::kDouble, 1};
        case SYNCLINE_COMPLEX_FLOAT:
            return Numbers{Element::kFloat, 2};
        case SYNCLINE_COMPLEX_DOUBLE:
            return Numbers{Element::kDouble, 2};
        default:
            return std::nullopt;
    }
}

int refuse_element(int element) {
    return error(SYNCLINE_ERR_INVALID, "{} is no element; see enum syncline_element", element);
}

}  // namespace

// Lets begin(completion) start an operation. If an error occurs, it waits for the parts that were started
// before, because they still use the caller's buffer.
template <typename Begin>
int Bulk::run(int rank, syncline_address_t address, const Later* later, Begin&& begin) {
    if (later != nullptr) {
        return start(rank, address, *later, begin);
    }
    Completion completion;
    if (const int started = waiting_->start([&] { return begin(&completion); }); started != SYNCLINE_OK) {
        completion.fail(started);
    }
    const int status = waiting_->finish(&completion);
    return status == SYNCLINE_OK ? status : checks_->explain(status, rank, address);
}

template <typename Begin>
int Bulk::start(int rank, syncline_address_t address, const Later& later, Begin&& begin) {
    Request* const begun = requests_->begin(later.tag, later.request);
    const int status = waiting_->start([&] { return begin(begun); });
    if (status != SYNCLINE_OK && fabrics_->completes_at_once(rank)) {
        requests_->drop(begun);
        return checks_->explain(status, rank, address);
    }
    requests_->hand_out(begun, status, later.request);
    return SYNCLINE_OK;
}

int Bulk::move(Direction direction, Transfer transfer, const Later* later) {
    if (const int status = checks_->range(transfer.rank, transfer.remote, transfer.bytes); status != SYNCLINE_OK) {
        return status;
    }
    transfer.lasts = later == nullptr;
    Fabric& fabric = fabrics_->of(transfer.rank);
    return run(transfer.rank, transfer.remote, later, [&](Completion* completion) {
        return transfer.bytes == 0 ? static_cast<int>(SYNCLINE_OK) : fabric.move(direction, &transfer, completion);
    });
}

int Bulk::put(int rank, syncline_address_t target, const void* source, size_t bytes) {
    return move(Direction::kPut, {rank, target, static_cast<uint8_t*>(const_cast<void*>(source)), bytes}, nullptr);
}

int Bulk::get(int rank, syncline_address_t source, void* target, size_t bytes) {
    return move(Direction::kGet, {rank, source, static_cast<uint8_t*>(target), bytes}, nullptr);
}

int Bulk::put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                 syncline_request_t* request) {
    const Later later = {tag, request};
    return move(Direction::kPut, {rank, target, static_cast<uint8_t*>(const_cast<void*>(source)), bytes}, &later);
}

int Bulk::get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                 syncline_request_t* request) {
    const Later later = {tag, request};
    return move(Direction::kGet, {rank, source, static_cast<uint8_t*>(target), bytes}, &later);
}

int Bulk::move_pieces(Direction direction, Pieces pieces, const Later* later) {
    if (const int status = checks_->pieces(pieces); status != SYNCLINE_OK) {
        return status;
    }
    Fabric& fabric = fabrics_->of(pieces.rank);
    return run(pieces.rank, pieces.base, later,
               [&](Completion* completion) { return fabric.move_pieces(direction, &pieces, completion); });
}

int Bulk::accumulate(int rank, syncline_address_t target, int element, const void* values, size_t count,
                     const Later* later) {
    const std::optional<Numbers> numbers = numbers_of(element);
    if (!numbers) {
        return refuse_element(element);
    }
    if (!is_object(count, numbers->bytes()) || (values == nullptr && count != 0)) {
        return error(SYNCLINE_ERR_INVALID, "{} elements of {} bytes are {}", count, numbers->bytes(),
                     values == nullptr ? "at NULL" : "more than any memory holds");
    }
    Accumulate request = {.rank = rank,
                          .target = target,
                          .element = numbers->each,
                          .combine = Accumulate::Combine::kAdd,
                          .values = static_cast<const uint8_t*>(values),
                          .count = count * numbers->count};
    if (const int status = checks_->accumulate(request); status != SYNCLINE_OK) {
        return status;
    }
    Fabric& fabric = fabrics_->of(rank, request.element, request.combine);
    return run(rank, target, later, [&](Completion* completion) {
        return request.count == 0 ? static_cast<int>(SYNCLINE_OK) : fabric.accumulate(&request, completion);
    });
}

int Bulk::accumulate_pieces(int element, const Pieces& pieces, const Later* later) {
    const std::optional<Numbers> numbers = numbers_of(element);
    if (!numbers) {
        return refuse_element(element);
    }
    if (const int status = checks_->pieces(pieces, Accumulate::width_of(numbers->each), numbers->bytes());
        status != SYNCLINE_OK) {
        return status;
    }
    AccumulatePieces request = {numbers->each, pieces};
    Fabric& fabric = fabrics_->of(pieces.rank, request.element, Accumulate::Combine::kAdd);
    return run(pieces.rank, pieces.base, later,
               [&](Completion* completion) { return fabric.accumulate_pieces(&request, completion); });
}

}  // namespace syncline
