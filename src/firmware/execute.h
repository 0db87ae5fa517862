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

/* A request's execution. Numbers only: a pointer would not survive the call of a global function. */
struct fw_execution {
    struct fw_port_set touched; /* ports whose memory was written */
    uint32_t slot_index;        /* of the slot that takes the results */
    uint32_t units;             /* of the packet */
    uint32_t next;              /* first unit that is not executed yet */
    uint32_t executed;          /* operations */
    uint32_t status;            /* enum slw_status */
    uint32_t fetched;           /* 1: the reply carries results */
};

/* A block that an operation was in. Most often the next one is in it too, and then needs no look-up. */
struct fw_found {
    uint64_t key;
    uint8_t* block;
    uint32_t limit;
};

/* Records the result of the operation at unit `at`. */
FW_INLINE void fw_record(struct fw_slot* slot, uint64_t at, uint64_t result) {
    FW_OPAQUE(at);
    if (at < SLW_UNITS_MAX) {
        slot->results[at] = result;
    }
}

/* Unit `at` of the payload, or NULL. */
FW_INLINE const uint8_t* fw_unit_at(struct fw_env* env, uint32_t at) {
    return fw_payload(env, SLW_HEADER_BYTES + (at & 127) * SLW_UNIT_BYTES, SLW_UNIT_BYTES);
}

/*
 * A swap or compare&swap of a pair: the unit at `at`, and the others of the operation behind it. A function by itself
 * because the verifier would walk its loop once for each unit of a packet. Returns enum slw_status.
 */
FW_GLOBAL uint32_t fw_execute_pair(FW_CONTEXT* context, uint32_t offset, uint32_t at, uint32_t slot_index) {
    FW_ENTER(env, context, offset);
    const uint8_t* bytes = fw_unit_at(env, at);
    const uint8_t* extra = fw_unit_at(env, at + 1);
    const uint8_t* comparand = extra;
    struct slw_unit unit;
    uint32_t status, limit, tries = 0;
    uint64_t old[2];
    if (!bytes || !extra) {
        return SLW_BAD_OPERATION;
    }
    FW_LOAD(&unit, (const struct slw_unit*)(const void*)bytes);
    const int compare = (unit.code & 7) == SLW_CAS;
    if (compare) {
        comparand = fw_unit_at(env, at + 2);
    }
    struct fw_slot* slot = fw_slot_at(env, slot_index);
    struct fw_port* port = fw_port_at(env, unit.port);
    if (!comparand || !slot || !port) {
        return SLW_BAD_OPERATION;
    }
    uint8_t* block = fw_locate(env, &unit, &limit, &status);
    if (!block) {
        return status;
    }
    struct fw_pair_lock* lock = &port->pair_locks[fw_pair_index(fw_offset_of(&unit))];
    while (tries < FW_PAIR_TRIES && fw_pair_try(lock, FW_PAIR_NIC)) {
        tries++;
    }
    if (tries == FW_PAIR_TRIES) {
        return SLW_RETRY;
    }
    uint64_t* pair = (uint64_t*)(void*)(block + (fw_place_of(&unit) & ~15u));
    fw_pair_run(lock, FW_PAIR_NIC, fw_address_of(&unit), pair, unit.operand, fw_word_at(extra), compare,
                fw_word_at(comparand), fw_word_at(comparand + 8), old);
    if (unit.code & SLW_FETCH) {
        fw_record(slot, at, old[0]);
        fw_record(slot, (uint64_t)at + 1, old[1]);
    }
    return SLW_OK;
}

/* 32 and 64 bits, and the stores of 8 and 16, at `place` in the block. The verifier needs the masks. */
FW_INLINE uint64_t fw_execute_word(uint8_t* block, uint32_t place, uint32_t code, uint64_t operand,
                                   uint64_t comparand) {
    const uint32_t operation = code & (7 | SLW_FETCH);
    switch (code & (7 << SLW_WIDTH_SHIFT)) {
        case SLW_WIDTH_64:
            return fw_atomic64((uint64_t*)(void*)(block + (place & 0xfff8)), operation, operand, comparand);
        case SLW_WIDTH_32:
            return fw_atomic32((uint32_t*)(void*)(block + (place & 0xfffc)), operation, (uint32_t)operand,
                               (uint32_t)comparand);
        case SLW_WIDTH_16:
            FW_ATOMIC_STORE((uint16_t*)(void*)(block + (place & 0xfffe)), (uint16_t)operand);
            return 0;
        default:
            FW_ATOMIC_STORE(block + (place & 0xffff), (uint8_t)operand);
            return 0;
    }
}

/* The codes of operations of one to three units, one bit each; in FW_FETCHING less SLW_FETCH. */
#define FW_FETCHING (0x3full << SLW_WIDTH_32 | 0x3full << SLW_WIDTH_64 | 0x30ull << SLW_WIDTH_128)
#define FW_PLAIN (FW_FETCHING | 1ull << (SLW_SWAP | SLW_WIDTH_8) | 1ull << (SLW_SWAP | SLW_WIDTH_16))

FW_INLINE int fw_is_atomic(uint32_t code) {
    const uint64_t codes = code & SLW_FETCH ? FW_FETCHING : FW_PLAIN;
    return code < 0x80 && (codes >> (code & 63) & 1) != 0;
}

/*
 * The block of the unit whose first word is `word`, and its limit; NULL and *status if there is none. Remembers the
 * last two: packed operations mostly go to few blocks, at random.
 */
FW_INLINE uint8_t* fw_find_block(struct fw_env* env, struct fw_found* last, struct fw_found* other, uint64_t word,
                                 uint32_t* limit, uint32_t* status) {
    /* All of the first word but the operation's code and the place in the block. */
    const uint64_t key = word & 0xffff0000ffffff00ull;
    if (key == last->key) {
        *limit = last->limit;
        return last->block;
    }
    if (key == other->key) {
        *limit = other->limit;
        return other->block;
    }
    const struct slw_unit unit = {
        .port = (uint8_t)(word >> 8),
        .segment = (uint8_t)(word >> 16),
        .offset_high = (uint8_t)(word >> 24),
        .offset_low = (uint32_t)(word >> 32),
    };
    *other = *last;
    last->block = fw_locate(env, &unit, &last->limit, status);
    last->key = key;
    *limit = last->limit;
    return last->block;
}

/* Executes the operation that starts at unit x->next. Returns enum slw_status. */
FW_INLINE uint32_t fw_execute_unit(struct fw_env* env, struct fw_execution* x, struct fw_slot* slot,
                                   struct fw_found* last, struct fw_found* other) {
    const uint32_t at = x->next & 127;
    const uint8_t* bytes = fw_unit_at(env, at);
    if (!bytes) {
        return SLW_BAD_OPERATION;
    }
    const uint64_t word = fw_word_at(bytes);
    const uint32_t code = (uint8_t)word;
    const uint32_t place = (uint32_t)(word >> 32) & (SLW_BLOCK_BYTES - 1);
    const uint32_t width = 1u << (code >> SLW_WIDTH_SHIFT & 7);
    const uint32_t next = at + slw_units_of(code);
    uint32_t status = SLW_OK;
    uint32_t limit = 0;
    uint64_t comparand = 0;
    if (!fw_is_atomic(code) || next > x->units) {
        return SLW_BAD_OPERATION;
    }
    if (place & (width - 1)) {
        return SLW_MISALIGNED;
    }
    uint8_t* block = fw_find_block(env, last, other, word, &limit, &status);
    if (!block) {
        return status;
    }
    if (place + width > limit) {
        return SLW_OUT_OF_BOUNDS;
    }
    if (width == 16) {
        status = fw_execute_pair(FW_LEAVE(env), env->offset, at, x->slot_index);
        if (status != SLW_OK) {
            return status;
        }
    } else {
        if ((code & 7) == SLW_CAS) {
            const uint8_t* extra = fw_unit_at(env, at + 1);
            if (!extra) {
                return SLW_BAD_OPERATION;
            }
            comparand = fw_word_at(extra);
        }
        const uint64_t result = fw_execute_word(block, place, code, fw_word_at(bytes + 8), comparand);
        if (code & SLW_FETCH) {
            fw_record(slot, at, result);
        }
    }
    fw_set_add(&x->touched, (uint8_t)(word >> 8));
    x->executed++;
    x->fetched |= code >> 6;
    x->next = next;
    return SLW_OK;
}

/*
 * Executes up to FW_RUN operations from unit x->next. Returns 1 to go on, 0 to stop. A function by itself, called for
 * one run after the other: the verifier walks a loop's body again for each round and each way through it, and eight
 * rounds are what it does quickly. A call for each operation would cost as much as the operation.
 */
enum {
    FW_RUN = 8,
    FW_PREFETCH_UNITS = 8, /* with fewer, looking ahead costs more than it saves */
};

FW_GLOBAL int fw_execute_run(FW_CONTEXT* context, uint32_t offset, struct fw_execution* x) {
    FW_ENTER(env, context, offset);
    struct fw_found last = {.key = 1}, other = {.key = 1}; /* no block's: the code is not part of it */
    if (!x) {
        return 0; /* for the verifier */
    }
    struct fw_slot* slot = fw_slot_at(env, x->slot_index);
    if (!slot) {
        return 0;
    }
    for (uint32_t i = 0; i < FW_RUN && x->next < x->units; i++) {
        const uint32_t status = fw_execute_unit(env, x, slot, &last, &other);
        if (status != SLW_OK) {
            x->status = status;
            return 0;
        }
    }
    return 1;
}

/*
 * Fetches the memory of all units into the cache: the misses of many overlap, while behind a locked instruction each
 * would wait for the one before. A unit that is no operation's first one, or is going to be refused, does no harm here.
 * Returns 0.
 */
FW_GLOBAL int fw_prefetch(FW_CONTEXT* context, uint32_t offset, uint32_t units) {
    FW_ENTER(env, context, offset);
    struct fw_found last = {.key = 1}, other = {.key = 1};
    uint32_t status, limit;
    for (uint32_t i = 0; i < SLW_UNITS_MAX && i < units; i++) {
        const uint8_t* bytes = fw_unit_at(env, i);
        if (!bytes) {
            break;
        }
        const uint64_t word = fw_word_at(bytes);
        const uint8_t* block = fw_find_block(env, &last, &other, word, &limit, &status);
        if (!block) {
            break;
        }
        FW_PREFETCH(block + (word >> 32 & 0xfff8));
    }
    return 0;
}

/* The put that is the packet's first operation. */
FW_INLINE void fw_execute_put(struct fw_env* env, struct fw_execution* x, const struct slw_unit* unit,
                              uint32_t data_length) {
    uint32_t limit;
    if (unit->operand != data_length || data_length == 0 || data_length > SLW_BULK_MAX) {
        x->status = SLW_BAD_LENGTH;
        return;
    }
    uint8_t* block = fw_locate(env, unit, &limit, &x->status);
    if (!block) {
        return;
    }
    if (fw_place_of(unit) + data_length > limit) {
        x->status = SLW_OUT_OF_BOUNDS;
        return;
    }
    const uint32_t at = SLW_HEADER_BYTES + x->units * SLW_UNIT_BYTES;
    if (fw_copy_in(env, at, block, SLW_BLOCK_BYTES, fw_place_of(unit), data_length)) {
        x->status = SLW_BAD_LENGTH;
        return;
    }
    fw_set_add(&x->touched, unit->port);
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
    if (x->units >= FW_PREFETCH_UNITS) {
        (void)fw_prefetch(FW_LEAVE(env), env->offset, x->units);
    }
    for (uint32_t i = 0; i < SLW_UNITS_MAX / FW_RUN && x->next < x->units; i++) {
        if (!fw_execute_run(FW_LEAVE(env), env->offset, x)) {
            break;
        }
    }
}

#endif
