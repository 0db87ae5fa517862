/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* The dispatcher's table, as its program (dispatch.bpf.c) and the daemon know it. */
#ifndef SYNCLINE_FIRMWARE_DISPATCH_H
#define SYNCLINE_FIRMWARE_DISPATCH_H

#include "wire.h"

enum { FW_JOBS_MAX = 256 }; /* on one interface */

static inline uint64_t fw_key_of_job(uint32_t job) {
    return job;
}

static inline uint64_t fw_key_of_port(uint32_t udp_port) {
    return 1ull << 32 | udp_port;
}

#endif
