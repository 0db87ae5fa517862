/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The symmetric heap (1.5, section 9.3).
 */
#ifndef SHMEM_MEMORY_H
#define SHMEM_MEMORY_H

#include "shmem/types.h"

/*
 * shmem_malloc(3): symmetric memory
 * shmem_malloc shmem_calloc shmem_align shmem_malloc_with_hints shmem_realloc shmem_free
 * shmalloc shmemalign shrealloc shfree
 *
 * All PEs call them in the same order with the same arguments, and each PE gets an object. The object is aligned to 64
 * bytes, with shmem_align() to any power of two up to 1 GiB. shmem_calloc() fills it with zeros; otherwise its content
 * is undefined. Hints change nothing. shmem_realloc() moves the content, as realloc(3) does; if there is no room, it
 * returns NULL and the old object stays. shmalloc(), shmemalign(), shrealloc() and shfree() are deprecated names.
 *
 * The heap begins with SHMEM_SYMMETRIC_SIZE bytes (for example 64M or 1.5g; 32 MiB if it is not set). When it is full
 * it grows by another segment, of its own length or the length that the call asks for, up to SYNCLINE_HEAP_LIMIT bytes.
 * There are at most 15 further segments, which the heap shares with the program's variables.
 *
 * Blocking: collective over all PEs. The calls that return memory end in a barrier, and shmem_free() begins with one;
 * these barriers complete the operations of the default context, as shmem_barrier_all(3) does. With a size of 0, or for
 * shmem_free() with NULL, a call returns at once.
 *
 * Errors: NULL, at all PEs, if there is no room, the size is 0, or the alignment is not a power of two. Freeing memory
 * that is not allocated ends the job.
 *
 * Specification: 1.5, 9.3
 */
#define SHMEM_MEMORY_(F)                             \
    F(void*, malloc, (size_t size))                  \
    F(void, free, (void* pointer))                   \
    F(void*, realloc, (void* pointer, size_t size))  \
    F(void*, align, (size_t alignment, size_t size)) \
    F(void*, calloc, (size_t count, size_t size))    \
    F(void*, malloc_with_hints, (size_t size, long hints))

#endif
