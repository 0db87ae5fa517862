/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The bare round trip with which `syncline bench bulk` compares a fetch&add: frames as long as a fetch&add's request
 * and reply, which one program turns round and the other deposits, without any other work. The frames are IPv4 without
 * options; the kernel gets every other frame.
 */
#include "bare.h"

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The sequence number that has come back last; the process maps it and polls it. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, uint32_t);
    __type(value, uint64_t);
} bare_deposit SEC(".maps");

struct bare_frame {
    struct ethhdr ethernet;
    struct iphdr ip;
    struct udphdr udp;
    uint8_t payload[];
} __attribute__((packed));

enum {
    BARE_HEADERS = sizeof(struct bare_frame),
    BARE_SHORTER = BARE_REQUEST_BYTES - BARE_REPLY_BYTES,
};

/* NULL: the frame has other headers, or less behind them than a payload of `bytes`. */
static __always_inline struct bare_frame* bare_frame_of(struct xdp_md* xdp, uint32_t bytes) {
    uint8_t* data = (uint8_t*)(long)xdp->data;
    struct bare_frame* frame = (struct bare_frame*)(void*)data;
    if (data + BARE_HEADERS + bytes > (uint8_t*)(long)xdp->data_end) {
        return 0;
    }
    const int is_udp = frame->ethernet.h_proto == bpf_htons(ETH_P_IP) && frame->ip.version == 4 && frame->ip.ihl == 5 &&
                       frame->ip.protocol == IPPROTO_UDP && frame->udp.len == bpf_htons(sizeof(struct udphdr) + bytes);
    return is_udp ? frame : 0;
}

SEC("xdp.frags")
int bare_turn(struct xdp_md* xdp) {
    struct bare_frame* frame = bare_frame_of(xdp, BARE_REQUEST_BYTES);
    if (!frame || frame->udp.dest != bpf_htons(BARE_PORT)) {
        return XDP_PASS;
    }
    uint8_t mac[ETH_ALEN];
    __builtin_memcpy(mac, frame->ethernet.h_dest, ETH_ALEN);
    __builtin_memcpy(frame->ethernet.h_dest, frame->ethernet.h_source, ETH_ALEN);
    __builtin_memcpy(frame->ethernet.h_source, mac, ETH_ALEN);
    const uint32_t address = frame->ip.saddr;
    frame->ip.saddr = frame->ip.daddr;
    frame->ip.daddr = address;
    /* The sum of the header is as much less as its length, and the checksum is that sum's complement. */
    const uint32_t sum = bpf_ntohs(frame->ip.check) + BARE_SHORTER;
    frame->ip.check = bpf_htons((uint16_t)(sum + (sum >> 16)));
    frame->ip.tot_len = bpf_htons(BARE_HEADERS - sizeof(struct ethhdr) + BARE_REPLY_BYTES);
    const uint16_t port = frame->udp.source;
    frame->udp.source = frame->udp.dest;
    frame->udp.dest = port;
    frame->udp.len = bpf_htons(sizeof(struct udphdr) + BARE_REPLY_BYTES);
    frame->udp.check = 0;
    /* A frame of this length has one part, which can be cut on every driver. */
    if (bpf_xdp_get_buff_len(xdp) != BARE_HEADERS + BARE_REQUEST_BYTES || bpf_xdp_adjust_tail(xdp, -BARE_SHORTER)) {
        return XDP_DROP;
    }
    return XDP_TX;
}

SEC("xdp.frags")
int bare_arrive(struct xdp_md* xdp) {
    struct bare_frame* frame = bare_frame_of(xdp, BARE_REPLY_BYTES);
    if (!frame || frame->udp.source != bpf_htons(BARE_PORT)) {
        return XDP_PASS;
    }
    const uint32_t zero = 0;
    uint64_t* deposit = bpf_map_lookup_elem(&bare_deposit, &zero);
    if (deposit) {
        *(volatile uint64_t*)deposit = *(const uint64_t*)(const void*)frame->payload;
    }
    return XDP_DROP;
}
