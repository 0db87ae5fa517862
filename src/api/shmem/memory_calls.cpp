// SPDX-License-Identifier: BSD-3-Clause
// The symmetric heap (1.5, section 9.3). The calls are collective: each ends in a barrier, or begins with one if it
// gives memory back.
#include <algorithm>
#include <cstring>

#include "api/shmem/checks.h"
#include "api/shmem/define.h"
#include "api/shmem/team.h"

namespace syncline::shmem {
namespace {

constexpr uint64_t alignment_default = 64;

void barrier() {
    quiet(library->context);
    check(library->world.all().group().sync());
}

// Checks a call that all PEs make with the same sizes and objects.
void check_call(uint64_t bytes, uint64_t alignment, const void* pointer = nullptr) {
    if (__builtin_expect(about_to_wait().debug, 0)) {
        agree(library->world.all().group(), {bytes, alignment, symmetric_place(pointer)});
    }
}

void* allocate(uint64_t bytes, uint64_t alignment) {
    if (bytes == 0 || alignment > heap_alignment || (alignment & (alignment - 1)) != 0) {
        return nullptr;
    }
    int status = SYNCLINE_OK;
    void* const pointer = library->world.heap().allocate(bytes, std::max(alignment, alignment_default), &status);
    check(status);
    return pointer;
}

void release(void* pointer) {
    if (!library->world.heap().free(pointer)) {
        die(fmt::format("nothing was allocated at {}, or it was freed already", pointer));
    }
}

}  // namespace
}  // namespace syncline::shmem

using namespace syncline::shmem;

extern "C" {

void* pshmem_malloc(size_t size) {
    begin_call("shmem_malloc");
    check_call(size, 0);
    void* const pointer = allocate(size, alignment_default);
    if (size != 0) {
        barrier();
    }
    return pointer;
}

void* pshmem_malloc_with_hints(size_t size, long) {
    return pshmem_malloc(size);
}

void* pshmem_align(size_t alignment, size_t size) {
    begin_call("shmem_align");
    check_call(size, alignment);
    void* const pointer = allocate(size, alignment);
    if (pointer != nullptr) {
        barrier();
    }
    return pointer;
}

void* pshmem_calloc(size_t count, size_t size) {
    begin_call("shmem_calloc");
    check_call(count, size);
    const uint64_t bytes = syncline::times(count, size);
    if (bytes == 0) {
        return nullptr;
    }
    void* const pointer = allocate(bytes, alignment_default);
    if (pointer != nullptr) {
        std::memset(pointer, 0, bytes);
    }
    barrier();
    return pointer;
}

void pshmem_free(void* pointer) {
    begin_call("shmem_free");
    check_call(0, 0, pointer);
    if (pointer != nullptr) {
        barrier();
        release(pointer);
    }
}

// As realloc(3): if there is no room for the new size, the object stays as it was.
void* pshmem_realloc(void* pointer, size_t size) {
    begin_call("shmem_realloc");
    check_call(size, 0, pointer);
    if (pointer == nullptr) {
        return pshmem_malloc(size);
    }
    if (size == 0) {
        pshmem_free(pointer);
        return nullptr;
    }
    const uint64_t before = library->world.heap().size_of(pointer);
    if (before == 0) {
        die(fmt::format("nothing was allocated at {}, or it was freed already", pointer));
    }
    barrier();
    void* const moved = allocate(size, alignment_default);
    if (moved != nullptr) {
        std::memcpy(moved, pointer, std::min<uint64_t>(before, size));
        release(pointer);
    }
    barrier();
    return moved;
}

DEFINE_NAMES(SHMEM_MEMORY_)

}  // extern "C"
