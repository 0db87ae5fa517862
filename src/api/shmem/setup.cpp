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
#include <utility>

#include "api/native/guard.h"
#include "api/shmem/environment.h"
#include "api/shmem/lifetime.h"
#include "api/shmem/program_data.h"
#include "api/shmem/symmetric_heap.h"
#include "api/shmem/team.h"
#include "base/failure.h"
#include "runtime/process/error_text.h"
#include "syncline.h"

namespace syncline::shmem {
namespace {

// The first allocation of every PE, so at the same address everywhere. New words are met with only once they are zero
// at all PEs.
void make_workspace(const char* call) {
    workspace.pes = runtime->size;
    const uint64_t offset = process->heap_->allocate(workspace.bytes(), 64);
    if (offset == Heap::none) {
        die(call,
            "the symmetric heap is too small for the library's own words; ask for more with SHMEM_SYMMETRIC_SIZE");
    }
    workspace.base = offset;
    std::memset(runtime->endpoint.local(offset), 0, workspace.bytes());
    forget_active_sets();
    if (const int met = process->barrier(); met != SYNCLINE_OK) {
        die(call, met == SYNCLINE_ERR_PEER ? "a PE has ended, and OpenSHMEM is initialized by all together"
                                           : last_error_text());
    }
}

void show_heap() {
    Endpoint& endpoint = runtime->endpoint;
    if (!runtime->heap) {
        runtime->heap = std::make_unique<SymmetricHeap>(process->heap_.get(), static_cast<uint8_t*>(endpoint.local(0)),
                                                        endpoint.attachment().job().spec.heap_bytes, heap_limit());
    }
    runtime->heap->show(&runtime->memory);
}

void make_teams() {
    const RankMap& map = runtime->endpoint.attachment().job().map;
    const auto ranks = map.ranks_of(runtime->endpoint.config().node);
    std::vector<int> here(ranks.begin(), ranks.end());
    std::sort(here.begin(), here.end());
    runtime->world = std::make_unique<Team>(0, Members{0, 1, runtime->size}, shmem_team_config_t{});
    runtime->shared = std::make_unique<Team>(1, Members::of(std::move(here)), shmem_team_config_t{});
    runtime->world->join();
}

// How the PEs wait, which decides how they meet. All have joined the job, so each knows which PEs share its CPUs.
void learn_how_pes_wait(const char* call) {
    constexpr uint64_t sleeping = 1;
    constexpr uint64_t crowding = 2;
    const char* const mode = std::getenv("SYNCLINE_WAIT");
    const bool sleeps = mode != nullptr && std::strcmp(mode, "block") == 0;
    runtime->crowded = false;
    runtime->world->group().sync(call);
    runtime->endpoint.look_at_crowd();
    const std::vector<uint64_t> all = runtime->world->group().exchange(
        call, (sleeps ? sleeping : 0) | (runtime->endpoint.is_crowded() ? crowding : 0));
    for (const uint64_t one : all) {
        runtime->somebody_sleeps |= (one & sleeping) != 0;
        runtime->crowded |= (one & crowding) != 0;
    }
}

// In the child of a fork(), which is no PE: see disown_job() of the native interface.
void disown() {
    parents_runtime = std::exchange(runtime, nullptr);  // not deleted: its threads are the parent's
    disown_resting_job();
}

// main() has returned, or exit() was called, without shmem_finalize(): that is implied, unless something went wrong.
void at_exit(int status, void*) {
    if (runtime == nullptr || ::getpid() != runtime->process) {
        return;
    }
    if (status != 0) {
        std::fflush(nullptr);
        fmt::print(stderr, "PE {}: exit({}) before shmem_finalize() ends the job\n", runtime->me, status);
        syncline_abort(status & 255);
    }
    stop("shmem_finalize");
}

std::atomic<bool> ready{false};  // for threads that ask at any time

void make_everything(const char* call) {
    if (runtime == nullptr) {
        runtime = new Runtime(&process->endpoint());
    }
    runtime->debug = is_on("DEBUG");
    runtime->flusher = std::make_unique<Flusher>(&runtime->endpoint, runtime->context.batch);
    runtime->courier = std::make_unique<Courier>(&runtime->endpoint);
    make_workspace(call);
    make_teams();
    learn_how_pes_wait(call);
    show_heap();
    show_program_data(call);
    runtime->world->group().sync(call);
}

}  // namespace

void start(const char* call, int thread_level) {
    if (runtime != nullptr) {
        runtime->starts++;
        runtime->thread_level = std::max(runtime->thread_level, thread_level);
        return;
    }
    join_job(call);
    try {
        make_everything(call);
    } catch (const Failure& failure) {
        die(call, failure.what());
    }
    runtime->starts = 1;
    runtime->thread_level = thread_level;
    ready = true;
    introduce();
    static const int registered = ::on_exit(at_exit, nullptr) | ::pthread_atfork(nullptr, nullptr, disown);
    (void)registered;
}

// Everything is given back but what lifetime.h names.
void stop(const char* call) {
    ready = false;
    quiet(call, runtime->context);
    runtime->world->group().barrier(call);
    runtime->flusher.reset();
    Team::destroy_all(call);
    runtime->shared->leave(call);
    runtime->shared.reset();
    runtime->world->leave(call);
    runtime->world.reset();
    runtime->courier.reset();  // its thread, too; contexts needed it until here
    runtime->memory.clear();
    runtime->heap->clear();
    process->heap_->free(workspace.base);
    leave_job(call);
}

}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

void pshmem_init(void) {
    start("shmem_init", SHMEM_THREAD_SINGLE);
}

int pshmem_init_thread(int requested, int* provided) {
    if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) {
        return -1;
    }
    start("shmem_init_thread", requested);
    if (provided != nullptr) {
        *provided = runtime->thread_level;
    }
    return 0;
}

void pshmem_query_thread(int* provided) {
    const char* const call = "shmem_query_thread";
    must_be_given(call, provided, "provided");
    *provided = initialized(call).thread_level;
}

// Of calls that have not been matched, the last ends the program's part; the others are barriers.
void pshmem_finalize(void) {
    const char* const what = "shmem_finalize";
    if (runtime == nullptr) {
        return;
    }
    if (--runtime->starts == 0) {
        stop(what);
    } else {
        quiet(what, runtime->context);
        runtime->world->group().barrier(what);
    }
}

void pshmem_query_initialized(int* initialized) {
    *initialized = ready ? 1 : 0;
}

void pshmem_global_exit(int status) {
    std::fflush(nullptr);
    initialized("shmem_global_exit");
    syncline::process->endpoint().attachment().abort_job(status);
    std::_Exit(status);
}

int pshmem_my_pe(void) {
    return initialized("shmem_my_pe").me;
}

int pshmem_n_pes(void) {
    return initialized("shmem_n_pes").size;
}

int pshmem_pe_accessible(int pe) {
    const Runtime& state = initialized("shmem_pe_accessible");
    return pe >= 0 && pe < state.size;
}

int pshmem_addr_accessible(const void* address, int pe) {
    const Runtime& state = initialized("shmem_addr_accessible");
    return pe >= 0 && pe < state.size && state.memory.find(address, 1) != nullptr;
}

void* pshmem_ptr(const void* dest, int pe) {
    const Runtime& state = initialized("shmem_ptr");
    const Region* const region = state.memory.find(dest, 1);
    if (pe < 0 || pe >= state.size || region == nullptr || region->peers[static_cast<size_t>(pe)].base == nullptr) {
        return nullptr;
    }
    return region->peers[static_cast<size_t>(pe)].base + (reinterpret_cast<uintptr_t>(dest) - region->start);
}

void* pshmem_team_ptr(shmem_team_t handle, const void* dest, int pe) {
    Team* const team = team_of("shmem_team_ptr", handle);
    if (team == nullptr || pe < 0 || pe >= team->group().size()) {
        return nullptr;
    }
    return pshmem_ptr(dest, team->group().world(pe));
}

void pshmem_info_get_version(int* major, int* minor) {
    must_be_given("shmem_info_get_version", major, "major");
    must_be_given("shmem_info_get_version", minor, "minor");
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}

void pshmem_info_get_name(char* name) {
    must_be_given("shmem_info_get_name", name, "name");
    std::strcpy(name, SHMEM_VENDOR_STRING);
}

void pshmem_pcontrol(int, ...) {}

DEFINE_NAMES(SHMEM_SETUP_)
__attribute__((weak, alias("pshmem_global_exit"), noreturn)) void shmem_global_exit(int status);

}  // extern "C"
