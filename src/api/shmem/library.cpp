// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/library.h"

#include <unistd.h>

#include <cstdio>

#include "api/shmem/team.h"
#include "base/launcher_rank.h"
#include "runtime/ground/error_text.h"
#include "runtime/process/lifetime.h"

namespace syncline::shmem {

Library::Library()
    : endpoint(process->endpoint()),
      me(static_cast<int>(process->rank())),
      size(static_cast<int>(process->size())),
      pid(::getpid()),
      world(process) {
    static_cast<Context&>(context) = world.context();
}

Library::~Library() = default;

namespace {

// Returns this PE's rank; before shmem_init() has succeeded, as the launcher has set it.
std::string own_rank() {
    return library != nullptr ? std::to_string(library->me) : launcher_rank();
}

// Returns whether the launcher, which sees the failure as well, reports it once for all PEs.
bool launcher_says_it() {
    return library != nullptr && process->endpoint().attachment().is_watched() && !process->daemon_alive();
}

// A PE is found gone when it has died by itself, and when the launcher ends the job. The launcher knows the reason, so
// it prints first; this PE prints only if it still lives afterwards.
void let_the_launcher_speak() {
    (void)sleep_on({}, 200 * ns_per_ms);
}

}  // namespace

void die(const std::string& sentence) {
    std::fflush(stdout);
    if (!launcher_says_it()) {
        fmt::print(stderr, "PE {}: {}: {}\n", own_rank(), current_call, sentence);
    }
    std::fflush(stderr);
    abort_job(1);
}

void die_uninitialized() {
    if (lifetime() == Lifetime::kForked) {
        die("this process is a fork() child of a PE; only the PE itself may call OpenSHMEM");
    }
    die("OpenSHMEM is not initialized, or finalized already; call it between shmem_init() and shmem_finalize()");
}

void die_of_pe(int pe, int size) {
    die(fmt::format("there is no PE {}; the PEs are 0 to {}", pe, size - 1));
}

void die_of_address(const void* address, size_t bytes, int pe) {
    die(
        fmt::format("{} bytes at {} (for PE {}) are not symmetric: they must be in memory of shmem_malloc() or its "
                    "like, or in a global or static variable",
                    bytes, address, pe));
}

void die_of_alignment(const void* address, size_t bytes, int pe) {
    die(fmt::format("{} (for PE {}) is not aligned to the {} bytes of an atomic operation", address, pe, bytes));
}

void die_of_status(int status) {
    if (status == SYNCLINE_ERR_PEER) {
        let_the_launcher_speak();
    }
    die(last_sentence());
}

void die_of_gone(uint32_t pe) {
    let_the_launcher_speak();
    die(fmt::format("PE {} is gone", pe));
}

void die_of_context() {
    die("the context is SHMEM_CTX_INVALID");
}

void looked_in_vain() {
    check(look_in_vain(&library->endpoint, library->context.batch));
}

void die_of_count(uint64_t count, uint64_t element) {
    die(fmt::format("{} elements of {} bytes are more than any memory holds", count, element));
}

void die_of_null(const char* argument) {
    die(fmt::format("{} is NULL", argument));
}

void quiet(const Context& context) {
    check(library->world.complete(context));
}

}  // namespace syncline::shmem
