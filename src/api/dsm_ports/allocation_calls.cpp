// SPDX-License-Identifier: BSD-3-Clause
// malloc() and its relatives, in front of libc's. The private heap, which CREATE hands on, serves calls that the
// executable of a PARMACS program makes; libc serves all others, those of libraries among them. A block goes back to
// the allocator that it came from, whichever code frees it: libc's getline() may enlarge a block of the program's.
#include <dlfcn.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "private_heap.h"

#define CALL extern "C" __attribute__((visibility("default")))
#define FROM_PROGRAM syncline::ports::private_heap::is_program(__builtin_return_address(0))

// libc's own functions, by their other names, because dlsym() allocates.
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void* __libc_valloc(size_t bytes);
void* __libc_pvalloc(size_t bytes);
void __libc_free(void* memory);
}

namespace heap = syncline::ports::private_heap;

namespace {

constexpr size_t page_bytes = 4096;

void* allocate_zeroed(size_t count, size_t bytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    void* const memory = heap::allocate(all);
    if (memory != nullptr) {
        std::memset(memory, 0, all);
    }
    return memory;
}

void* enlarge(void* memory, size_t bytes) {
    if (bytes == 0) {
        heap::give_back(memory);
        return nullptr;
    }
    const size_t had = heap::bytes_of(memory);
    if (bytes <= had) {
        return memory;
    }
    void* const grown = heap::allocate(bytes);
    if (grown != nullptr) {
        std::memcpy(grown, memory, had);
        heap::give_back(memory);
    }
    return grown;
}

bool is_alignment(size_t alignment) {
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

char* copy_string(const char* string, size_t length) {
    auto* const copy = static_cast<char*>(heap::allocate(length + 1));
    if (copy != nullptr) {
        std::memcpy(copy, string, length);
        copy[length] = '\0';
    }
    return copy;
}

template <typename Function>
Function find_next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

CALL void* malloc(size_t bytes) {
    return FROM_PROGRAM ? heap::allocate(bytes) : __libc_malloc(bytes);
}

CALL void* calloc(size_t count, size_t bytes) {
    return FROM_PROGRAM ? allocate_zeroed(count, bytes) : __libc_calloc(count, bytes);
}

CALL void free(void* memory) {
    if (!heap::holds(memory)) {
        __libc_free(memory);
    } else if (memory != nullptr) {
        heap::give_back(memory);
    }
}

CALL void* realloc(void* memory, size_t bytes) {
    if (memory == nullptr) {
        return FROM_PROGRAM ? heap::allocate(bytes) : __libc_malloc(bytes);
    }
    return heap::holds(memory) ? enlarge(memory, bytes) : __libc_realloc(memory, bytes);
}

CALL void* reallocarray(void* memory, size_t count, size_t bytes) {
    size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    if (memory == nullptr) {
        return FROM_PROGRAM ? heap::allocate(all) : __libc_malloc(all);
    }
    return heap::holds(memory) ? enlarge(memory, all) : __libc_realloc(memory, all);
}

CALL void* memalign(size_t alignment, size_t bytes) {
    return FROM_PROGRAM && is_alignment(alignment) ? heap::allocate_aligned(alignment, bytes)
                                                   : __libc_memalign(alignment, bytes);
}

CALL void* aligned_alloc(size_t alignment, size_t bytes) {
    return FROM_PROGRAM && is_alignment(alignment) ? heap::allocate_aligned(alignment, bytes)
                                                   : __libc_memalign(alignment, bytes);
}

CALL int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    if (!is_alignment(alignment) || alignment % sizeof(void*) != 0) {
        return EINVAL;
    }
    const int before = errno;
    void* const found = FROM_PROGRAM ? heap::allocate_aligned(alignment, bytes) : __libc_memalign(alignment, bytes);
    errno = before;
    if (found == nullptr) {
        return ENOMEM;
    }
    *memory = found;
    return 0;
}

CALL void* valloc(size_t bytes) {
    return FROM_PROGRAM ? heap::allocate_aligned(page_bytes, bytes) : __libc_valloc(bytes);
}

CALL void* pvalloc(size_t bytes) {
    return FROM_PROGRAM ? heap::allocate_aligned(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes)
                        : __libc_pvalloc(bytes);
}

CALL size_t malloc_usable_size(void* memory) {
    if (heap::holds(memory)) {
        return memory == nullptr ? 0 : heap::bytes_of(memory);
    }
    static const auto next = find_next<size_t (*)(void*)>("malloc_usable_size");
    return next(memory);
}

// libc's functions allocate by themselves, so libc would count as their caller.
CALL char* strdup(const char* string) {
    const size_t length = std::strlen(string);
    if (FROM_PROGRAM) {
        return copy_string(string, length);
    }
    auto* const copy = static_cast<char*>(__libc_malloc(length + 1));
    return copy == nullptr ? nullptr : static_cast<char*>(std::memcpy(copy, string, length + 1));
}

CALL char* strndup(const char* string, size_t most) {
    const size_t length = ::strnlen(string, most);
    if (FROM_PROGRAM) {
        return copy_string(string, length);
    }
    auto* const copy = static_cast<char*>(__libc_malloc(length + 1));
    if (copy != nullptr) {
        std::memcpy(copy, string, length);
        copy[length] = '\0';
    }
    return copy;
}
