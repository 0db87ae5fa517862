/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The one XDP program that a daemon attaches to an interface. It finds the job to which a frame belongs, and continues
 * in that job's NIC program (nic.bpf.c) by a tail call. So jobs come and go without a change at the interface.
 *
 * A frame belongs to the job whose number is in its Syncline header. A damaged or hostile frame, which has no job's
 * number, belongs to the job of its UDP port, which counts and drops it. All other frames belong to the host.
 */
#include "dispatch.h"
#include "headers.h"

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
    __uint(max_entries, FW_JOBS_MAX);
    __uint(key_size, sizeof(uint32_t));
    __uint(value_size, sizeof(uint32_t));
} fw_programs SEC(".maps");

/* 1: nodes of a job share this program and its tables, and the interface tells for which of them a frame is. */
const volatile uint32_t fw_tells_nodes = 0;

/* The ways, by the number of a job and by its UDP port: see fw_key_of_job(). */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 2 * FW_JOBS_MAX);
    __uint(key_size, sizeof(uint64_t));
    __uint(value_size, sizeof(struct fw_way));
} fw_jobs SEC(".maps");

/* The place of the frame that this CPU handles. The daemon owns the map, and all its programs share it. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(uint32_t));
    __uint(value_size, sizeof(uint32_t));
} fw_handed SEC(".maps");

/* Continues in the job's NIC program; returns only if there is no such job. */
static __always_inline void fw_go_on(struct xdp_md* xdp, uint64_t key) {
    const uint32_t zero = 0;
    const struct fw_way* way = bpf_map_lookup_elem(&fw_jobs, &key);
    uint32_t* handed = way ? bpf_map_lookup_elem(&fw_handed, &zero) : 0;
    if (handed) {
        *handed = way->place;
        bpf_tail_call(xdp, &fw_programs, way->program);
    }
}

SEC("xdp.frags")
int syncline_dispatch(struct xdp_md* xdp) {
    uint8_t* data = (uint8_t*)(long)xdp->data;
    const uint8_t* end = (const uint8_t*)(long)xdp->data_end;
    struct fw_datagram found;
    const uint8_t* udp = fw_find_udp(data, end, &found);
    if (!udp) {
        return XDP_PASS;
    }
    const uint32_t interface = fw_tells_nodes ? xdp->ingress_ifindex : 0;
    const uint32_t from = fw_big16(udp);
    const uint32_t to = fw_big16(udp + 2);
    const uint8_t* header = udp + FW_UDP;
    if (header + SLW_HEADER_BYTES <= end && header[0] == SLW_MAGIC) {
        fw_go_on(xdp, fw_key_of_job(interface, *(const uint32_t*)(header + offsetof(struct slw_header, job))));
    }
    fw_go_on(xdp, fw_key_of_port(interface, to));
    fw_go_on(xdp, fw_key_of_port(interface, from));
    return XDP_PASS;
}
