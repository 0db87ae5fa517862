// SPDX-License-Identifier: BSD-3-Clause
// The deprecated calls, and extensions.
#include "api/shmem/define.h"
#include "base/clock.h"
#include "shmemx.h"

using namespace syncline::shmem;

extern "C" {

// Has an effect only once, and needs no shmem_finalize().
void start_pes(int) {
    if (library == nullptr) {
        pshmem_init();
    }
}
int _my_pe(void) {
    return pshmem_my_pe();
}
int _num_pes(void) {
    return pshmem_n_pes();
}
void* shmalloc(size_t size) {
    return pshmem_malloc(size);
}
void shfree(void* pointer) {
    pshmem_free(pointer);
}
void* shrealloc(void* pointer, size_t size) {
    return pshmem_realloc(pointer, size);
}
void* shmemalign(size_t alignment, size_t size) {
    return pshmem_align(alignment, size);
}

void pshmem_wait_until(long* ivar, int cmp, long value) {
    pshmem_long_wait_until(ivar, cmp, value);
}
void pshmem_wait(long* ivar, long value) {
    pshmem_long_wait(ivar, value);
}

// Caches are coherent, so these calls have nothing to do.
void pshmem_clear_cache_inv(void) {}
void pshmem_set_cache_inv(void) {}
void pshmem_clear_cache_line_inv(void*) {}
void pshmem_set_cache_line_inv(void*) {}
void pshmem_udcflush(void) {}
void pshmem_udcflush_line(void*) {}

DEFINE_NAMES(SHMEM_DEPRECATED_)

int shmemx_executed_by(const void* dest, int pe) {
    begin_call("shmemx_executed_by");
    const Library& state = initialized();
    if (state.world.memory().find(dest, 1) == nullptr || pe < 0 || pe >= state.size) {
        return -1;
    }
    switch (state.endpoint.executor(syncline::OperationKind::kAtomic, pe)) {
        case syncline::Executor::kNic:
            return SHMEMX_EXECUTED_BY_NIC;
        case syncline::Executor::kAgent:
            return SHMEMX_EXECUTED_BY_AGENT;
        case syncline::Executor::kCpu:
            break;
    }
    return SHMEMX_EXECUTED_BY_CPU;
}

void shmemx_pe_fence(int pe) {
    begin_call("shmemx_pe_fence");
    const Context& context = initialized().context;
    const int target = world_pe(context, pe);
    if (library->endpoint.node_of(static_cast<uint32_t>(target)) == library->endpoint.config().node &&
        library->endpoint.memory().maps_node()) {
        __atomic_thread_fence(__ATOMIC_RELEASE);
    } else {
        quiet(context);
    }
}

double shmemx_wtime(void) {
    return static_cast<double>(syncline::now_ns()) * 1e-9;
}

}  // extern "C"
