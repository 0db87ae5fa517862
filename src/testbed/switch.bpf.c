// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// The test bed's switch: one XDP program on every sw<i>, forwarding by destination MAC, with seeded faults.
//
// The last two bytes of a node's MAC are its port + 1, so forwarding needs no table but the devmap. Without a
// fault run a frame costs one comparison, one counter and one redirect. Uses nothing newer than Linux 6.1.
// switch_shared.h says who writes each shared word and what orders it.

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "switch_shared.h"

#define ETHERNET_BYTES 14u
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

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, SWITCH_SLOTS);
    __type(key, __u32);
    __type(value, struct switch_slot);
} switch_stash SEC(".maps");

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

static __always_inline __u64 mix(__u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

// splitmix64, as base/prng.h has it.
static __always_inline __u64 draw(__u64* state) {
    *state += 0x9E3779B97F4A7C15ull;
    return mix(*state);
}

// Each frame has a stream of its own, from the seed and its number.
static __always_inline __u64 frame_stream(struct switch_run* run) {
    const __u64 number = __sync_fetch_and_add(&run->frames, 1);
    return mix(mix(run->seed + 0x9E3779B97F4A7C15ull) ^ number);
}

static __always_inline int chance(__u64* state, __u64 rate) {
    return (draw(state) >> 32) < rate;
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
// bits, so first, first + step and first + 2 * step never meet.
static __always_inline void corrupt(struct xdp_md* ctx, __u32 length, __u64* state,
                                    struct switch_counts* counts) {
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

static __always_inline struct switch_slot* slot_at(__u32 index) {
    return bpf_map_lookup_elem(&switch_stash, &index);
}

static __always_inline int claim(struct switch_slot* slot, __u64 word) {
    return __sync_val_compare_and_swap(&slot->word, word, (word & ~0xFFFFull) | SWITCH_CLAIMED) == word;
}

static __always_inline void publish(struct switch_slot* slot, __u64 generation, __u64 length) {
    (void)__sync_lock_test_and_set(&slot->word, generation << 16 | length);
}

// What one walk over the stash found. An index of SWITCH_SLOTS means there is none; the words are what a
// claim must still find there.
struct survey {
    __u64 spare_word;
    __u64 equal_word;
    __u64 shorter_word;
    __u32 spare;    // a slot to put a frame in
    __u32 equal;    // a held frame of the same length
    __u32 shorter;  // a held frame that is shorter
    __u32 held;
    __u32 alike;  // held frames of the same length
    __u32 padding;
};

static __always_inline void note_held(struct survey* found, __u32 index, __u64 word, __u32 length) {
    found->held++;
    if (SWITCH_LENGTH(word) == length) {
        found->alike++;
        found->equal = index;
        found->equal_word = word;
    } else if (SWITCH_LENGTH(word) < length) {
        found->shorter = index;
        found->shorter_word = word;
    }
}

// Walks the slots from a random one on, so that the frames found are random ones. A frame left from an older
// run is as good as an empty slot.
//
// A function of its own and not static: the verifier then judges it once, and does not follow the values in
// *found. Inlined, each value of `held` would be one more state of the loop, beyond the limit of a million
// instructions.
__noinline int survey_stash(struct survey* found, __u64 generation, __u32 length, __u32 start) {
    if (!found) {
        return 0;
    }
    for (__u32 i = 0; i < SWITCH_SLOTS; i++) {
        const __u32 index = (start + i) & (SWITCH_SLOTS - 1);
        struct switch_slot* slot = slot_at(index);
        if (!slot) {
            break;
        }
        const __u64 word = *(volatile __u64*)&slot->word;
        if (SWITCH_LENGTH(word) == SWITCH_CLAIMED) {
            continue;
        }
        if (SWITCH_LENGTH(word) == 0 || SWITCH_GENERATION(word) != generation) {
            found->spare = index;
            found->spare_word = word;
        } else {
            note_held(found, index, word, length);
        }
    }
    return 0;
}

// Writes the held frame over this one, which cannot grow but can shrink. The slot is claimed. Returns its
// port.
static __always_inline __u32 take_out(struct xdp_md* ctx, __u32 length, struct switch_slot* slot,
                                      __u64 word) {
    __u32 held = (__u32)SWITCH_LENGTH(word);
    // The verifier does not know what the word held: bound the length again.
    if (held < ETHERNET_BYTES || held > length || held > SWITCH_FRAME_MAX) {
        return SWITCH_PORTS_MAX;
    }
    if (held < length && bpf_xdp_adjust_tail(ctx, (int)held - (int)length) != 0) {
        return SWITCH_PORTS_MAX;
    }
    if (bpf_xdp_store_bytes(ctx, 0, slot->bytes, held) != 0) {
        return SWITCH_PORTS_MAX;
    }
    return slot->port;
}

// Copies this frame into a spare slot, claiming and publishing it. Returns 0 when that was done.
static __always_inline int put_in(struct xdp_md* ctx, __u32 length, __u32 port, const struct survey* found,
                                  __u64 generation, struct switch_counts* counts) {
    struct switch_slot* slot = slot_at(found->spare);
    if (!slot || !claim(slot, found->spare_word)) {
        return -1;
    }
    if (SWITCH_LENGTH(found->spare_word) != 0) {
        counts->lost++;  // held for an older run, which ended without releasing it
    }
    if (length > SWITCH_FRAME_MAX || length < ETHERNET_BYTES ||
        bpf_xdp_load_bytes(ctx, 0, slot->bytes, length) != 0) {
        publish(slot, generation, 0);
        return -1;
    }
    slot->port = port;
    publish(slot, generation, length);
    counts->reordered++;
    return 0;
}

// Reordering, since XDP cannot hold a frame: this one goes into the stash and a random held one leaves in its
// place; while the stash has room, nothing leaves.
//
// Frames cannot grow, so each exchange leaves the stash as long or longer: filled freely, it would soon hold
// only full-size frames, and no short frame would ever be reordered again. So there is room for only a few of
// each length, and the exchange is with one of the same length if there is any.
//
// Sets *port to where the frame now goes, SWITCH_PORTS_MAX for nowhere. Leaves everything as it was when
// another CPU was quicker, or when the stash is full and every held frame is longer than this one.
static __always_inline void reorder(struct xdp_md* ctx, __u32 length, __u64 generation, __u64* state,
                                    __u32* port, struct switch_counts* counts) {
    struct survey found = {.spare = SWITCH_SLOTS, .equal = SWITCH_SLOTS, .shorter = SWITCH_SLOTS};
    survey_stash(&found, generation, length, (__u32)draw(state));
    if (found.held < SWITCH_HELD_MAX && found.alike < SWITCH_ALIKE_MAX) {
        if (put_in(ctx, length, *port, &found, generation, counts) == 0) {
            *port = SWITCH_PORTS_MAX;
        }
        return;
    }
    const int is_equal = found.equal < SWITCH_SLOTS;
    const __u64 other_word = is_equal ? found.equal_word : found.shorter_word;
    struct switch_slot* other = slot_at(is_equal ? found.equal : found.shorter);
    if (!other || !claim(other, other_word)) {
        return;
    }
    if (put_in(ctx, length, *port, &found, generation, counts) != 0) {
        publish(other, generation, SWITCH_LENGTH(other_word));
        return;
    }
    *port = take_out(ctx, length, other, other_word);
    if (*port >= SWITCH_PORTS_MAX) {
        counts->lost++;
    }
    publish(other, generation, 0);
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

// A unicast frame under a fault run. The four decisions are drawn first and always, so that changing one rate
// leaves the others' decisions as they were.
static __always_inline int forward_faulty(struct xdp_md* ctx, struct switch_run* run, __u32 length,
                                          __u32 port, struct switch_counts* counts) {
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
