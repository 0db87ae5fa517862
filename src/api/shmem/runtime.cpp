// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/runtime.h"

#include <cstdio>
#include <cstdlib>

#include "api/shmem/group.h"
#include "api/shmem/symmetric_heap.h"
#include "api/shmem/team.h"
#include "core/error_text.h"
#include "syncline.h"

namespace syncline::shmem {

Runtime::Runtime(Endpoint* of) : endpoint(*of), me(static_cast<int>(of->rank())), size(static_cast<int>(of->size())) {
    context.size = size;
    context.batch = endpoint.open_batch();
    flusher = std::make_unique<Flusher>(of, context.batch);
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

}  // namespace

void die(const char* what, const std::string& sentence) {
    std::fflush(stdout);
    if (!launcher_says_it()) {
        fmt::print(stderr, "PE {}: {}: {}\n", own_rank(), what, sentence);
    }
    std::fflush(stderr);
    syncline_abort(1);
}

void die_uninitialized(const char* what) {
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

void die_of_status(const char* what) {
    die(what, last_error_text());
}

void die_of_context(const char* what) {
    die(what, "the context is SHMEM_CTX_INVALID");
}

void quiet(const char* what, const Context& context) {
    check(what, runtime->endpoint.complete_batch(context.batch));
}

}  // namespace syncline::shmem
