// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// The test bed's switch, on every sw<i>: forwarding by destination MAC, with seeded faults.
//
// The last two bytes of a node's MAC are its port + 1, so forwarding needs only the table of the links. Without a fault
// run the XDP program forwards a frame at the cost of some comparisons, one counter and one redirect. It passes each
// frame that needs more up to the tc program behind it: all frames under a fault run, broadcasts, and, before Linux
// 6.3, which was the first to redirect them, frames of several parts. XDP neither clones nor resizes a frame of several
// parts; the kernel does both for tc, whatever the length. The programs use nothing newer than Linux 6.1.
// switch_shared.h names the writer of each shared word and its ordering.

#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <linux/version.h>

#include <bpf/bpf_helpers.h>

#include "switch_random.h"
#include "switch_shared.h"
#include "switch_stash.h"

#define MAC_PREFIX_BYTES 4u

extern int LINUX_KERNEL_VERSION __kconfig;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct switch_control);
} switch_control SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct switch_counts);
} switch_counts SEC(".maps");

// The links, by port.
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, SWITCH_PORTS_MAX);
    __type(key, __u32);
    __type(value, struct switch_link);
} switch_links SEC(".maps");

static __always_inline struct switch_counts* find_counts(void) {
    const __u32 zero = 0;
    return bpf_map_lookup_elem(&switch_counts, &zero);
}

// Returns the running fault run, or NULL.
static __always_inline struct switch_run* find_run(void) {
    const __u32 zero = 0;
    struct switch_control* control = bpf_map_lookup_elem(&switch_control, &zero);
    if (!control) {
        return 0;
    }
    const __u64 active = *(volatile __u64*)&control->active;
    return active == 0 || active >= SWITCH_RUNS ? 0 : &control->runs[active];
}

// Returns the interface to a unicast frame's destination; 0, counted, if there is none or its link takes no frame of
// this length.
static __always_inline __u32 find_interface(const __u8* mac, __u32 length, struct switch_counts* counts) {
    const __u32 number = (__u32)mac[MAC_PREFIX_BYTES] << 8 | mac[MAC_PREFIX_BYTES + 1];
    const __u32 port = number - 1;
    const int ours = mac[0] == 0x02 && mac[1] == 0x53 && mac[2] == 0x4c && mac[3] == 0x00;
    const struct switch_link* link = ours ? bpf_map_lookup_elem(&switch_links, &port) : 0;
    if (!link || link->interface == 0) {
        counts->unknown++;
        return 0;
    }
    if (length > link->length_max) {
        counts->too_long++;
        return 0;
    }
    return link->interface;
}

// Returns the frame's own random stream, from the seed and the frame's number.
static __always_inline __u64 frame_stream(struct switch_run* run) {
    const __u64 number = __sync_fetch_and_add(&run->frames, 1);
    return mix(mix(run->seed + 0x9E3779B97F4A7C15ull) ^ number);
}

static __always_inline void flip_bit(struct __sk_buff* skb, __u64 bit) {
    const __u32 offset = ETHERNET_BYTES + (__u32)(bit >> 3);
    __u8 byte = 0;
    if (bpf_skb_load_bytes(skb, offset, &byte, 1) == 0) {
        byte ^= (__u8)(1u << (bit & 7));
        bpf_skb_store_bytes(skb, offset, &byte, 1, 0);
    }
}

// Flips one to three different bits after the Ethernet header: twice the step is less than the number of
// bits, so first, first + step and first + 2 * step are never the same bit.
static __always_inline void corrupt(struct __sk_buff* skb, __u64* state, struct switch_counts* counts) {
    if (skb->len <= ETHERNET_BYTES) {
        return;
    }
    const __u64 bits = (__u64)(skb->len - ETHERNET_BYTES) * 8;
    const __u64 flips = 1 + draw(state) % 3;
    const __u64 first = draw(state) % bits;
    const __u64 step = 1 + draw(state) % (bits / 3);
    for (__u64 i = 0; i < 3; i++) {
        if (i < flips) {
            flip_bit(skb, (first + i * step) % bits);
        }
    }
    counts->corrupted++;
}

// A unicast frame under a fault run. The program always draws the four decisions first, so a change of one rate leaves
// the others' decisions as they were.
static __always_inline int forward_faulty(struct __sk_buff* skb, struct switch_run* run, __u32 interface,
                                          struct switch_counts* counts) {
    __u64 state = frame_stream(run);
    bpf_csum_level(skb, BPF_CSUM_LEVEL_RESET);  // GRO may have found the checksum right: the receiver checks again
    const int is_lost = chance(&state, run->loss);
    const int is_corrupt = chance(&state, run->corrupt);
    const int is_twice = chance(&state, run->duplicate);
    const int is_reordered = chance(&state, run->reorder);
    if (is_lost) {
        counts->lost++;
        return TC_ACT_SHOT;
    }
    if (is_corrupt) {
        corrupt(skb, &state, counts);
    }
    if (is_reordered) {
        interface = reorder(skb, run->generation, &state, interface, counts);
        if (interface == 0) {
            return TC_ACT_SHOT;
        }
    }
    if (is_twice && bpf_clone_redirect(skb, interface, 0) == 0) {
        counts->duplicated++;
    }
    counts->forwarded++;
    return (int)bpf_redirect(interface, 0);
}

// Clones the frame to the port, unless it came from there or its link takes no frame of this length. Returns 1 behind
// the last port.
static long flood_port(__u32 port, struct __sk_buff** frame) {
    struct __sk_buff* skb = *frame;
    const struct switch_link* link = bpf_map_lookup_elem(&switch_links, &port);
    if (!link || link->interface == 0) {
        return 1;
    }
    if (link->interface != skb->ifindex && skb->len <= link->length_max) {
        bpf_clone_redirect(skb, link->interface, 0);
    }
    return 0;
}

// Clones the frame to every other port whose link takes it. The verifier of Linux 6.1 would take a loop in C for an
// endless one.
static __always_inline int flood(struct __sk_buff* skb, struct switch_counts* counts) {
    bpf_loop(SWITCH_PORTS_MAX, flood_port, &skb, 0);
    counts->flooded++;
    return TC_ACT_SHOT;
}

// Puts a mark of its own in front of the frame: GRO, between XDP and tc, joins no frames whose marks differ, so the
// faults strike frames as they were sent.
static __always_inline int pass_to_tc(struct xdp_md* ctx) {
    if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(__u32)) == 0) {
        __u32* mark = (__u32*)(long)ctx->data_meta;
        if ((const void*)(mark + 1) <= (const void*)(long)ctx->data) {
            *mark = bpf_get_prandom_u32();
        }
    }
    return XDP_PASS;
}

SEC("xdp.frags")
int switch_forward(struct xdp_md* ctx) {
    const __u8* data = (const __u8*)(long)ctx->data;
    const __u8* end = (const __u8*)(long)ctx->data_end;
    struct switch_counts* counts = find_counts();
    if (data + ETHERNET_BYTES > end || !counts) {
        return XDP_DROP;
    }
    const __u32 length = (__u32)bpf_xdp_get_buff_len(ctx);
    const int is_whole = length == (__u32)(end - data);
    if ((data[0] & 1) || find_run() || (!is_whole && LINUX_KERNEL_VERSION < KERNEL_VERSION(6, 3, 0))) {
        return pass_to_tc(ctx);
    }
    const __u32 interface = find_interface(data, length, counts);
    if (interface == 0) {
        return XDP_DROP;
    }
    counts->forwarded++;
    return (int)bpf_redirect(interface, 0);
}

SEC("tc")
int switch_skb(struct __sk_buff* skb) {
    const __u8* data = (const __u8*)(long)skb->data;
    const __u8* end = (const __u8*)(long)skb->data_end;
    struct switch_counts* counts = find_counts();
    if (data + ETHERNET_BYTES > end || !counts) {
        return TC_ACT_SHOT;
    }
    if (data[0] & 1) {
        return flood(skb, counts);
    }
    const __u32 interface = find_interface(data, skb->len, counts);
    if (interface == 0) {
        return TC_ACT_SHOT;
    }
    struct switch_run* run = find_run();
    if (!run) {
        counts->forwarded++;
        return (int)bpf_redirect(interface, 0);
    }
    return forward_faulty(skb, run, interface, counts);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
