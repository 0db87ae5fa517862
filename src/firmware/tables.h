/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The words that the firmware shares with processes and with the daemon. The BPF maps, the mapped memory of a process
 * and the native tables all use these definitions.
 *
 * Writers and pairs:
 *
 *   fw_slot         The firmware of the target node alone writes it. `word` is claimed by compare&swap (acquires the
 *                   record) and published by exchange (releases it); both are full barriers under BPF.
 *   fw_source       `row`: the firmware of the target node alone claims it by compare&swap (acquires) and then
 *                   publishes the row by exchange (releases). `executed`: the firmware adds to it, after the exchange
 *                   that publishes the slot's record; a process that reads it (acquire) sees the executed operations.
 *   fw_rows         `taken`: the firmware, by compare&swap. `room`: the daemon, once the memory of the rows below it is
 *                   in place (release: pairs with the firmware's load before its compare&swap).
 *   fw_buffers      The process of the port alone (release: its completion's and image's state come after it). The
 *                   firmware reads it, and trusts it only if the states name the same request.
 *   fw_completion   `state`: the process arms it (release: pairs with the firmware's claim); the firmware claims it by
 *                   compare&swap and publishes DONE by exchange (pairs with the process's acquire load). While it is
 *                   ARMED, the process may name a follower by compare&swap (release), which the firmware's claim
 *                   takes (acquire): so either the claim sees the follower, or the process sees the claim. The rest
 *                   belongs to the firmware between claim and DONE, else to the process.
 *   fw_image        The process alone writes it, see below; the firmware and the daemon's timer read it.
 *   fw_port.waiting  The process stores 1 (sequentially consistent) before it checks a last time and blocks. A writer
 *                   of its memory or completion looks at it after a full barrier, and takes it back to 0 by exchange
 *                   before it wakes the process. So either the waiter sees the write, or the writer sees the waiter.
 *   fw_port.followers_lost  The firmware adds to it, the process reads it. When it does so does not matter: a packet
 *                   that did not follow is sent again like any lost packet.
 *   fw_pair_lock    See pair.h.
 *   fw_segment      The daemon alone writes it; the firmware reads it.
 *   fw_barrier      See barrier.h.
 */
#ifndef SYNCLINE_FIRMWARE_TABLES_H
#define SYNCLINE_FIRMWARE_TABLES_H

#include "port_set.h"
#include "wire.h"

/*
 * A request's name at its initiator: target node and slot, and the slot's sequence. The states of its completion and
 * its image begin with this name, so that no state of an earlier request in the same buffer is mistaken for this
 * request's. The low 8 bits are free.
 */
static inline uint64_t fw_request_id(uint32_t node, uint32_t slot, uint32_t sequence) {
    return (uint64_t)(node << 6 | slot) << 40 | (uint64_t)sequence << 8;
}

static inline uint32_t fw_node_of_request(uint64_t id) {
    return (uint32_t)(id >> 46) & 0xffff;
}

/*
 * Each of a PE's requests under way has a buffer: a completion and an image. This returns how many buffers a PE has,
 * for all its connections together: enough for all connections in a small job, and for three whole windows in a large
 * one.
 */
static inline uint32_t fw_buffers_of(uint32_t nodes, uint32_t window) {
    const uint64_t all = (uint64_t)nodes * window;
    const uint32_t most = 3 * window > 64 ? 3 * window : 64;
    return all < most ? (uint32_t)all : most;
}

/* The buffers of four slots, in the order of (port * nodes + node) * window + slot. */
struct fw_buffers {
    uint16_t of_slot[4];
};

/* The words of a target for a rank of the job, as the initiator of requests. */
struct fw_source {
    uint32_t row; /* of slots, + 1; 0: no request has come from it; FW_ROW_CLAIMED: a CPU is taking one for it */
    /*
     * The sum of the sequences that were executed last in the rank's slots, modulo 2^32, without the runtime's own
     * slot: op_done of Buntinas 2003, section 3.1.2.
     */
    uint32_t executed;
};

enum { FW_ROW_CLAIMED = 0xffffffff };

/* The rows of slots, one for each rank that has sent a request. */
struct fw_rows {
    uint32_t taken;
    uint32_t room; /* rows for which there is memory */
};

enum {
    FW_CHUNK_SHIFT = 6, /* rows of a BPF array of slots */
    FW_CHUNK_ROWS = 1 << FW_CHUNK_SHIFT,
    FW_CHUNKS_OF_ROWS = SLW_RANKS_MAX / FW_CHUNK_ROWS,
    FW_SLOT_SHIFT = 6, /* a slot's index: row << 6 | slot */
};

SLW_STATIC_ASSERT(1 << FW_SLOT_SHIFT == SLW_WINDOW_MAX, "a slot has a place in an index");

/* One slot of one connection at its target: the papers' table of return values (Buntinas 2002, section III.B). */
struct fw_slot {
    uint64_t word; /* sequence << 8 | enum fw_slot_state */
    uint16_t status;
    uint16_t executed;
    uint16_t length; /* bytes of results that the reply carries */
    uint16_t reserved;
    uint64_t results[SLW_FETCH_UNITS_MAX];
};

enum fw_slot_state {
    FW_SLOT_EMPTY = 0,
    FW_SLOT_BUSY = 1, /* a CPU executes this sequence now */
    FW_SLOT_DONE = 2, /* the record is the reply to this sequence */
};

/*
 * A request's place for its reply at the initiator, in the process's memory. In an array, each has only as much of
 * `data` as the node's packets can fill: see fw_completion_bytes().
 */
struct fw_completion {
    uint64_t state; /* fw_request_id() | FW_FOLLOWER's bits | enum fw_completion_state */
    uint16_t status;
    uint16_t executed;
    uint32_t length;
    uint8_t data[SLW_BODY_MAX];
    uint64_t pad[4]; /* up to a multiple of the cache line */
};

enum fw_completion_state {
    FW_COMPLETION_IDLE = 0,
    FW_COMPLETION_ARMED = 1,   /* a request is under way */
    FW_COMPLETION_CLAIMED = 2, /* the firmware writes the reply */
    FW_COMPLETION_DONE = 3,    /* the reply is here */
};

/*
 * With ARMED: the packet of another slot of the connection follows this one. The NIC sends that packet when this
 * request's reply has come, in the reply's frame. The bits are the other slot's number exclusive-or this one's; 0: none
 * follows.
 */
enum {
    FW_FOLLOWER_SHIFT = 2,
    FW_FOLLOWER = 63 << FW_FOLLOWER_SHIFT,
};

/*
 * The image of a request packet, which a process keeps until the reply is there. Two others may send the packet: the
 * firmware, if it follows another packet, and the daemon's timer, again, for a process that computes. `state` is a
 * sequence lock: they read it before and after they copy the packet, and send only if it was armed and unchanged. In an
 * array, each image has only as much of `packet` as the node's packets can fill: see fw_image_bytes().
 */
struct fw_image {
    uint64_t state; /* fw_request_id() | 1 while the packet is out, | 2 while its SLW_CLOSE is, else 0; with release */
    uint64_t sent_ns; /* when the packet was last sent, or later: the daemon's timer waits from then on */
    uint32_t length;  /* of the packet */
    uint32_t pad_to;  /* length of the datagram: a get's request is as long as its reply */
    uint8_t packet[SLW_PACKET_MAX];
};

SLW_STATIC_ASSERT(sizeof(struct fw_slot) == 720, "pinned: a row has a window of these");
SLW_STATIC_ASSERT(offsetof(struct fw_completion, data) == 16 && sizeof(struct fw_completion) % 64 == 0, "pinned");

/* Returns the distance between two completions of an array: whole cache lines. `packet_max` as in fw_config. */
static inline uint32_t fw_completion_bytes(uint32_t packet_max) {
    return (packet_max - SLW_HEADER_BYTES + (uint32_t)offsetof(struct fw_completion, data) + 63) & ~63u;
}

/* Returns the distance between two images of an array. */
static inline uint32_t fw_image_bytes(uint32_t packet_max) {
    return (packet_max + (uint32_t)offsetof(struct fw_image, packet) + 63) & ~63u;
}

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
    uint32_t followers_lost; /* packets that did not fit into the frame of the reply that they should have followed */
    uint64_t cpus[4];        /* CPUs on which the port's process may run, CPU number modulo 256; 0: not known */
    uint32_t unused[6];
    struct fw_pair_lock pair_locks[FW_PAIR_LOCKS];
};

SLW_STATIC_ASSERT(sizeof(struct fw_port) == 64 + 32 * FW_PAIR_LOCKS, "pinned");

enum fw_segment_state {
    FW_SEGMENT_NONE = 0,
    FW_SEGMENT_OPEN = 1,
    FW_SEGMENT_CLOSED = 2, /* its process is gone */
};

struct fw_segment {
    uint64_t length; /* in bytes */
    uint32_t state;
    uint32_t generation; /* counts registrations of this index: a mapping of an earlier registration is stale */
};

/*
 * One barrier at one node, shared by its NIC and its processes: a schedule that the host has drawn up, and how far the
 * node has come in it. barrier.h names the writer of each word.
 */
enum {
    FW_BARRIER_FANOUT = 64, /* children of a node of a tree */
    FW_BARRIER_ENTRIES = FW_BARRIER_FANOUT + 1,
    FW_BARRIER_PHASES = 16, /* for pairwise exchange among SLW_NODES_MAX nodes */
};

enum fw_barrier_state {
    FW_BARRIER_CLOSED = 0,
    FW_BARRIER_OPEN = 1,
    FW_BARRIER_BROKEN = 2, /* a member is gone */
    FW_BARRIER_GONE = 3,   /* broken, and closed here since then: this node may still have to tell others */
};

/* How far the node is in an epoch: fw_barrier.word = epoch << 32 | phase << 8 | this. */
enum fw_barrier_step {
    FW_BARRIER_DONE = 0, /* the epoch is complete here, or none has begun */
    FW_BARRIER_RUNNING = 1,
    FW_BARRIER_BUSY = 2, /* a CPU is taking it to the next phase */
};

enum fw_barrier_record_state {
    FW_RECORD_WRITING = 1,
    FW_RECORD_HEARD = 2,
};

enum fw_combine {
    FW_COMBINE_NONE = 0,
    FW_COMBINE_SUM = 1, /* modulo 2^64 */
    FW_COMBINE_MIN = 2, /* of signed numbers */
    FW_COMBINE_MAX = 3,
    FW_COMBINE_AND = 4,
    FW_COMBINE_OR = 5,
    FW_COMBINE_XOR = 6,
    FW_COMBINE_SUM_DOUBLE = 7, /* IEEE 754 binary64 */
    FW_COMBINE_SUM_FLOAT = 8,  /* binary32, in the low half; the high half is 0 */
};

struct fw_barrier_phase {
    uint8_t hear_from; /* entries of `hear` that must have come before the phase is over: */
    uint8_t hear_to;   /* hear_from <= i < hear_to */
    uint8_t send_to;   /* entries of `send` below this may go out once the phase is entered */
    uint8_t replace;   /* 1: the value heard replaces the node's own; 0: they are combined */
};

struct fw_barrier_route {
    uint16_t node;
    uint8_t place; /* in `send`: the receiver's entry of `hear`; in `hear`: the sender's entry of `send` */
    uint8_t phase; /* in `send`: the phase in which it goes out */
};

/* The newest message for an entry of `hear`, for one parity of epochs. */
struct fw_barrier_record {
    uint64_t word; /* epoch << 32 | enum fw_barrier_record_state */
    uint64_t value;
};

struct fw_barrier {
    uint32_t state;
    uint32_t instance;
    struct fw_port_set ports; /* ports of this node's members, to be woken */
    uint64_t word;            /* epoch << 32 | phase << 8 | enum fw_barrier_step */
    uint64_t sent;            /* epoch << 32 | number of entries of `send` that CPUs have taken to send */
    uint64_t refused;         /* entries for which a message came before the barrier was open */
    uint8_t phases;
    uint8_t hears;
    uint8_t sends;
    uint8_t host;       /* 1: the NIC only records; a process does the rest (the papers' host-based barrier) */
    uint8_t combine[2]; /* for the epochs of each parity */
    uint16_t drawer;    /* the process that draws up the schedule: its port + 1, or 0 */
    uint64_t gathered;  /* how many local members have started, all epochs together */
    uint64_t left;      /* how many local members have closed it */
    struct fw_barrier_phase phase[FW_BARRIER_PHASES + 1]; /* the last one: complete */
    struct fw_barrier_route hear[FW_BARRIER_ENTRIES];
    struct fw_barrier_route send[FW_BARRIER_ENTRIES];
    uint64_t value[2][FW_BARRIER_PHASES + 1]; /* carried by the sends of each phase; the last one is the result */
    uint64_t contribution[SLW_PORTS_MAX];     /* of each local member */
    struct fw_barrier_record record[2 * FW_BARRIER_ENTRIES]; /* for entry i: 2 * i + parity of the epoch */
};

SLW_STATIC_ASSERT(sizeof(struct fw_barrier) % 8 == 0, "an array of them has no holes");

/*
 * Another node, for messages that the NIC sends on its own. The daemon writes the address; the firmware learns the MAC.
 */
struct fw_peer {
    uint8_t address[16]; /* IPv4 in the first four bytes */
    uint8_t mac[6];
    uint8_t known;    /* 1: `mac` was in a valid packet that came from `address` */
    uint8_t answered; /* 1: so was its NIC's answer to a greeting */
};

enum { FW_FANS = 6 }; /* nic.bpf.c */

enum {
    FW_NH_CHUNK = 1024, /* bytes that are hashed under the same key */
    FW_NH_SHIFT = 2,    /* words of the key between one pass and the next */
    FW_NH_WORDS = FW_NH_CHUNK / 8 + FW_NH_SHIFT,
};

/* A NIC's description of its job; constant while the firmware runs. */
struct fw_config {
    uint32_t job;
    uint32_t authenticate; /* 1: tags under `key`; 0: checksums */
    uint64_t key[2];
    uint32_t node;
    uint32_t nodes;
    uint32_t ranks;
    uint32_t ports;  /* of this node */
    uint32_t window; /* slots of a connection */
    uint32_t udp_port;
    uint32_t packet_max;      /* the longest packet of this node, by its link: SLW_PACKET_LEAST to SLW_PACKET_MAX */
    uint32_t keep_parts;      /* 1: a frame of several parts is never made shorter: see fw_resize() */
    uint64_t nh[FW_NH_WORDS]; /* NH's key: see fw_derive_keys() */
};

/* X(name, what it counts): the counters of one NIC, in this order. */
#define FW_COUNTERS(X)                                                            \
    X(requests, "requests accepted, duplicates included")                         \
    X(operations, "operations executed")                                          \
    X(replies_sent, "replies sent")                                               \
    X(replies, "replies deposited in a process's memory")                         \
    X(wakeups, "blocked processes woken")                                         \
    X(duplicates, "duplicate requests answered from the table of results")        \
    X(refused, "requests answered with an error status")                          \
    X(rejected_short, "packets shorter than they say, or than a header")          \
    X(rejected_version, "packets with an unknown magic, version or kind")         \
    X(rejected_job, "packets of another job or of an earlier generation")         \
    X(rejected_tag, "packets whose authentication tag or checksum is wrong")      \
    X(rejected_length, "packets with impossible unit or data counts")             \
    X(rejected_node, "packets for another node")                                  \
    X(rejected_source, "packets whose source rank, port or slot does not exist")  \
    X(rejected_room, "first requests of a rank for which there was no row yet")   \
    X(rejected_stale, "requests older than the last one of their slot")           \
    X(rejected_busy, "requests whose slot another CPU was executing")             \
    X(rejected_late, "replies that no request waits for")                         \
    X(rejected_fragment, "fragmented or otherwise unusable IP packets")           \
    X(barriers, "barrier messages recorded")                                      \
    X(barriers_sent, "barrier messages sent")                                     \
    X(barriers_pulled, "barrier messages sent again because they were asked for") \
    X(rejected_barrier, "barrier messages for a closed or an earlier barrier")    \
    X(followers, "requests sent in the frame of the reply before them")           \
    X(followers_lost, "requests for which the reply's frame was too short")

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
