/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Where an operation's memory is, and how bytes get from a packet to it and
 * back. Every bound comes from the segment table, never from the packet.
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

/* Where a unit's operand is in its block. */
FW_INLINE uint32_t fw_place_of(const struct slw_unit* unit) {
    return unit->offset_low & (SLW_BLOCK_BYTES - 1);
}

/*
 * The 64 KiB block that holds the first byte at the unit's offset, and in
 * *limit how many bytes of it belong to the segment; NULL and *status if there
 * is none. The caller checks place + bytes <= limit.
 */
FW_INLINE uint8_t* fw_locate(struct fw_env* env, const struct slw_unit* unit, uint32_t* limit, uint32_t* status) {
    const uint32_t number = (uint32_t)(fw_offset_of(unit) >> SLW_BLOCK_SHIFT);
    const uint64_t start = (uint64_t)number << SLW_BLOCK_SHIFT;
    *status = SLW_NO_SEGMENT;
    const uint32_t port = unit->port;
    if (port >= SLW_PORTS_MAX || unit->segment >= SLW_SEGMENTS_MAX) {
        return 0;
    }
    const uint32_t index = port * SLW_SEGMENTS_MAX + unit->segment;
    const struct fw_segment* segment = fw_segment_at(env, index);
    if (!segment) {
        return 0;
    }
    /* Before the length: pairs with the daemon's store of FW_SEGMENT_OPEN, which
     * comes last. */
    const uint32_t state = FW_ATOMIC_LOAD(&segment->state);
    if (state != FW_SEGMENT_OPEN) {
        if (state == FW_SEGMENT_CLOSED) {
            *status = SLW_PORT_CLOSED;
        }
        return 0;
    }
    const uint64_t length = segment->length;
    if (start >= length) {
        *status = SLW_OUT_OF_BOUNDS;
        return 0;
    }
    uint8_t* block = fw_block_at(env, index, number);
    if (!block) {
        return 0;
    }
    *limit = length - start < SLW_BLOCK_BYTES ? (uint32_t)(length - start) : SLW_BLOCK_BYTES;
    *status = SLW_OK;
    return block;
}

/*
 * Copies between the payload, from `at`, and `area` of `limit` bytes, from
 * `offset`: `bytes` < 2048 in pieces whose sizes are powers of two, each with
 * its own bounds check. Returns 0, or -1 where either side ends before.
 *
 * The verifier can bound a piece of constant size, where it cannot bound offset
 * + bytes. Each piece's place is computed afresh from offset and bytes, and not
 * added up, so that the verifier knows the same behind a piece whether it was
 * copied or not, and need not walk all 2^11 combinations.
 *
 * The pieces of up to 8 bytes are one load and one store each. That makes an
 * aligned put or get of 1, 2, 4 or 8 bytes single-copy atomic, which memcpy is
 * not.
 */
#define FW_PIECE(copy, piece)                                                                                       \
    if (bytes & (piece)) {                                                                                          \
        const uint32_t fw_before = bytes & (2048 - 2 * (piece));                                                    \
        uint64_t fw_place = offset + fw_before;                                                                     \
        FW_OPAQUE(fw_place);                                                                                        \
        if (limit < (piece) || fw_place > limit - (piece) || copy(env, at + fw_before, area + fw_place, (piece))) { \
            return -1;                                                                                              \
        }                                                                                                           \
    }

#define FW_WORD_IN(type)                                                                               \
    if (bytes & sizeof(type)) {                                                                        \
        const uint32_t fw_before = bytes & (2048 - 2 * (uint32_t)sizeof(type));                        \
        uint64_t fw_place = offset + fw_before;                                                        \
        FW_OPAQUE(fw_place);                                                                           \
        const type* fw_word = (const type*)(const void*)fw_payload(env, at + fw_before, sizeof(type)); \
        if (fw_place > limit - sizeof(type) || !fw_word) {                                             \
            return -1;                                                                                 \
        }                                                                                              \
        FW_COPY_WORD(type, area + fw_place, fw_word);                                                  \
    }

#define FW_WORD_OUT(type)                                                            \
    if (bytes & sizeof(type)) {                                                      \
        const uint32_t fw_before = bytes & (2048 - 2 * (uint32_t)sizeof(type));      \
        uint64_t fw_place = offset + fw_before;                                      \
        FW_OPAQUE(fw_place);                                                         \
        type* fw_word = (type*)(void*)fw_payload(env, at + fw_before, sizeof(type)); \
        if (fw_place > limit - sizeof(type) || !fw_word) {                           \
            return -1;                                                               \
        }                                                                            \
        FW_COPY_WORD(type, fw_word, area + fw_place);                                \
    }

#define FW_PIECES(copy)  \
    FW_PIECE(copy, 1024) \
    FW_PIECE(copy, 512)  \
    FW_PIECE(copy, 256)  \
    FW_PIECE(copy, 128)  \
    FW_PIECE(copy, 64)   \
    FW_PIECE(copy, 32)   \
    FW_PIECE(copy, 16)

#define FW_WORDS(copy) copy(uint64_t) copy(uint32_t) copy(uint16_t) copy(uint8_t)

FW_INLINE int fw_copy_in(struct fw_env* env, uint32_t at, uint8_t* area, uint32_t limit, uint32_t offset,
                         uint32_t bytes) {
    at &= 2047; /* for the verifier: a packet pointer needs a bound */
    FW_PIECES(fw_read_packet)
    FW_WORDS(FW_WORD_IN)
    return 0;
}

FW_INLINE int fw_copy_out(struct fw_env* env, uint32_t at, uint8_t* area, uint32_t limit, uint32_t offset,
                          uint32_t bytes) {
    at &= 2047;
    FW_PIECES(fw_write_packet)
    FW_WORDS(FW_WORD_OUT)
    return 0;
}

#endif
