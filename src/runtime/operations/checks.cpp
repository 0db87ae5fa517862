// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/checks.h"

#include <algorithm>

#include "base/sizes.h"
#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline {

static_assert(SYNCLINE_FETCH == +SLW_FETCH && SYNCLINE_32 == +SLW_WIDTH_32 && SYNCLINE_64 == +SLW_WIDTH_64 &&
              SYNCLINE_128 == +SLW_WIDTH_128);

namespace {

constexpr syncline_address_t offset_mask = (1ull << 40) - 1;

// Small stores are puts to a caller.
bool valid_operation(int operation) {
    const auto code = static_cast<uint32_t>(operation);
    return (operation & ~(SLW_OPERATION_MASK | SLW_WIDTH_MASK | SLW_FETCH)) == 0 &&
           (code & SLW_WIDTH_MASK) >= SLW_WIDTH_32 && slw_is_atomic(code, slw_traits_of(code));
}

}  // namespace

int Checks::refuse_rank(int rank) const {
    return error(SYNCLINE_ERR_RANK, "there is no PE {} in a job of {}", rank, ranks_);
}

bool Checks::is_in_segment(syncline_address_t address, uint64_t bytes) const {
    const uint64_t segment = address >> 40;
    const uint64_t length = segment == 0 ? heap_bytes_ : segment_length_max;
    return segment < SLW_SEGMENTS_MAX && bytes <= length && (address & offset_mask) <= length - bytes;
}

int Checks::range(int rank, syncline_address_t address, uint64_t bytes, bool runtime) const {
    if (const int status = this->rank(rank); status != SYNCLINE_OK) {
        return status;
    }
    if (!is_in_segment(address, bytes)) {
        const uint64_t segment = address >> 40;
        if (segment >= SLW_SEGMENTS_MAX) {
            return error(SYNCLINE_ERR_ADDRESS,
                         "address {:#x} of PE {} is in none of the {} segments that a PE can have; addresses come from "
                         "allocations and registrations",
                         address, rank, +SLW_SEGMENTS_MAX);
        }
        const uint64_t length = segment == 0 ? heap_bytes_ : segment_length_max;
        return error(SYNCLINE_ERR_ADDRESS,
                     "{} bytes at address {:#x} of PE {} are outside its segment {} of {} bytes; addresses come "
                     "from allocations and registrations",
                     bytes, address, rank, segment, length);
    }
    if (address < heap_reserved_bytes && !runtime) {
        return error(SYNCLINE_ERR_ADDRESS,
                     "address {:#x} of PE {} is in the first {} bytes of the heap, which are the runtime's own",
                     address, rank, heap_reserved_bytes);
    }
    return SYNCLINE_OK;
}

int Checks::atomic(const AtomicCall& call) const {
    if (!valid_operation(call.operation)) {
        return error(SYNCLINE_ERR_INVALID, "{:#x} is no atomic operation", call.operation);
    }
    if (call.fetches() && call.result == nullptr) {
        return error(SYNCLINE_ERR_INVALID, "a fetching operation needs a result");
    }
    if (const int status = range(call.rank, call.target, call.width(), call.runtime); status != SYNCLINE_OK) {
        return status;
    }
    if ((call.target & (call.width() - 1)) != 0) {
        return error(SYNCLINE_ERR_ALIGNMENT, "address {:#x} of PE {} is not aligned to the {} bytes of the atomic",
                     call.target, call.rank, call.width());
    }
    return SYNCLINE_OK;
}

int Checks::accumulate(const Accumulate& request) const {
    if (const int status = range(request.rank, request.target, times(request.count, request.width()));
        status != SYNCLINE_OK) {
        return status;
    }
    if (request.target % request.width() != 0) {
        return error(SYNCLINE_ERR_ALIGNMENT, "address {:#x} of PE {} is not aligned to the {} bytes of the numbers",
                     request.target, request.rank, request.width());
    }
    return SYNCLINE_OK;
}

int Checks::piece(const Pieces& pieces, size_t index, uint32_t alignment, uint32_t whole) const {
    const Piece& piece = pieces.list[index];
    if (piece.offset > offset_mask - (pieces.base & offset_mask)) {
        return error(SYNCLINE_ERR_ADDRESS, "piece {}, {} bytes behind address {:#x} of PE {}, is outside every segment",
                     index, piece.offset, pieces.base, pieces.rank);
    }
    const syncline_address_t address = pieces.base + piece.offset;
    if (const int status = range(pieces.rank, address, piece.bytes); status != SYNCLINE_OK) {
        return status;
    }
    if (address % alignment != 0 || piece.bytes % whole != 0) {
        return error(SYNCLINE_ERR_ALIGNMENT,
                     "piece {}, {} bytes at address {:#x} of PE {}, is not made of numbers: its address needs a "
                     "multiple of {} and its length one of {}",
                     index, piece.bytes, address, pieces.rank, alignment, whole);
    }
    return SYNCLINE_OK;
}

int Checks::pieces(const Pieces& pieces, uint32_t alignment, uint32_t whole) const {
    if (const int status = rank(pieces.rank); status != SYNCLINE_OK) {
        return status;
    }
    if (pieces.list == nullptr && pieces.count != 0) {
        return error(SYNCLINE_ERR_INVALID, "the list of {} pieces is NULL", pieces.count);
    }
    if (pieces.count > object_bytes_max / sizeof(*pieces.list)) {
        return error(SYNCLINE_ERR_INVALID, "the list of {} pieces is longer than any memory", pieces.count);
    }
    uint64_t total = 0;
    uint64_t end = 0;
    for (const Piece* piece = pieces.list; piece != pieces.list + pieces.count; piece++) {
        total = plus(total, piece->bytes);
        end = std::max(end, piece->bytes == 0 ? 0 : plus(piece->offset, piece->bytes));
    }
    // If a list of bytes fits as a whole, its pieces need no check of their own.
    const bool fits =
        alignment == 1 && whole == 1 && pieces.base >= heap_reserved_bytes && is_in_segment(pieces.base, end);
    for (size_t i = 0; i < pieces.count && !fits; i++) {
        if (const int status = pieces.list[i].bytes == 0 ? SYNCLINE_OK : piece(pieces, i, alignment, whole);
            status != SYNCLINE_OK) {
            return status;
        }
    }
    if (total > object_bytes_max || (total != 0 && pieces.local == nullptr)) {
        return error(SYNCLINE_ERR_INVALID, "the local buffer of {} bytes is {}", total,
                     pieces.local == nullptr ? "NULL" : "longer than any memory");
    }
    return SYNCLINE_OK;
}

int Checks::explain(int status, int rank, syncline_address_t address) const {
    return error(status, "PE {}, address {:#x}: {}", rank, address, sentence_of(status));
}

// A PE may seem to be gone because this node's link loses packets.
std::string Checks::sentence_of(int status) const {
    const std::string trouble = status == SYNCLINE_ERR_PEER ? fabrics_->trouble() : std::string();
    return status_text(status) + (trouble.empty() ? "" : "; " + trouble);
}

}  // namespace syncline
