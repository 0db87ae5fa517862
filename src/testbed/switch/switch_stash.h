// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// How the switch program reorders: a stash of frames held back. Part of switch.bpf.c.
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "switch_random.h"
#include "switch_shared.h"

#define ETHERNET_BYTES 14u

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, SWITCH_SLOTS);
    __type(key, __u32);
    __type(value, struct switch_slot);
} switch_stash SEC(".maps");

static __always_inline struct switch_slot* slot_at(__u32 index) {
    return bpf_map_lookup_elem(&switch_stash, &index);
}

static __always_inline int claim(struct switch_slot* slot, __u64 word) {
    return __sync_val_compare_and_swap(&slot->word, word, (word & ~0xFFFFull) | SWITCH_CLAIMED) == word;
}

static __always_inline void publish(struct switch_slot* slot, __u64 generation, __u64 length) {
    (void)__sync_lock_test_and_set(&slot->word, generation << 16 | length);
}

// The findings of one walk over the stash. An index of SWITCH_SLOTS means there is none; a claim must still find these
// words there.
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
static __always_inline __u32 take_out(struct xdp_md* ctx, __u32 length, struct switch_slot* slot, __u64 word) {
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
    if (length > SWITCH_FRAME_MAX || length < ETHERNET_BYTES || bpf_xdp_load_bytes(ctx, 0, slot->bytes, length) != 0) {
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
static __always_inline void reorder(struct xdp_md* ctx, __u32 length, __u64 generation, __u64* state, __u32* port,
                                    struct switch_counts* counts) {
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
