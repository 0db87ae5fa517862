// SPDX-License-Identifier: BSD-3-Clause
// PacketFabric: what moves many bytes, and accumulates.
#include <algorithm>
#include <cstring>

#include "fabric/packet/connection/packet_fabric.h"
#include "fabric/packet/connection/units.h"

namespace syncline {

using Guard = std::lock_guard<SpinLock>;

namespace {

// A put of an aligned 1, 2, 4 or 8 bytes is one store: the operation's width bits, or -1.
int store_code(syncline_address_t address, size_t bytes) {
    if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || address % bytes != 0) {
        return -1;
    }
    const int log2 = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return SLW_SWAP | log2 << SLW_WIDTH_SHIFT;
}

// How much of [address, address + bytes) one packet moves.
size_t chunk_bytes(syncline_address_t address, size_t bytes) {
    const uint64_t in_block = SLW_BLOCK_BYTES - (address & (SLW_BLOCK_BYTES - 1));
    return std::min<uint64_t>({bytes, SLW_BULK_MAX, in_block});
}

}  // namespace

int PacketFabric::start_chunk(Direction direction, const Transfer& chunk, const AtomicCall* signal,
                              Completion* completion) {
    const Route& route = route_to(chunk.rank);
    Connection* const connection = route.connection;
    const auto bytes = static_cast<uint32_t>(chunk.bytes);
    if (direction == Direction::kGet) {
        return links_.send(connection, completion, false, [&](uint32_t slot) {
            fill_unit(connection->unit(slot, 0), SLW_GET, route.port, chunk.remote, bytes);
            connection->slot(slot).result = chunk.local;
            connection->slot(slot).result_bytes = bytes;
            return SLW_HEADER_BYTES + slw_padded(bytes);
        });
    }
    return links_.send(connection, completion, false, [&](uint32_t slot) {
        slw_unit* const unit = connection->unit(slot, 0);
        const uint32_t units = signal != nullptr ? 2 : 1;
        fill_unit(unit, SLW_PUT, route.port, chunk.remote, bytes);
        if (signal != nullptr) {
            fill_atomic(unit + 1, *signal, route.port);
        }
        auto* const data = reinterpret_cast<uint8_t*>(unit + units);
        std::memcpy(data, chunk.local, bytes);
        std::memset(data + bytes, 0, slw_padded(bytes) - bytes);
        connection->header(slot)->units = static_cast<uint16_t>(units);
        connection->header(slot)->data_length = static_cast<uint16_t>(bytes);
        return 0U;
    });
}

// All packets of a transfer; what has started is taken off it.
int PacketFabric::start_all(Direction direction, Transfer* transfer, Completion* completion) {
    const int store = direction == Direction::kPut ? store_code(transfer->remote, transfer->bytes) : -1;
    if (store >= 0) {
        AtomicCall word = {.operation = store, .rank = transfer->rank, .target = transfer->remote};
        std::memcpy(word.operand, transfer->local, transfer->bytes);
        const int status = start_atomic(word, completion);
        transfer->bytes = status == SYNCLINE_OK ? 0 : transfer->bytes;
        return status;
    }
    while (transfer->bytes != 0) {
        Transfer chunk = *transfer;
        chunk.bytes = chunk_bytes(transfer->remote, transfer->bytes);
        if (const int status = start_chunk(direction, chunk, nullptr, completion); status != SYNCLINE_OK) {
            return status;
        }
        transfer->remote += chunk.bytes;
        transfer->local += chunk.bytes;
        transfer->bytes -= chunk.bytes;
    }
    return SYNCLINE_OK;
}

int PacketFabric::move(Direction direction, Transfer* transfer, Completion* completion) {
    find_here(transfer->rank, transfer->remote, transfer->bytes);
    const Guard guard(nic_->lock());
    links_.flush(route_to(transfer->rank).connection);  // no part of the burst
    links_.set_burst(transfer->bytes > SLW_BULK_MAX);
    const int status = start_all(direction, transfer, completion);
    links_.set_burst(false);
    links_.progress();
    return status;
}

int PacketFabric::move_pieces(Direction direction, Pieces* pieces, Completion* completion) {
    find_here(pieces->rank, pieces->base, 1);
    const Guard guard(nic_->lock());
    links_.flush(route_to(pieces->rank).connection);
    links_.set_burst(true);
    int status = SYNCLINE_OK;
    while (pieces->count != 0 && status == SYNCLINE_OK) {
        const Piece& piece = *pieces->list;
        Transfer rest = {pieces->rank, pieces->base + piece.offset + pieces->done, pieces->local,
                         piece.bytes - pieces->done};
        const size_t before = rest.bytes;
        status = before != 0 ? start_all(direction, &rest, completion) : static_cast<int>(SYNCLINE_OK);
        pieces->local += before - rest.bytes;
        pieces->done += before - rest.bytes;
        if (status == SYNCLINE_OK) {
            pieces->list++;
            pieces->count--;
            pieces->done = 0;
        }
    }
    links_.set_burst(false);
    links_.progress();
    return status;
}

// Integers are added, and anything is stored, by one unit each, so many in a packet. The firmware adds no
// floating-point numbers.
int PacketFabric::accumulate(Accumulate* request, Completion* completion) {
    const bool adds = request->combine == Accumulate::Combine::kAdd;
    if (adds && request->is_floating()) {
        return SYNCLINE_ERR_UNSUPPORTED;
    }
    const uint32_t width = request->width();
    const uint32_t code = (adds ? SLW_ADD : SLW_SWAP) | (width == 8 ? SLW_WIDTH_64 : SLW_WIDTH_32);
    find_here(request->rank, request->target, request->count * width);
    const Guard guard(nic_->lock());
    const Route& route = route_to(request->rank);
    int status = SYNCLINE_OK;
    while (request->count != 0 && status == SYNCLINE_OK) {
        status = links_.send(route.connection, completion, request->runtime, [&](uint32_t slot) {
            const auto units = static_cast<uint32_t>(std::min<size_t>(request->count, SLW_UNITS_MAX));
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

// One accumulate for each piece.
int PacketFabric::accumulate_pieces(AccumulatePieces* request, Completion* completion) {
    Pieces& pieces = request->pieces;
    const uint32_t width = Accumulate::width_of(request->element);
    for (; pieces.count != 0; pieces.count--, pieces.list++, pieces.done = 0) {
        const uint64_t left = pieces.list->bytes - pieces.done;
        if (left == 0) {
            continue;
        }
        Accumulate piece = {.rank = pieces.rank,
                            .target = pieces.base + pieces.list->offset + pieces.done,
                            .element = request->element,
                            .combine = Accumulate::Combine::kAdd,
                            .values = pieces.local,
                            .count = left / width};
        const int status = accumulate(&piece, completion);
        const uint64_t started = left - piece.count * width;
        pieces.local += started;
        pieces.done += started;
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
    return SYNCLINE_OK;
}

size_t PacketFabric::bytes_with_signal(syncline_address_t address, size_t bytes) const {
    const uint64_t in_last_block = ((address + bytes - 1) & (SLW_BLOCK_BYTES - 1)) + 1;
    return std::min<uint64_t>({bytes, in_last_block, SLW_BULK_MAX - SLW_UNIT_BYTES});
}

int PacketFabric::put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) {
    find_here(transfer.rank, transfer.remote, transfer.bytes);
    find_here(signal.rank, signal.target, signal.width());
    const Guard guard(nic_->lock());
    const int status = start_chunk(Direction::kPut, transfer, &signal, completion);
    links_.progress();
    return status;
}

}  // namespace syncline
