// SPDX-License-Identifier: BSD-3-Clause
// The ground of every call of OpenSHMEM: the state that shmem_init() makes, contexts, and from a symmetric address and
// a PE to where an operation goes.
//
// Errors: a call that makes no sense says so in one sentence and ends the job, as users of the interface expect. Every
// call begins with begin_call(), whose name stands in front of the sentence.
#pragma once

#include <fmt/format.h>

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/sizes.h"
#include "pshmem.h"
#include "runtime/collective/world.h"
#include "runtime/process/call.h"
#include "runtime/process/wait_for_pes.h"

namespace syncline::shmem {

using syncline::begin_call;
using syncline::Context;
using syncline::Group;
using syncline::Team;

class UserTeam;

// A context as a program sees it.
struct UserContext : Context {
    UserTeam* team = nullptr;  // NULL: of all PEs
    long options = 0;
};

// Made by the first shmem_init(). After a last shmem_finalize() it rests (lifetime.h) without teams, and with nothing
// symmetric.
struct Library {
    Library();
    ~Library();

    Endpoint& endpoint;
    const int me;
    const int size;
    const pid_t pid;     // the PE's; a child of it that no handler told inherits this state
    bool debug = false;  // SHMEM_DEBUG
    int thread_level = SHMEM_THREAD_SINGLE;
    int starts = 0;  // calls of shmem_init() without their shmem_finalize()
    World world;
    UserContext context;  // SHMEM_CTX_DEFAULT
    std::unique_ptr<UserTeam> all;
    std::unique_ptr<UserTeam> shared;
    std::mutex kept_guard;
    std::vector<std::unique_ptr<UserTeam>> kept;  // that splits have made
};

inline Library* library = nullptr;
// In a child that the PE made by fork(): the PE's; never deleted, because its threads are the PE's.
inline Library* parents_library = nullptr;

// Says the sentence, with the call and this PE in front, and ends the job.
[[noreturn]] void die(const std::string& sentence);
[[noreturn]] void die_uninitialized();
[[noreturn]] void die_of_pe(int pe, int size);
[[noreturn]] void die_of_address(const void* address, size_t bytes, int pe);
[[noreturn]] void die_of_alignment(const void* address, size_t bytes, int pe);
// For a status of the runtime, whose sentence is in last_sentence().
[[noreturn]] void die_of_status(int status);
[[noreturn]] void die_of_context();
[[noreturn]] void die_of_gone(uint32_t pe);
[[noreturn]] void die_of_count(uint64_t count, uint64_t element);
[[noreturn]] void die_of_null(const char* argument);

inline void check(int status) {
    if (__builtin_expect(status != SYNCLINE_OK, 0)) {
        die_of_status(status);
    }
}

inline Library& initialized() {
    if (__builtin_expect(library == nullptr, 0)) {
        die_uninitialized();
    }
    return *library;
}

// The beginning of every call in which a PE waits, tests, completes or synchronises. The PE's posted operations leave,
// those of every context: the PE that it waits for may be waiting for just them.
inline Library& about_to_wait() {
    Library& state = initialized();
    state.endpoint.posting().send_gathered();
    return state;
}

inline UserContext& context_of(shmem_ctx_t handle) {
    Library& state = initialized();
    if (__builtin_expect(handle == SHMEM_CTX_DEFAULT, 1)) {
        return state.context;
    }
    if (__builtin_expect(handle == SHMEM_CTX_INVALID, 0)) {
        die_of_context();
    }
    return *reinterpret_cast<UserContext*>(handle);
}

// The length of `count` elements. Every size that a call computes comes from here, so that none wraps.
[[gnu::always_inline]] inline size_t bytes_of(size_t count, size_t element) {
    if (__builtin_expect(!is_object(count, element), 0)) {
        die_of_count(count, element);
    }
    return count * element;
}

// Memory that a call reads or writes here.
[[gnu::always_inline]] inline void must_be_given(const void* pointer, const char* argument) {
    if (__builtin_expect(pointer == nullptr, 0)) {
        die_of_null(argument);
    }
}

// The PE of a context in the numbers of the job.
[[gnu::always_inline]] inline int world_pe(const Context& context, int pe) {
    if (__builtin_expect(static_cast<unsigned>(pe) >= static_cast<unsigned>(context.size), 0)) {
        die_of_pe(pe, context.size);
    }
    return context.pe(pe);
}

struct Target {
    uint8_t* direct;  // or NULL: by packets
    syncline_address_t address;
    int pe;  // of the job
};

// Where `bytes` of a symmetric object are at a PE of the context.
[[gnu::always_inline]] inline Target resolve(const Context& context, const void* object, size_t bytes, int pe) {
    const int target = world_pe(context, pe);
    const Region* const region = library->world.memory().find(object, bytes);
    if (__builtin_expect(region == nullptr, 0)) {
        die_of_address(object, bytes, target);
    }
    const uint64_t offset = reinterpret_cast<uintptr_t>(object) - region->start;
    const Region::Peer& peer = region->peers[static_cast<size_t>(target)];
    if (peer.base == nullptr) {
        return {nullptr, region->address + offset, target};
    }
    if (__builtin_expect(__atomic_load_n(peer.heap, __ATOMIC_RELAXED) == 0, 0)) {
        die_of_gone(static_cast<uint32_t>(target));
    }
    return {peer.base + offset, region->address + offset, target};
}

// After a write to mapped memory of a PE.
[[gnu::always_inline]] inline void written(int pe) {
    library->world.written(pe);
}

// An atomic without a result, to another node; it travels with others.
inline void post(const Context& context, const AtomicCall& call) {
    check(library->world.post(context, call));
}

constexpr int first_looks = 100;  // before waiting in earnest, for what comes soon if it comes at all

// Waits until done(), which other PEs bring about: see wait_for_pes(). A PE or a daemon that is found gone meanwhile
// ends the job with a sentence.
template <typename Done>
void wait_for(int looks, int from, Done&& done) {
    check(wait_for_pes(&library->endpoint, looks, from, done));
}

// After a test in vain: see look_in_vain().
void looked_in_vain();

// Completes the operations of a context, and sends those of the others.
void quiet(const Context& context);

}  // namespace syncline::shmem
