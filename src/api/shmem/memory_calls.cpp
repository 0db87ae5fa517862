// SPDX-License-Identifier: BSD-3-Clause
// The symmetric heap (1.5, section 9.3). Collective: each call ends, or begins where memory is given back, in a
// barrier.
#include <algorithm>
#include <cstring>

#include "api/shmem/checks.h"
#include "api/shmem/define.h"
#include "api/shmem/symmetric_heap.h"
#include "api/shmem/team.h"

namespace syncline::shmem {
namespace {

constexpr uint64_t alignment_default = 64;

void barrier(const char* what) {
    quiet(what, runtime->context);
    runtime->world->group().sync(what);
}

// Of a call that all PEs make, with the same sizes and objects.
void check_call(const char* what, uint64_t bytes, uint64_t alignment, const void* pointer = nullptr) {
    if (__builtin_expect(about_to_wait(what).debug, 0)) {
        agree(what, runtime->world->group(), {bytes, alignment, symmetric_place(pointer)});
    }
}

void* allocate(const char* what, uint64_t bytes, uint64_t alignment) {
    if (bytes == 0 || alignment > heap_alignment || (alignment & (alignment - 1)) != 0) {
        return nullptr;
    }
    return runtime->heap->allocate(what, bytes, std::max(alignment, alignment_default));
}

void release(const char* what, void* pointer) {
    if (!runtime->heap->free(pointer)) {
        die(what, fmt::format("nothing was allocated at {}, or it was freed already", pointer));
    }
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

void* pshmem_malloc(size_t size) {
    const char* const what = "shmem_malloc";
    check_call(what, size, 0);
    void* const pointer = allocate(what, size, alignment_default);
    if (size != 0) {
        barrier(what);
    }
    return pointer;
}

void* pshmem_malloc_with_hints(size_t size, long) {
    return pshmem_malloc(size);
}

void* pshmem_align(size_t alignment, size_t size) {
    const char* const what = "shmem_align";
    check_call(what, size, alignment);
    void* const pointer = allocate(what, size, alignment);
    if (pointer != nullptr) {
        barrier(what);
    }
    return pointer;
}

void* pshmem_calloc(size_t count, size_t size) {
    const char* const what = "shmem_calloc";
    check_call(what, count, size);
    const uint64_t bytes = syncline::times(count, size);
    if (bytes == 0) {
        return nullptr;
    }
    void* const pointer = allocate(what, bytes, alignment_default);
    if (pointer != nullptr) {
        std::memset(pointer, 0, bytes);
    }
    barrier(what);
    return pointer;
}

void pshmem_free(void* pointer) {
    const char* const what = "shmem_free";
    check_call(what, 0, 0, pointer);
    if (pointer != nullptr) {
        barrier(what);
        release(what, pointer);
    }
}

// As realloc(3): what does not fit anywhere stays where it was.
void* pshmem_realloc(void* pointer, size_t size) {
    const char* const what = "shmem_realloc";
    check_call(what, size, 0, pointer);
    if (pointer == nullptr) {
        return pshmem_malloc(size);
    }
    if (size == 0) {
        pshmem_free(pointer);
        return nullptr;
    }
    const uint64_t before = runtime->heap->size_of(pointer);
    if (before == 0) {
        die(what, fmt::format("nothing was allocated at {}, or it was freed already", pointer));
    }
    barrier(what);
    void* const moved = allocate(what, size, alignment_default);
    if (moved != nullptr) {
        std::memcpy(moved, pointer, std::min<uint64_t>(before, size));
        release(what, pointer);
    }
    barrier(what);
    return moved;
}

DEFINE_NAMES(SHMEM_MEMORY_)

}  // extern "C"
