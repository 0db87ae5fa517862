/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Executes the operations of one request on the segments of this node.
 *
 * Operations are executed in the order of the packet, and execution stops at the first that is refused: all operations
 * before it have been executed, and none behind it.
 */
#ifndef SYNCLINE_FIRMWARE_EXECUTE_H
#define SYNCLINE_FIRMWARE_EXECUTE_H

#include "atomic.h"
#include "bulk.h"
#include "memory.h"
#include "pair.h"

/*
 * The execution of a request. It holds numbers only, because a pointer would not survive the call of a global function.
 */
struct fw_execution {
    uint64_t others;     /* ports besides the first whose memory was written: bit port % 64 */
    uint32_t first_port; /* the port of the first unit */
    uint32_t slot_index; /* index of the slot that takes the results */
    uint32_t units;      /* number of units of the packet */
    uint32_t next;       /* first unit that is not executed yet */
    uint32_t batch;      /* first unit that was gathered */
    uint32_t executed;   /* number of operations executed */
    uint32_t status;     /* enum slw_status */
    uint32_t fetched;    /* 1: the reply carries results */
};

/* Notes that memory of this port was written. A whole set of ports would not fit on the verifier's stack. */
FW_INLINE void fw_touch(struct fw_execution* x, uint32_t port) {
    if (port != x->first_port) {
        x->others |= 1ull << (port & 63);
    }
}

/* The block of an earlier operation. Most often the next operation is in it, too, and needs no look-up. */
struct fw_found {
    uint64_t key;
    uint8_t* block;
    uint32_t limit;
};

/*
 * Where the firmware reads the units of a packet: in the frame itself, if its first part has all of a short packet;
 * else in batches that it gathers. Each run leaves the last units of a batch to the next one, because their operations
 * may not be whole.
 */
enum {
    FW_BATCH_UNITS = 64,
    FW_BATCH_USED = FW_BATCH_UNITS - 2,
};

/* Records the result of the operation at unit `at`. */
FW_INLINE void fw_record(struct fw_slot* slot, uint64_t at, uint64_t result) {
    FW_OPAQUE(at);
    if (at < SLW_FETCH_UNITS_MAX) {
        slot->results[at] = result;
    }
}

/*
 * Returns unit `at` of the payload, or NULL. `gathered`: the batch that begins with unit `batch`; NULL: read the frame
 * itself.
 */
FW_INLINE const uint8_t* fw_unit_at(struct fw_env* env, const uint8_t* gathered, uint32_t batch, uint32_t at) {
    if (gathered) {
        return gathered + ((at - batch) & (FW_BATCH_UNITS - 1)) * SLW_UNIT_BYTES;
    }
    return fw_payload(env, SLW_HEADER_BYTES + (at & 127) * SLW_UNIT_BYTES, SLW_UNIT_BYTES);
}

/* Returns the block of the unit's word, as fw_locate() does, if the word is aligned and within the segment. */
FW_INLINE uint8_t* fw_locate_word(struct fw_env* env, struct slw_unit* unit, uint32_t width, uint32_t* status) {
    uint32_t limit;
    unit->segment &= SLW_SEGMENT_MASK;
    if (fw_place_of(unit) & (width - 1)) {
        *status = SLW_MISALIGNED;
        return 0;
    }
    uint8_t* block = fw_locate(env, unit, &limit, status);
    if (block && fw_place_of(unit) + width > limit) {
        *status = SLW_OUT_OF_BOUNDS;
        return 0;
    }
    return block;
}

/*
 * Executes a swap or compare&swap of a pair: the unit at `at`, and the operation's other units behind it. It is a
 * global function because the verifier would otherwise walk its loop once for each unit of a packet. Returns enum
 * slw_status.
 */
FW_GLOBAL uint32_t fw_execute_pair(FW_CONTEXT* context, uint32_t offset, uint32_t at, uint32_t slot_index) {
    FW_ENTER(env, context, offset);
    const uint32_t from = SLW_HEADER_BYTES + (at & 1023) * SLW_UNIT_BYTES;
    struct slw_unit unit;
    struct slw_extra extra;
    struct slw_comparand comparand = {0, 0};
    uint32_t status, tries = 0;
    uint64_t old[2];
    if (fw_read_packet(env, from, (uint8_t*)&unit, sizeof(unit)) ||
        fw_read_packet(env, from + SLW_UNIT_BYTES, (uint8_t*)&extra, sizeof(extra))) {
        return SLW_BAD_OPERATION;
    }
    const int compare = (slw_traits_of(slw_code_of(&unit)) & SLW_COMPARES) != 0;
    if (compare && fw_read_packet(env, from + 2 * SLW_UNIT_BYTES, (uint8_t*)&comparand, sizeof(comparand))) {
        return SLW_BAD_OPERATION;
    }
    uint8_t* block = fw_locate_word(env, &unit, 16, &status);
    if (!block) {
        return status;
    }
    struct fw_slot* slot = fw_slot_at(env, slot_index);
    struct fw_port* port = fw_port_at(env, unit.port);
    if (!slot || !port) {
        return SLW_BAD_OPERATION;
    }
    struct fw_pair_lock* lock = &port->pair_locks[fw_pair_index(fw_offset_of(&unit))];
    while (tries < FW_PAIR_TRIES && fw_pair_try(lock, FW_PAIR_NIC)) {
        tries++;
    }
    if (tries == FW_PAIR_TRIES) {
        return SLW_RETRY;
    }
    uint64_t* pair = (uint64_t*)(void*)(block + (fw_place_of(&unit) & ~15u));
    fw_pair_run(lock, FW_PAIR_NIC, fw_address_of(&unit), pair, unit.operand, extra.first, compare, comparand.low,
                comparand.high, old);
    if (unit.code & SLW_FETCH) {
        fw_record(slot, at, old[0]);
        fw_record(slot, (uint64_t)at + 1, old[1]);
    }
    return SLW_OK;
}

enum { FW_LOOP_TRIES = 16 };

/*
 * Executes an operation that is a loop of compare&swap: the unit at `at`. It is a global function for the reason that
 * fw_execute_pair() is one. Returns enum slw_status; SLW_RETRY if others changed the word in every round.
 */
FW_GLOBAL FW_SELDOM uint32_t fw_execute_loop(FW_CONTEXT* context, uint32_t offset, uint32_t at, uint32_t slot_index) {
    FW_ENTER(env, context, offset);
    struct slw_unit unit;
    uint32_t status;
    if (fw_read_packet(env, SLW_HEADER_BYTES + (at & 1023) * SLW_UNIT_BYTES, (uint8_t*)&unit, sizeof(unit))) {
        return SLW_BAD_OPERATION;
    }
    const uint32_t code = slw_code_of(&unit);
    const int is_long = (code & SLW_WIDTH_MASK) == SLW_WIDTH_64;
    uint8_t* block = fw_locate_word(env, &unit, is_long ? 8 : 4, &status);
    if (!block) {
        return status;
    }
    struct fw_slot* slot = fw_slot_at(env, slot_index);
    if (!slot) {
        return SLW_BAD_OPERATION;
    }
    uint64_t* const long_word = (uint64_t*)(void*)(block + (fw_place_of(&unit) & 0xfff8));
    uint32_t* const word = (uint32_t*)(void*)(block + (fw_place_of(&unit) & 0xfffc));
    for (uint32_t i = 0; i < FW_LOOP_TRIES; i++) {
        uint64_t before;
        uint64_t seen;
        if (is_long) {
            before = FW_ATOMIC_LOAD(long_word);
            seen = fw_cas64(long_word, before, fw_next64(code, before, unit.operand));
        } else {
            before = FW_ATOMIC_LOAD(word);
            seen = fw_cas32(word, (uint32_t)before, (uint32_t)fw_next32(code, before, unit.operand));
        }
        if (seen == before) {
            if (code & SLW_FETCH) {
                fw_record(slot, at, before);
            }
            return SLW_OK;
        }
    }
    return SLW_RETRY;
}

/*
 * Executes an operation of 32 or 64 bits that is no loop, or a store of 8 or 16, at `place` in the block. The verifier
 * needs the masks. A reader that sees one of these stores sees the packet's earlier operations, as it does with the
 * atomics.
 */
FW_INLINE uint64_t fw_execute_word(uint8_t* block, uint32_t place, uint32_t code, uint64_t operand,
                                   uint64_t comparand) {
    const uint32_t operation = code & (SLW_OPERATION_MASK | SLW_FETCH);
    switch (code & SLW_WIDTH_MASK) {
        case SLW_WIDTH_64:
            return fw_atomic64((uint64_t*)(void*)(block + (place & 0xfff8)), operation, operand, comparand);
        case SLW_WIDTH_32:
            return fw_atomic32((uint32_t*)(void*)(block + (place & 0xfffc)), operation, (uint32_t)operand,
                               (uint32_t)comparand);
        case SLW_WIDTH_16:
            FW_RELEASE((uint32_t*)(void*)(block + (place & 0xfffc)));
            FW_ATOMIC_STORE((uint16_t*)(void*)(block + (place & 0xfffe)), (uint16_t)operand);
            return 0;
        default:
            FW_RELEASE((uint32_t*)(void*)(block + (place & 0xfffc)));
            FW_ATOMIC_STORE(block + (place & 0xffff), (uint8_t)operand);
            return 0;
    }
}

/*
 * Returns the block of the unit whose first word is `word`, and its limit; NULL and *status if there is none. It
 * remembers the last two blocks: packed operations mostly go to few blocks, at random.
 */
FW_INLINE uint8_t* fw_find_block(struct fw_env* env, struct fw_found* last, struct fw_found* other, uint64_t word,
                                 uint32_t* limit, uint32_t* status) {
    /* The first word without the operation's code and the place in the block. */
    const uint64_t key = word & (0xffff0000ffffffffull & ~(uint64_t)SLW_CODE_MASK);
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
        .segment = (uint8_t)(key >> 16),
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
                                   struct fw_found* last, struct fw_found* other, const uint8_t* gathered) {
    const uint32_t at = x->next & 1023;
    const uint8_t* bytes = fw_unit_at(env, gathered, x->batch, at);
    if (!bytes) {
        return SLW_BAD_OPERATION;
    }
    const uint64_t word = fw_word_at(bytes);
    const uint32_t code = (uint32_t)word & SLW_CODE_MASK;
    const uint32_t traits = slw_traits_of(code);
    const uint32_t place = (uint32_t)(word >> 32) & (SLW_BLOCK_BYTES - 1);
    const uint32_t width = 1u << (code >> SLW_WIDTH_SHIFT & 7);
    const uint32_t next = at + slw_units_of(code, traits);
    uint32_t status = SLW_OK;
    if (!slw_is_atomic(code, traits) || next > x->units || (code & SLW_FETCH && x->units > SLW_FETCH_UNITS_MAX)) {
        return SLW_BAD_OPERATION;
    }
    if (slw_may_repeat(code, traits)) {
        status = width == 16 ? fw_execute_pair(FW_LEAVE(env), FW_HERE(env), at, x->slot_index)
                             : fw_execute_loop(FW_LEAVE(env), FW_HERE(env), at, x->slot_index);
        if (status != SLW_OK) {
            return status;
        }
    } else {
        uint32_t limit = 0;
        uint64_t comparand = 0;
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
        if (traits & SLW_COMPARES) {
            const uint8_t* extra = fw_unit_at(env, gathered, x->batch, at + 1);
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
    fw_touch(x, (uint8_t)(word >> 8));
    x->executed++;
    x->fetched |= code >> 6 & 1;
    x->next = next;
    return SLW_OK;
}

/*
 * Executes up to FW_RUN operations from unit x->next. Returns 1 to go on, 0 to stop. It is a global function, called
 * for one run after the other, because the verifier walks a loop's body again for each round and each way through it;
 * it is quick for eight rounds. A call for each operation would cost as much as the operation.
 */
enum {
    FW_RUN = 8,
    FW_PREFETCH_RUN = 32,
    FW_PREFETCH_UNITS = 8, /* with fewer, prefetching costs more than it saves */
};

#define FW_RUN_UNITS(end, gathered)                                                       \
    for (uint32_t i = 0; i < FW_RUN && x->next < (end); i++) {                            \
        const uint32_t status = fw_execute_unit(env, x, slot, &last, &other, (gathered)); \
        if (status != SLW_OK) {                                                           \
            x->status = status;                                                           \
            return 0;                                                                     \
        }                                                                                 \
    }

FW_GLOBAL int fw_execute_run(FW_CONTEXT* context, uint32_t offset, struct fw_execution* x) {
    FW_ENTER(env, context, offset);
    struct fw_found last = {.key = 1}, other = {.key = 1}; /* no block's key: the code is not part of it */
    if (!x) {
        return 0; /* for the verifier */
    }
    struct fw_slot* slot = fw_slot_at(env, x->slot_index);
    if (!slot) {
        return 0;
    }
    FW_RUN_UNITS(x->units, (const uint8_t*)0)
    return 1;
}

/* As fw_execute_run(), on the batch that was gathered last. */
FW_GLOBAL int fw_execute_gathered(FW_CONTEXT* context, uint32_t offset, struct fw_execution* x) {
    FW_ENTER(env, context, offset);
    struct fw_found last = {.key = 1}, other = {.key = 1};
    if (!x) {
        return 0;
    }
    const uint8_t* gathered = fw_gathered(env, SLW_HEADER_BYTES + x->batch * SLW_UNIT_BYTES);
    struct fw_slot* slot = fw_slot_at(env, x->slot_index);
    if (!slot || !gathered) {
        return 0;
    }
    const uint32_t end = x->batch + FW_BATCH_USED < x->units ? x->batch + FW_BATCH_USED : x->units;
    FW_RUN_UNITS(end, gathered)
    return 1;
}

/*
 * Fetches the memory of up to FW_PREFETCH_RUN units from unit `from` on, of `units`, into the cache. The misses of many
 * units overlap, while behind a locked instruction each would wait for the one before. A unit that is not an
 * operation's first one, or that will be refused, does no harm here. Returns 0.
 */
#define FW_PREFETCH_UNITS_OF(gathered)                                                   \
    for (uint32_t i = 0; i < FW_PREFETCH_RUN && from + i < units; i++) {                 \
        const uint8_t* bytes = fw_unit_at(env, (gathered), 0, from + i);                 \
        if (!bytes) {                                                                    \
            break;                                                                       \
        }                                                                                \
        const uint64_t word = fw_word_at(bytes);                                         \
        const uint8_t* block = fw_find_block(env, &last, &other, word, &limit, &status); \
        if (!block) {                                                                    \
            break;                                                                       \
        }                                                                                \
        FW_PREFETCH(block + (word >> 32 & 0xfff8));                                      \
    }

FW_GLOBAL int fw_prefetch(FW_CONTEXT* context, uint32_t offset, uint32_t from, uint32_t units) {
    FW_ENTER(env, context, offset);
    struct fw_found last = {.key = 1}, other = {.key = 1};
    uint32_t status, limit;
    FW_PREFETCH_UNITS_OF((const uint8_t*)0)
    return 0;
}

/* As fw_prefetch(), on the batch that was gathered last; `at` is the batch's place in the payload. */
FW_GLOBAL int fw_prefetch_gathered(FW_CONTEXT* context, uint32_t at, uint32_t from, uint32_t units) {
    FW_ENTER(env, context, at);
    struct fw_found last = {.key = 1}, other = {.key = 1};
    uint32_t status, limit;
    const uint8_t* gathered = fw_gathered(env, at);
    FW_OPAQUE(at); /* used, or callers would leave it out */
    if (!gathered) {
        return 0;
    }
    FW_PREFETCH_UNITS_OF(gathered)
    return 0;
}

/* Gathers `units` units from unit `from` on, at most a batch. Returns 0 or -1. */
FW_GLOBAL int fw_gather_units(FW_CONTEXT* context, uint32_t offset, uint32_t from, uint32_t units) {
    FW_ENTER(env, context, offset);
    return fw_gather(env, SLW_HEADER_BYTES + from * SLW_UNIT_BYTES, units * SLW_UNIT_BYTES) ? 0 : -1;
}

/* Executes the operations from unit x->next on, gathered in batches. */
FW_INLINE void fw_execute_batches(struct fw_env* env, struct fw_execution* x) {
    for (uint32_t i = 0; i < SLW_UNITS_MAX / FW_BATCH_USED + 1 && x->next < x->units; i++) {
        const uint32_t left = x->units - x->next;
        const uint32_t some = left < FW_BATCH_UNITS ? left : FW_BATCH_UNITS;
        x->batch = x->next;
        if (fw_gather_units(FW_LEAVE(env), FW_HERE(env), x->batch, some)) {
            x->status = SLW_BAD_OPERATION;
            return;
        }
        for (uint32_t from = 0; from < FW_BATCH_UNITS; from += FW_PREFETCH_RUN) {
            (void)fw_prefetch_gathered(FW_LEAVE(env), FW_AT(env, SLW_HEADER_BYTES + x->batch * SLW_UNIT_BYTES), from,
                                       some);
        }
        for (uint32_t run = 0; run < FW_BATCH_UNITS / FW_RUN; run++) {
            if (!fw_execute_gathered(FW_LEAVE(env), FW_HERE(env), x)) {
                return;
            }
        }
    }
}

/* Executes the put or add that is the packet's first operation. */
FW_INLINE void fw_execute_bulk(struct fw_env* env, struct fw_execution* x, uint32_t port) {
    struct fw_scratch* const scratch = fw_scratch_of(env);
    x->status = fw_open_bulk(FW_LEAVE(env), FW_HERE(env));
    if (x->status != SLW_OK || !scratch) {
        return;
    }
    x->status = fw_run_bulk(FW_LEAVE(env), FW_HERE(env), &scratch->bulk);
    fw_touch(x, (uint8_t)port);
    x->executed += x->status == SLW_OK;
    /* For an add that was stopped, `next` counts elements. */
    x->next = x->status == SLW_OK ? 1 : scratch->bulk.elements;
}

/* Executes all operations of a request that is not a get. */
FW_INLINE void fw_execute(struct fw_env* env, struct fw_execution* x, const struct slw_unit* first) {
    if (first->code == SLW_CLOSE) {
        x->status = SLW_CLOSED;
        return;
    }
    if (fw_is_bulk(first->code)) {
        fw_execute_bulk(env, x, first->port);
        if (x->status != SLW_OK || x->next == x->units) {
            return;
        }
    }
    const uint32_t units = x->units;
    if (units > SLW_FETCH_UNITS_MAX || !fw_payload(env, 0, SLW_HEADER_BYTES + units * SLW_UNIT_BYTES)) {
        fw_execute_batches(env, x);
        return;
    }
    if (units >= FW_PREFETCH_UNITS) {
        for (uint32_t from = 0; from < SLW_FETCH_UNITS_MAX; from += FW_PREFETCH_RUN) {
            (void)fw_prefetch(FW_LEAVE(env), FW_HERE(env), from, units);
        }
    }
    for (uint32_t i = 0; i < SLW_FETCH_UNITS_MAX / FW_RUN && x->next < x->units; i++) {
        if (!fw_execute_run(FW_LEAVE(env), FW_HERE(env), x)) {
            break;
        }
    }
}

#endif
