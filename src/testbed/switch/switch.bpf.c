// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// The test bed's switch: one XDP program on every sw<i>, forwarding by destination MAC, with seeded faults.
//
// The last two bytes of a node's MAC are its port + 1, so forwarding needs no table but the devmap. Without a
// fault run a frame costs one comparison, one counter and one redirect. Uses nothing newer than Linux 6.1.
// switch_shared.h names the writer of each shared word and its ordering.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "switch_random.h"
#include "switch_shared.h"
#include "switch_stash.h"

#define MAC_PREFIX_BYTES 4u

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

// The ports. Also what broadcasts are flooded to.
struct {
    __uint(type, BPF_MAP_TYPE_DEVMAP);
    __uint(max_entries, SWITCH_PORTS_MAX);
    __type(key, __u32);
    __type(value, __u32);
} switch_ports SEC(".maps");

// Per port a devmap whose two entries both name that port: broadcasting to it sends the frame and one clone.
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, SWITCH_PORTS_MAX);
    __type(key, __u32);
    __array(
        values, struct {
            __uint(type, BPF_MAP_TYPE_DEVMAP);
            __uint(max_entries, 2);
            __type(key, __u32);
            __type(value, __u32);
        });
} switch_twins SEC(".maps");

// Each frame has a stream of its own, from the seed and its number.
static __always_inline __u64 frame_stream(struct switch_run* run) {
    const __u64 number = __sync_fetch_and_add(&run->frames, 1);
    return mix(mix(run->seed + 0x9E3779B97F4A7C15ull) ^ number);
}

static __always_inline void flip_bit(struct xdp_md* ctx, __u64 bit) {
    const __u32 offset = ETHERNET_BYTES + (__u32)(bit >> 3);
    __u8 byte = 0;
    if (bpf_xdp_load_bytes(ctx, offset, &byte, 1) == 0) {
        byte ^= (__u8)(1u << (bit & 7));
        bpf_xdp_store_bytes(ctx, offset, &byte, 1);
    }
}

// Flips one to three different bits after the Ethernet header: twice the step is less than the number of
// bits, so first, first + step and first + 2 * step are never the same bit.
static __always_inline void corrupt(struct xdp_md* ctx, __u32 length, __u64* state, struct switch_counts* counts) {
    if (length <= ETHERNET_BYTES) {
        return;
    }
    const __u64 bits = (__u64)(length - ETHERNET_BYTES) * 8;
    const __u64 flips = 1 + draw(state) % 3;
    const __u64 first = draw(state) % bits;
    const __u64 step = 1 + draw(state) % (bits / 3);
    for (__u64 i = 0; i < 3; i++) {
        if (i < flips) {
            flip_bit(ctx, (first + i * step) % bits);
        }
    }
    counts->corrupted++;
}

static __always_inline int forward(__u32 port, struct switch_counts* counts) {
    const long action = bpf_redirect_map(&switch_ports, port, XDP_DROP);
    if (action == XDP_REDIRECT) {
        counts->forwarded++;
    } else {
        counts->unknown++;
    }
    return (int)action;
}

static __always_inline int forward_twice(__u32 port, struct switch_counts* counts) {
    void* twins = bpf_map_lookup_elem(&switch_twins, &port);
    if (!twins) {
        return forward(port, counts);
    }
    counts->forwarded++;
    counts->duplicated++;
    return (int)bpf_redirect_map(twins, 0, BPF_F_BROADCAST);
}

// A unicast frame under a fault run. The program always draws the four decisions first, so a change of one rate leaves
// the others' decisions as they were.
static __always_inline int forward_faulty(struct xdp_md* ctx, struct switch_run* run, __u32 length, __u32 port,
                                          struct switch_counts* counts) {
    __u64 state = frame_stream(run);
    const int is_lost = chance(&state, run->loss);
    const int is_corrupt = chance(&state, run->corrupt);
    const int is_twice = chance(&state, run->duplicate);
    const int is_reordered = chance(&state, run->reorder);
    if (is_lost) {
        counts->lost++;
        return XDP_DROP;
    }
    if (is_corrupt) {
        corrupt(ctx, length, &state, counts);
    }
    if (is_reordered) {
        reorder(ctx, length, run->generation, &state, &port, counts);
        if (port >= SWITCH_PORTS_MAX) {
            return XDP_DROP;
        }
    }
    return is_twice ? forward_twice(port, counts) : forward(port, counts);
}

SEC("xdp")
int switch_forward(struct xdp_md* ctx) {
    const __u8* data = (const __u8*)(long)ctx->data;
    const __u8* end = (const __u8*)(long)ctx->data_end;
    const __u32 zero = 0;
    struct switch_counts* counts = bpf_map_lookup_elem(&switch_counts, &zero);
    struct switch_control* control = bpf_map_lookup_elem(&switch_control, &zero);
    if (data + ETHERNET_BYTES > end || !counts || !control) {
        return XDP_DROP;
    }
    if (data[0] & 1) {
        counts->flooded++;
        return (int)bpf_redirect_map(&switch_ports, 0, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
    }
    const __u32 number = (__u32)data[MAC_PREFIX_BYTES] << 8 | data[MAC_PREFIX_BYTES + 1];
    const int ours = data[0] == 0x02 && data[1] == 0x53 && data[2] == 0x4c && data[3] == 0x00;
    if (!ours || number == 0 || number > SWITCH_PORTS_MAX) {
        counts->unknown++;
        return XDP_DROP;
    }
    const __u64 active = *(volatile __u64*)&control->active;
    if (active == 0 || active >= SWITCH_RUNS) {
        return forward(number - 1, counts);
    }
    return forward_faulty(ctx, &control->runs[active], (__u32)(end - data), number - 1, counts);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
