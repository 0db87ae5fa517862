/* SPDX-License-Identifier: BSD-3-Clause */
/* The statuses, addresses and requests of all calls. Programs include syncline.h. */
#ifndef SYNCLINE_TYPES_H
#define SYNCLINE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SYNCLINE_API __attribute__((visibility("default")))

enum {
    SYNCLINE_OK = 0,
    SYNCLINE_ERR_INVALID = -1,          /* an argument makes no sense */
    SYNCLINE_ERR_RANK = -2,             /* there is no such PE */
    SYNCLINE_ERR_ADDRESS = -3,          /* no such segment, or outside the segment */
    SYNCLINE_ERR_ALIGNMENT = -4,        /* an atomic that is not aligned to its width */
    SYNCLINE_ERR_NO_MEMORY = -5,        /* the symmetric heap or the machine has no memory left */
    SYNCLINE_ERR_PERMISSION = -6,       /* the call needs a privilege that the process lacks */
    SYNCLINE_ERR_UNSUPPORTED = -7,      /* this machine, kernel or transport does not support it */
    SYNCLINE_ERR_BUSY = -8,             /* a resource is taken: try again later */
    SYNCLINE_ERR_PEER = -9,             /* the target PE or its node is gone */
    SYNCLINE_ERR_NODE = -10,            /* this node's daemon is gone: the job is over for this PE */
    SYNCLINE_ERR_SYSTEM = -11,          /* a system call failed */
    SYNCLINE_ERR_NOT_FOUND = -12,       /* the named thing does not exist */
    SYNCLINE_ERR_NOT_INITIALIZED = -13, /* called before syncline_init() or after syncline_finalize() */
    SYNCLINE_ERR_PROTOCOL = -14,        /* the other side speaks another version, or nonsense */
    SYNCLINE_ERR_TIMEOUT = -15,         /* the given time passed */
    SYNCLINE_ERR_BROKEN = -16,          /* a PE that held the lock or waited for it, or the lock's home, is gone */
    SYNCLINE_ERR_INTERRUPTED = -17,     /* the function of syncline_set_interrupt() has ended the wait */
};

/* A location in any PE's memory: segment << 40 | offset. */
typedef uint64_t syncline_address_t;

/* A non-blocking operation that has not been completed; 0 is no operation. */
typedef uint64_t syncline_request_t;

#define SYNCLINE_ADDRESS_NONE UINT64_MAX

#ifdef __cplusplus
}
#endif

#endif
