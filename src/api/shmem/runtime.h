// SPDX-License-Identifier: BSD-3-Clause
// What every call of OpenSHMEM stands on: the state that shmem_init() makes, contexts, and from a symmetric address and
// a PE to where an operation goes.
//
// Errors: a call that makes no sense says so in one sentence and ends the job, as users of the interface expect.
#pragma once

#include <fmt/format.h>

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/shmem/courier.h"
#include "api/shmem/flusher.h"
#include "api/shmem/symmetric.h"
#include "base/os.h"
#include "base/sizes.h"
#include "pshmem.h"
#include "runtime/operations/endpoint.h"
#include "runtime/process/liveness.h"

namespace syncline::shmem {

class Team;
class SymmetricHeap;

// Operations that are ordered and completed together; PEs are those of a team: start, start + stride, ... or a list.
struct Context {
    uint32_t batch = 0;
    int start = 0;
    int stride = 1;
    int size = 0;
    const int* list = nullptr;  // of a team that is not strided, whose Group holds it
    Team* team = nullptr;
    long options = 0;
};

// A run of the program's pages that is a segment.
struct DataSegment {
    Span span;
    uint32_t segment;
    uint64_t mapping;  // see mapping_at()
};

// Made by the first shmem_init(). After a last shmem_finalize() it rests (lifetime.h) without teams and flusher, and
// with nothing symmetric.
struct Runtime {
    explicit Runtime(Endpoint* of);
    ~Runtime();

    Endpoint& endpoint;
    const int me;
    const int size;
    const pid_t process;           // the PE's; a child of it that no handler told inherits this state
    bool somebody_sleeps = false;  // a PE of the job waits in block mode, and must be woken by who writes its memory
    bool crowded = false;          // PEs outnumber the CPUs at one of the nodes, or more: all PEs say the same
    bool debug = false;            // SHMEM_DEBUG
    int thread_level = SHMEM_THREAD_SINGLE;
    int starts = 0;  // calls of shmem_init() without their shmem_finalize()
    Symmetric memory;
    Context context;  // SHMEM_CTX_DEFAULT
    std::unique_ptr<Flusher> flusher;
    std::unique_ptr<Courier> courier;
    std::unique_ptr<SymmetricHeap> heap;
    std::vector<DataSegment> data;
    std::unique_ptr<Team> world;
    std::unique_ptr<Team> shared;
    std::mutex active_sets;  // one collective over an active set at a time
};

inline Runtime* runtime = nullptr;
// In a child that the PE made by fork(): the PE's.
inline Runtime* parents_runtime = nullptr;

// Says the sentence, with the call and this PE in front, and ends the job.
[[noreturn]] void die(const char* what, const std::string& sentence);
[[noreturn]] void die_uninitialized(const char* what);
[[noreturn]] void die_of_pe(const char* what, int pe, int size);
[[noreturn]] void die_of_address(const char* what, const void* address, size_t bytes, int pe);
[[noreturn]] void die_of_alignment(const char* what, const void* address, size_t bytes, int pe);
[[noreturn]] void die_of_status(const char* what, int status);
[[noreturn]] void die_of_context(const char* what);
[[noreturn]] void die_of_gone(const char* what, uint32_t pe);
[[noreturn]] void die_of_count(const char* what, uint64_t count, uint64_t element);
[[noreturn]] void die_of_null(const char* what, const char* argument);

inline Runtime& initialized(const char* what) {
    if (__builtin_expect(runtime == nullptr, 0)) {
        die_uninitialized(what);
    }
    return *runtime;
}

// The beginning of every call in which a PE waits, tests, completes or meets others. What it has posted on any context
// leaves: the PE that it waits for may be waiting for just that.
inline Runtime& about_to_wait(const char* what) {
    Runtime& state = initialized(what);
    state.endpoint.send_gathered();
    return state;
}

// Of a status of the core, whose sentence is in last_error_text().
inline void check(const char* what, int status) {
    if (__builtin_expect(status != SYNCLINE_OK, 0)) {
        die_of_status(what, status);
    }
}

inline Context& context_of(const char* what, shmem_ctx_t handle) {
    Runtime& state = initialized(what);
    if (__builtin_expect(handle == SHMEM_CTX_DEFAULT, 1)) {
        return state.context;
    }
    if (__builtin_expect(handle == SHMEM_CTX_INVALID, 0)) {
        die_of_context(what);
    }
    return *reinterpret_cast<Context*>(handle);
}

// The length of `count` elements. Every size that a call computes comes from here, so that none wraps.
[[gnu::always_inline]] inline size_t bytes_of(const char* what, size_t count, size_t element) {
    if (__builtin_expect(!is_object(count, element), 0)) {
        die_of_count(what, count, element);
    }
    return count * element;
}

// Memory that a call reads or writes here.
[[gnu::always_inline]] inline void must_be_given(const char* what, const void* pointer, const char* argument) {
    if (__builtin_expect(pointer == nullptr, 0)) {
        die_of_null(what, argument);
    }
}

// The PE of a context in the numbers of the job.
[[gnu::always_inline]] inline int world_pe(const char* what, const Context& context, int pe) {
    if (__builtin_expect(static_cast<unsigned>(pe) >= static_cast<unsigned>(context.size), 0)) {
        die_of_pe(what, pe, context.size);
    }
    return __builtin_expect(context.list == nullptr, 1) ? context.start + pe * context.stride : context.list[pe];
}

struct Target {
    uint8_t* direct;  // or NULL: by packets
    syncline_address_t address;
    int pe;  // of the job
};

// Where `bytes` of a symmetric object are at a PE of the context.
[[gnu::always_inline]] inline Target resolve(const char* what, const Context& context, const void* object, size_t bytes,
                                             int pe) {
    const int target = world_pe(what, context, pe);
    const Region* const region = runtime->memory.find(object, bytes);
    if (__builtin_expect(region == nullptr, 0)) {
        die_of_address(what, object, bytes, target);
    }
    const uint64_t offset = reinterpret_cast<uintptr_t>(object) - region->start;
    const Region::Peer& peer = region->peers[static_cast<size_t>(target)];
    if (peer.base == nullptr) {
        return {nullptr, region->address + offset, target};
    }
    if (__builtin_expect(__atomic_load_n(peer.heap, __ATOMIC_RELAXED) == 0, 0)) {
        die_of_gone(what, static_cast<uint32_t>(target));
    }
    return {peer.base + offset, region->address + offset, target};
}

// After a write to mapped memory of a PE.
[[gnu::always_inline]] inline void written(int pe) {
    if (__builtin_expect(runtime->somebody_sleeps, 0)) {
        runtime->endpoint.written(runtime->endpoint.port_of(pe));
    }
}

// An atomic without a result, to another node; it travels with others.
inline void post(const char* what, const Context& context, const AtomicCall& call) {
    check(what, runtime->endpoint.post_in(context.batch, call));
    runtime->flusher->note();
}

std::optional<uint32_t> find_gone(int first);

// Waits until done(), which other PEs bring about: it is called under the endpoint's lock. Up to `looks` are made
// before that, without sending what has been posted: none where PEs of other nodes wait for that. A PE or a daemon that
// is found gone meanwhile ends the job with a sentence; `from`, if it is a PE, is asked first.
template <typename Done>
void wait_for(const char* what, int looks, int from, Done&& done) {
    const int tries = runtime->endpoint.is_crowded() ? std::min(looks, 1) : looks;
    for (int look = 0; look < tries; look++) {
        if (done()) {
            return;
        }
        cpu_relax();
    }
    for (;;) {
        const int waited = runtime->endpoint.wait_for(done, now_ns() + Liveness::patience_ns);
        if (waited == SYNCLINE_OK) {
            return;
        }
        if (waited != SYNCLINE_ERR_TIMEOUT) {
            die(what, syncline_error_string(waited));
        }
        if (const std::optional<uint32_t> gone = find_gone(from); gone && !done()) {
            die_of_gone(what, *gone);
        }
    }
}

// After a test in vain. A program that tests in a loop makes progress, lets other PEs have its CPU, and learns that a
// PE is gone as one that waits does.
void looked_in_vain(const char* what);

// Completes the operations of a context, and sends those of the others.
void quiet(const char* what, const Context& context);

}  // namespace syncline::shmem
