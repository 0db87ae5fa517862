// SPDX-License-Identifier: BSD-3-Clause
// The base of every call of OpenSHMEM: the state that shmem_init() makes, contexts, and the way from a symmetric
// address and a PE to the target of an operation.
//
// Errors: a call that makes no sense prints one error message and ends the job, as users of the interface expect. Every
// call begins with begin_call(), whose name stands in front of the message.
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
#include "runtime/endpoint/wait_for_pes.h"
#include "runtime/ground/call.h"
#include "runtime/symmetric/world.h"

namespace syncline::shmem {

using syncline::begin_call;
using syncline::Context;
using syncline::Group;
using syncline::Team;

class UserTeam;

// A context as a program sees it.
struct UserContext : Context {
    UserTeam* team = nullptr;  // NULL: the team of all PEs
    long options = 0;
};

// The first shmem_init() makes it. After a last shmem_finalize() it rests (lifetime.h), without teams and without
// symmetric memory.
struct Library {
    Library();
    ~Library();

    Endpoint& endpoint;
    const int me;
    const int size;
    const pid_t pid;     // the PE's; a child that no fork handler has told inherits this state
    bool debug = false;  // SHMEM_DEBUG
    int thread_level = SHMEM_THREAD_SINGLE;
    int starts = 0;  // calls of shmem_init() that no shmem_finalize() has matched yet
    World world;
    UserContext context;  // SHMEM_CTX_DEFAULT
    std::unique_ptr<UserTeam> all;
    std::unique_ptr<UserTeam> shared;
    std::mutex kept_guard;
    std::vector<std::unique_ptr<UserTeam>> kept;  // teams that splits have made
};

inline Library* library = nullptr;
// In a child that the PE made by fork(): the PE's state; never deleted, because its threads are the PE's.
inline Library* parents_library = nullptr;

// Prints the message, with the call and this PE in front, and ends the job.
[[noreturn]] void die(const std::string& sentence);
[[noreturn]] void die_uninitialized();
[[noreturn]] void die_of_pe(int pe, int size);
[[noreturn]] void die_of_address(const void* address, size_t bytes, int pe);
[[noreturn]] void die_of_alignment(const void* address, size_t bytes, int pe);
// Ends the job for a status of the runtime, whose message is in last_sentence().
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

// The beginning of every call in which a PE waits, tests, completes or synchronises. It sends the PE's posted
// operations, on every context, because the PE for which this one waits may be waiting for them.
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

// Returns the length of `count` elements. Every size that a call computes comes from here, so that none wraps.
[[gnu::always_inline]] inline size_t bytes_of(size_t count, size_t element) {
    if (__builtin_expect(!is_object(count, element), 0)) {
        die_of_count(count, element);
    }
    return count * element;
}

// Checks memory that a call reads or writes at this PE.
[[gnu::always_inline]] inline void must_be_given(const void* pointer, const char* argument) {
    if (__builtin_expect(pointer == nullptr, 0)) {
        die_of_null(argument);
    }
}

// Returns the number in the job of a context's PE.
[[gnu::always_inline]] inline int world_pe(const Context& context, int pe) {
    if (__builtin_expect(static_cast<unsigned>(pe) >= static_cast<unsigned>(context.size), 0)) {
        die_of_pe(pe, context.size);
    }
    return context.pe(pe);
}

struct Target {
    uint8_t* direct;  // NULL: by packets
    syncline_address_t address;
    int pe;  // its number in the job
};

// Returns where `bytes` of a symmetric object are at a PE of the context.
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

// Called after a write to mapped memory of a PE.
[[gnu::always_inline]] inline void written(int pe) {
    library->world.written(pe);
}

// Posts an atomic without a result to another node; it travels with others.
inline void post(const Context& context, const AtomicCall& call) {
    check(library->world.post(context, call));
}

constexpr int first_looks = 100;  // before a wait sleeps, for a word that comes soon if it comes at all

// Waits until done(), which other PEs bring about: see wait_for_pes(). If a PE or the daemon is found gone meanwhile,
// the job ends with a message.
template <typename Done>
void wait_for(int looks, int from, const Waiting::Aim& aim, Done&& done) {
    check(wait_for_pes(&library->endpoint, looks, from, aim, done));
}

// Called after a test that has failed: see look_in_vain().
void looked_in_vain();

// Completes the operations of a context, and sends the gathered operations of the others.
void quiet(const Context& context);

}  // namespace syncline::shmem
