/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The NIC control program: the firmware as an XDP program, one instance per job and node.
 *
 * On most NICs this runs in the driver's receive path on a CPU of the host: no thread, no wake-up and no copy to a
 * process, but not a separate processor either. Only NICs that run eBPF themselves take it off the host entirely.
 */
#include "frame.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("xdp")
int syncline_nic(struct xdp_md* xdp) {
    const uint32_t zero = 0;
    struct fw_env env = {
        .xdp = xdp,
        .data = (uint8_t*)(long)xdp->data,
        .end = (uint8_t*)(long)xdp->data_end,
        .counters = bpf_map_lookup_elem(&fw_counts, &zero),
    };
    if (!env.counters) {
        return XDP_PASS;
    }
    switch (fw_frame(&env)) {
        case FW_PASS:
            return XDP_PASS;
        case FW_REPLY:
            return XDP_TX;
        default:
            return XDP_DROP;
    }
}
