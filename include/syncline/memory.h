/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a PE that other PEs access: the symmetric heap and registrations. Programs include syncline.h. */
#ifndef SYNCLINE_MEMORY_H
#define SYNCLINE_MEMORY_H

#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/*
 * Allocates `bytes` of the symmetric heap at an address that is the same on every PE. Collective: every PE makes the
 * call with the same arguments in the same order, and the call ends in a barrier. The block is aligned to `alignment`
 * (0: 64), and zero-filled on the first use of the memory. Errors: _NO_MEMORY (the message names the space that is left
 * and how to ask for more: SYNCLINE_HEAP_SIZE or `syncline run --heap`), _INVALID.
 */
SYNCLINE_API int syncline_alloc(size_t bytes, size_t alignment, syncline_address_t* address);

/* Gives an allocation back. Collective, ends in a barrier. Errors: _ADDRESS (not the start of an allocation). */
SYNCLINE_API int syncline_free(syncline_address_t address);

/*
 * Registers memory of this PE, so that other PEs may access it; not collective. `base` and `bytes` must be multiples of
 * the page size (4096). The call replaces the pages by memory that the firmware can reach, and keeps their contents; no
 * other thread may write to them meanwhile. The PE tells other PEs the address by any means it likes. At most 15
 * registrations are open at a time. Errors: _INVALID, _NO_MEMORY, _BUSY.
 */
SYNCLINE_API int syncline_register(void* base, size_t bytes, syncline_address_t* address);

/* Ends a registration: later accesses by other PEs return _ADDRESS. The memory stays valid and keeps its contents. */
SYNCLINE_API int syncline_deregister(syncline_address_t address);

/* Returns this PE's own memory at an address, or NULL. Plain loads, stores and CPU atomics may be used on it. */
SYNCLINE_API void* syncline_local(syncline_address_t address);

/* Returns another PE's memory if it is on this node and loads and stores can access it, else NULL. */
SYNCLINE_API void* syncline_pointer(int rank, syncline_address_t address);

/* Returns the address of this PE's own memory in the heap or in a registration, or SYNCLINE_ADDRESS_NONE. */
SYNCLINE_API syncline_address_t syncline_address(const void* pointer);

#ifdef __cplusplus
}
#endif

#endif
