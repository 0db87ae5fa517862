// SPDX-License-Identifier: BSD-3-Clause
// Endpoint: operations that become packets.
#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "fabric/memory/direct_copy.h"
#include "runtime/operations/endpoint.h"
#include "runtime/process/error_text.h"

namespace syncline {
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
uint32_t chunk_bytes(syncline_address_t address, size_t bytes) {
    const uint64_t in_block = SLW_BLOCK_BYTES - (address & (SLW_BLOCK_BYTES - 1));
    return static_cast<uint32_t>(std::min<uint64_t>({bytes, SLW_BULK_MAX, in_block}));
}

}  // namespace

int Endpoint::start_atomic(Lock& lock, const AtomicCall& call, uint32_t operation) {
    Connection* const connection = connection_to(call.rank);
    flush(connection);
    const int slot = take_slot(lock, connection, call.runtime);
    if (slot < 0) {
        return slot;
    }
    const auto taken = static_cast<uint32_t>(slot);
    const uint32_t port = port_of(call.rank);
    fill_atomic(connection->unit(taken, 0), call, port);
    connection->header(taken)->units = static_cast<uint16_t>(slw_units_of(static_cast<uint32_t>(call.operation)));
    Slot& state = connection->slot(taken);
    state.operation = operation;
    state.result = call.fetches() ? call.result : nullptr;
    state.result_bytes = call.fetches() ? call.width() : 0;
    operations_.at(operation).packets++;
    start(connection, taken, 0);
    return SYNCLINE_OK;
}

int Endpoint::finish_blocking(Lock& lock, uint32_t operation, const char* what, int rank, syncline_address_t address) {
    operations_.at(operation).started = true;
    progress();  // under XDP on veth the answer is here before the send returns
    int waited = SYNCLINE_OK;
    if (operations_.at(operation).packets != 0) {
        lock.unlock();
        waited = wait_for([&] { return operations_.at(operation).packets == 0; });
        lock.lock();
    }
    const int status = waited != SYNCLINE_OK ? waited : operations_.at(operation).status;
    if (waited != SYNCLINE_OK) {
        for (Connection* connection : busy_) {
            connection->orphan(operation);
        }
    }
    operations_.release(operation);
    return status == SYNCLINE_OK ? status : explain(status, what, rank, address);
}

int Endpoint::atomic(const AtomicCall& call) {
    const char* const what = "syncline_atomic";
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
    const uint32_t operation = operations_.allocate(0, true);
    if (const int status = start_atomic(lock, call, operation); status != SYNCLINE_OK) {
        operations_.release(operation);
        return explain(status, what, call.rank, call.target);
    }
    return finish_blocking(lock, operation, what, call.rank, call.target);
}

// What a non-blocking call that was started leaves behind: a request, or a completion for poll().
void Endpoint::hand_out(uint32_t operation, syncline_request_t* request, int status) {
    Operation& started = operations_.at(operation);
    started.started = true;
    if (status != SYNCLINE_OK && started.status == SYNCLINE_OK) {
        started.status = status;
    }
    if (request != nullptr) {
        *request = operations_.handle(operation);
    } else if (started.packets == 0) {
        completed_.push_back(operation);
    }
}

int Endpoint::atomic_nb(const AtomicCall& call, uint64_t tag, syncline_request_t* request) {
    const char* const what = "syncline_atomic_nb";
    if (const int status = check_atomic(what, call); status != SYNCLINE_OK) {
        return status;
    }
    int status = SYNCLINE_OK;
    void* const word = direct(call.rank, call.target, call.width());
    if (word != nullptr) {
        status = atomic_direct(call, word);
    } else if (status = refuse_local(what, call.rank, call.target); status != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    const uint32_t operation = operations_.allocate(tag, request != nullptr);
    if (word == nullptr) {
        status = start_atomic(lock, call, operation);
        if (status != SYNCLINE_OK) {
            operations_.release(operation);
            return explain(status, what, call.rank, call.target);
        }
        progress();
    }
    hand_out(operation, request, status);
    return SYNCLINE_OK;
}

int Endpoint::atomic_post(const AtomicCall& call) {
    return post(call, no_operation);
}

int Endpoint::post(const AtomicCall& call, uint32_t batch) {
    const char* const what = "syncline_atomic_post";
    if (const int status = check_atomic(what, call); status != SYNCLINE_OK) {
        return status;
    }
    if (call.fetches()) {
        return error(SYNCLINE_ERR_INVALID, "syncline_atomic_post: a posted operation has no result; leave FETCH out");
    }
    if (void* const word = direct(call.rank, call.target, call.width()); word != nullptr) {
        return atomic_direct(call, word);
    }
    if (const int status = refuse_local(what, call.rank, call.target); status != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    Connection* const connection = connection_to(call.rank);
    const uint32_t units = slw_units_of(static_cast<uint32_t>(call.operation));
    // A pair travels alone, because it may have to be repeated.
    const auto fits = [&] {
        return connection->posted_slot >= 0 && connection->posted_operation == batch &&
               connection->posted_units + units <= SLW_UNITS_MAX &&
               (call.width() != 16 || connection->posted_units == 0);
    };
    while (!fits()) {
        flush(connection);
        const int slot = take_slot(lock, connection);
        if (slot < 0) {
            return explain(slot, what, call.rank, call.target);
        }
        if (connection->posted_slot >= 0) {
            connection->cancel(static_cast<uint32_t>(slot));  // another thread was faster while this one waited
        } else {
            connection->posted_slot = slot;
            connection->posted_operation = batch;
            connection->slot(static_cast<uint32_t>(slot)).operation = batch;
            filling_.push_back(connection);
            __atomic_store_n(&gathering_, filling_.size(), __ATOMIC_RELAXED);
            if (batch != no_operation) {
                operations_.at(batch).packets++;
            }
        }
    }
    const uint32_t port = port_of(call.rank);
    fill_atomic(connection->unit(static_cast<uint32_t>(connection->posted_slot), connection->posted_units), call, port);
    connection->posted_units += units;
    if (call.width() == 16 || connection->posted_units == SLW_UNITS_MAX) {
        flush(connection);
        progress();
    }
    return SYNCLINE_OK;
}

int Endpoint::post_word(int operation, int rank, syncline_address_t target, uint64_t value) {
    const uint64_t width = (operation & SLW_WIDTH_64) == SLW_WIDTH_64 ? 8 : 4;
    const uint64_t heap_bytes = attachment_->job().spec.heap_bytes;
    if (static_cast<uint32_t>(rank) < size() &&
        target - heap_reserved_bytes <= heap_bytes - heap_reserved_bytes - width && target % width == 0) {
        Lock lock(lock_);
        const Route route = routes_[static_cast<size_t>(rank)];
        Connection* const connection = route.connection;
        if (connection != nullptr && connection->posted_slot >= 0 && connection->posted_operation == no_operation &&
            connection->posted_units < SLW_UNITS_MAX) {
            fill_unit(connection->unit(static_cast<uint32_t>(connection->posted_slot), connection->posted_units),
                      static_cast<uint32_t>(operation), route.port, target, value);
            if (++connection->posted_units == SLW_UNITS_MAX) {
                flush(connection);
                progress();
            }
            return SYNCLINE_OK;
        }
    }
    AtomicCall call = {.operation = operation, .rank = rank, .target = target};
    call.operand[0] = value;
    return atomic_post(call);
}

int Endpoint::store_runtime_words(uint32_t rank, syncline_address_t address, const uint64_t* values, uint32_t count) {
    const auto target = static_cast<int>(rank);
    if (auto* const words = static_cast<uint64_t*>(direct(target, address, uint64_t{count} * 8)); words != nullptr) {
        for (uint32_t i = 0; i < count; i++) {
            __atomic_store_n(&words[i], values[i], __ATOMIC_SEQ_CST);
        }
        written(port_of(target));
        return SYNCLINE_OK;
    }
    if (const int status = refuse_local("syncline_fence_barrier", target, address); status != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    Connection* const connection = connection_to(target);
    for (uint32_t first = 0; first < count; first += SLW_UNITS_MAX) {
        const int slot = take_slot(lock, connection, true);
        if (slot < 0) {
            return slot;
        }
        const auto taken = static_cast<uint32_t>(slot);
        const uint32_t units = std::min<uint32_t>(count - first, SLW_UNITS_MAX);
        for (uint32_t i = 0; i < units; i++) {
            fill_unit(connection->unit(taken, i), SYNCLINE_SWAP | SYNCLINE_64, routes_[rank].port,
                      address + uint64_t{first + i} * 8, values[first + i]);
        }
        connection->header(taken)->units = static_cast<uint16_t>(units);
        start(connection, taken, 0);
    }
    return SYNCLINE_OK;
}

int Endpoint::start_chunk(Lock& lock, uint8_t code, int rank, syncline_address_t address, uint8_t* local,
                          uint32_t bytes, uint32_t operation, const AtomicCall* signal) {
    Connection* const connection = connection_to(rank);
    const int slot = take_slot(lock, connection);
    if (slot < 0) {
        return slot;
    }
    const auto taken = static_cast<uint32_t>(slot);
    const uint32_t port = port_of(rank);
    slw_unit* const unit = connection->unit(taken, 0);
    fill_unit(unit, code, port, address, bytes);
    Slot& state = connection->slot(taken);
    state.operation = operation;
    uint32_t pad_to = 0;
    if (code == SLW_PUT) {
        const uint32_t units = signal != nullptr ? 2 : 1;
        if (signal != nullptr) {
            fill_atomic(unit + 1, *signal, port);
            connection->header(taken)->units = static_cast<uint16_t>(units);
        }
        auto* const data = reinterpret_cast<uint8_t*>(unit + units);
        std::memcpy(data, local, bytes);
        std::memset(data + bytes, 0, slw_padded(bytes) - bytes);
        connection->header(taken)->data_length = static_cast<uint16_t>(bytes);
    } else {
        state.result = local;
        state.result_bytes = bytes;
        pad_to = SLW_HEADER_BYTES + slw_padded(bytes);
    }
    operations_.at(operation).packets++;
    start(connection, taken, pad_to);
    return SYNCLINE_OK;
}

int Endpoint::start_bulk(Lock& lock, uint8_t code, int rank, syncline_address_t address, uint8_t* local, size_t bytes,
                         uint32_t operation) {
    flush(connection_to(rank));
    if (const int store = code == SLW_PUT ? store_code(address, bytes) : -1; store >= 0) {
        AtomicCall word = {.operation = store, .rank = rank, .target = address};
        std::memcpy(word.operand, local, bytes);
        return start_atomic(lock, word, operation);
    }
    int status = SYNCLINE_OK;
    set_burst(bytes > SLW_BULK_MAX);
    while (bytes != 0 && status == SYNCLINE_OK) {
        const uint32_t chunk = chunk_bytes(address, bytes);
        status = start_chunk(lock, code, rank, address, local, chunk, operation);
        address += chunk;
        local += chunk;
        bytes -= chunk;
    }
    set_burst(false);
    return status;
}

int Endpoint::bulk(uint8_t code, int rank, syncline_address_t address, uint8_t* local, size_t bytes) {
    const char* const what = code == SLW_PUT ? "syncline_put" : "syncline_get";
    if (const int status = refuse_local(what, rank, address); status != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    const uint32_t operation = operations_.allocate(0, true);
    const int status = start_bulk(lock, code, rank, address, local, bytes, operation);
    if (status != SYNCLINE_OK && operations_.at(operation).status == SYNCLINE_OK) {
        operations_.at(operation).status = status;
    }
    return finish_blocking(lock, operation, what, rank, address);
}

int Endpoint::bulk_nb(uint8_t code, int rank, syncline_address_t address, uint8_t* local, size_t bytes, uint64_t tag,
                      syncline_request_t* request) {
    const char* const what = code == SLW_PUT ? "syncline_put_nb" : "syncline_get_nb";
    if (const int status = refuse_local(what, rank, address); status != SYNCLINE_OK) {
        return status;
    }
    Lock lock(lock_);
    const uint32_t operation = operations_.allocate(tag, request != nullptr);
    const int status = start_bulk(lock, code, rank, address, local, bytes, operation);
    progress();
    hand_out(operation, request, status);
    return SYNCLINE_OK;
}

int Endpoint::put(int rank, syncline_address_t target, const void* source, size_t bytes) {
    if (const int status = check_range("syncline_put", rank, target, bytes); status != SYNCLINE_OK || bytes == 0) {
        return status;
    }
    if (void* const memory = direct(rank, target, bytes); memory != nullptr) {
        copy_direct(static_cast<uint8_t*>(memory), static_cast<const uint8_t*>(source), bytes);
        written(port_of(rank));
        return SYNCLINE_OK;
    }
    return bulk(SLW_PUT, rank, target, static_cast<uint8_t*>(const_cast<void*>(source)), bytes);
}

int Endpoint::get(int rank, syncline_address_t source, void* target, size_t bytes) {
    if (const int status = check_range("syncline_get", rank, source, bytes); status != SYNCLINE_OK || bytes == 0) {
        return status;
    }
    if (void* const memory = direct(rank, source, bytes); memory != nullptr) {
        copy_direct(static_cast<uint8_t*>(target), static_cast<const uint8_t*>(memory), bytes);
        return SYNCLINE_OK;
    }
    return bulk(SLW_GET, rank, source, static_cast<uint8_t*>(target), bytes);
}

int Endpoint::put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                     syncline_request_t* request) {
    if (const int status = check_range("syncline_put_nb", rank, target, bytes); status != SYNCLINE_OK) {
        return status;
    }
    void* const memory = direct(rank, target, bytes);
    if (memory == nullptr && bytes != 0) {
        return bulk_nb(SLW_PUT, rank, target, static_cast<uint8_t*>(const_cast<void*>(source)), bytes, tag, request);
    }
    if (bytes != 0) {
        copy_direct(static_cast<uint8_t*>(memory), static_cast<const uint8_t*>(source), bytes);
        written(port_of(rank));
    }
    Lock lock(lock_);
    hand_out(operations_.allocate(tag, request != nullptr), request, SYNCLINE_OK);
    return SYNCLINE_OK;
}

int Endpoint::get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                     syncline_request_t* request) {
    if (const int status = check_range("syncline_get_nb", rank, source, bytes); status != SYNCLINE_OK) {
        return status;
    }
    void* const memory = direct(rank, source, bytes);
    if (memory == nullptr && bytes != 0) {
        return bulk_nb(SLW_GET, rank, source, static_cast<uint8_t*>(target), bytes, tag, request);
    }
    if (bytes != 0) {
        copy_direct(static_cast<uint8_t*>(target), static_cast<const uint8_t*>(memory), bytes);
    }
    Lock lock(lock_);
    hand_out(operations_.allocate(tag, request != nullptr), request, SYNCLINE_OK);
    return SYNCLINE_OK;
}

}  // namespace syncline
