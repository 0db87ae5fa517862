// SPDX-License-Identifier: BSD-3-Clause
// PacketFabric's operations that move many bytes or accumulate.
#include <algorithm>
#include <cstring>

#include "fabric/packet/connection/list_packet.h"
#include "fabric/packet/connection/packet_fabric.h"
#include "fabric/packet/connection/units.h"

namespace syncline {

using Guard = std::lock_guard<SpinLock>;

namespace {

// Returns the width bits of the operation, or -1: a put of an aligned 1, 2, 4 or 8 bytes is one store.
int store_code(syncline_address_t address, size_t bytes) {
    if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || address % bytes != 0) {
        return -1;
    }
    const int log2 = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return SLW_SWAP | log2 << SLW_WIDTH_SHIFT;
}

uint32_t bulk_max(const Connection* connection) {
    return connection->body_max() - SLW_UNIT_BYTES;
}

uint32_t code_of(Accumulate::Element element) {
    switch (element) {
        case Accumulate::Element::kInt32:
            return SLW_ADD_INT32;
        case Accumulate::Element::kInt64:
            return SLW_ADD_INT64;
        case Accumulate::Element::kFloat:
            return SLW_ADD_FLOAT;
        case Accumulate::Element::kDouble:
            break;
    }
    return SLW_ADD_DOUBLE;
}

}  // namespace

// Starts one packet of the pieces. A list of one piece is a range.
int PacketFabric::start_list(uint32_t code, const ListPacket& list, int rank, syncline_address_t segment,
                             Completion* completion) {
    const Route route = route_to(rank);
    Connection* const connection = route.connection;
    return links_.send(connection, completion, false, [&](uint32_t slot) {
        const bool reads = code == SLW_GET;
        fill_list(connection->header(slot), code, route.port, segment, list);
        if (reads) {
            connection->slot(slot).expect(list.local(), list.bytes(), list.bytes());
        }
        return reads ? SLW_HEADER_BYTES + slw_padded(list.bytes()) : 0U;
    });
}

// Starts all packets of the pieces, each as long as possible, and takes the started pieces off the list.
int PacketFabric::start_lists(uint32_t code, Pieces* pieces, uint32_t width, Completion* completion) {
    Connection* const connection = route_to(pieces->rank).connection;
    const syncline_address_t segment = pieces->base >> SLW_PIECE_SHIFT << SLW_PIECE_SHIFT;
    while (pieces->count != 0) {
        Pieces rest = *pieces;
        const ListPacket list(&rest, bulk_max(connection), code == SLW_GET, width);
        if (rest.count != 0) {
            links_.ask_for_longer(connection);
        }
        const int status = list.count() == 0 ? static_cast<int>(SYNCLINE_OK)
                                             : start_list(code, list, pieces->rank, segment, completion);
        if (status != SYNCLINE_OK) {
            return status;
        }
        *pieces = rest;
    }
    return SYNCLINE_OK;
}

int PacketFabric::start_pieces(uint32_t code, Pieces* pieces, uint32_t width, Completion* completion) {
    find_here(pieces->rank, pieces->base, 1);
    const Guard guard(own_target_->lock());
    links_.flush(route_to(pieces->rank).connection);  // sent alone, not in the burst
    links_.set_burst(true);
    const int status = start_lists(code, pieces, width, completion);
    links_.set_burst(false);
    links_.progress();
    return status;
}

int PacketFabric::start_store(int code, const Transfer& transfer, Completion* completion) {
    AtomicCall word = {.operation = code, .rank = transfer.rank, .target = transfer.remote};
    std::memcpy(word.operand, transfer.local, transfer.bytes);
    return start_atomic(word, completion);
}

int PacketFabric::move(Direction direction, Transfer* transfer, Completion* completion) {
    find_here(transfer->rank, transfer->remote, transfer->bytes);
    const Guard guard(own_target_->lock());
    Connection* const connection = route_to(transfer->rank).connection;
    const int store = direction == Direction::kPut ? store_code(transfer->remote, transfer->bytes) : -1;
    links_.flush(connection);  // sent alone, not in the burst
    links_.set_burst(transfer->bytes > bulk_max(connection));
    int status = SYNCLINE_OK;
    if (store >= 0) {
        status = start_store(store, *transfer, completion);
        transfer->bytes = status == SYNCLINE_OK ? 0 : transfer->bytes;
    } else {
        const Piece all = {0, transfer->bytes};
        Pieces pieces = {transfer->rank, transfer->remote, &all, 1, transfer->local};
        status = start_lists(direction == Direction::kPut ? SLW_PUT : SLW_GET, &pieces, 1, completion);
        const uint64_t done = pieces.count == 0 ? all.bytes : pieces.done;
        *transfer = {transfer->rank, transfer->remote + done, transfer->local + done, transfer->bytes - done};
    }
    links_.set_burst(false);
    links_.progress();
    return status;
}

int PacketFabric::move_pieces(Direction direction, Pieces* pieces, Completion* completion) {
    return start_pieces(direction == Direction::kPut ? SLW_PUT : SLW_GET, pieces, 1, completion);
}

int PacketFabric::accumulate_pieces(AccumulatePieces* request, Completion* completion) {
    return start_pieces(code_of(request->element), &request->pieces, Accumulate::width_of(request->element),
                        completion);
}

int PacketFabric::accumulate(Accumulate* request, Completion* completion) {
    if (request->combine == Accumulate::Combine::kReplace) {
        return replace(request, completion);
    }
    const uint32_t width = request->width();
    const Piece all = {0, request->count * width};
    Pieces pieces = {request->rank, request->target, &all, 1, const_cast<uint8_t*>(request->values)};
    const int status = start_pieces(code_of(request->element), &pieces, width, completion);
    const uint64_t done = pieces.count == 0 ? all.bytes : pieces.done;
    request->target += done;
    request->values += done;
    request->count -= done / width;
    return status;
}

// A store for each element, as many in a packet as fit.
int PacketFabric::replace(Accumulate* request, Completion* completion) {
    const uint32_t width = request->width();
    const uint32_t code = SLW_SWAP | (width == 8 ? SLW_WIDTH_64 : SLW_WIDTH_32);
    find_here(request->rank, request->target, request->count * width);
    const Guard guard(own_target_->lock());
    const Route route = route_to(request->rank);
    int status = SYNCLINE_OK;
    while (request->count != 0 && status == SYNCLINE_OK) {
        status = links_.send(route.connection, completion, request->runtime, [&](uint32_t slot) {
            const auto units =
                static_cast<uint32_t>(std::min<size_t>(request->count, route.connection->body_max() / SLW_UNIT_BYTES));
            for (uint32_t i = 0; i < units; i++) {
                uint64_t value = 0;
                std::memcpy(&value, request->values, width);
                fill_unit(route.connection->unit(slot, i), code, route.port, request->target, value);
                request->values += width;
                request->target += width;
            }
            request->count -= units;
            route.connection->header(slot)->units = static_cast<uint16_t>(units);
            return 0U;
        });
    }
    links_.progress();
    return status;
}

size_t PacketFabric::bytes_with_signal(syncline_address_t address, size_t bytes) const {
    const uint64_t in_last_block = ((address + bytes - 1) & (SLW_BLOCK_BYTES - 1)) + 1;
    return std::min<uint64_t>({bytes, in_last_block, SLW_PACKET_LEAST - SLW_HEADER_BYTES - 2 * SLW_UNIT_BYTES});
}

int PacketFabric::put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) {
    find_here(transfer.rank, transfer.remote, transfer.bytes);
    find_here(signal.rank, signal.target, signal.width());
    const Guard guard(own_target_->lock());
    const Route route = route_to(transfer.rank);
    const int status = links_.send(route.connection, completion, false, [&](uint32_t slot) {
        slw_unit* const unit = route.connection->unit(slot, 0);
        const auto bytes = static_cast<uint32_t>(transfer.bytes);
        fill_unit(unit, SLW_PUT, route.port, transfer.remote, bytes);
        fill_atomic(unit + 1, signal, route.port);
        fill_data(route.connection->header(slot), 2, transfer.local, bytes, nullptr, 0);
        return 0U;
    });
    links_.progress();
    return status;
}

}  // namespace syncline
