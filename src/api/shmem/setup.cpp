// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/setup.h"
#include "api/shmem/define.h"

#include <pthread.h>
#include <unistd.h>
#include <algorithm>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "api/shmem/environment.h"
#include "api/shmem/lifetime.h"
#include "api/shmem/team.h"
#include "base/failure.h"
#include "runtime/process/lifetime.h"
#include "syncline.h"

namespace syncline::shmem {
namespace {

std::atomic<bool> ready{false};  // for threads that ask at any time

// A return from main() and an exit() without shmem_finalize() imply that call, unless the status is not 0.
void at_exit(int status, void*) {
    if (library == nullptr || ::getpid() != library->pid) {
        return;
    }
    if (const int code = status & 255; status != 0) {
        std::fflush(nullptr);
        fmt::print(stderr, "PE {}: exit({}) before shmem_finalize() ends the job\n", library->me, status);
        abort_job(code != 0 ? code : 1);
    }
    if (is_needed_yet()) {
        return;  // the other PEs may wait in that front-end, which ends the job
    }
    begin_call("shmem_finalize");
    stop();
}

void make_everything() {
    if (library == nullptr) {
        library = new Library;
    }
    library->debug = is_on("SHMEM_DEBUG");
    World::Options options = {.debug = library->debug};
    if (const uint64_t limit = heap_limit(); limit != 0) {
        options.heap_limit = limit;
    }
    check(library->world.open(options));
    library->all = std::make_unique<UserTeam>(&library->world.all());
    library->shared = std::make_unique<UserTeam>(&library->world.node());
}

}  // namespace

void start(int thread_level) {
    if (library != nullptr) {
        library->starts++;
        library->thread_level = std::max(library->thread_level, thread_level);
        return;
    }
    join();
    try {
        make_everything();
    } catch (const Failure& failure) {
        die(failure.what());
    }
    library->starts = 1;
    library->thread_level = thread_level;
    ready = true;
    introduce();
    static const int registered = ::on_exit(at_exit, nullptr) | ::pthread_atfork(nullptr, nullptr, disown);
    (void)registered;
}

// Gives back all resources except those that lifetime.h names.
void stop() {
    ready = false;
    quiet(library->context);
    check(library->world.all().group().barrier());
    UserTeam::destroy_all();
    library->shared->destroy_contexts();
    library->all->destroy_contexts();
    check(library->world.close());
    library->shared.reset();
    library->all.reset();
    leave();
}

}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

void pshmem_init(void) {
    begin_call("shmem_init");
    start(SHMEM_THREAD_SINGLE);
}

int pshmem_init_thread(int requested, int* provided) {
    if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) {
        return -1;
    }
    begin_call("shmem_init_thread");
    start(requested);
    if (provided != nullptr) {
        *provided = library->thread_level;
    }
    return 0;
}

void pshmem_query_thread(int* provided) {
    begin_call("shmem_query_thread");
    must_be_given(provided, "provided");
    *provided = initialized().thread_level;
}

// The call that matches the first shmem_init() ends the program's part; the calls before it are barriers.
void pshmem_finalize(void) {
    begin_call("shmem_finalize");
    if (library == nullptr) {
        return;
    }
    if (--library->starts == 0) {
        stop();
    } else {
        quiet(library->context);
        check(library->world.all().group().barrier());
    }
}

void pshmem_query_initialized(int* initialized) {
    *initialized = ready ? 1 : 0;
}

void pshmem_global_exit(int status) {
    std::fflush(nullptr);
    begin_call("shmem_global_exit");
    initialized();
    syncline::abort_job(status);
}

int pshmem_my_pe(void) {
    begin_call("shmem_my_pe");
    return initialized().me;
}

int pshmem_n_pes(void) {
    begin_call("shmem_n_pes");
    return initialized().size;
}

int pshmem_pe_accessible(int pe) {
    begin_call("shmem_pe_accessible");
    const Library& state = initialized();
    return pe >= 0 && pe < state.size;
}

int pshmem_addr_accessible(const void* address, int pe) {
    begin_call("shmem_addr_accessible");
    const Library& state = initialized();
    return pe >= 0 && pe < state.size && state.world.memory().find(address, 1) != nullptr;
}

void* pshmem_ptr(const void* dest, int pe) {
    begin_call("shmem_ptr");
    const Library& state = initialized();
    const syncline::Region* const region = state.world.memory().find(dest, 1);
    if (pe < 0 || pe >= state.size || region == nullptr || region->peers[static_cast<size_t>(pe)].base == nullptr) {
        return nullptr;
    }
    return region->peers[static_cast<size_t>(pe)].base + (reinterpret_cast<uintptr_t>(dest) - region->start);
}

void* pshmem_team_ptr(shmem_team_t handle, const void* dest, int pe) {
    begin_call("shmem_team_ptr");
    UserTeam* const team = team_of(handle);
    if (team == nullptr || pe < 0 || pe >= team->group().size()) {
        return nullptr;
    }
    return pshmem_ptr(dest, team->group().world(pe));
}

void pshmem_info_get_version(int* major, int* minor) {
    begin_call("shmem_info_get_version");
    must_be_given(major, "major");
    must_be_given(minor, "minor");
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}

void pshmem_info_get_name(char* name) {
    begin_call("shmem_info_get_name");
    must_be_given(name, "name");
    std::strcpy(name, SHMEM_VENDOR_STRING);
}

void pshmem_pcontrol(int, ...) {}

DEFINE_NAMES(SHMEM_SETUP_)
__attribute__((weak, alias("pshmem_global_exit"), noreturn)) void shmem_global_exit(int status);

}  // extern "C"
