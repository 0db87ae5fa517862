/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The contract between the dispatcher (dispatch.bpf.c), the NIC programs to which it passes frames (nic.bpf.c), and the
 * daemon.
 *
 * A loaded NIC program serves several jobs, and several nodes of one job: each has a place in its tables. The
 * dispatcher finds program and place by the job's number, and hands the place over in a word of the CPU. No other
 * program runs on the CPU between the two programs of a frame. If one did, the frame would be checked as a frame of
 * another job or node, whose number it does not have, and dropped.
 */
#ifndef SYNCLINE_FIRMWARE_DISPATCH_H
#define SYNCLINE_FIRMWARE_DISPATCH_H

#include "wire.h"

enum {
    FW_JOBS_MAX = 256, /* of one interface */
    FW_PLACES = 256,   /* of one NIC program, at most */
};

/* Where a job's frames of an interface go: a NIC program, by its slot in the dispatcher, and a place in its tables. */
struct fw_way {
    uint32_t program;
    uint32_t place;
};

/*
 * `interface` is 0, except where nodes of a job share the dispatcher; there it is the index, a positive int, of the
 * node's interface. A driver may report that a frame came in by another device than the one to which the program is
 * attached, for example by a slave of a bond.
 */
static inline uint64_t fw_key_of_job(uint32_t interface, uint32_t job) {
    return (uint64_t)job << 32 | interface;
}

static inline uint64_t fw_key_of_port(uint32_t interface, uint32_t udp_port) {
    return (uint64_t)udp_port << 32 | 1u << 31 | interface;
}

#endif
