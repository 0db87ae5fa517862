/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Executes the operations of one request on the segments of this node.
 *
 * Operations are executed in the order of the packet and stop at the first that is refused: everything before it has
 * been executed, nothing behind it. Every bound comes from the segment table. Atomics of 32 and 64 bits are the
 * CPU's own, so processes of the node may use ordinary atomic instructions on the same words at the same time.
 */
#ifndef SYNCLINE_FIRMWARE_EXECUTE_H
#define SYNCLINE_FIRMWARE_EXECUTE_H

#include "pair.h"

struct fw_execution {
    struct fw_env* env;
    struct fw_slot* slot;
    uint64_t touched;  /* ports whose memory was written */
    uint64_t executed; /* operations */
    uint64_t units;    /* of the packet */
    uint64_t next;     /* first unit that is not executed yet */
    uint64_t status;   /* enum slw_status */
    uint64_t fetched;  /* 1: the reply carries results */
};

FW_INLINE uint64_t fw_offset_of(const struct slw_unit* unit) {
    return (uint64_t)unit->offset_high << 32 | unit->offset_low;
}

FW_INLINE uint64_t fw_address_of(const struct slw_unit* unit) {
    return (uint64_t)unit->segment << 40 | fw_offset_of(unit);
}

/*
 * The 64 KiB block that holds [offset, offset + bytes) of the unit's segment, checked against the segment table, or
 * NULL and *status. The caller adds offset modulo the block.
 */
FW_INLINE uint8_t* fw_locate(struct fw_env* env, const struct slw_unit* unit, uint64_t bytes, uint64_t* status) {
    const uint64_t offset = fw_offset_of(unit);
    if (unit->port >= SLW_PORTS_MAX || unit->segment >= SLW_SEGMENTS_MAX) {
        *status = SLW_NO_SEGMENT;
        return 0;
    }
    const uint32_t index = (uint32_t)unit->port * SLW_SEGMENTS_MAX + unit->segment;
    const struct fw_segment* segment = fw_segment_at(env, index);
    if (!segment || segment->state != FW_SEGMENT_OPEN) {
        *status = segment && segment->state == FW_SEGMENT_CLOSED ? SLW_PORT_CLOSED : SLW_NO_SEGMENT;
        return 0;
    }
    if (bytes > segment->length || offset > segment->length - bytes ||
        (offset & (SLW_BLOCK_BYTES - 1)) + bytes > SLW_BLOCK_BYTES) {
        *status = SLW_OUT_OF_BOUNDS;
        return 0;
    }
    uint8_t* block = fw_block_at(env, index, (uint32_t)(offset >> SLW_BLOCK_SHIFT));
    if (!block) {
        *status = SLW_NO_SEGMENT;
    }
    return block;
}

/* A word for an atomic. `width` is a constant where this is called: the verifier needs the mask. */
#define FW_WORD(type, env, unit, status)                                                              \
    ({                                                                                                \
        type* fw_word = 0;                                                                            \
        if ((unit)->offset_low & (sizeof(type) - 1)) {                                                \
            *(status) = SLW_MISALIGNED;                                                               \
        } else {                                                                                      \
            uint8_t* fw_found = fw_locate((env), (unit), sizeof(type), (status));                     \
            if (fw_found) {                                                                           \
                fw_word = (type*)(fw_found + ((unit)->offset_low & (SLW_BLOCK_BYTES - sizeof(type)))); \
            }                                                                                         \
        }                                                                                             \
        fw_word;                                                                                      \
    })

FW_INLINE uint64_t fw_atomic64(uint64_t* word, uint32_t code, uint64_t operand, uint64_t comparand) {
    switch (code & ~(uint32_t)SLW_WIDTH_64) {
        case SLW_ADD:
            FW_ADD(word, operand);
            return 0;
        case SLW_XOR:
            FW_XOR(word, operand);
            return 0;
        case SLW_AND:
            FW_AND(word, operand);
            return 0;
        case SLW_OR:
            FW_OR(word, operand);
            return 0;
        case SLW_ADD | SLW_FETCH:
            return FW_FETCH_ADD(word, operand);
        case SLW_AND | SLW_FETCH:
            return FW_FETCH_AND(word, operand);
        case SLW_OR | SLW_FETCH:
            return FW_FETCH_OR(word, operand);
        case SLW_XOR | SLW_FETCH:
            return FW_FETCH_XOR(word, operand);
        case SLW_CAS:
        case SLW_CAS | SLW_FETCH:
            return fw_cas64(word, comparand, operand);
        default: /* SLW_SWAP, with and without fetch */
            return FW_EXCHANGE(word, operand);
    }
}

FW_INLINE uint32_t fw_atomic32(uint32_t* word, uint32_t code, uint32_t operand, uint32_t comparand) {
    switch (code & ~(uint32_t)SLW_WIDTH_32) {
        case SLW_ADD:
            FW_ADD(word, operand);
            return 0;
        case SLW_XOR:
            FW_XOR(word, operand);
            return 0;
        case SLW_AND:
            FW_AND(word, operand);
            return 0;
        case SLW_OR:
            FW_OR(word, operand);
            return 0;
        case SLW_ADD | SLW_FETCH:
            return FW_FETCH_ADD(word, operand);
        case SLW_AND | SLW_FETCH:
            return FW_FETCH_AND(word, operand);
        case SLW_OR | SLW_FETCH:
            return FW_FETCH_OR(word, operand);
        case SLW_XOR | SLW_FETCH:
            return FW_FETCH_XOR(word, operand);
        case SLW_CAS:
        case SLW_CAS | SLW_FETCH:
            return fw_cas32(word, comparand, operand);
        default:
            return FW_EXCHANGE(word, operand);
    }
}

/* Records the result of the operation at unit `at`. */
FW_INLINE void fw_record(struct fw_execution* x, uint32_t at, uint64_t result) {
    if (at < SLW_UNITS_MAX) {
        x->slot->results[at] = result;
    }
}

/* The next unit's bytes as two words, or -1 where the packet ends before. */
FW_INLINE int fw_load_extra(struct fw_execution* x, uint32_t at, uint64_t* first, uint64_t* second) {
    at &= 127;
    if (at >= x->units) {
        return -1;
    }
    uint8_t* bytes = fw_payload(x->env, SLW_HEADER_BYTES + at * SLW_UNIT_BYTES, SLW_UNIT_BYTES);
    if (!bytes) {
        return -1;
    }
    FW_LOAD(first, (uint64_t*)(void*)bytes);
    FW_LOAD(second, (uint64_t*)(void*)(bytes + 8));
    return 0;
}

FW_INLINE void fw_execute_pair(struct fw_execution* x, const struct slw_unit* unit, uint32_t at) {
    uint64_t high, low, ignored, compare_low = 0, compare_high = 0, old[2];
    const int compare = (unit->code & 7) == SLW_CAS;
    if (fw_load_extra(x, at + 1, &high, &ignored) ||
        (compare && fw_load_extra(x, at + 2, &compare_low, &compare_high))) {
        x->status = SLW_BAD_OPERATION;
        return;
    }
    low = unit->operand;
    if (unit->offset_low & 15) {
        x->status = SLW_MISALIGNED;
        return;
    }
    uint8_t* block = fw_locate(x->env, unit, 16, &x->status);
    struct fw_port* port = fw_port_at(x->env, unit->port);
    if (!block) {
        return;
    }
    if (!port) {
        x->status = SLW_NO_SEGMENT;
        return;
    }
    struct fw_pair_lock* lock = &port->pair_locks[fw_pair_index(fw_offset_of(unit))];
    uint32_t tries = 0;
    while (tries < FW_PAIR_TRIES && fw_pair_try(lock, FW_PAIR_NIC)) {
        tries++;
    }
    if (tries == FW_PAIR_TRIES) {
        x->status = SLW_RETRY;
        return;
    }
    uint64_t* pair = (uint64_t*)(void*)(block + (unit->offset_low & (SLW_BLOCK_BYTES - 16)));
    fw_pair_run(lock, FW_PAIR_NIC, fw_address_of(unit), pair, low, high, compare, compare_low, compare_high, old);
    if (unit->code & SLW_FETCH) {
        fw_record(x, at, old[0]);
        fw_record(x, at + 1, old[1]);
    }
}

FW_INLINE void fw_execute_word(struct fw_execution* x, const struct slw_unit* unit, uint32_t at) {
    uint64_t comparand = 0, ignored, result = 0;
    if ((unit->code & 7) == SLW_CAS && fw_load_extra(x, at + 1, &comparand, &ignored)) {
        x->status = SLW_BAD_OPERATION;
        return;
    }
    if ((unit->code & (7 << SLW_WIDTH_SHIFT)) == SLW_WIDTH_64) {
        uint64_t* word = FW_WORD(uint64_t, x->env, unit, &x->status);
        if (!word) {
            return;
        }
        result = fw_atomic64(word, unit->code, unit->operand, comparand);
    } else {
        uint32_t* word = FW_WORD(uint32_t, x->env, unit, &x->status);
        if (!word) {
            return;
        }
        result = fw_atomic32(word, unit->code, (uint32_t)unit->operand, (uint32_t)comparand);
    }
    if (unit->code & SLW_FETCH) {
        fw_record(x, at, result);
    }
}

/* A put of one or two bytes: one store. */
FW_INLINE void fw_execute_small(struct fw_execution* x, const struct slw_unit* unit) {
    if (unit->code == (SLW_SWAP | SLW_WIDTH_8)) {
        uint8_t* byte = FW_WORD(uint8_t, x->env, unit, &x->status);
        if (byte) {
            FW_ATOMIC_STORE(byte, (uint8_t)unit->operand);
        }
    } else {
        uint16_t* half = FW_WORD(uint16_t, x->env, unit, &x->status);
        if (half) {
            FW_ATOMIC_STORE(half, (uint16_t)unit->operand);
        }
    }
}

/* Is this a code of an operation of one to three units? */
FW_INLINE int fw_is_atomic(uint32_t code) {
    const uint32_t base = code & 7;
    const uint32_t width = code & (7 << SLW_WIDTH_SHIFT);
    if (code & 0x80) {
        return 0;
    }
    if (width == SLW_WIDTH_64 || width == SLW_WIDTH_32) {
        return base <= SLW_CAS;
    }
    if (width == SLW_WIDTH_128) {
        return base == SLW_SWAP || base == SLW_CAS;
    }
    return width < SLW_WIDTH_32 && base == SLW_SWAP && !(code & SLW_FETCH);
}

/* One step of the loop over units: executes the operation that starts at unit i. Non-zero ends the loop. */
static long fw_execute_unit(uint32_t i, void* argument) {
    struct fw_execution* x = argument;
    struct slw_unit unit;
    i &= 127;
    if (i < x->next) {
        return 0;
    }
    uint8_t* bytes = fw_payload(x->env, SLW_HEADER_BYTES + i * SLW_UNIT_BYTES, SLW_UNIT_BYTES);
    if (!bytes) {
        x->status = SLW_BAD_OPERATION;
        return 1;
    }
    FW_LOAD(&unit, (struct slw_unit*)(void*)bytes);
    const uint32_t width = unit.code & (7 << SLW_WIDTH_SHIFT);
    if (!fw_is_atomic(unit.code)) {
        x->status = SLW_BAD_OPERATION;
        return 1;
    }
    if (width == SLW_WIDTH_128) {
        fw_execute_pair(x, &unit, i);
    } else if (width >= SLW_WIDTH_32) {
        fw_execute_word(x, &unit, i);
    } else {
        fw_execute_small(x, &unit);
    }
    if (x->status != SLW_OK) {
        return 1;
    }
    x->fetched |= (unit.code & SLW_FETCH) != 0;
    x->touched |= 1ull << (unit.port & 63);
    x->executed++;
    x->next = i + slw_units_of(unit.code);
    return 0;
}

/*
 * Copies `bytes` <= SLW_BODY_MAX between the packet, from `at`, and a block, from `offset`, in pieces whose sizes are
 * constants: the verifier can then bound each piece, where it could not bound offset + bytes. 0 or -1.
 */
#define FW_COPY_PIECE(copy, piece)                                            \
    if (bytes & (piece)) {                                                    \
        if (offset > limit - (piece) || copy(env, at, area + offset, piece)) { \
            return -1;                                                        \
        }                                                                     \
        offset += (piece);                                                    \
        at += (piece);                                                        \
    }

#define FW_COPY_PIECES(copy)     \
    FW_COPY_PIECE(copy, 1024)    \
    FW_COPY_PIECE(copy, 512)     \
    FW_COPY_PIECE(copy, 256)     \
    FW_COPY_PIECE(copy, 128)     \
    FW_COPY_PIECE(copy, 64)      \
    FW_COPY_PIECE(copy, 32)      \
    FW_COPY_PIECE(copy, 16)      \
    FW_COPY_PIECE(copy, 8)       \
    FW_COPY_PIECE(copy, 4)       \
    FW_COPY_PIECE(copy, 2)       \
    FW_COPY_PIECE(copy, 1)

FW_INLINE int fw_copy_in(struct fw_env* env, uint32_t at, uint8_t* area, uint32_t limit, uint32_t offset,
                         uint32_t bytes) {
    FW_COPY_PIECES(fw_read_packet)
    return 0;
}

FW_INLINE int fw_copy_out(struct fw_env* env, uint32_t at, uint8_t* area, uint32_t limit, uint32_t offset,
                          uint32_t bytes) {
    FW_COPY_PIECES(fw_write_packet)
    return 0;
}

/* The put that is the packet's first operation. */
FW_INLINE void fw_execute_put(struct fw_execution* x, const struct slw_unit* unit, uint32_t data_length) {
    if (unit->operand != data_length || data_length == 0 || data_length > SLW_BULK_MAX) {
        x->status = SLW_BAD_LENGTH;
        return;
    }
    uint8_t* block = fw_locate(x->env, unit, data_length, &x->status);
    if (!block) {
        return;
    }
    const uint32_t at = SLW_HEADER_BYTES + (uint32_t)x->units * SLW_UNIT_BYTES;
    if (fw_copy_in(x->env, at, block, SLW_BLOCK_BYTES, unit->offset_low & (SLW_BLOCK_BYTES - 1), data_length)) {
        x->status = SLW_BAD_LENGTH;
        return;
    }
    x->touched |= 1ull << (unit->port & 63);
    x->executed++;
    x->next = 1;
}

/* All operations of a request that is not a get. */
FW_INLINE void fw_execute(struct fw_execution* x, const struct slw_unit* first, uint32_t data_length) {
    if (first->code == SLW_PUT) {
        fw_execute_put(x, first, data_length);
    }
    if (x->status == SLW_OK) {
        FW_LOOP((uint32_t)x->units, fw_execute_unit, x);
    }
}

#endif
