// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/runtime.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "api/native/guard.h"
#include "api/shmem/group.h"
#include "api/shmem/lifetime.h"
#include "api/shmem/symmetric_heap.h"
#include "api/shmem/team.h"
#include "runtime/collective/barrier.h"
#include "runtime/process/error_text.h"
#include "syncline.h"

namespace syncline::shmem {

Runtime::Runtime(Endpoint* of)
    : endpoint(*of), me(static_cast<int>(of->rank())), size(static_cast<int>(of->size())), process(::getpid()) {
    context.size = size;
    context.batch = endpoint.batches().open();
}

Runtime::~Runtime() = default;

namespace {

// Before shmem_init() has succeeded, as the launcher says it.
std::string own_rank() {
    const char* const rank = std::getenv("SYNCLINE_RANK");
    return runtime != nullptr ? std::to_string(runtime->me) : rank != nullptr ? rank : "0";
}

// The launcher sees it as well, and says it once for all PEs.
bool launcher_says_it() {
    return runtime != nullptr && !runtime->endpoint.attachment().daemon_alive();
}

// A PE is missed when it has died by itself, and when the launcher ends the job. The launcher knows why, so it has the
// first word; this PE speaks only if it lives on.
void let_the_launcher_speak() {
    (void)sleep_on({}, 200 * ns_per_ms);
}

}  // namespace

void die(const char* what, const std::string& sentence) {
    std::fflush(stdout);
    if (!launcher_says_it()) {
        fmt::print(stderr, "PE {}: {}: {}\n", own_rank(), what, sentence);
    }
    std::fflush(stderr);
    abort_resting(1);
    syncline_abort(1);
}

void die_uninitialized(const char* what) {
    if (parents != nullptr) {
        die(what, "fork() made this process of a PE; OpenSHMEM serves the PE itself only");
    }
    die(what, "OpenSHMEM is not initialized, or finalized already; call it between shmem_init() and shmem_finalize()");
}

void die_of_pe(const char* what, int pe, int size) {
    die(what, fmt::format("there is no PE {}; the PEs are 0 to {}", pe, size - 1));
}

void die_of_address(const char* what, const void* address, size_t bytes, int pe) {
    die(what,
        fmt::format("{} bytes at {} (for PE {}) are not symmetric: they must be in memory of shmem_malloc() or its "
                    "like, or in a global or static variable",
                    bytes, address, pe));
}

void die_of_alignment(const char* what, const void* address, size_t bytes, int pe) {
    die(what, fmt::format("{} (for PE {}) is not aligned to the {} bytes of an atomic operation", address, pe, bytes));
}

void die_of_status(const char* what, int status) {
    if (status == SYNCLINE_ERR_PEER) {
        let_the_launcher_speak();
    }
    die(what, last_error_text());
}

void die_of_gone(const char* what, uint32_t pe) {
    let_the_launcher_speak();
    die(what, fmt::format("PE {} is gone", pe));
}

std::optional<uint32_t> find_gone(int first) {
    if (first >= 0 && probe(&runtime->endpoint, static_cast<uint32_t>(first)) != SYNCLINE_OK) {
        return static_cast<uint32_t>(first);
    }
    return runtime->endpoint.liveness().look();
}

void die_of_context(const char* what) {
    die(what, "the context is SHMEM_CTX_INVALID");
}

void looked_in_vain(const char* what) {
    static thread_local uint32_t turns = 0;
    (void)runtime->endpoint.batches().is_complete(runtime->context.batch);
    if (++turns % 16 != 0) {
        return;
    }
    yield_cpu();
    if (turns % 256 == 0) {
        if (!runtime->endpoint.attachment().daemon_alive()) {
            die(what, syncline_error_string(SYNCLINE_ERR_NODE));
        }
        if (const std::optional<uint32_t> gone = runtime->endpoint.liveness().look_now_and_then()) {
            die_of_gone(what, *gone);
        }
    }
}

void die_of_count(const char* what, uint64_t count, uint64_t element) {
    die(what, fmt::format("{} elements of {} bytes are more than any memory holds", count, element));
}

void die_of_null(const char* what, const char* argument) {
    die(what, fmt::format("{} is NULL", argument));
}

void quiet(const char* what, const Context& context) {
    runtime->endpoint.posting().send_gathered();
    const int sent = runtime->courier->finish(context.batch);
    const int completed = runtime->endpoint.batches().complete(context.batch);
    if (sent != SYNCLINE_OK) {
        die(what, fmt::format("a put failed: {}", syncline_error_string(sent)));
    }
    check(what, completed);
}

}  // namespace syncline::shmem
