// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// Memory that the switch's programs (switch.bpf.c) and the process that controls them (xdp_switch.cpp) share.
//
// Writers, and the ordering that each relies on:
//
// - control.active: user space. Index of the running fault run, 0 for none. Stored with release after the run
//   it names is filled in. Each program loads it once per frame and reaches the run through an address
//   computed from it, so the address dependency orders the two loads on every CPU.
// - control.started: user space, by fetch-add. The runs ever started; gives each writer an entry of its own,
//   so two processes may set faults at once: the last store to `active` wins.
// - runs[i].frames: reset by user space before the run is published, afterwards only the tc program's, by
//   fetch-add. Each frame gets its own number, whose order alone makes a run reproducible.
// - runs[i], the rest: user space, before the run is published. An entry is used again SWITCH_RUNS - 1 runs
//   later; a program that still reads it then may judge that one frame by mixed rates, no more.
// - counts: the programs, per CPU, by plain adds. Both run with bottom halves off, so no other frame
//   interrupts them on that CPU. User space sums the CPUs and may lag by the frames in flight.
// - links: user space, before a program is attached.
// - slot.word: the tc program, only by atomic compare-and-swap and exchange; see there.
// - slot, the rest: the CPU that holds the slot's claim.
#pragma once

#include <linux/types.h>

#define SWITCH_PORTS_MAX 256u   // 250 nodes, rounded up
#define SWITCH_RUNS 8u          // entry 0 is never used: active == 0 means no faults
#define SWITCH_SLOTS 32u        // slots of the stash; a power of two
#define SWITCH_HELD_MAX 8u      // frames the stash keeps; the other slots let as many CPUs swap at once
#define SWITCH_FRAME_MAX 9014u  // of the longest link, with its Ethernet header

// A rate is a probability scaled by 2^32: 0 is never, 2^32 is always.
#define SWITCH_RATE_ONE (1ull << 32)

struct switch_run {
    __u64 generation;  // number of this run since the switch was made; marks the frames that the stash holds for it
    __u64 seed;
    __u64 frames;
    __u64 loss;
    __u64 corrupt;
    __u64 duplicate;
    __u64 reorder;
    __u64 reserved;
};

struct switch_control {
    __u64 active;
    __u64 started;
    __u64 reserved[6];
    struct switch_run runs[SWITCH_RUNS];
};

struct switch_counts {
    __u64 forwarded;
    __u64 flooded;
    __u64 lost;
    __u64 duplicated;
    __u64 reordered;
    __u64 corrupted;
    __u64 unknown;
    __u64 too_long;
    __u64 held;  // put into the stash less taken out: one CPU's part may be below zero, the sum of all is not
};

struct switch_link {
    __u32 interface;   // 0: there is no such port
    __u32 length_max;  // of a frame that the link takes, with its Ethernet header
};

// A stash slot: one frame held back. `word` is generation << 16 | length:
//
// - length 0: empty
// - length SWITCH_CLAIMED: one CPU is filling or emptying it
// - anything else: full, with a frame of that length that the run of that generation held back
//
// Claiming is a compare-and-swap from empty or full to claimed; publishing is an exchange to full or empty.
// Both are full barriers: a claim sees every byte written before the publication it replaces. A program
// cannot stop half-way, so a claim never stays.
#define SWITCH_CLAIMED 0xFFFFull
#define SWITCH_LENGTH(word) ((word) & 0xFFFFull)
#define SWITCH_GENERATION(word) ((word) >> 16)

struct switch_slot {
    __u64 word;
    __u32 interface;  // by which the frame leaves
    __u32 reserved;
    __u8 bytes[SWITCH_FRAME_MAX + 2u];  // whole words
};

#ifdef __cplusplus
static_assert(sizeof(switch_run) == 64, "one run per cache line");
static_assert(sizeof(switch_control) == 64 * (1 + SWITCH_RUNS), "no padding");
static_assert(sizeof(switch_slot) == 16 + SWITCH_FRAME_MAX + 2, "no padding");
#endif
