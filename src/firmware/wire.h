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

#include "syncline/operations.h"

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
 * The code of an atomic: its operation | log2(width in bytes) << 3 | SLW_FETCH. Operations have numbers of five bits
 * (see syncline/operations.h): the lower three are bits 0 to 2 of a code and the others bits 20 and 21, so a code is
 * the bits SLW_CODE_MASK of the first word of its unit: the unit's code, and two bits of its segment byte.
 */
#define SLW_OPERATION(name, NAME, number, forms, how, sign, next) SLW_##NAME = SYNCLINE_CODE_(number),
enum slw_operation {
    SLW_WIDTH_SHIFT = 3,
    SLW_WIDTH_8 = 0 << 3,
    SLW_WIDTH_16 = 1 << 3,
    SLW_WIDTH_32 = 2 << 3,
    SLW_WIDTH_64 = 3 << 3,
    SLW_WIDTH_128 = 4 << 3,
    SLW_WIDTH_MASK = 7 << 3,
    SLW_FETCH = 0x40,

    SLW_OPERATION_MASK = SYNCLINE_CODE_(31),
    SLW_OPERATIONS_MAX = 32,
    SLW_CODE_MASK = SYNCLINE_CODE_(31) | 0xff,
    SLW_SEGMENT_MASK = 0xff & ~(SLW_CODE_MASK >> 16), /* of an atomic's segment byte */

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

    SYNCLINE_OPERATIONS_(SLW_OPERATION)
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

SLW_STATIC_ASSERT(((SLW_SEGMENTS_MAX - 1) & ~SLW_SEGMENT_MASK) == 0, "a segment's number and an operation's");

/* The first unit of an operation. */
struct slw_unit {
    uint8_t code;        /* its lower eight bits */
    uint8_t port;        /* target port at the target node */
    uint8_t segment;     /* of an atomic: SLW_SEGMENT_MASK, and bits of its code */
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
 * The traits of an operation, as bits, by its number. Bit `code >> SLW_WIDTH_SHIFT & 15`: it has the width and
 * fetches, or does not, as the code says. The others: it has a comparand; its answer may be SLW_RETRY.
 *
 * A look-up and no branches: behind branches the BPF verifier would follow a packet's units through every mix of
 * operations.
 */
enum slw_traits {
    SLW_FORMS_WORDS = 0x0c0c, /* 32 and 64 bits, with and without fetch */
    SLW_FORMS_PAIRS = 0x1c1c,
    SLW_FORMS_STORES = 0x1c1f,
    SLW_COMPARES = 1 << 16,
    SLW_REPEATS = 1 << 17,

    SLW_TRAITS_INSTRUCTION = 0,
    SLW_TRAITS_EXCHANGE = 0,
    SLW_TRAITS_COMPARE = SLW_COMPARES,
    SLW_TRAITS_LOOP = SLW_REPEATS,
};
SLW_STATIC_ASSERT(SLW_FETCH >> SLW_WIDTH_SHIFT == 8 && SLW_WIDTH_128 >> SLW_WIDTH_SHIFT == 4, "places of forms");

#define SLW_PLACE(name, NAME, number, forms, how, sign, next) SLW_PLACE_##NAME,
enum { SYNCLINE_OPERATIONS_(SLW_PLACE) SLW_OPERATIONS };
#define SLW_IN_ORDER(name, NAME, number, forms, how, sign, next) \
    SLW_STATIC_ASSERT(SLW_PLACE_##NAME == (number) && (number) < SLW_OPERATIONS_MAX, "the order of the rows");
SYNCLINE_OPERATIONS_(SLW_IN_ORDER)

#define SLW_TRAITS(name, NAME, number, forms, how, sign, next) SLW_FORMS_##forms | SLW_TRAITS_##how,
static inline uint32_t slw_traits_of(uint32_t code) {
    static const uint32_t traits[SLW_OPERATIONS_MAX] = {SYNCLINE_OPERATIONS_(SLW_TRAITS)};
    uint32_t number = SYNCLINE_NUMBER_(code);
#ifdef __bpf__
    __asm__("" : "+r"(number)); /* else the compiler drops the mask, without which Linux 6.1 knows no bound */
#endif
    return traits[number & (SLW_OPERATIONS_MAX - 1)];
}

/* Returns whether there is such an atomic. `code`: without bits beyond SLW_CODE_MASK. */
static inline int slw_is_atomic(uint32_t code, uint32_t traits) {
    return traits >> (code >> SLW_WIDTH_SHIFT & 15) & ~(code >> 7) & 1;
}

/* Returns the units that an atomic takes, its first one included. */
static inline uint32_t slw_units_of(uint32_t code, uint32_t traits) {
    return 1 + traits / SLW_COMPARES % 2 + code / SLW_WIDTH_128 % 2;
}

/* Returns whether the answer to an atomic may be SLW_RETRY: a pair may be locked. */
static inline int slw_may_repeat(uint32_t code, uint32_t traits) {
    return (traits / SLW_REPEATS | code / SLW_WIDTH_128) & 1;
}

/* Returns the code of a unit that is an operation's first. */
static inline uint32_t slw_code_of(const struct slw_unit* unit) {
    return (unit->code | (uint32_t)unit->segment << 16) & SLW_CODE_MASK;
}

static inline uint32_t slw_padded(uint32_t bytes) {
    return (bytes + 7u) & ~7u;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the wire is little-endian; conversions for big-endian hosts are not written"
#endif

#endif
