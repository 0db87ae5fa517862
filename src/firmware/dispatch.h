/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The dispatcher (dispatch.bpf.c), the NIC programs that it goes on to (nic.bpf.c) and the daemon know this of each
 * other.
 *
 * A loaded NIC program serves several jobs, and several nodes of one job: each has a place in its tables. The
 * dispatcher finds program and place by the job's number, and hands the place over in a word of the
 * CPU. Nothing comes between the two programs of a frame on a CPU. Were it otherwise, the frame would be looked at as
 * one of another job or node, whose number it does not have, and dropped.
 */
#ifndef SYNCLINE_FIRMWARE_DISPATCH_H
#define SYNCLINE_FIRMWARE_DISPATCH_H

#include "wire.h"

enum {
    FW_JOBS_MAX = 256, /* on one interface */
    FW_PLACES = 256,   /* of one NIC program, at most */
};

/* A job's frames on an interface go to this program, a slot of the dispatcher's, and to this place in its tables. */
struct fw_way {
    uint32_t program;
    uint32_t place;
};

/*
 * `interface` is 0, but where nodes of a job share the dispatcher: there it is the index of the node's, a positive int.
 * A driver may say that a frame came in by another device than the one that the program is attached to, as by a slave
 * of a bond.
 */
static inline uint64_t fw_key_of_job(uint32_t interface, uint32_t job) {
    return (uint64_t)job << 32 | interface;
}

static inline uint64_t fw_key_of_port(uint32_t interface, uint32_t udp_port) {
    return (uint64_t)udp_port << 32 | 1u << 31 | interface;
}

#endif
