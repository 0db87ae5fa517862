/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The NIC control program: the firmware as an XDP program, for jobs of a node and nodes of a job.
 *
 * On most NICs this runs in the driver's receive path on a CPU of the host: no thread, no wake-up and no copy to a
 * process, but not a separate processor either. Only NICs that run eBPF themselves take it off the host entirely.
 *
 * A frame may come in several parts. The headers and the first FW_SHORT_BODY bytes behind them must be in the first
 * part.
 */
#include "dispatch.h"
#include "frame.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/*
 * When one frame comes in, several messages of a barrier may have to go out. The frame is cloned by redirecting it to a
 * map that names this NIC's own interface that many times. Each clone passes syncline_fan on its way out, which turns
 * it into the next message that is due. The maps' sizes are powers of two; a surplus clone finds no message due and is
 * dropped.
 */
struct fw_fan_inner {
    __uint(type, BPF_MAP_TYPE_DEVMAP);
    __uint(max_entries, 2);
    __uint(key_size, 4);
    __uint(value_size, sizeof(struct bpf_devmap_val));
};
FW_PLACED_MAPS(fw_fans, FW_FANS, struct fw_fan_inner); /* place p, 2 << i clones: entry p * FW_FANS + i */
_Static_assert(FW_BARRIER_FANOUT <= 1 << FW_FANS, "the largest map");

static __always_inline int fw_fan_out(struct fw_env* env) {
    uint32_t size = 0;
    for (uint32_t i = 1; i < FW_FANS; i++) {
        size += env->due > 1u << i;
    }
    const uint32_t placed = fw_placed(env, FW_FANS, size);
    void* fan = bpf_map_lookup_elem(&fw_fans, &placed);
    return fan ? (int)bpf_redirect_map(fan, 0, BPF_F_BROADCAST) : XDP_DROP;
}

/*
 * Turns the frame into the next message that is due, of the barrier that the frame is about. Returns 0, or -1: there is
 * none.
 */
FW_GLOBAL int fw_make_next(FW_CONTEXT* context, uint32_t offset) {
    FW_ENTER(env, context, offset);
    struct slw_header header;
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    if (!at || fw_count_on(env)) {
        return -1;
    }
    FW_LOAD(&header, (const struct slw_header*)(const void*)at);
    struct fw_barrier* barrier = fw_barrier_at(env, header.slot);
    const int node = barrier ? fw_barrier_next(env, barrier, header.slot) : -1;
    struct fw_peer* peer = node >= 0 ? fw_peer_at(env, (uint32_t)node) : 0;
    /* If the peer is not known yet, the message counts as lost, and the peer asks for it. */
    return peer && peer->known && !fw_aim_frame(env, peer) && fw_turn_frame(env) == FW_REPLY ? 0 : -1;
}

/* The place of the frame that this CPU handles. The dispatcher shares the map. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, uint32_t);
} fw_handed SEC(".maps");

/* The places by interface and job (fw_key_of_job), for frames on their way out, which pass no dispatcher. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, FW_PLACES);
    __type(key, uint64_t);
    __type(value, uint32_t);
} fw_nodes SEC(".maps");

static __always_inline int fw_open_env(struct fw_env* env, struct xdp_md* xdp, const uint32_t* place) {
    env->xdp = xdp;
    env->data = (uint8_t*)(long)xdp->data;
    env->end = (uint8_t*)(long)xdp->data_end;
    env->here = place ? *place << 16 : 0;
    return place ? fw_count_on(env) : -1;
}

/* Returns the place of the job that the frame's header names. */
static __always_inline const uint32_t* fw_place_of_frame(const struct xdp_md* xdp, uint32_t interface) {
    uint8_t* data = (uint8_t*)(long)xdp->data;
    const uint8_t* end = (const uint8_t*)(long)xdp->data_end;
    struct fw_datagram found;
    const uint8_t* udp = fw_find_udp(data, end, &found);
    const uint8_t* header = udp + FW_UDP;
    if (!udp || header + SLW_HEADER_BYTES > end) {
        return 0;
    }
    const uint64_t key =
        fw_key_of_job(interface, *(const uint32_t*)(header + __builtin_offsetof(struct slw_header, job)));
    return bpf_map_lookup_elem(&fw_nodes, &key);
}

/* The loader declares that both take frames in several parts, except below libxdp's dispatcher, where it must not. */
SEC("xdp/devmap")
int syncline_fan(struct xdp_md* xdp) {
    struct fw_env env = {0};
    if (fw_open_env(&env, xdp, fw_place_of_frame(xdp, xdp->egress_ifindex)) || fw_parse_frame(&env) != FW_CONSUMED ||
        fw_make_next(xdp, FW_HERE(&env))) {
        return XDP_DROP;
    }
    return XDP_PASS;
}

SEC("xdp")
int syncline_nic(struct xdp_md* xdp) {
    const uint32_t zero = 0;
    struct fw_env env = {0};
    if (fw_open_env(&env, xdp, bpf_map_lookup_elem(&fw_handed, &zero))) {
        return XDP_PASS;
    }
    switch (fw_frame(&env)) {
        case FW_PASS:
            return XDP_PASS;
        case FW_REPLY:
            return XDP_TX;
        case FW_FORWARD:
            if (env.due > 1) {
                /* A clone has the first part only. The other nodes ask for the messages that do not come. */
                return bpf_xdp_get_buff_len(xdp) == xdp->data_end - xdp->data ? fw_fan_out(&env) : XDP_DROP;
            }
            return fw_make_next(xdp, FW_HERE(&env)) ? XDP_DROP : XDP_TX;
        default:
            return XDP_DROP;
    }
}
