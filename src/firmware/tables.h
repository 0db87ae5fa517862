/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The words that the firmware shares with processes and with the daemon. One definition for the BPF maps, the
 * mapped memory of a process and the native tables.
 *
 * Who writes what, and what pairs with what:
 *
 *   fw_slot         the firmware of the target node alone. `word` is claimed by compare&swap (acquires the record)
 *                   and published by exchange (releases it); both are full barriers under BPF.
 *   fw_completion   `state`: the process arms it (release: pairs with the firmware's claim), the firmware claims by
 *                   compare&swap and publishes DONE by exchange (pairs with the process's acquire load). The rest
 *                   belongs to the firmware between claim and DONE, else to the process.
 *   fw_port.waiting the process stores 1 (sequentially consistent) before it checks a last time and blocks; whoever
 *                   wrote its memory or completion looks at it after a full barrier, and takes it back to 0 by
 *                   exchange before it wakes. So either the waiter sees the write, or the writer sees the waiter.
 *   fw_pair_lock    see pair.h.
 *   fw_segment      the daemon alone; the firmware reads.
 */
#ifndef SYNCLINE_FIRMWARE_TABLES_H
#define SYNCLINE_FIRMWARE_TABLES_H

#include "wire.h"

/* One slot of one connection at its target: the papers' table of return values (000, section III.B). */
struct fw_slot {
    uint64_t word; /* sequence << 8 | enum fw_slot_state */
    uint8_t status;
    uint8_t executed;
    uint16_t length; /* bytes of results that the reply carries */
    uint32_t reserved;
    uint64_t results[SLW_UNITS_MAX];
};

enum fw_slot_state {
    FW_SLOT_EMPTY = 0,
    FW_SLOT_BUSY = 1, /* some CPU executes this sequence now */
    FW_SLOT_DONE = 2, /* the record is the reply to this sequence */
};

/* One slot of one connection at its initiator, in the process's memory. */
struct fw_completion {
    uint64_t state; /* sequence << 8 | enum fw_completion_state */
    uint8_t status;
    uint8_t executed;
    uint16_t length;
    uint32_t reserved;
    uint8_t data[SLW_BODY_MAX];
    uint64_t pad[6]; /* to a multiple of the cache line */
};

enum fw_completion_state {
    FW_COMPLETION_IDLE = 0,
    FW_COMPLETION_ARMED = 1,   /* a request is out */
    FW_COMPLETION_CLAIMED = 2, /* the firmware writes the reply */
    FW_COMPLETION_DONE = 3,    /* the reply is here */
};

SLW_STATIC_ASSERT(sizeof(struct fw_slot) == 720, "pinned: ranks x window of these exist on every node");
SLW_STATIC_ASSERT(sizeof(struct fw_completion) == 23 * 64, "pinned: whole cache lines");

enum { FW_PAIR_LOCKS = 64 };

struct fw_pair_lock {
    uint64_t owner; /* 0: free; else see pair.h */
    uint64_t address;
    uint64_t low;
    uint64_t high;
};

/* The shared words of one port, which all processes of the node map. */
struct fw_port {
    uint32_t waiting;
    uint32_t reserved[15];
    struct fw_pair_lock pair_locks[FW_PAIR_LOCKS];
};

SLW_STATIC_ASSERT(sizeof(struct fw_port) == 64 + 32 * FW_PAIR_LOCKS, "pinned");

enum fw_segment_state {
    FW_SEGMENT_NONE = 0,
    FW_SEGMENT_OPEN = 1,
    FW_SEGMENT_CLOSED = 2, /* its process is gone */
};

struct fw_segment {
    uint64_t length; /* bytes */
    uint32_t state;
    uint32_t generation; /* counts registrations of this index: a mapping of an earlier one is stale */
};

/* What one NIC knows of its job; constant while the firmware runs. */
struct fw_config {
    uint32_t job;
    uint32_t authenticate; /* 1: SipHash-2-4 with `key`; 0: checksum */
    uint64_t key[2];
    uint32_t node;
    uint32_t nodes;
    uint32_t ranks;
    uint32_t first_rank; /* port p of this node is rank first_rank + p */
    uint32_t ports;
    uint32_t window; /* slots per connection */
    uint32_t udp_port;
    uint32_t reserved;
};

/* X(name, what it counts): the counters of one NIC, in this order. */
#define FW_COUNTERS(X)                                                           \
    X(requests, "requests accepted, duplicates included")                        \
    X(operations, "operations executed")                                         \
    X(replies_sent, "replies sent")                                              \
    X(replies, "replies deposited in a process's memory")                        \
    X(wakeups, "blocked processes woken")                                        \
    X(duplicates, "duplicate requests answered from the table of results")       \
    X(refused, "requests answered with an error status")                         \
    X(rejected_short, "packets shorter than they say, or than a header")         \
    X(rejected_version, "packets with an unknown magic, version or kind")        \
    X(rejected_job, "packets of another job or of an earlier generation")        \
    X(rejected_tag, "packets whose authentication tag or checksum is wrong")     \
    X(rejected_length, "packets with impossible unit or data counts")            \
    X(rejected_node, "packets for another node")                                 \
    X(rejected_source, "packets whose source rank, port or slot does not exist") \
    X(rejected_stale, "requests older than the last one of their slot")          \
    X(rejected_busy, "requests whose slot another CPU was executing")            \
    X(rejected_late, "replies that nobody waits for")                            \
    X(rejected_fragment, "fragmented or otherwise unusable IP packets")

enum fw_counter {
#define FW_COUNTER_ENUM(name, text) FW_COUNT_##name,
    FW_COUNTERS(FW_COUNTER_ENUM)
#undef FW_COUNTER_ENUM
        FW_COUNTER_COUNT
};

struct fw_counters {
    uint64_t value[FW_COUNTER_COUNT];
};

#endif
