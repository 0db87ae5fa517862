// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/runtime.h"

#include <cstdio>

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

void die(const char* what, const std::string& sentence) {
    std::fflush(stdout);
    fmt::print(stderr, "PE {}: {}: {}\n", runtime != nullptr ? runtime->me : 0, what, sentence);
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

void die_of_count(const char* what, uint64_t count, uint64_t element) {
    die(what, fmt::format("{} elements of {} bytes are more than any memory holds", count, element));
}

void die_of_null(const char* what, const char* argument) {
    die(what, fmt::format("{} is NULL", argument));
}

void quiet(const char* what, const Context& context) {
    runtime->endpoint.send_gathered();
    check(what, runtime->endpoint.complete_batch(context.batch));
}

}  // namespace syncline::shmem
