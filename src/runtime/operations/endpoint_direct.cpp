// SPDX-License-Identifier: BSD-3-Clause
// Endpoint: checks, and access to PEs of this node with loads, stores and CPU atomics.
#include <cstring>

#include "base/failure.h"
#include "base/os.h"
#include "fabric/memory/direct_copy.h"
#include "firmware/native.h"
#include "job/veth.h"
#include "runtime/operations/endpoint.h"
#include "runtime/process/error_text.h"

namespace syncline {

namespace {

constexpr syncline_address_t offset_mask = (1ull << 40) - 1;

bool valid_operation(int operation) {
    const int base = operation & 7;
    const int width = operation & (7 << SLW_WIDTH_SHIFT);
    if ((operation & ~(7 | 7 << SLW_WIDTH_SHIFT | SLW_FETCH)) != 0 || base > SLW_CAS) {
        return false;
    }
    return width == SLW_WIDTH_32 || width == SLW_WIDTH_64 || (width == SLW_WIDTH_128 && base >= SLW_SWAP);
}

template <typename Word>
Word atomic_word(int base, Word* word, Word operand, Word comparand) {
    switch (base) {
        case SLW_ADD:
            return __atomic_fetch_add(word, operand, __ATOMIC_SEQ_CST);
        case SLW_AND:
            return __atomic_fetch_and(word, operand, __ATOMIC_SEQ_CST);
        case SLW_OR:
            return __atomic_fetch_or(word, operand, __ATOMIC_SEQ_CST);
        case SLW_XOR:
            return __atomic_fetch_xor(word, operand, __ATOMIC_SEQ_CST);
        case SLW_SWAP:
            return __atomic_exchange_n(word, operand, __ATOMIC_SEQ_CST);
        default:
            __atomic_compare_exchange_n(word, &comparand, operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
            return comparand;
    }
}

template <typename Word>
void store_result(const AtomicCall& call, Word old) {
    if (call.fetches()) {
        std::memcpy(call.result, &old, sizeof(old));
    }
}

}  // namespace

int Endpoint::check_range(const char* what, int rank, syncline_address_t address, uint64_t bytes, bool runtime) const {
    if (rank < 0 || static_cast<uint32_t>(rank) >= size()) {
        return error(SYNCLINE_ERR_RANK, "{}: there is no PE {} in a job of {}", what, rank, size());
    }
    const uint64_t segment = address >> 40;
    const uint64_t offset = address & offset_mask;
    const uint64_t length = segment == 0 ? attachment_->job().spec.heap_bytes : segment_length_max;
    if (segment >= SLW_SEGMENTS_MAX || bytes > length || offset > length - bytes) {
        return error(SYNCLINE_ERR_ADDRESS,
                     "{}: {} bytes at address {:#x} of PE {} are outside its segment {} of {} bytes; addresses come "
                     "from syncline_alloc() and syncline_register()",
                     what, bytes, address, rank, segment, length);
    }
    if (address < heap_reserved_bytes && !runtime) {
        return error(SYNCLINE_ERR_ADDRESS,
                     "{}: address {:#x} of PE {} is in the first {} bytes of the heap, which are the runtime's own",
                     what, address, rank, heap_reserved_bytes);
    }
    return SYNCLINE_OK;
}

int Endpoint::check_atomic(const char* what, const AtomicCall& call) const {
    if (!valid_operation(call.operation)) {
        return error(SYNCLINE_ERR_INVALID, "{}: {:#x} is no atomic operation", what, call.operation);
    }
    if (call.fetches() && call.result == nullptr) {
        return error(SYNCLINE_ERR_INVALID, "{}: a fetching operation needs a result", what);
    }
    if (const int status = check_range(what, call.rank, call.target, call.width(), call.runtime);
        status != SYNCLINE_OK) {
        return status;
    }
    if (call.target % call.width() != 0) {
        return error(SYNCLINE_ERR_ALIGNMENT, "{}: address {:#x} of PE {} is not aligned to the {} bytes of the atomic",
                     what, call.target, call.rank, call.width());
    }
    return SYNCLINE_OK;
}

int Endpoint::explain(int status, const char* what, int rank, syncline_address_t address) const {
    return error(status, "{}: PE {}, address {:#x}: {}", what, rank, address, sentence_of(status));
}

// A PE may seem to be gone because this node's link loses what goes over it.
std::string Endpoint::sentence_of(int status) const {
    const JobSpec& spec = attachment_->job().spec;
    const bool lost =
        status == SYNCLINE_ERR_PEER && spec.transport == TransportKind::kXdp && veth_swallows_answers(spec.interface);
    return syncline_error_string(status) + (lost ? "; " + swallowed_answers_text(spec.interface) : "");
}

bool Endpoint::is_direct(int rank) const {
    return direct_ && node_of_rank_[static_cast<size_t>(rank)] == my_node_;
}

// Why a PE of this node that direct() did not find memory of cannot be reached by packets either; OK for others.
int Endpoint::refuse_local(const char* what, int rank, syncline_address_t address) const {
    if (!is_direct(rank)) {
        return SYNCLINE_OK;
    }
    const uint32_t port = port_of(rank);
    const fw_segment& entry = attachment_->segments()[port * SLW_SEGMENTS_MAX + (address >> 40)];
    const bool closed = __atomic_load_n(&entry.state, __ATOMIC_ACQUIRE) == FW_SEGMENT_CLOSED;
    return explain(closed ? SYNCLINE_ERR_PEER : SYNCLINE_ERR_ADDRESS, what, rank, address);
}

// Memory of a PE of this node, or NULL: another node, no direct access, out of bounds, closed. Where PEs of this node
// are reached by packets, this process executes those, so it maps the others' registrations all the same.
void* Endpoint::direct(int rank, syncline_address_t address, uint64_t bytes) {
    const uint32_t port = attachment_->ports_here()[static_cast<size_t>(rank)];
    if (port == SLW_PORTS_MAX || address >> 40 >= SLW_SEGMENTS_MAX) {
        return nullptr;
    }
    const auto segment = static_cast<uint32_t>(address >> 40);
    const uint64_t offset = address & offset_mask;
    const uint32_t index = port * SLW_SEGMENTS_MAX + segment;
    const fw_segment& entry = attachment_->segments()[index];
    const uint64_t length = __atomic_load_n(&entry.length, __ATOMIC_ACQUIRE);
    if (bytes > length || offset > length - bytes) {
        return nullptr;
    }
    if (segment != 0 && port != attachment_->port()) {
        Lock lock(lock_);
        const uint32_t generation = __atomic_load_n(&entry.generation, __ATOMIC_ACQUIRE);
        if (mapped_generation_[index] != generation) {
            attachment_->bases()[index] = nullptr;
        }
        if (!attachment_->map_segment(port, segment)) {
            return nullptr;
        }
        mapped_generation_[index] = generation;
    }
    return direct_ ? attachment_->bases()[index] + offset : nullptr;
}

int Endpoint::atomic_direct(const AtomicCall& call, void* word) {
    const int base = call.operation & 7;
    const uint32_t port = port_of(call.rank);
    switch (call.width()) {
        case 4:
            store_result(call, atomic_word(base, static_cast<uint32_t*>(word), static_cast<uint32_t>(call.operand[0]),
                                           static_cast<uint32_t>(call.comparand[0])));
            break;
        case 8:
            store_result(call, atomic_word(base, static_cast<uint64_t*>(word), call.operand[0], call.comparand[0]));
            break;
        default: {
            uint64_t old[2];
            const auto give_up = [](void* attachment) -> int {
                return static_cast<Attachment*>(attachment)->daemon_alive() ? 0 : 1;
            };
            fw_pair_lock* const lock = fw_pair_lock_of(&attachment_->ports()[port], call.target & offset_mask);
            if (fw_pair_execute(lock, rank() + 1, call.target, static_cast<uint64_t*>(word), call.operand,
                                base == SLW_CAS ? call.comparand : nullptr, old, give_up, attachment_.get()) != 0) {
                return explain(SYNCLINE_ERR_NODE, "syncline_atomic", call.rank, call.target);
            }
            if (call.fetches()) {
                std::memcpy(call.result, old, sizeof(old));
            }
        }
    }
    written(port);
    return SYNCLINE_OK;
}

// After a write to a PE of this node: wakes it if it sleeps. The fence pairs with the sleeper's (see waiter.h).
void Endpoint::written(uint32_t port) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&attachment_->ports()[port].waiting, __ATOMIC_RELAXED) != 0) {
        wake(port);
    }
}

void Endpoint::wake(uint32_t port) {
    if (__atomic_exchange_n(&attachment_->ports()[port].waiting, 0, __ATOMIC_SEQ_CST) != 0) {
        signal(port);
    }
}

void Endpoint::signal(uint32_t port) {
    signal_event(attachment_->event(port));
}

void* Endpoint::local(syncline_address_t address) const {
    const uint64_t segment = address >> 40;
    if (segment >= SLW_SEGMENTS_MAX) {
        return nullptr;
    }
    const uint64_t index = uint64_t{attachment_->port()} * SLW_SEGMENTS_MAX + segment;
    uint8_t* const base = attachment_->bases()[index];
    const uint64_t offset = address & offset_mask;
    return base != nullptr && offset < attachment_->segments()[index].length ? base + offset : nullptr;
}

uint32_t Endpoint::register_memory(void* base, uint64_t bytes, Attachment::Contents contents) {
    Lock lock(lock_);
    const auto start = reinterpret_cast<uintptr_t>(base);
    for (uint32_t segment = 0; segment < SLW_SEGMENTS_MAX; segment++) {
        const uint32_t index = attachment_->port() * SLW_SEGMENTS_MAX + segment;
        const auto other = reinterpret_cast<uintptr_t>(attachment_->bases()[index]);
        if (other != 0 && start < other + attachment_->segments()[index].length && other < plus(start, bytes)) {
            fail(SYNCLINE_ERR_INVALID, "syncline_register: {} bytes at {} overlap segment {}, which is registered",
                 bytes, base, segment);
        }
    }
    return attachment_->register_memory(base, bytes, contents);
}

void Endpoint::deregister_memory(uint32_t segment) {
    Lock lock(lock_);
    attachment_->deregister_memory(segment);
}

syncline_address_t Endpoint::address_of(const void* pointer) {
    const auto* const byte = static_cast<const uint8_t*>(pointer);
    for (uint32_t segment = 0; segment < SLW_SEGMENTS_MAX; segment++) {
        const uint32_t index = attachment_->port() * SLW_SEGMENTS_MAX + segment;
        const uint8_t* const base = attachment_->bases()[index];
        if (base != nullptr && byte >= base && byte < base + attachment_->segments()[index].length) {
            return uint64_t{segment} << 40 | static_cast<uint64_t>(byte - base);
        }
    }
    return SYNCLINE_ADDRESS_NONE;
}

}  // namespace syncline
