/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Feeds the firmware inside the kernel, so that it can be measured as a driver's poll loop would run it: a system call
 * for each packet would empty the caches and the translation buffers in between. Makes the frame one of the templates
 * again, gives it its slot's next sequence (and corrects the checksum for that), and goes on with the firmware.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "measure.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, MEASURE_TEMPLATES);
    __type(key, __u32);
    __type(value, struct measure_template);
} templates SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
    __uint(max_entries, 1);
    __uint(key_size, 4);
    __uint(value_size, 4);
} firmware SEC(".maps");

__u64 runs = 0;

SEC("xdp.frags") /* as the firmware: else no tail call leads there */
int measure(struct xdp_md* xdp) {
    const __u32 index = runs++ % MEASURE_TEMPLATES;
    struct measure_template* template = bpf_map_lookup_elem(&templates, &index);
    if (!template) {
        return XDP_ABORTED;
    }
    const __u32 length = template->length;
    const int change = (int)length - (int)(xdp->data_end - xdp->data);
    if (length == 0 || length > MEASURE_BYTES || (change != 0 && bpf_xdp_adjust_tail(xdp, change)) ||
        bpf_xdp_store_bytes(xdp, 0, template->bytes, length)) {
        return XDP_ABORTED;
    }
    *(__u32*)(template->bytes + MEASURE_SEQUENCE_AT) += template->sequence_step;
    *(__u64*)(template->bytes + MEASURE_TAG_AT) += template->tag_step;
    bpf_tail_call(xdp, &firmware, 0);
    return XDP_PASS;
}
