// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory/memory_fabric.h"

#include <algorithm>
#include <cstring>

#include "base/apply.h"
#include "base/check.h"
#include "base/direct_copy.h"
#include "firmware/native.h"

namespace syncline {
namespace {

template <typename Word>
void execute(const AtomicCall& call, uint8_t* at) {
    SYNCLINE_CHECK(reinterpret_cast<uintptr_t>(at) % sizeof(Word) == 0, "a word at %p", static_cast<void*>(at));
    SYNCLINE_CHECK(!call.fetches() || call.result != nullptr, "operation %#x", call.operation);
    const Word old = apply(call.operation, reinterpret_cast<Word*>(at), static_cast<Word>(call.operand[0]),
                           static_cast<Word>(call.comparand[0]));
    if (call.fetches()) {
        std::memcpy(call.result, &old, sizeof(old));
    }
}

// Adds a floating-point number by compare and swap of its bits, so that all other operations on the word see one step.
template <typename Number, typename Word>
void add_floating(Word* word, const uint8_t* value) {
    Number operand;
    std::memcpy(&operand, value, sizeof(operand));
    Word before = __atomic_load_n(word, __ATOMIC_RELAXED);
    Word after;
    do {
        Number sum;
        std::memcpy(&sum, &before, sizeof(sum));
        sum += operand;
        std::memcpy(&after, &sum, sizeof(after));
    } while (!__atomic_compare_exchange_n(word, &before, after, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

template <typename Number, typename Word>
void accumulate_one(const Accumulate& request, size_t index, uint8_t* at) {
    auto* const word = reinterpret_cast<Word*>(at) + index;
    const uint8_t* const from = request.values + index * sizeof(Word);
    if (request.combine == Accumulate::Combine::kAdd && Accumulate::is_floating(request.element)) {
        add_floating<Number>(word, from);
        return;
    }
    Word value;
    std::memcpy(&value, from, sizeof(value));
    if (request.combine == Accumulate::Combine::kAdd) {
        (void)__atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
    } else {
        __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
    }
}

void accumulate_all(const Accumulate& request, uint8_t* at) {
    SYNCLINE_CHECK(reinterpret_cast<uintptr_t>(at) % request.width() == 0, "%u bytes at %p", request.width(),
                   static_cast<void*>(at));
    for (size_t i = 0; i < request.count; i++) {
        if (request.width() == 4) {
            accumulate_one<float, uint32_t>(request, i, at);
        } else {
            accumulate_one<double, uint64_t>(request, i, at);
        }
    }
}

void copy(Direction direction, uint8_t* remote, uint8_t* local, size_t bytes) {
    if (direction == Direction::kPut) {
        copy_direct(remote, local, bytes);
    } else {
        copy_direct(local, remote, bytes);
    }
}

int give_up_without_daemon(void* attachment) {
    return static_cast<Attachment*>(attachment)->daemon_alive() ? 0 : 1;
}

}  // namespace

const Capabilities& MemoryFabric::capabilities() const {
    static constexpr Capabilities own = {.name = "memory",
                                         .maps_memory = true,
                                         .nic_executed = false,
                                         .joins_barriers = true,
                                         .atomics = AtomicSet::all(),
                                         .adds_floating = true,
                                         .atomics_exclude_cpu = true,
                                         .wakes_sleepers = true,
                                         .counts_requests = true,  // there are none
                                         .local_completion = false,
                                         .recalls = true};
    return own;
}

int MemoryFabric::atomic(const AtomicCall& call, Completion*) {
    const uint32_t port = port_of(call.rank);
    uint8_t* const word = memory_->find(port, call.target, call.width());
    if (word == nullptr) {
        return memory_->refusal(port, call.target);
    }
    SYNCLINE_CHECK(call.width() == 4 || call.width() == 8 || call.width() == 16, "%u bytes", call.width());
    if (call.width() == 8) {
        execute<uint64_t>(call, word);
    } else if (call.width() == 4) {
        execute<uint32_t>(call, word);
    } else {
        uint64_t old[2];
        fw_pair_lock* const lock =
            fw_pair_lock_of(&attachment_->tables().ports[port], call.target & LocalMemory::offset_mask);
        if (fw_pair_execute(lock, attachment_->rank() + 1, call.target, reinterpret_cast<uint64_t*>(word), call.operand,
                            call.compares() ? call.comparand : nullptr, old, give_up_without_daemon,
                            attachment_) != 0) {
            return SYNCLINE_ERR_NODE;
        }
        if (call.fetches()) {
            std::memcpy(call.result, old, sizeof(old));
        }
    }
    memory_->written(port);
    return SYNCLINE_OK;
}

int MemoryFabric::post_word(int operation, int rank, syncline_address_t target, uint64_t value,
                            Completion* completion) {
    AtomicCall call = {.operation = operation, .rank = rank, .target = target};
    call.operand[0] = value;
    return atomic(call, completion);
}

int MemoryFabric::move(Direction direction, Transfer* transfer, Completion*) {
    const uint32_t port = port_of(transfer->rank);
    uint8_t* const remote = memory_->find(port, transfer->remote, transfer->bytes);
    if (remote == nullptr) {
        return memory_->refusal(port, transfer->remote);
    }
    copy(direction, remote, transfer->local, transfer->bytes);
    if (direction == Direction::kPut) {
        memory_->written(port);
    }
    transfer->remote += transfer->bytes;
    transfer->local += transfer->bytes;
    transfer->bytes = 0;
    return SYNCLINE_OK;
}

// Calls visit(where the piece is mapped, piece) for each piece. Checks all bounds before the first call.
template <typename Visit>
int MemoryFabric::visit(uint32_t port, Pieces* pieces, Visit&& visit) {
    for (size_t i = 0; i < pieces->count; i++) {
        const Piece& piece = pieces->list[i];
        if (piece.bytes != 0 && memory_->find(port, pieces->base + piece.offset, piece.bytes) == nullptr) {
            return memory_->refusal(port, pieces->base + piece.offset);
        }
    }
    for (; pieces->count != 0; pieces->count--, pieces->list++) {
        const Piece& piece = *pieces->list;
        if (piece.bytes == 0) {
            continue;
        }
        uint8_t* const remote = memory_->find(port, pieces->base + piece.offset, piece.bytes);
        if (remote == nullptr) {
            return memory_->refusal(port, pieces->base + piece.offset);  // the PE has died meanwhile
        }
        visit(remote, piece);
        pieces->local += piece.bytes;
    }
    return SYNCLINE_OK;
}

int MemoryFabric::move_pieces(Direction direction, Pieces* pieces, Completion*) {
    const uint32_t port = port_of(pieces->rank);
    const int status = visit(port, pieces, [&](uint8_t* remote, const Piece& piece) {
        copy(direction, remote, pieces->local, piece.bytes);
    });
    if (direction == Direction::kPut) {
        memory_->written(port);
    }
    return status;
}

int MemoryFabric::accumulate(Accumulate* request, Completion*) {
    const uint32_t port = port_of(request->rank);
    uint8_t* const at = memory_->find(port, request->target, request->count * request->width());
    if (at == nullptr) {
        return memory_->refusal(port, request->target);
    }
    accumulate_all(*request, at);
    memory_->written(port);
    request->count = 0;
    return SYNCLINE_OK;
}

int MemoryFabric::accumulate_pieces(AccumulatePieces* request, Completion*) {
    Pieces* const pieces = &request->pieces;
    const uint32_t port = port_of(pieces->rank);
    const int status = visit(port, pieces, [&](uint8_t* remote, const Piece& piece) {
        const Accumulate part = {.rank = pieces->rank,
                                 .target = pieces->base + piece.offset,
                                 .element = request->element,
                                 .combine = Accumulate::Combine::kAdd,
                                 .values = pieces->local,
                                 .count = piece.bytes / Accumulate::width_of(request->element)};
        accumulate_all(part, remote);
    });
    memory_->written(port);
    return status;
}

int MemoryFabric::put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) {
    Transfer all = transfer;
    const int status = move(Direction::kPut, &all, completion);
    return status == SYNCLINE_OK ? atomic(signal, completion) : status;
}

void* MemoryFabric::pointer(int rank, syncline_address_t address, uint64_t bytes) {
    return memory_->find(port_of(rank), address, bytes);
}

}  // namespace syncline
