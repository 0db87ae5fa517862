// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/setup.h"
#include "api/shmem/define.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "api/native/guard.h"
#include "api/shmem/checks.h"
#include "api/shmem/symmetric_heap.h"
#include "api/shmem/team.h"
#include "base/failure.h"
#include "core/error_text.h"
#include "syncline.h"

namespace syncline::shmem {
namespace {

constexpr const char* what = "shmem_init";
constexpr size_t data_segments_max = 7;  // the others are for the heap to grow

bool is_set(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

// `1.5G`, `64m`, `4096`; 0 if there is none.
uint64_t size_from_environment(const char* name) {
    const char* const text = std::getenv(name);
    if (text == nullptr) {
        return 0;
    }
    char* unit = nullptr;
    const double number = std::strtod(text, &unit);
    const char* const units = "KMGT";
    const char* const found = *unit != '\0' ? std::strchr(units, std::toupper(*unit)) : units;
    const int power = found != nullptr && *unit != '\0' ? static_cast<int>(found - units) + 1 : 0;
    const double bytes = number * static_cast<double>(1ull << (10 * power));
    if (unit == text || found == nullptr || !(number >= 0) || bytes > 1e18) {
        die(what, fmt::format("{} is '{}', not a size such as 64M", name, text));
    }
    return static_cast<uint64_t>(bytes);
}

// The first allocation of every PE, so at the same address everywhere.
void make_workspace() {
    workspace.pes = runtime->size;
    const uint64_t offset = process->heap_->allocate(workspace.bytes(), 64);
    if (offset == Heap::none) {
        die(what,
            "the symmetric heap is too small for the library's own words; ask for more with SHMEM_SYMMETRIC_SIZE");
    }
    workspace.base = offset;
}

uint64_t heap_limit() {
    const uint64_t limit = size_from_environment("SYNCLINE_HEAP_LIMIT");
    return limit != 0 ? limit : segment_length_max;
}

void add_heap() {
    Endpoint& endpoint = runtime->endpoint;
    auto* const base = static_cast<uint8_t*>(endpoint.local(0));
    const uint64_t bytes = endpoint.attachment().job().spec.heap_bytes;
    runtime->memory.add(&endpoint, base + heap_reserved_bytes, bytes - heap_reserved_bytes, heap_reserved_bytes);
    runtime->heap = std::make_unique<SymmetricHeap>(process->heap_.get(), base, bytes, heap_limit());
}

// The pages of the program's data become segments, with the same numbers at all PEs: if all run the same program.
void add_program_data() {
    std::vector<Span> spans = program_data();
    spans.resize(std::min(spans.size(), data_segments_max));
    Group& world = runtime->world->group();
    std::vector<uint64_t> sizes;
    for (const Span& span : spans) {
        sizes.push_back(span.bytes);
    }
    const std::vector<uint64_t> hashes = world.exchange(what, hash_of(sizes));
    if (std::any_of(hashes.begin(), hashes.end(), [&](uint64_t other) { return other != hashes[0]; })) {
        if (runtime->debug && runtime->me == 0) {
            fmt::print(stderr, "{}: the PEs run different programs: their variables are not symmetric\n", what);
        }
        return;
    }
    std::vector<uint32_t> segments;
    for (const Span& span : spans) {
        segments.push_back(runtime->endpoint.register_memory(span.start, span.bytes));
    }
    world.sync(what);
    for (size_t i = 0; i < spans.size(); i++) {
        runtime->memory.add(&runtime->endpoint, spans[i].start, spans[i].bytes, uint64_t{segments[i]} << 40);
    }
}

void make_teams() {
    const fw_config& config = runtime->endpoint.config();
    runtime->world = std::make_unique<Team>(0, 0, 1, runtime->size, shmem_team_config_t{});
    runtime->shared = std::make_unique<Team>(1, static_cast<int>(config.first_rank), 1, static_cast<int>(config.ports),
                                             shmem_team_config_t{});
    runtime->world->join();
}

void find_sleepers() {
    const char* const mode = std::getenv("SYNCLINE_WAIT");
    const bool sleeps = mode != nullptr && std::strcmp(mode, "block") == 0;
    const std::vector<uint64_t> all = runtime->world->group().exchange(what, sleeps ? 1 : 0);
    runtime->somebody_sleeps = std::find(all.begin(), all.end(), 1) != all.end();
}

void introduce() {
    if (runtime->me != 0) {
        return;
    }
    if (is_set("SHMEM_VERSION") || is_set("SHMEM_INFO")) {
        std::printf("%s, OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
    }
    if (is_set("SHMEM_INFO")) {
        std::printf("%d PEs on %u nodes, %s between them, heap of %llu bytes\n", runtime->size,
                    runtime->endpoint.config().nodes, syncline_transport(),
                    static_cast<unsigned long long>(runtime->heap->bytes()));
        for (const char* const name : {"SHMEM_VERSION", "SHMEM_INFO", "SHMEM_SYMMETRIC_SIZE", "SHMEM_DEBUG",
                                       "SYNCLINE_HEAP_LIMIT", "SYNCLINE_WAIT"}) {
            const char* const value = std::getenv(name);
            std::printf("%s=%s\n", name, value != nullptr ? value : "");
        }
    }
    std::fflush(stdout);
}

// main() has returned, or exit() was called, without shmem_finalize(): that is implied, unless something went wrong.
void at_exit(int status, void*) {
    if (runtime == nullptr) {
        return;
    }
    if (status != 0) {
        std::fflush(nullptr);
        syncline_abort(status & 255);
    }
    stop();
}

}  // namespace

void start(const char* call, int thread_level) {
    if (runtime != nullptr) {
        return;
    }
    if (process == nullptr && syncline_init(nullptr) != SYNCLINE_OK) {
        die(call, last_error_text());
    }
    try {
        runtime = new Runtime(&process->endpoint());
        runtime->thread_level = thread_level;
        runtime->debug = is_set("SHMEM_DEBUG");
        make_workspace();
        // Nobody is met before everybody's memory is there; a message to a PE that has not come yet waits in it.
        make_teams();
        find_sleepers();
        add_heap();
        add_program_data();
        runtime->world->group().sync(call);
    } catch (const Failure& failure) {
        die(call, failure.what());
    }
    introduce();
    ::on_exit(at_exit, nullptr);
}

void stop() {
    quiet("shmem_finalize", runtime->context);
    runtime->world->group().barrier("shmem_finalize");
    runtime->flusher.reset();
    runtime->shared.reset();
    runtime->world.reset();
    delete runtime;
    runtime = nullptr;
    if (syncline_finalize() != SYNCLINE_OK) {
        die("shmem_finalize", last_error_text());
    }
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

void pshmem_finalize(void) {
    if (runtime != nullptr) {
        stop();
    }
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
    if (pe < 0 || pe >= state.size || region == nullptr || region->peers[static_cast<size_t>(pe)] == nullptr) {
        return nullptr;
    }
    return region->peers[static_cast<size_t>(pe)] + (reinterpret_cast<uintptr_t>(dest) - region->start);
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
