/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The memory of an operation, and the copying between it and a packet. Every bound comes from the segment table, never
 * from the packet.
 */
#ifndef SYNCLINE_FIRMWARE_MEMORY_H
#define SYNCLINE_FIRMWARE_MEMORY_H

#include "platform.h"

FW_INLINE uint64_t fw_offset_of(const struct slw_unit* unit) {
    return (uint64_t)unit->offset_high << 32 | unit->offset_low;
}

FW_INLINE uint64_t fw_address_of(const struct slw_unit* unit) {
    return (uint64_t)unit->segment << 40 | fw_offset_of(unit);
}

/* Returns the place of a unit's operand in its block. */
FW_INLINE uint32_t fw_place_of(const struct slw_unit* unit) {
    return unit->offset_low & (SLW_BLOCK_BYTES - 1);
}

SLW_STATIC_ASSERT(SLW_PORTS_MAX == 256, "the tables have a place for each port that a unit can name");

/* Returns the index of the unit's segment in the tables; an index beyond them means that there is none. */
FW_INLINE uint32_t fw_segment_of(const struct slw_unit* unit) {
    if (unit->segment >= SLW_SEGMENTS_MAX) {
        return SLW_PORTS_MAX * SLW_SEGMENTS_MAX;
    }
    return (uint32_t)unit->port * SLW_SEGMENTS_MAX + unit->segment;
}

/* Returns the length of a segment in bytes; 0 and *status if there is none. */
FW_INLINE uint64_t fw_segment_length(struct fw_env* env, uint32_t index, uint32_t* status) {
    *status = SLW_NO_SEGMENT;
    const struct fw_segment* segment = fw_segment_at(env, index);
    if (!segment) {
        return 0;
    }
    /*
     * The agent sees the length that belongs to the state: its load acquires, and the daemon stores FW_SEGMENT_OPEN
     * last. The kernel gives a NIC's program no such order. With another length than the segment's, the request is
     * refused, as one is that comes before the segment is known; it never leaves the block's map.
     */
    const uint32_t state = FW_ATOMIC_LOAD(&segment->state);
    if (state != FW_SEGMENT_OPEN) {
        if (state == FW_SEGMENT_CLOSED) {
            *status = SLW_PORT_CLOSED;
        }
        return 0;
    }
    *status = SLW_OUT_OF_BOUNDS;
    return segment->length;
}

/*
 * Returns the 64 KiB block that holds the first byte at the unit's offset, and in *limit how many bytes of it belong to
 * the segment; NULL and *status if there is none. The caller checks place + bytes <= limit.
 */
FW_INLINE uint8_t* fw_locate(struct fw_env* env, const struct slw_unit* unit, uint32_t* limit, uint32_t* status) {
    const uint32_t number = (uint32_t)(fw_offset_of(unit) >> SLW_BLOCK_SHIFT);
    const uint64_t start = (uint64_t)number << SLW_BLOCK_SHIFT;
    const uint32_t index = fw_segment_of(unit);
    const uint64_t length = fw_segment_length(env, index, status);
    if (start >= length) {
        return 0;
    }
    uint8_t* block = fw_block_at(env, index, number);
    if (!block) {
        *status = SLW_NO_SEGMENT;
        return 0;
    }
    *limit = length - start < SLW_BLOCK_BYTES ? (uint32_t)(length - start) : SLW_BLOCK_BYTES;
    *status = SLW_OK;
    return block;
}

/*
 * Copies between the payload, from `at`, and `area` of `limit` bytes, from `place`: `bytes` < 16384. Returns 0, or -1
 * if either side ends before.
 *
 * The verifier cannot bound place + bytes, but it knows bounds of each. So if FW_COPY_SHORT or FW_COPY_WHOLE bytes
 * still fit behind `place`, at most so many bytes are copied at once. Near the end of the area, bytes are copied 4096
 * at a time, and then in parts whose sizes are powers of two. Each part's place is computed afresh from `bytes`, not
 * added up. So the verifier knows the same behind a part whether the part was copied or not, and need not walk all
 * combinations.
 *
 * Parts of up to 8 bytes are one load and one store of memory each. That makes an aligned put or get of 1, 2, 4 or 8
 * bytes single-copy atomic, which the kernel's copying of packets is not.
 */
enum {
    FW_COPY_PART = 4096,
    FW_COPY_PARTS = 16384 / FW_COPY_PART,
    FW_COPY_WORD_BYTES = 8,
    FW_COPY_SHORT = 1536,
    FW_COPY_WHOLE = 9216,
};
SLW_STATIC_ASSERT(SLW_BULK_MAX <= (int)FW_COPY_WHOLE, "what a packet brings is copied at once");

#define FW_COPY_AT_ONCE(copy, most)                                         \
    if (bytes > FW_COPY_WORD_BYTES && bytes <= (most) && limit >= (most)) { \
        uint64_t fw_place = place;                                          \
        FW_OPAQUE(fw_place);                                                \
        if (fw_place <= limit - (most)) {                                   \
            return copy(env, at, area + fw_place, bytes, (most));           \
        }                                                                   \
    }

#define FW_COPY(copy, part)                                                                                      \
    if (bytes & (part)) {                                                                                        \
        const uint32_t fw_before = bytes & (16384 - 2 * (part));                                                 \
        uint64_t fw_place = (uint64_t)place + fw_before;                                                         \
        FW_OPAQUE(fw_place);                                                                                     \
        if (limit < (part) || fw_place > limit - (part) || copy(env, at + fw_before, area + fw_place, (part))) { \
            return -1;                                                                                           \
        }                                                                                                        \
    }

#define FW_COPY_PARTS_OF(copy) \
    FW_COPY(copy, 2048)        \
    FW_COPY(copy, 1024)        \
    FW_COPY(copy, 512) FW_COPY(copy, 256) FW_COPY(copy, 128) FW_COPY(copy, 64) FW_COPY(copy, 32) FW_COPY(copy, 16)

/* Copies all whole parts of FW_COPY_PART bytes. */
#define FW_COPY_LONG(copy)                                                     \
    for (uint32_t i = 0; i < FW_COPY_PARTS && i < bytes / FW_COPY_PART; i++) { \
        uint64_t fw_place = (uint64_t)place + i * FW_COPY_PART;                \
        FW_OPAQUE(fw_place);                                                   \
        if (limit < FW_COPY_PART || fw_place > limit - FW_COPY_PART ||         \
            copy(env, at + i * FW_COPY_PART, area + fw_place, FW_COPY_PART)) { \
            return -1;                                                         \
        }                                                                      \
    }

#define FW_COPY_WORDS(copy) copy(uint64_t) copy(uint32_t) copy(uint16_t) copy(uint8_t)

#define FW_WORD_PLACE(type)                                                  \
    const uint32_t fw_before = bytes & (16384 - 2 * (uint32_t)sizeof(type)); \
    uint64_t fw_place = (uint64_t)place + fw_before;                         \
    type fw_word;                                                            \
    FW_OPAQUE(fw_place);                                                     \
    if (fw_place > limit - sizeof(type)) {                                   \
        return -1;                                                           \
    }

#define FW_WORD_IN(type)                                                             \
    if (bytes & sizeof(type)) {                                                      \
        FW_WORD_PLACE(type)                                                          \
        if (fw_read_packet(env, at + fw_before, (uint8_t*)&fw_word, sizeof(type))) { \
            return -1;                                                               \
        }                                                                            \
        FW_COPY_WORD(type, area + fw_place, &fw_word);                               \
    }

#define FW_WORD_OUT(type)                                                                   \
    if (bytes & sizeof(type)) {                                                             \
        FW_WORD_PLACE(type)                                                                 \
        FW_COPY_WORD(type, &fw_word, area + fw_place);                                      \
        if (fw_write_packet(env, at + fw_before, (const uint8_t*)&fw_word, sizeof(type))) { \
            return -1;                                                                      \
        }                                                                                   \
    }

FW_INLINE int fw_copy_in(struct fw_env* env, uint32_t at, uint8_t* area, uint32_t limit, uint32_t place,
                         uint32_t bytes) {
    FW_COPY_AT_ONCE(fw_read_some, FW_COPY_SHORT)
    FW_COPY_AT_ONCE(fw_read_some, FW_COPY_WHOLE)
    FW_COPY_LONG(fw_read_packet)
    FW_COPY_PARTS_OF(fw_read_packet)
    FW_COPY_WORDS(FW_WORD_IN)
    return 0;
}

FW_INLINE int fw_copy_out(struct fw_env* env, uint32_t at, uint8_t* area, uint32_t limit, uint32_t place,
                          uint32_t bytes) {
    FW_COPY_AT_ONCE(fw_write_some, FW_COPY_SHORT)
    FW_COPY_AT_ONCE(fw_write_some, FW_COPY_WHOLE)
    FW_COPY_LONG(fw_write_packet)
    FW_COPY_PARTS_OF(fw_write_packet)
    FW_COPY_WORDS(FW_WORD_OUT)
    return 0;
}

#endif
