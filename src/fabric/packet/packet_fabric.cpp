// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/packet_fabric.h"

#include <algorithm>
#include <cstring>

namespace syncline {

using Guard = std::lock_guard<SpinLock>;

namespace {

void fill_unit(slw_unit* unit, uint32_t code, uint32_t port, syncline_address_t address, uint64_t operand) {
    const uint64_t words[2] = {code | port << 8 | (address >> 40) << 16 | (address >> 32 & 255) << 24 | address << 32,
                               operand};
    std::memcpy(unit, words, sizeof(words));  // slw_unit, as two stores
}

// All units of an atomic, at `unit`.
void fill_atomic(slw_unit* unit, const AtomicCall& call, uint32_t port) {
    const auto code = static_cast<uint32_t>(call.operation);
    const bool compares = (code & 7) == SLW_CAS;
    fill_unit(unit, code, port, call.target, call.operand[0]);
    if (call.width() == 16) {
        const slw_extra high = {call.operand[1], 0};
        std::memcpy(unit + 1, &high, sizeof(high));
        if (compares) {
            const slw_comparand comparand = {call.comparand[0], call.comparand[1]};
            std::memcpy(unit + 2, &comparand, sizeof(comparand));
        }
    } else if (compares) {
        const slw_extra extra = {call.comparand[0], 0};
        std::memcpy(unit + 1, &extra, sizeof(extra));
    }
}

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

Transport::Sink executing(Nic* nic) {
    return [nic](uint8_t* packet, uint32_t length) {
        uint32_t reply_length = 0;
        (void)fw_execute_packet(nic->state(), packet, length, &reply_length);
    };
}

}  // namespace

PacketFabric::PacketFabric(Attachment* attachment, LocalMemory* memory, Nic* nic, std::unique_ptr<Transport> transport,
                           uint64_t peer_timeout_ns)
    : attachment_(attachment),
      memory_(memory),
      nic_(nic),
      transport_(std::move(transport)),
      capabilities_({.name = transport_->capabilities().name,
                     .maps_memory = false,
                     .nic_executed = transport_->capabilities().nic_executed,
                     .whole_pieces = false,
                     .whole_sums = false,
                     .adds_floating = false}),
      executes_here_(attachment->slots() != nullptr),
      links_(attachment, transport_.get(), executing(nic), peer_timeout_ns, &gathering_) {
    const Job& job = attachment->job();
    for (uint32_t rank = 0; rank < job.spec.config.ranks; rank++) {
        const uint32_t node = job.node_of(rank);
        routes_.push_back({links_.to_node(node), rank - job.nodes[node].first_rank});
    }
    nic->connect(
        this,
        [](void* self, uint32_t node, const uint8_t* packet, uint32_t length) {
            (void)static_cast<PacketFabric*>(self)->transport_->tell(node, packet, length);
        },
        [](void* self) { static_cast<PacketFabric*>(self)->links_.receive(); });
}

// Where this process executes the requests to its own node, it needs what other PEs of the node have registered.
void PacketFabric::find_here(int rank, syncline_address_t address, uint64_t bytes) {
    if (executes_here_ && address >> 40 != 0) {
        (void)memory_->find(route_to(rank).port, address, bytes);
    }
}

int PacketFabric::start_atomic(const AtomicCall& call, Completion* completion) {
    const Route& route = route_to(call.rank);
    Connection* const connection = route.connection;
    const int slot = links_.take_slot(connection, call.runtime);
    if (slot < 0) {
        return slot;
    }
    const auto taken = static_cast<uint32_t>(slot);
    fill_atomic(connection->unit(taken, 0), call, route.port);
    connection->header(taken)->units = static_cast<uint16_t>(slw_units_of(static_cast<uint32_t>(call.operation)));
    Slot& state = connection->slot(taken);
    state.completion = completion;
    state.result = call.fetches() ? call.result : nullptr;
    state.result_bytes = call.fetches() ? call.width() : 0;
    completion->raise();
    links_.start(connection, taken, 0);
    return SYNCLINE_OK;
}

int PacketFabric::atomic(const AtomicCall& call, Completion* completion) {
    find_here(call.rank, call.target, call.width());
    const Guard guard(nic_->lock());
    links_.flush(route_to(call.rank).connection);
    const int status = start_atomic(call, completion);
    links_.progress();  // under XDP on veth the answer is here before the send returns
    return status;
}

int PacketFabric::post(const AtomicCall& call, Completion* completion) {
    find_here(call.rank, call.target, call.width());
    const Guard guard(nic_->lock());
    const Route& route = route_to(call.rank);
    Connection* const connection = route.connection;
    const uint32_t units = slw_units_of(static_cast<uint32_t>(call.operation));
    // A pair travels alone, because it may have to be repeated.
    const bool fits = connection->posted_slot >= 0 && connection->posted_completion == completion &&
                      connection->posted_units + units <= SLW_UNITS_MAX &&
                      (call.width() != 16 || connection->posted_units == 0);
    if (!fits) {
        links_.flush(connection);
        const int slot = links_.take_slot(connection, false);
        if (slot < 0) {
            return slot;
        }
        links_.gather(connection, static_cast<uint32_t>(slot), completion);
    }
    fill_atomic(connection->unit(static_cast<uint32_t>(connection->posted_slot), connection->posted_units), call,
                route.port);
    connection->posted_units += units;
    if (call.width() == 16 || connection->posted_units == SLW_UNITS_MAX) {
        links_.flush(connection);
        links_.progress();
    }
    return SYNCLINE_OK;
}

int PacketFabric::post_word(int operation, int rank, syncline_address_t target, uint64_t value,
                            Completion* completion) {
    if (const Guard guard(nic_->lock()); target >> 40 == 0) {
        const Route route = route_to(rank);
        Connection* const connection = route.connection;
        if (connection->posted_slot >= 0 && connection->posted_completion == completion &&
            connection->posted_units < SLW_UNITS_MAX) {
            fill_unit(connection->unit(static_cast<uint32_t>(connection->posted_slot), connection->posted_units),
                      static_cast<uint32_t>(operation), route.port, target, value);
            if (++connection->posted_units == SLW_UNITS_MAX) {
                links_.flush(connection);
                links_.progress();
            }
            return SYNCLINE_OK;
        }
    }
    AtomicCall call = {.operation = operation, .rank = rank, .target = target};
    call.operand[0] = value;
    return post(call, completion);
}

int PacketFabric::start_chunk(Direction direction, const Transfer& chunk, const AtomicCall* signal,
                              Completion* completion) {
    const Route& route = route_to(chunk.rank);
    Connection* const connection = route.connection;
    const int slot = links_.take_slot(connection, false);
    if (slot < 0) {
        return slot;
    }
    const auto taken = static_cast<uint32_t>(slot);
    const auto bytes = static_cast<uint32_t>(chunk.bytes);
    slw_unit* const unit = connection->unit(taken, 0);
    fill_unit(unit, direction == Direction::kPut ? SLW_PUT : SLW_GET, route.port, chunk.remote, bytes);
    Slot& state = connection->slot(taken);
    state.completion = completion;
    uint32_t pad_to = 0;
    if (direction == Direction::kPut) {
        const uint32_t units = signal != nullptr ? 2 : 1;
        if (signal != nullptr) {
            fill_atomic(unit + 1, *signal, route.port);
            connection->header(taken)->units = static_cast<uint16_t>(units);
        }
        auto* const data = reinterpret_cast<uint8_t*>(unit + units);
        std::memcpy(data, chunk.local, bytes);
        std::memset(data + bytes, 0, slw_padded(bytes) - bytes);
        connection->header(taken)->data_length = static_cast<uint16_t>(bytes);
    } else {
        state.result = chunk.local;
        state.result_bytes = bytes;
        pad_to = SLW_HEADER_BYTES + slw_padded(bytes);
    }
    completion->raise();
    links_.start(connection, taken, pad_to);
    return SYNCLINE_OK;
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
    links_.flush(route_to(transfer->rank).connection);
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
    links_.flush(route.connection);
    while (request->count != 0) {
        const int slot = links_.take_slot(route.connection, request->runtime);
        if (slot < 0) {
            return slot;
        }
        const auto taken = static_cast<uint32_t>(slot);
        const auto units = static_cast<uint32_t>(std::min<size_t>(request->count, SLW_UNITS_MAX));
        for (uint32_t i = 0; i < units; i++) {
            uint64_t value = 0;
            std::memcpy(&value, request->values, width);
            fill_unit(route.connection->unit(taken, i), code, route.port, request->target, value);
            request->values += width;
            request->target += width;
        }
        request->count -= units;
        route.connection->header(taken)->units = static_cast<uint16_t>(units);
        route.connection->slot(taken).completion = completion;
        completion->raise();
        links_.start(route.connection, taken, 0);
    }
    links_.progress();
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
    links_.flush(route_to(transfer.rank).connection);
    const int status = start_chunk(Direction::kPut, transfer, &signal, completion);
    links_.progress();
    return status;
}

void PacketFabric::flush() {
    const Guard guard(nic_->lock());
    links_.flush_all();
}

void PacketFabric::progress() {
    const Guard guard(nic_->lock());
    links_.progress();
}

uint64_t PacketFabric::retry(uint64_t now) {
    const Guard guard(nic_->lock());
    return links_.retry(now);
}

bool PacketFabric::is_quiet(int rank) {
    const Guard guard(nic_->lock());
    return rank == any_rank ? links_.is_quiet() : route_to(rank).connection->pending() == 0;
}

bool PacketFabric::is_silent(int rank) {
    const Guard guard(nic_->lock());
    return route_to(rank).connection->dead();
}

void PacketFabric::forget(Completion* completion) {
    const Guard guard(nic_->lock());
    links_.forget(completion);
}

uint32_t PacketFabric::issued(int rank) {
    const Guard guard(nic_->lock());
    links_.flush(route_to(rank).connection);
    return route_to(rank).connection->issued();
}

bool PacketFabric::executed(int rank, uint32_t* sum) const {
    const uint32_t window = attachment_->config().window;
    const fw_slot* const slots = attachment_->slot_tables() + static_cast<uint64_t>(rank) * window;
    *sum = 0;
    for (uint32_t i = 0; i + 1 < window; i++) {
        const uint64_t word = __atomic_load_n(&slots[i].word, __ATOMIC_ACQUIRE);
        if ((word & 255) == FW_SLOT_BUSY) {
            return false;
        }
        *sum += static_cast<uint32_t>(word >> 8);
    }
    return true;
}

}  // namespace syncline
