/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The wire format. docs/PROTOCOL.md describes it for an implementer; the BPF and the native build of the firmware, the
 * library and the tests use this header.
 *
 * A Syncline packet is the payload of one UDP datagram (IPv4 or IPv6). Every number is little-endian.
 *
 *      header (32 bytes) | units (16 bytes each) | data (padded with zeros to 8 bytes)
 *
 * A request carries operations in units; an operation with more than one operand takes two or three units. Only the
 * first operation may be a bulk one (put, get, add), whose bytes are the data; if it is in pieces, the list of pieces
 * precedes them. A reply carries only data: the bytes of a get, or, if any operation of the request fetched, 8 bytes
 * per unit of the request.
 *
 * The header uses no bit-fields, and compilers add no padding: sizes and offsets are pinned below.
 */
#ifndef SYNCLINE_FIRMWARE_WIRE_H
#define SYNCLINE_FIRMWARE_WIRE_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
typedef __s32 int32_t;
typedef __s64 int64_t;
#define offsetof(type, member) __builtin_offsetof(type, member)
#else
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
#define SLW_STATIC_ASSERT static_assert
#else
#define SLW_STATIC_ASSERT _Static_assert
#endif

enum {
    SLW_MAGIC = 0x53,
    SLW_VERSION = 2,
    SLW_DEFAULT_UDP_PORT = 7448,

    SLW_UNIT_BYTES = 16,
    SLW_HEADER_BYTES = 32,
    SLW_PACKET_LEAST = 1232, /* every path carries it: with UDP and IPv6, it is the 1280 that IPv6 promises */
    SLW_PACKET_MAX = 8944,   /* with UDP and IPv6, 8992 of the 9000 bytes of long frames */
    SLW_BODY_MAX = SLW_PACKET_MAX - SLW_HEADER_BYTES, /* units and data of one packet */
    SLW_UNITS_MAX = SLW_BODY_MAX / SLW_UNIT_BYTES,    /* 557 */
    SLW_FETCH_UNITS_MAX = 88,                         /* for a request in which an operation fetches */
    SLW_BULK_MAX = SLW_BODY_MAX - SLW_UNIT_BYTES,     /* data of a bulk operation: its list and its bytes */
    SLW_PIECE_BYTES = 8,                              /* of one piece in a list */
    SLW_PIECES_MAX = SLW_BULK_MAX / SLW_PIECE_BYTES,  /* as many as a get can ask for */
    SLW_RESULT_BYTES = 8,                             /* per unit, in a reply to a request that fetched */
    SLW_TAGGED_HEADER = 24,                           /* the part of the header in front of the tag */

    SLW_PORTS_MAX = 256, /* processes of a job on one node */
    SLW_NODES_MAX = 65535,
    SLW_RANKS_MAX = 65536,
    SLW_SEGMENTS_MAX = 16, /* segments of a port: 0 is the symmetric heap */
    SLW_WINDOW_MAX = 64,   /* slots of a connection (source port -> target node) */

    SLW_BARRIERS_MAX = 64, /* barriers that a node has open at a time */

    SLW_BLOCK_SHIFT = 16, /* no operation may cross a multiple of 64 KiB of its segment */
    SLW_BLOCK_BYTES = 1 << SLW_BLOCK_SHIFT,
};

enum slw_kind {
    SLW_REQUEST = 1,
    SLW_REPLY = 2,
    SLW_ARRIVE = 3, /* barrier, node to node: I have reached this point. Body: struct slw_barrier_message */
    SLW_PULL = 4,   /* barrier: say again, if you have */
    SLW_BROKEN = 5, /* barrier: it will never be complete */
};

/*
 * Operation codes: base | log2(width in bytes) << 3 | SLW_FETCH. Widths: 1 and 2 bytes for SLW_SWAP without fetch (a
 * small put), 4 and 8 for all, 16 for SLW_SWAP and SLW_CAS.
 */
enum slw_operation {
    SLW_ADD = 0,
    SLW_AND = 1,
    SLW_OR = 2,
    SLW_XOR = 3,
    SLW_SWAP = 4, /* without fetch: a store. The papers' fetch&write */
    SLW_CAS = 5,  /* compare&swap */

    SLW_WIDTH_SHIFT = 3,
    SLW_WIDTH_8 = 0 << 3,
    SLW_WIDTH_16 = 1 << 3,
    SLW_WIDTH_32 = 2 << 3,
    SLW_WIDTH_64 = 3 << 3,
    SLW_WIDTH_128 = 4 << 3,
    SLW_FETCH = 0x40,

    /* Bulk operations. Operand: number of bytes; for a put or an add, these are the packet's data. */
    SLW_PUT = 0x80,
    SLW_GET = 0x81, /* as an add, the only operation of its packet */
    SLW_ADD_INT32 = 0x84,
    SLW_ADD_INT64 = 0x85,
    SLW_ADD_FLOAT = 0x86,
    SLW_ADD_DOUBLE = 0x87,
    SLW_LIST = 0x08, /* with one of these: in pieces. Operand: the number of pieces, whose list precedes the data */

    /*
     * Does nothing. Under a request's sequence, it gets that request's answer, or keeps the target from ever executing
     * the request. It is the packet's first operation.
     */
    SLW_CLOSE = 0x82,
};

/* A piece of a list: its place in the segment, and the number of its bytes above that. */
enum {
    SLW_PIECE_SHIFT = 40,
};

/* The status byte of a reply. */
enum slw_status {
    SLW_OK = 0,
    SLW_BAD_OPERATION = 1, /* unknown code, or an operation at a place where it is not allowed */
    SLW_BAD_LENGTH = 2,    /* a put or get longer than a packet, or of another length than its data */
    SLW_NO_SEGMENT = 3,    /* the port has no such segment */
    SLW_PORT_CLOSED = 4,   /* the process of that port is gone */
    SLW_OUT_OF_BOUNDS = 5, /* outside the segment, or across a 64 KiB boundary */
    SLW_MISALIGNED = 6,    /* an atomic that is not aligned to its width */
    SLW_RETRY = 7,      /* a 128-bit operation found its pair locked too long, or an add lost too often: see executed */
    SLW_BAD_PIECES = 8, /* a list that is empty, overlaps or goes back, or does not fit its data */
    SLW_CLOSED = 9,     /* no operation of this sequence was executed, nor ever will be */
};

struct slw_header {
    uint8_t magic;
    uint8_t version;
    uint8_t kind;
    uint8_t source_port;  /* the initiator's, in requests and in replies */
    uint16_t source_rank; /* the initiator's, in requests and in replies */
    uint8_t slot;         /* of the connection (source port -> target node) */
    uint8_t status;       /* enum slw_status; requests: 0 */
    uint32_t job;         /* generation: a random number per job, never 0 */
    uint32_t sequence;    /* of the slot; the first one is 1, compared modulo 2^32 */
    uint16_t units;       /* requests: number of units; replies: 0 */
    uint16_t data_length; /* bytes of data, without padding */
    uint16_t target_node; /* index of the node that executes, in requests and in replies */
    uint16_t executed; /* replies: units executed before the first that was refused, or elements added; requests: 0 */
    uint64_t tag;      /* over all other fields: see tag.h */
};

SLW_STATIC_ASSERT(sizeof(struct slw_header) == SLW_HEADER_BYTES, "header size");
SLW_STATIC_ASSERT(offsetof(struct slw_header, source_rank) == 4, "no hole");
SLW_STATIC_ASSERT(offsetof(struct slw_header, job) == 8, "no hole");
SLW_STATIC_ASSERT(offsetof(struct slw_header, units) == 16, "no hole");
SLW_STATIC_ASSERT(offsetof(struct slw_header, executed) == 22, "no hole");
SLW_STATIC_ASSERT(offsetof(struct slw_header, tag) == SLW_TAGGED_HEADER, "no hole");

/* The first unit of an operation. */
struct slw_unit {
    uint8_t code;
    uint8_t port; /* target port at the target node */
    uint8_t segment;
    uint8_t offset_high; /* offset in the segment: 40 bits */
    uint32_t offset_low;
    uint64_t operand;
};

/* The second unit: compare&swap's comparand, and the high half of a pair. */
struct slw_extra {
    uint64_t first;  /* 32, 64 bits: comparand. 128 bits: high half of the operand */
    uint64_t second; /* 0 */
};

/* The third unit, of a 128-bit compare&swap only. */
struct slw_comparand {
    uint64_t low;
    uint64_t high;
};

/*
 * The data of the barrier's three kinds. In their headers `slot` is the barrier, `sequence` the epoch, `source_rank`
 * the rank of the sending node's port 0, and there are no units. No such message is kept or acknowledged: see
 * barrier.h.
 */
struct slw_barrier_message {
    uint32_t instance;    /* of the barrier: two barriers that use a number one after the other differ in it */
    uint16_t source_node; /* the sender */
    uint16_t place;       /* SLW_ARRIVE: the receiver's entry for it; SLW_PULL: the asked node's entry of `send` */
    uint64_t value;       /* SLW_ARRIVE */
};

SLW_STATIC_ASSERT(sizeof(struct slw_barrier_message) == 16, "no hole");
SLW_STATIC_ASSERT(sizeof(struct slw_unit) == SLW_UNIT_BYTES, "unit size");
SLW_STATIC_ASSERT(offsetof(struct slw_unit, operand) == 8, "no hole");
SLW_STATIC_ASSERT(sizeof(struct slw_extra) == SLW_UNIT_BYTES, "unit size");
SLW_STATIC_ASSERT(sizeof(struct slw_comparand) == SLW_UNIT_BYTES, "unit size");
SLW_STATIC_ASSERT(SLW_UNITS_MAX* SLW_UNIT_BYTES == SLW_BODY_MAX, "body");
SLW_STATIC_ASSERT(SLW_HEADER_BYTES + SLW_FETCH_UNITS_MAX * SLW_RESULT_BYTES <= SLW_PACKET_LEAST,
                  "results fit any path");

/*
 * Units that an operation takes, its own included; for codes that are operations. Two bits looked up and no branches:
 * behind branches the BPF verifier would follow a packet's units through every mix of lengths.
 */
static inline uint32_t slw_units_of(uint32_t code) {
    const uint64_t third = 1ull << (SLW_CAS | SLW_WIDTH_128);
    const uint64_t second = third | 1ull << (SLW_SWAP | SLW_WIDTH_128) | 1ull << (SLW_CAS | SLW_WIDTH_64) |
                            1ull << (SLW_CAS | SLW_WIDTH_32);
    const uint32_t plain = code & (SLW_FETCH - 1);
    return 1 + (uint32_t)(second >> plain & 1) + (uint32_t)(third >> plain & 1);
}

static inline uint32_t slw_padded(uint32_t bytes) {
    return (bytes + 7u) & ~7u;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire is little-endian; conversions for big-endian hosts are not written"
#endif

#endif
