// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// How the switch reorders: a stash of frames held back. Part of switch.bpf.c.
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

static __always_inline void publish(struct switch_slot* slot, __u64 word) {
    (void)__sync_lock_test_and_set(&slot->word, word);
}

// The result of one walk over the stash. An index of SWITCH_SLOTS means that there is none; a claim must still find
// these words there.
struct survey {
    __u64 spare_word;
    __u64 full_word;
    __u32 spare;  // a slot to put a frame in
    __u32 full;   // a held frame
    __u32 held;
    __u32 padding;
};

// Walks the slots from a random one on, so that the frame found is a random one. A frame left from an older run is as
// good as an empty slot.
//
// It is a function of its own and not static: the verifier then judges it once, and does not follow the values in
// *found. Inlined, each value of `held` would be one more state of the loop, beyond the limit of a million
// instructions.
__noinline int survey_stash(struct survey* found, __u64 generation, __u32 start) {
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
            found->held++;
            found->full = index;
            found->full_word = word;
        }
    }
    return 0;
}

// Copies the frame into a slot, which the caller has claimed. It is a function of its own, as copy_out() is, so that
// its length stays in one register from the comparison to the call: the verifier of Linux 6.1 forgets the bounds of a
// number that the compiler puts on the stack.
static __noinline int copy_in(struct __sk_buff* skb, struct switch_slot* slot, __u32 interface) {
    const __u32 length = skb->len;
    if (length < ETHERNET_BYTES || length > SWITCH_FRAME_MAX) {
        return -1;
    }
    slot->interface = interface;
    return (int)bpf_skb_load_bytes(skb, 0, slot->bytes, length);
}

// Writes a held frame, whose slot the caller has claimed, over this one. The kernel refuses before it changes anything.
static __noinline int copy_out(struct __sk_buff* skb, const struct switch_slot* slot, __u64 word) {
    const __u32 held = (__u32)SWITCH_LENGTH(word);
    // The verifier does not know the word's length: bound it again.
    if (held < ETHERNET_BYTES || held > SWITCH_FRAME_MAX) {
        return -1;
    }
    if (held != skb->len && bpf_skb_change_tail(skb, held, 0) != 0) {
        return -1;
    }
    return (int)bpf_skb_store_bytes(skb, 0, slot->bytes, held, BPF_F_INVALIDATE_HASH);
}

// A program cannot hold a frame, so this frame goes into the stash and a random held one leaves in its place; while the
// stash has room, no frame leaves. The two may differ in length, because the kernel lengthens and shortens a frame that
// tc has.
//
// Returns the interface by which the frame leaves, 0 for none. Leaves everything as it was if another CPU was quicker
// or the kernel has no memory.
static __always_inline __u32 reorder(struct __sk_buff* skb, __u64 generation, __u64* state, __u32 interface,
                                     struct switch_counts* counts) {
    struct survey found = {.spare = SWITCH_SLOTS, .full = SWITCH_SLOTS};
    survey_stash(&found, generation, (__u32)draw(state));
    const __u64 word = generation << 16 | (skb->len & 0xFFFFu);
    struct switch_slot* spare = slot_at(found.spare);
    if (!spare || !claim(spare, found.spare_word)) {
        return interface;
    }
    if (SWITCH_LENGTH(found.spare_word) != 0) {  // held for an older run, which ended without releasing it
        counts->lost++;
        counts->held--;
    }
    if (copy_in(skb, spare, interface) != 0) {
        publish(spare, 0);
        return interface;
    }
    if (found.held < SWITCH_HELD_MAX) {
        publish(spare, word);
        counts->reordered++;
        counts->held++;
        return 0;
    }
    struct switch_slot* other = slot_at(found.full);
    if (!other || !claim(other, found.full_word)) {
        publish(spare, 0);
        return interface;
    }
    if (copy_out(skb, other, found.full_word) != 0) {
        publish(other, found.full_word);
        publish(spare, 0);
        return interface;
    }
    interface = other->interface;
    publish(other, 0);
    publish(spare, word);
    counts->reordered++;
    return interface;
}
