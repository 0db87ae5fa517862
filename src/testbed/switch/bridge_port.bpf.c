// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// The program on every port of a test bed's bridge: it passes each frame to the bridge as it came.
//
// A veth end delivers the frames that its XDP program answers with XDP_TX only while an XDP program runs at the other
// end, too: without one the kernel puts them into the other end's ring and does not tell that end to look there. The
// ports of a hardware switch need no such program. "frags" allows the links an MTU of more than a page.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("xdp.frags")
int switch_pass(struct xdp_md* ctx) {
    (void)ctx;
    return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
