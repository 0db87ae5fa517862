// SPDX-License-Identifier: BSD-3-Clause
// The native C API (include/syncline.h) over the runtime. No exception passes this boundary.
#include "syncline.h"

#include <cstring>
#include <utility>
#include <vector>

#include "api/native/guard.h"
#include "api/native/typed_names.h"
#include "base/status.h"
#include "runtime/endpoint/word_wait.h"
#include "runtime/ground/error_text.h"
#include "runtime/ground/interruption.h"
#include "runtime/process/options.h"

namespace {

using syncline::Direction;
using syncline::error;
using syncline::guarded;
using syncline::interruptibly;
using syncline::process;
using Later = syncline::Bulk::Later;

uint8_t* to_read(const void* buffer) {
    return static_cast<uint8_t*>(const_cast<void*>(buffer));
}

uint8_t* to_write(void* buffer) {
    return static_cast<uint8_t*>(buffer);
}

// As guarded(), for a call that moves `bytes` to or from `buffer`.
template <typename Body>
int moving(const char* call, const void* buffer, size_t bytes, Body&& body) {
    return interruptibly(call, [&] {
        return buffer == nullptr && bytes != 0
                   ? error(SYNCLINE_ERR_INVALID, "the local buffer of {} bytes is NULL", bytes)
                   : body();
    });
}

// Loads a call's operands as 64-bit words.
void load_operand(const void* from, uint32_t width, uint64_t to[2]) {
    if (from != nullptr) {
        std::memcpy(to, from, width);
    }
}

int make_call(int operation, int rank, syncline_address_t target, const void* operand, const void* comparand,
              void* result, syncline::AtomicCall* call) {
    call->operation = operation;
    call->rank = rank;
    call->target = target;
    call->result = result;
    if (operand == nullptr || (call->compares() && comparand == nullptr)) {
        return error(SYNCLINE_ERR_INVALID, "the operand or comparand is NULL");
    }
    const uint32_t width = call->width() <= 16 ? call->width() : 0;
    load_operand(operand, width, call->operand);
    load_operand(comparand, width, call->comparand);
    return SYNCLINE_OK;
}

int start_atomic(const char* name, int operation, int rank, syncline_address_t target, const void* operand,
                 const void* comparand, void* result) {
    return interruptibly(name, [&] {
        syncline::AtomicCall call = {};
        const int status = make_call(operation, rank, target, operand, comparand, result, &call);
        return status != SYNCLINE_OK ? status : process->endpoint().atomics().execute(call);
    });
}

int start_atomic_nb(const char* name, int operation, int rank, syncline_address_t target, const void* operand,
                    const void* comparand, void* result, uint64_t tag, syncline_request_t* request) {
    return interruptibly(name, [&] {
        syncline::AtomicCall call = {};
        const int status = make_call(operation, rank, target, operand, comparand, result, &call);
        return status != SYNCLINE_OK ? status : process->endpoint().atomics().start(call, tag, request);
    });
}

}  // namespace

extern "C" {

int syncline_init(const syncline_options_t* options) {
    syncline::begin_call("syncline_init");
    syncline_options_t chosen;
    if (const std::string why = syncline::take_options(options, "syncline_options_t", &chosen); !why.empty()) {
        return error(SYNCLINE_ERR_INVALID, "{}", why);
    }
    if (chosen.member_count < 0 || (chosen.members == nullptr) != (chosen.member_count == 0)) {
        return error(SYNCLINE_ERR_INVALID, "members is {} with a member_count of {}",
                     chosen.members == nullptr ? "NULL" : "set", chosen.member_count);
    }
    std::vector<uint32_t> members(chosen.members, chosen.members + chosen.member_count);
    return syncline::join_job(
        {.wait_mode = chosen.wait_mode, .peer_timeout_ms = chosen.peer_timeout_ms, .members = std::move(members)});
}

int syncline_finalize(void) {
    return guarded("syncline_finalize", syncline::leave_job);
}

void syncline_abort(int code) {
    syncline::abort_job(code >= 1 && code <= 255 ? code : 1);
}

int syncline_rank(void) {
    return guarded("syncline_rank", [] { return static_cast<int>(process->rank()); });
}

int syncline_size(void) {
    return guarded("syncline_size", [] { return static_cast<int>(process->size()); });
}

int syncline_nodes(void) {
    return guarded("syncline_nodes", [] { return static_cast<int>(process->endpoint().config().nodes); });
}

int syncline_node_of(int rank) {
    return guarded("syncline_node_of", [&] {
        if (rank < 0 || rank >= static_cast<int>(process->size())) {
            return error(SYNCLINE_ERR_RANK, "there is no PE {} in a job of {}", rank, process->size());
        }
        return static_cast<int>(process->endpoint().node_of(static_cast<uint32_t>(rank)));
    });
}

const char* syncline_transport(void) {
    return process != nullptr ? process->transport_name() : "";
}

const char* syncline_error_string(int status) {
    return syncline::status_text(status);
}

const char* syncline_last_error(void) {
    return syncline::last_error_text().c_str();
}

int syncline_alloc(size_t bytes, size_t alignment, syncline_address_t* address) {
    return guarded("syncline_alloc", [&] { return process->allocate(bytes, alignment, address); });
}

int syncline_free(syncline_address_t address) {
    return guarded("syncline_free", [&] { return process->free(address); });
}

int syncline_register(void* base, size_t bytes, syncline_address_t* address) {
    return guarded("syncline_register", [&] {
        if (address == nullptr) {
            return error(SYNCLINE_ERR_INVALID, "the pointer to the address is NULL");
        }
        const uint32_t segment = process->endpoint().memory().register_memory(base, bytes);
        *address = uint64_t{segment} << 40;
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_deregister(syncline_address_t address) {
    return guarded("syncline_deregister", [&] {
        if ((address & ((1ull << 40) - 1)) != 0) {
            return error(SYNCLINE_ERR_ADDRESS, "{:#x} is not the start of a registration", address);
        }
        process->endpoint().memory().deregister_memory(static_cast<uint32_t>(address >> 40));
        return static_cast<int>(SYNCLINE_OK);
    });
}

void* syncline_local(syncline_address_t address) {
    return process != nullptr ? process->endpoint().memory().in_program(address) : nullptr;
}

void* syncline_pointer(int rank, syncline_address_t address) {
    if (process == nullptr || rank < 0 || rank >= static_cast<int>(process->size())) {
        return nullptr;
    }
    return process->endpoint().memory().pointer(rank, address, 1);
}

syncline_address_t syncline_address(const void* pointer) {
    return process != nullptr ? process->endpoint().memory().address_of(pointer) : SYNCLINE_ADDRESS_NONE;
}

int syncline_put(int rank, syncline_address_t target, const void* source, size_t bytes) {
    return moving("syncline_put", source, bytes,
                  [&] { return process->endpoint().bulk().put(rank, target, source, bytes); });
}

int syncline_get(int rank, syncline_address_t source, void* target, size_t bytes) {
    return moving("syncline_get", target, bytes,
                  [&] { return process->endpoint().bulk().get(rank, source, target, bytes); });
}

int syncline_put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                    syncline_request_t* request) {
    return moving("syncline_put_nb", source, bytes,
                  [&] { return process->endpoint().bulk().put_nb(rank, target, source, bytes, tag, request); });
}

int syncline_get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                    syncline_request_t* request) {
    return moving("syncline_get_nb", target, bytes,
                  [&] { return process->endpoint().bulk().get_nb(rank, source, target, bytes, tag, request); });
}

int syncline_put_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                        const void* source) {
    return interruptibly("syncline_put_pieces", [&] {
        return process->endpoint().bulk().move_pieces(Direction::kPut, {rank, base, pieces, count, to_read(source)});
    });
}

int syncline_get_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count, void* target) {
    return interruptibly("syncline_get_pieces", [&] {
        return process->endpoint().bulk().move_pieces(Direction::kGet, {rank, base, pieces, count, to_write(target)});
    });
}

int syncline_put_pieces_nb(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                           const void* source, uint64_t tag, syncline_request_t* request) {
    return interruptibly("syncline_put_pieces_nb", [&] {
        const Later later = {tag, request};
        return process->endpoint().bulk().move_pieces(Direction::kPut, {rank, base, pieces, count, to_read(source)},
                                                      &later);
    });
}

int syncline_get_pieces_nb(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                           void* target, uint64_t tag, syncline_request_t* request) {
    return interruptibly("syncline_get_pieces_nb", [&] {
        const Later later = {tag, request};
        return process->endpoint().bulk().move_pieces(Direction::kGet, {rank, base, pieces, count, to_write(target)},
                                                      &later);
    });
}

int syncline_accumulate(int rank, syncline_address_t target, int element, const void* values, size_t count) {
    return interruptibly("syncline_accumulate",
                         [&] { return process->endpoint().bulk().accumulate(rank, target, element, values, count); });
}

int syncline_accumulate_pieces(int rank, syncline_address_t base, int element, const syncline_piece_t* pieces,
                               size_t count, const void* values) {
    return interruptibly("syncline_accumulate_pieces", [&] {
        return process->endpoint().bulk().accumulate_pieces(element, {rank, base, pieces, count, to_read(values)});
    });
}

int syncline_accumulate_nb(int rank, syncline_address_t target, int element, const void* values, size_t count,
                           uint64_t tag, syncline_request_t* request) {
    return interruptibly("syncline_accumulate_nb", [&] {
        const Later later = {tag, request};
        return process->endpoint().bulk().accumulate(rank, target, element, values, count, &later);
    });
}

int syncline_accumulate_pieces_nb(int rank, syncline_address_t base, int element, const syncline_piece_t* pieces,
                                  size_t count, const void* values, uint64_t tag, syncline_request_t* request) {
    return interruptibly("syncline_accumulate_pieces_nb", [&] {
        const Later later = {tag, request};
        return process->endpoint().bulk().accumulate_pieces(element, {rank, base, pieces, count, to_read(values)},
                                                            &later);
    });
}

int syncline_test(syncline_request_t request, int* done) {
    return guarded("syncline_test", [&] {
        return done != nullptr ? process->endpoint().requests().test(request, done)
                               : error(SYNCLINE_ERR_INVALID, "`done` is NULL");
    });
}

int syncline_wait(syncline_request_t request) {
    return interruptibly("syncline_wait", [&] { return process->endpoint().requests().wait(request); });
}

int syncline_poll(syncline_callback_t callback, void* context, int max) {
    return guarded("syncline_poll", [&] { return process->endpoint().requests().poll(callback, context, max); });
}

int syncline_fence(int rank) {
    return interruptibly("syncline_fence", [&] { return process->endpoint().posting().fence(rank); });
}

int syncline_quiet(void) {
    return interruptibly("syncline_quiet", [] { return process->endpoint().posting().quiet(); });
}

int syncline_barrier(void) {
    return guarded("syncline_barrier", [] { return process->barrier(); });
}

int syncline_wait_until64(const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us) {
    return guarded("syncline_wait_until64",
                   [&] { return syncline::wait_until64(&process->endpoint(), word, comparison, value, timeout_us); });
}

int syncline_set_interrupt(syncline_interrupt_t ask, void* context) {
    syncline::set_interrupt(ask, context);
    return SYNCLINE_OK;
}

int syncline_atomic(int operation, int rank, syncline_address_t target, const void* operand, const void* comparand,
                    void* result) {
    return start_atomic("syncline_atomic", operation, rank, target, operand, comparand, result);
}

int syncline_atomic_nb(int operation, int rank, syncline_address_t target, const void* operand, const void* comparand,
                       void* result, uint64_t tag, syncline_request_t* request) {
    return start_atomic_nb("syncline_atomic_nb", operation, rank, target, operand, comparand, result, tag, request);
}

int syncline_atomic_post(int operation, int rank, syncline_address_t target, const void* operand,
                         const void* comparand) {
    return interruptibly("syncline_atomic_post", [&] {
        syncline::AtomicCall call = {};
        const int status = make_call(operation, rank, target, operand, comparand, nullptr, &call);
        return status != SYNCLINE_OK ? status : process->endpoint().posting().post(call);
    });
}

int syncline_fetch_(int operation, int rank, syncline_address_t target, const void* operand, const void* comparand,
                    void* result) {
    return start_atomic(syncline::name_of(syncline::fetch_names, operation), operation, rank, target, operand,
                        comparand, result);
}

int syncline_fetch_nb_(int operation, int rank, syncline_address_t target, const void* operand, const void* comparand,
                       void* result, uint64_t tag, syncline_request_t* request) {
    return start_atomic_nb(syncline::name_of(syncline::fetch_nb_names, operation), operation, rank, target, operand,
                           comparand, result, tag, request);
}

int syncline_post_(int operation, int rank, syncline_address_t target, uint64_t value) {
    return interruptibly(syncline::name_of(syncline::post_names, operation),
                         [&] { return process->endpoint().posting().post_word(operation, rank, target, value); });
}

void syncline_wake_(uint32_t rank) {
    if (process != nullptr) {
        process->endpoint().memory().wake(process->endpoint().port_of(static_cast<int>(rank)));
    }
}

}  // extern "C"
