/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Executes the operations of one request on the segments of this node.
 *
 * Operations are executed in the order of the packet and stop at the first that is refused: everything before it has
 * been executed, nothing behind it.
 */
#ifndef SYNCLINE_FIRMWARE_EXECUTE_H
#define SYNCLINE_FIRMWARE_EXECUTE_H

#include "atomic.h"
#include "memory.h"
#include "pair.h"

/* Numbers only: a pointer would not survive the call of a function that the verifier checks by itself. */
struct fw_execution {
    uint64_t touched;  /* ports whose memory was written */
    uint32_t slot;     /* index of the slot that takes the results */
    uint32_t units;    /* of the packet */
    uint32_t next;     /* first unit that is not executed yet */
    uint32_t executed; /* operations */
    uint32_t status;   /* enum slw_status */
    uint32_t fetched;  /* 1: the reply carries results */
};

/* Records the result of the operation at unit `at`. */
FW_INLINE void fw_record(struct fw_env* env, const struct fw_execution* x, uint64_t at, uint64_t result) {
    struct fw_slot* slot = fw_slot_at(env, x->slot);
    if (!slot) {
        return;
    }
    FW_OPAQUE(at);
    if (at < SLW_UNITS_MAX) {
        slot->results[at] = result;
    }
}

/* Unit `at` of the payload, or NULL. */
FW_INLINE const uint8_t* fw_unit_at(struct fw_env* env, uint32_t at) {
    return fw_payload(env, SLW_HEADER_BYTES + (at & 127) * SLW_UNIT_BYTES, SLW_UNIT_BYTES);
}

/* One of the two words of a unit. */
FW_INLINE uint64_t fw_half(const uint8_t* unit, uint32_t half) {
    uint64_t word;
    FW_LOAD(&word, (const uint64_t*)(const void*)(unit + 8 * half));
    return word;
}

/* A swap or compare&swap of a pair at `place` in its block; the units behind it hold the other operands. */
FW_INLINE uint32_t fw_execute_pair(struct fw_env* env, const struct fw_execution* x, const struct slw_unit* unit,
                                   uint32_t at, uint8_t* block) {
    const int compare = (unit->code & 7) == SLW_CAS;
    const uint8_t* extra = fw_unit_at(env, at + 1);
    const uint8_t* comparand = compare ? fw_unit_at(env, at + 2) : extra;
    struct fw_port* port = fw_port_at(env, unit->port);
    if (!extra || !comparand || !port) {
        return SLW_BAD_OPERATION;
    }
    struct fw_pair_lock* lock = &port->pair_locks[fw_pair_index(fw_offset_of(unit))];
    uint32_t tries = 0;
    while (tries < FW_PAIR_TRIES && fw_pair_try(lock, FW_PAIR_NIC)) {
        tries++;
    }
    if (tries == FW_PAIR_TRIES) {
        return SLW_RETRY;
    }
    uint64_t old[2];
    uint64_t* pair = (uint64_t*)(void*)(block + (unit->offset_low & (SLW_BLOCK_BYTES - 16)));
    fw_pair_run(lock, FW_PAIR_NIC, fw_address_of(unit), pair, unit->operand, fw_half(extra, 0), compare,
                fw_half(comparand, 0), fw_half(comparand, 1), old);
    if (unit->code & SLW_FETCH) {
        fw_record(env, x, at, old[0]);
        fw_record(env, x, at + 1, old[1]);
    }
    return SLW_OK;
}

/* The operand's place in its block, as a type that it is aligned to. The verifier needs the mask. */
#define FW_PLACE(type, block, unit) \
    ((type*)(void*)((block) + ((unit)->offset_low & (SLW_BLOCK_BYTES - (uint32_t)sizeof(type)))))

/* 32 and 64 bits, and the stores of 8 and 16. */
FW_INLINE uint32_t fw_execute_word(struct fw_env* env, const struct fw_execution* x, const struct slw_unit* unit,
                                   uint32_t at, uint8_t* block) {
    const uint32_t width = unit->code & (7 << SLW_WIDTH_SHIFT);
    const uint32_t operation = unit->code & (7 | SLW_FETCH);
    uint64_t comparand = 0;
    uint64_t result;
    if ((operation & 7) == SLW_CAS) {
        const uint8_t* extra = fw_unit_at(env, at + 1);
        if (!extra) {
            return SLW_BAD_OPERATION;
        }
        comparand = fw_half(extra, 0);
    }
    if (width == SLW_WIDTH_64) {
        result = fw_atomic64(FW_PLACE(uint64_t, block, unit), operation, unit->operand, comparand);
    } else if (width == SLW_WIDTH_32) {
        result = fw_atomic32(FW_PLACE(uint32_t, block, unit), operation, (uint32_t)unit->operand,
                             (uint32_t)comparand);
    } else if (width == SLW_WIDTH_16) {
        FW_ATOMIC_STORE(FW_PLACE(uint16_t, block, unit), (uint16_t)unit->operand);
        return SLW_OK;
    } else {
        FW_ATOMIC_STORE(FW_PLACE(uint8_t, block, unit), (uint8_t)unit->operand);
        return SLW_OK;
    }
    if (operation & SLW_FETCH) {
        fw_record(env, x, at, result);
    }
    return SLW_OK;
}

/* The codes of operations of one to three units, one bit each; in FW_FETCHING less SLW_FETCH. */
#define FW_FETCHING (0x3full << SLW_WIDTH_32 | 0x3full << SLW_WIDTH_64 | 0x30ull << SLW_WIDTH_128)
#define FW_PLAIN (FW_FETCHING | 1ull << (SLW_SWAP | SLW_WIDTH_8) | 1ull << (SLW_SWAP | SLW_WIDTH_16))

FW_INLINE int fw_is_atomic(uint32_t code) {
    const uint64_t codes = code & SLW_FETCH ? FW_FETCHING : FW_PLAIN;
    return code < 0x80 && (codes >> (code & 63) & 1) != 0;
}

/* Executes the operation that starts at unit x->next. Returns 1 to go on, 0 to stop. */
FW_GLOBAL int fw_execute_unit(FW_CONTEXT* context, struct fw_execution* x, uint32_t offset) {
    FW_ENTER(env, context, offset);
    struct slw_unit unit;
    uint32_t status = SLW_OK;
    if (!x) {
        return 0; /* for the verifier */
    }
    const uint32_t at = x->next;
    const uint8_t* bytes = fw_unit_at(env, at);
    if (!bytes) {
        return 0;
    }
    FW_LOAD(&unit, (const struct slw_unit*)(const void*)bytes);
    const uint32_t next = at + slw_units_of(unit.code);
    const uint32_t width = 1u << (unit.code >> SLW_WIDTH_SHIFT & 7);
    if (!fw_is_atomic(unit.code) || next > x->units) {
        x->status = SLW_BAD_OPERATION;
        return 0;
    }
    if (unit.offset_low & (width - 1)) {
        x->status = SLW_MISALIGNED;
        return 0;
    }
    uint8_t* block = fw_locate(env, &unit, width, &status);
    if (!block) {
        x->status = status;
        return 0;
    }
    if (width == 16) {
        status = fw_execute_pair(env, x, &unit, at, block);
    } else {
        status = fw_execute_word(env, x, &unit, at, block);
    }
    if (status != SLW_OK) {
        x->status = status;
        return 0;
    }
    x->touched |= 1ull << (unit.port & 63);
    x->executed++;
    x->next = next;
    x->fetched |= unit.code >> 6;
    return 1;
}

/* The put that is the packet's first operation. */
FW_INLINE void fw_execute_put(struct fw_env* env, struct fw_execution* x, const struct slw_unit* unit,
                              uint32_t data_length) {
    if (unit->operand != data_length || data_length == 0 || data_length > SLW_BULK_MAX) {
        x->status = SLW_BAD_LENGTH;
        return;
    }
    uint8_t* block = fw_locate(env, unit, data_length, &x->status);
    if (!block) {
        return;
    }
    const uint32_t at = SLW_HEADER_BYTES + x->units * SLW_UNIT_BYTES;
    if (fw_copy_in(env, at, block, SLW_BLOCK_BYTES, unit->offset_low & (SLW_BLOCK_BYTES - 1), data_length)) {
        x->status = SLW_BAD_LENGTH;
        return;
    }
    x->touched |= 1ull << (unit->port & 63);
    x->executed++;
    x->next = 1;
}

/* All operations of a request that is not a get. */
FW_INLINE void fw_execute(struct fw_env* env, struct fw_execution* x, const struct slw_unit* first,
                          uint32_t data_length) {
    if (first->code == SLW_PUT) {
        fw_execute_put(env, x, first, data_length);
        if (x->status != SLW_OK) {
            return;
        }
    }
    for (uint32_t i = 0; i < SLW_UNITS_MAX && x->next < x->units; i++) {
        if (!fw_execute_unit(FW_LEAVE(env), x, env->offset)) {
            break;
        }
    }
}

#endif
