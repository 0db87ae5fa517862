// SPDX-License-Identifier: BSD-3-Clause
// The native C API (include/syncline.h) over the core. Nothing is thrown across this boundary.
#include "syncline.h"

#include <pthread.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "api/native/guard.h"
#include "runtime/process/error_text.h"

static_assert(SYNCLINE_ADD == +SLW_ADD && SYNCLINE_CAS == +SLW_CAS && SYNCLINE_FETCH == +SLW_FETCH &&
              SYNCLINE_32 == +SLW_WIDTH_32 && SYNCLINE_64 == +SLW_WIDTH_64 && SYNCLINE_128 == +SLW_WIDTH_128);

struct syncline_view_ syncline_view_ = {};
static_assert(sizeof(syncline_view_.port) == (SLW_PORTS_MAX + 1) * sizeof(syncline_port_));

namespace {

using syncline::error;
using syncline::failed;
using syncline::finalized;
using syncline::guarded;
using syncline::not_initialized;
using syncline::parents;
using syncline::process;
using syncline::Process;

// The same for a call that moves `bytes` to or from `buffer`.
template <typename Body>
int moving(const char* what, const void* buffer, size_t bytes, Body&& body) {
    if (process != nullptr && buffer == nullptr && bytes != 0) {
        return error(SYNCLINE_ERR_INVALID, "{}: the own buffer of {} bytes is NULL", what, bytes);
    }
    return guarded(what, body);
}

int wait_mode_from_environment(int given, int* mode) {
    const char* const text = std::getenv("SYNCLINE_WAIT");
    *mode = given;
    if (given != SYNCLINE_WAIT_POLL && given != SYNCLINE_WAIT_BLOCK) {
        return error(SYNCLINE_ERR_INVALID, "syncline_init: {} is no wait mode", given);
    }
    if (text == nullptr) {
        return SYNCLINE_OK;
    }
    if (std::strcmp(text, "poll") != 0 && std::strcmp(text, "block") != 0) {
        return error(SYNCLINE_ERR_INVALID, "syncline_init: SYNCLINE_WAIT is '{}'; it may be poll or block", text);
    }
    *mode = text[0] == 'b' ? SYNCLINE_WAIT_BLOCK : SYNCLINE_WAIT_POLL;
    return SYNCLINE_OK;
}

void publish_view() {
    syncline::Endpoint& endpoint = process->endpoint();
    const fw_config& config = endpoint.config();
    for (uint32_t port = 0; port < config.ports; port++) {
        const uint32_t heap = port * SLW_SEGMENTS_MAX;
        syncline_view_.port[port] = {endpoint.attachment().bases()[heap],
                                     &endpoint.attachment().segments()[heap].length,
                                     &endpoint.attachment().ports()[port].waiting};
    }
    static constexpr uint64_t no_length = 0;
    syncline_view_.port[SLW_PORTS_MAX] = {nullptr, &no_length, nullptr};
    syncline_view_.port_of = endpoint.attachment().ports_here().data();
    syncline_view_.ranks = endpoint.uses_direct() ? config.ranks : 0;
}

// In the child of a fork(). It shares the parent's memory with other PEs but is no PE: it must neither keep the
// parent's connection to the daemon open, by whose end the parent's death is known, nor leave the job in the parent's
// name.
void disown_job() {
    if (process != nullptr) {
        process->endpoint().attachment().disown();
        syncline_view_.ranks = 0;
        parents = std::exchange(process, nullptr);  // not deleted: its threads are the parent's
    }
}

void watch_forks() {
    static const int registered = ::pthread_atfork(nullptr, nullptr, disown_job);
    (void)registered;
}

// A call's operands as 64-bit words.
void load_operand(const void* from, uint32_t width, uint64_t to[2]) {
    if (from != nullptr) {
        std::memcpy(to, from, width);
    }
}

int make_call(const char* what, int operation, int rank, syncline_address_t target, const void* operand,
              const void* comparand, void* result, syncline::AtomicCall* call) {
    call->operation = operation;
    call->rank = rank;
    call->target = target;
    call->result = result;
    if (operand == nullptr || ((operation & 7) == SYNCLINE_CAS && comparand == nullptr)) {
        return error(SYNCLINE_ERR_INVALID, "{}: the operand or comparand is NULL", what);
    }
    const uint32_t width = call->width() <= 16 ? call->width() : 0;
    load_operand(operand, width, call->operand);
    load_operand(comparand, width, call->comparand);
    return SYNCLINE_OK;
}

}  // namespace

extern "C" {

int syncline_init(const syncline_options_t* options) {
    syncline_options_t chosen = {};
    if (parents != nullptr) {
        return not_initialized("syncline_init");
    }
    if (process != nullptr || finalized) {
        return error(SYNCLINE_ERR_INVALID, "syncline_init: called a second time");
    }
    if (options != nullptr) {
        if (options->struct_size < sizeof(size_t) || options->struct_size > 4096) {
            return error(SYNCLINE_ERR_INVALID, "syncline_init: set struct_size to sizeof(syncline_options_t), not {}",
                         options->struct_size);
        }
        std::memcpy(&chosen, options, std::min(options->struct_size, sizeof(chosen)));
    }
    if (const int status = wait_mode_from_environment(chosen.wait_mode, &chosen.wait_mode); status != SYNCLINE_OK) {
        return status;
    }
    try {
        process = new Process(chosen);
    } catch (const syncline::Failure& failure) {
        return failed("syncline_init", failure);
    } catch (const std::exception& exception) {
        return error(SYNCLINE_ERR_NO_MEMORY, "syncline_init: {}", exception.what());
    }
    publish_view();
    watch_forks();
    return SYNCLINE_OK;
}

int syncline_finalize(void) {
    return guarded("syncline_finalize", [] {
        if (process->user_ != nullptr) {
            return error(SYNCLINE_ERR_BUSY, "syncline_finalize: {} still uses the job; finalize that first",
                         process->user_);
        }
        int status = process->endpoint().quiet();
        if (const int met = process->barrier(); status == SYNCLINE_OK) {
            status = met;
        }
        if (const int late = process->endpoint().quiet(); status == SYNCLINE_OK) {
            status = late;
        }
        syncline_view_.ranks = 0;
        process->sync_.clear();
        process->endpoint().attachment().detach();
        delete process;
        process = nullptr;
        finalized = true;
        return status;
    });
}

void syncline_abort(int code) {
    const int status = code >= 1 && code <= 255 ? code : 1;
    if (process != nullptr) {
        process->endpoint().attachment().abort_job(status);
    }
    std::_Exit(status);
}

int syncline_rank(void) {
    return process != nullptr ? static_cast<int>(process->endpoint().rank()) : not_initialized("syncline_rank");
}

int syncline_size(void) {
    return process != nullptr ? static_cast<int>(process->endpoint().size()) : not_initialized("syncline_size");
}

int syncline_nodes(void) {
    return process != nullptr ? static_cast<int>(process->endpoint().config().nodes)
                              : not_initialized("syncline_nodes");
}

int syncline_node_of(int rank) {
    return guarded("syncline_node_of", [&] {
        if (rank < 0 || rank >= syncline_size()) {
            return error(SYNCLINE_ERR_RANK, "syncline_node_of: there is no PE {} in a job of {}", rank,
                         syncline_size());
        }
        return static_cast<int>(process->endpoint().node_of(static_cast<uint32_t>(rank)));
    });
}

const char* syncline_transport(void) {
    return process != nullptr ? syncline::transport_name(process->endpoint().attachment().job().spec.transport) : "";
}

const char* syncline_error_string(int status) {
    switch (status) {
        case SYNCLINE_OK:
            return "success";
        case SYNCLINE_ERR_INVALID:
            return "invalid argument";
        case SYNCLINE_ERR_RANK:
            return "no such PE";
        case SYNCLINE_ERR_ADDRESS:
            return "address outside any open segment";
        case SYNCLINE_ERR_ALIGNMENT:
            return "misaligned atomic";
        case SYNCLINE_ERR_NO_MEMORY:
            return "out of memory";
        case SYNCLINE_ERR_PERMISSION:
            return "a privilege is missing";
        case SYNCLINE_ERR_UNSUPPORTED:
            return "not supported here";
        case SYNCLINE_ERR_BUSY:
            return "a resource is busy; try again";
        case SYNCLINE_ERR_PEER:
            return "the target PE or its node is gone";
        case SYNCLINE_ERR_NODE:
            return "the daemon of this node is gone";
        case SYNCLINE_ERR_SYSTEM:
            return "a system call failed";
        case SYNCLINE_ERR_NOT_FOUND:
            return "not found";
        case SYNCLINE_ERR_NOT_INITIALIZED:
            return "not initialized";
        case SYNCLINE_ERR_PROTOCOL:
            return "protocol error";
        case SYNCLINE_ERR_TIMEOUT:
            return "the time is up";
        case SYNCLINE_ERR_BROKEN:
            return "broken: a PE that had it or waited for it is gone, or its home is";
        default:
            return "unknown status";
    }
}

const char* syncline_last_error(void) {
    return syncline::last_error_text().c_str();
}

int syncline_alloc(size_t bytes, size_t alignment, syncline_address_t* address) {
    return guarded("syncline_alloc", [&] {
        if (bytes == 0 || address == nullptr || (alignment & (alignment - 1)) != 0 || alignment > (1u << 30)) {
            return error(SYNCLINE_ERR_INVALID,
                         "syncline_alloc: {} bytes aligned to {}: needs at least 1 byte, a power of two up to 1 GiB "
                         "and a place for the address",
                         bytes, alignment);
        }
        uint64_t offset;
        {
            const std::lock_guard<std::mutex> guard(process->collective_);
            offset = process->heap_->allocate(bytes, alignment != 0 ? alignment : 64);
            if (offset == syncline::Heap::none) {
                return error(SYNCLINE_ERR_NO_MEMORY,
                             "syncline_alloc: {} bytes do not fit into the symmetric heap, whose largest free range "
                             "is {}; start with a larger `syncline run --heap` or SYNCLINE_HEAP_SIZE",
                             bytes, process->heap_->largest_free());
            }
        }
        const int status = process->barrier();
        if (status == SYNCLINE_OK) {
            *address = offset;
        }
        return status;
    });
}

int syncline_free(syncline_address_t address) {
    return guarded("syncline_free", [&] {
        if (const int status = process->barrier(); status != SYNCLINE_OK) {
            return status;
        }
        const std::lock_guard<std::mutex> guard(process->collective_);
        if (!process->heap_->free(address)) {
            return error(SYNCLINE_ERR_ADDRESS, "syncline_free: nothing was allocated at address {:#x}", address);
        }
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_register(void* base, size_t bytes, syncline_address_t* address) {
    return guarded("syncline_register", [&] {
        if (address == nullptr) {
            return error(SYNCLINE_ERR_INVALID, "syncline_register: needs a place for the address");
        }
        const uint32_t segment = process->endpoint().register_memory(base, bytes);
        *address = uint64_t{segment} << 40;
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_deregister(syncline_address_t address) {
    return guarded("syncline_deregister", [&] {
        if ((address & ((1ull << 40) - 1)) != 0) {
            return error(SYNCLINE_ERR_ADDRESS, "syncline_deregister: {:#x} is not the start of a registration",
                         address);
        }
        process->endpoint().deregister_memory(static_cast<uint32_t>(address >> 40));
        return static_cast<int>(SYNCLINE_OK);
    });
}

void* syncline_local(syncline_address_t address) {
    return process != nullptr ? process->endpoint().local(address) : nullptr;
}

void* syncline_pointer(int rank, syncline_address_t address) {
    if (process == nullptr || rank < 0 || rank >= syncline_size()) {
        return nullptr;
    }
    return process->endpoint().direct(rank, address, 1);
}

syncline_address_t syncline_address(const void* pointer) {
    return process != nullptr ? process->endpoint().address_of(pointer) : SYNCLINE_ADDRESS_NONE;
}

int syncline_put(int rank, syncline_address_t target, const void* source, size_t bytes) {
    return moving("syncline_put", source, bytes, [&] { return process->endpoint().put(rank, target, source, bytes); });
}

int syncline_get(int rank, syncline_address_t source, void* target, size_t bytes) {
    return moving("syncline_get", target, bytes, [&] { return process->endpoint().get(rank, source, target, bytes); });
}

int syncline_put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                    syncline_request_t* request) {
    return moving("syncline_put_nb", source, bytes,
                  [&] { return process->endpoint().put_nb(rank, target, source, bytes, tag, request); });
}

int syncline_get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                    syncline_request_t* request) {
    return moving("syncline_get_nb", target, bytes,
                  [&] { return process->endpoint().get_nb(rank, source, target, bytes, tag, request); });
}

int syncline_test(syncline_request_t request, int* done) {
    return guarded("syncline_test", [&] {
        return done != nullptr ? process->endpoint().test(request, done)
                               : error(SYNCLINE_ERR_INVALID, "syncline_test: needs a place for the answer");
    });
}

int syncline_wait(syncline_request_t request) {
    return guarded("syncline_wait", [&] { return process->endpoint().wait(request); });
}

int syncline_poll(syncline_callback_t callback, void* context, int max) {
    return guarded("syncline_poll", [&] { return process->endpoint().poll(callback, context, max); });
}

int syncline_fence(int rank) {
    return guarded("syncline_fence", [&] { return process->endpoint().fence(rank); });
}

int syncline_quiet(void) {
    return guarded("syncline_quiet", [] { return process->endpoint().quiet(); });
}

int syncline_barrier(void) {
    return guarded("syncline_barrier", [] { return process->barrier(); });
}

int syncline_wait_until64(const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us) {
    return guarded("syncline_wait_until64",
                   [&] { return process->endpoint().wait_until64(word, comparison, value, timeout_us); });
}

int syncline_atomic(int operation, int rank, syncline_address_t target, const void* operand, const void* comparand,
                    void* result) {
    return guarded("syncline_atomic", [&] {
        syncline::AtomicCall call = {};
        const int status = make_call("syncline_atomic", operation, rank, target, operand, comparand, result, &call);
        return status != SYNCLINE_OK ? status : process->endpoint().atomic(call);
    });
}

int syncline_atomic_nb(int operation, int rank, syncline_address_t target, const void* operand, const void* comparand,
                       void* result, uint64_t tag, syncline_request_t* request) {
    return guarded("syncline_atomic_nb", [&] {
        syncline::AtomicCall call = {};
        const int status = make_call("syncline_atomic_nb", operation, rank, target, operand, comparand, result, &call);
        return status != SYNCLINE_OK ? status : process->endpoint().atomic_nb(call, tag, request);
    });
}

int syncline_atomic_post(int operation, int rank, syncline_address_t target, const void* operand,
                         const void* comparand) {
    return guarded("syncline_atomic_post", [&] {
        syncline::AtomicCall call = {};
        const int status =
            make_call("syncline_atomic_post", operation, rank, target, operand, comparand, nullptr, &call);
        return status != SYNCLINE_OK ? status : process->endpoint().atomic_post(call);
    });
}

int syncline_post_(int operation, int rank, syncline_address_t target, uint64_t value) {
    return guarded("syncline_atomic_post",
                   [&] { return process->endpoint().post_word(operation, rank, target, value); });
}

void syncline_wake_(uint32_t port) {
    if (process != nullptr) {
        process->endpoint().wake(port);
    }
}

}  // extern "C"
