/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Bulk operations: puts, gets and adds of the pieces of one segment. A range is a list of one piece.
 *
 * Every piece is checked before the first byte moves. The list is first copied out of the packet, because a get's reply
 * is written over it. So the pieces that are executed are those that were checked.
 *
 * An add is atomic by element against every other operation on the word: integers by the locked instruction,
 * floating-point numbers by compare&swap. An add whose compare&swap fails too often stops with SLW_RETRY, and the
 * initiator goes on from the element where it stopped.
 */
#ifndef SYNCLINE_FIRMWARE_BULK_H
#define SYNCLINE_FIRMWARE_BULK_H

#include "float.h"
#include "memory.h"

enum {
    FW_PIECES_RUN = 16, /* pieces that one call handles */
    FW_PIECES_RUNS = SLW_PIECES_MAX / FW_PIECES_RUN + 1,
    FW_SHORT_PIECE = 8, /* bytes */
    FW_SHORT_RUN = FW_PIECES_RUN * FW_SHORT_PIECE,
    FW_ADD_RUN = 32,                                  /* elements that one call adds */
    FW_ADD_RUNS = SLW_BULK_MAX / 4 / FW_ADD_RUN + 64, /* calls before an add gives up */
    FW_ADD_TRIES = 8,                                 /* for one element in a call */
};

SLW_STATIC_ASSERT((FW_PIECES_RUNS - 1) * FW_PIECES_RUN <= SLW_PIECES_MAX, "no run begins behind the list's room");

FW_INLINE int fw_is_bulk(uint32_t code) {
    const uint32_t plain = code & ~(uint32_t)SLW_LIST;
    return plain == SLW_PUT || plain == SLW_GET || (plain & ~3u) == SLW_ADD_INT32;
}

/* Returns log2 of an element's bytes; 0 for bytes. */
FW_INLINE uint32_t fw_element_shift(uint32_t code) {
    return code < SLW_ADD_INT32 ? 0 : 2 + (code & 1);
}

/* Returns piece `index` of the list. */
FW_INLINE uint64_t fw_piece_at(const struct fw_scratch* scratch, uint64_t index) {
    FW_OPAQUE(index);
    return index < SLW_PIECES_MAX ? scratch->list[index] : 0;
}

/* Returns the number of the block that holds a piece. */
FW_INLINE uint32_t fw_block_of(uint64_t piece) {
    return (uint32_t)(piece >> SLW_BLOCK_SHIFT) & ((1u << (SLW_PIECE_SHIFT - SLW_BLOCK_SHIFT)) - 1);
}

/* Checks the next pieces. Returns 1 to go on, 0 to stop: all are checked, or one was refused. */
FW_GLOBAL int fw_check_pieces(FW_CONTEXT* context, struct fw_bulk* bulk) {
    FW_ENTER(env, context, 0);
    const struct fw_scratch* scratch = fw_scratch_of(env);
    if (!scratch || !bulk) {
        return 0;
    }
    const uint32_t unaligned = (1u << fw_element_shift(bulk->code)) - 1;
    const uint32_t first = bulk->next;
    uint64_t end = bulk->end;
    uint32_t sum = bulk->bytes;
    for (uint32_t i = 0; i < FW_PIECES_RUN; i++) {
        if (first + i >= bulk->pieces) {
            break;
        }
        const uint64_t piece = fw_piece_at(scratch, first + i);
        const uint64_t offset = piece & ((1ull << SLW_PIECE_SHIFT) - 1);
        const uint32_t bytes = (uint32_t)(piece >> SLW_PIECE_SHIFT);
        if (bytes == 0 || offset < end || bytes > SLW_BULK_MAX) {
            bulk->status = SLW_BAD_PIECES;
        } else if (offset + bytes > bulk->length || (offset & (SLW_BLOCK_BYTES - 1)) + bytes > SLW_BLOCK_BYTES) {
            bulk->status = SLW_OUT_OF_BOUNDS;
        } else if ((offset | bytes) & unaligned) {
            bulk->status = SLW_MISALIGNED;
        }
        end = offset + bytes;
        sum += bytes;
    }
    bulk->end = end;
    bulk->bytes = sum;
    bulk->next = first + FW_PIECES_RUN;
    return bulk->status == SLW_OK && bulk->next < bulk->pieces;
}

/* Copies the list to the scratch memory. Returns enum slw_status. */
FW_INLINE uint32_t fw_load_list(struct fw_env* env, struct fw_scratch* scratch, const struct slw_unit* unit,
                                const struct slw_header* header) {
    struct fw_bulk* const bulk = &scratch->bulk;
    bulk->at = SLW_HEADER_BYTES + header->units * SLW_UNIT_BYTES;
    if (!(unit->code & SLW_LIST)) {
        bulk->pieces = 1;
        scratch->list[0] = fw_offset_of(unit) | unit->operand << SLW_PIECE_SHIFT;
        return unit->operand == 0 || unit->operand > SLW_BULK_MAX ? SLW_BAD_LENGTH : SLW_OK;
    }
    if (unit->operand == 0 || unit->operand > header->data_length / SLW_PIECE_BYTES || fw_offset_of(unit) != 0) {
        return SLW_BAD_PIECES;
    }
    bulk->pieces = (uint32_t)unit->operand;
    if (fw_read_some(env, bulk->at, (uint8_t*)scratch->list, bulk->pieces * SLW_PIECE_BYTES, sizeof(scratch->list))) {
        return SLW_BAD_PIECES;
    }
    bulk->at += bulk->pieces * SLW_PIECE_BYTES;
    return SLW_OK;
}

/* Returns whether the packet's data agree with the pieces, which have been checked. */
FW_INLINE int fw_data_fits(const struct fw_bulk* bulk, const struct slw_header* header) {
    const uint32_t listed = bulk->at - (SLW_HEADER_BYTES + header->units * SLW_UNIT_BYTES);
    return bulk->code == SLW_GET ? header->data_length == listed && bulk->bytes <= SLW_BULK_MAX
                                 : header->data_length == listed + bulk->bytes;
}

/* Reads and checks the operation that begins with `unit`. Returns enum slw_status. */
FW_INLINE uint32_t fw_check_bulk(struct fw_env* env, struct fw_scratch* scratch, const struct slw_unit* unit,
                                 const struct slw_header* header) {
    struct fw_bulk* const bulk = &scratch->bulk;
    if (bulk->code != SLW_PUT && header->units != 1) {
        return SLW_BAD_OPERATION;
    }
    uint32_t status = fw_load_list(env, scratch, unit, header);
    if (status != SLW_OK) {
        return status;
    }
    bulk->segment = fw_segment_of(unit);
    bulk->length = fw_segment_length(env, bulk->segment, &status);
    if (bulk->length == 0) {
        return status;
    }
    for (uint32_t i = 0; i < FW_PIECES_RUNS; i++) {
        if (!fw_check_pieces(FW_LEAVE(env), bulk)) {
            break;
        }
    }
    bulk->next = 0;
    bulk->stop = bulk->at + bulk->bytes;
    if (bulk->status != SLW_OK) {
        return bulk->status;
    }
    return fw_data_fits(bulk, header) ? SLW_OK : unit->code & SLW_LIST ? SLW_BAD_PIECES : SLW_BAD_LENGTH;
}

/* Reads and checks the bulk operation that the request begins with. Returns enum slw_status. */
FW_GLOBAL uint32_t fw_open_bulk(FW_CONTEXT* context, uint32_t offset) {
    FW_ENTER(env, context, offset);
    struct fw_scratch* const scratch = fw_scratch_of(env);
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES + SLW_UNIT_BYTES);
    struct slw_header header;
    struct slw_unit unit;
    if (!scratch || !at) {
        return SLW_BAD_OPERATION;
    }
    FW_LOAD(&header, (const struct slw_header*)(const void*)at);
    FW_LOAD(&unit, (const struct slw_unit*)(const void*)(at + SLW_HEADER_BYTES));
    scratch->bulk = (struct fw_bulk){.code = unit.code & ~(uint32_t)SLW_LIST};
    return fw_check_bulk(env, scratch, &unit, &header);
}

/* Stores the part of a short piece that has the type's size, as fw_copy_in() divides it. */
#define FW_SHORT_PART(type)                                                                          \
    if (bytes & sizeof(type)) {                                                                      \
        const uint32_t fw_before = bytes & (FW_SHORT_PIECE - 1) & ~(2 * (uint32_t)sizeof(type) - 1); \
        FW_COPY_WORD(type, block->bytes + place + fw_before, values->bytes + fw_before);             \
    }

/* Stores the bytes of a short piece. Returns -1 if they are too near to the end of the block for that. */
FW_GLOBAL int fw_store_short(struct fw_block* block, const struct fw_elements* values, uint64_t piece) {
    const uint32_t bytes = (uint32_t)(piece >> SLW_PIECE_SHIFT);
    uint64_t place = piece & (SLW_BLOCK_BYTES - 1);
    FW_OPAQUE(place);
    if (!block || !values || place > SLW_BLOCK_BYTES - FW_SHORT_PIECE) {
        return -1;
    }
    FW_COPY_WORDS(FW_SHORT_PART)
    return 0;
}

FW_INLINE int fw_is_short(uint64_t piece) {
    return piece >> SLW_PIECE_SHIFT <= FW_SHORT_PIECE;
}

/*
 * Stores the next pieces of a put, as long as they are short: their bytes leave the packet together. The changes that
 * shared memory sends home are lists of such pieces. Returns how many it has stored. It counts in memory, about which
 * the verifier knows nothing: with a count in a register the verifier would walk the loop for each possible number.
 */
FW_GLOBAL uint32_t fw_put_short_pieces(FW_CONTEXT* context, uint32_t offset, struct fw_bulk* bulk) {
    FW_ENTER(env, context, offset);
    const struct fw_scratch* scratch = fw_scratch_of(env);
    if (!scratch || !bulk || !fw_is_short(fw_piece_at(scratch, bulk->next))) {
        return 0;
    }
    const uint32_t at = bulk->at;
    const uint32_t rest = bulk->stop - at;
    const uint8_t* const gathered = fw_gather(env, at, rest < FW_SHORT_RUN ? rest : FW_SHORT_RUN);
    if (!gathered) {
        return 0;
    }
    uint32_t i;
    for (i = 0; i < FW_PIECES_RUN; i++) {
        if (bulk->next >= bulk->pieces) {
            break;
        }
        const uint64_t piece = fw_piece_at(scratch, bulk->next);
        struct fw_block* block = (struct fw_block*)(void*)fw_block_at(env, bulk->segment, fw_block_of(piece));
        const uint8_t* values = gathered + ((bulk->at - at) & (FW_SHORT_RUN - 1));
        if (!fw_is_short(piece) || fw_store_short(block, (const struct fw_elements*)(const void*)values, piece)) {
            break;
        }
        bulk->at += (uint32_t)(piece >> SLW_PIECE_SHIFT);
        bulk->next++;
    }
    return i;
}

FW_GLOBAL int fw_put_piece(FW_CONTEXT* context, uint32_t offset, uint32_t at, struct fw_block* block, uint64_t where) {
    FW_ENTER(env, context, offset);
    return block ? fw_copy_in(env, at, block->bytes, sizeof(block->bytes), (uint32_t)where & (SLW_BLOCK_BYTES - 1),
                              (uint32_t)(where >> SLW_BLOCK_SHIFT))
                 : -1;
}

FW_GLOBAL int fw_get_piece(FW_CONTEXT* context, uint32_t offset, uint32_t at, struct fw_block* block, uint64_t where) {
    FW_ENTER(env, context, offset);
    return block ? fw_copy_out(env, at, block->bytes, sizeof(block->bytes), (uint32_t)where & (SLW_BLOCK_BYTES - 1),
                               (uint32_t)(where >> SLW_BLOCK_SHIFT))
                 : -1;
}

/* Adds to one element by compare&swap. Returns 0, or -1 if others changed it each time. */
#define FW_DEFINE_ADD(name, type, add, compare_and_swap)                    \
    FW_INLINE int name(type* word, type value) {                            \
        type old = FW_ATOMIC_LOAD(word);                                    \
        for (uint32_t i = 0; i < FW_ADD_TRIES; i++) {                       \
            const type seen = compare_and_swap(word, old, add(old, value)); \
            if (seen == old) {                                              \
                return 0;                                                   \
            }                                                               \
            old = seen;                                                     \
        }                                                                   \
        return -1;                                                          \
    }

FW_DEFINE_ADD(fw_try_add_double, uint64_t, fw_add_double, fw_cas64)
FW_DEFINE_ADD(fw_try_add_float, uint32_t, fw_add_float, fw_cas32)

/* Adds up to FW_ADD_RUN of `count` elements from `place` in the block. Returns how many it has added. */
FW_GLOBAL uint32_t fw_add_elements(struct fw_block* block, const struct fw_elements* values, uint32_t place,
                                   uint32_t count, uint32_t code) {
    uint32_t i;
    if (!block || !values) {
        return 0;
    }
    for (i = 0; i < FW_ADD_RUN; i++) {
        if (i >= count) {
            break;
        }
        int lost = 0;
        if (code & 1) {
            uint64_t* const word = (uint64_t*)(void*)(block->bytes + ((place + i * 8) & 0xfff8));
            const uint64_t value = fw_word_at(values->bytes + i * 8);
            if (code == SLW_ADD_DOUBLE) {
                lost = fw_try_add_double(word, value);
            } else {
                FW_ADD(word, value);
            }
        } else {
            uint32_t* const word = (uint32_t*)(void*)(block->bytes + ((place + i * 4) & 0xfffc));
            uint32_t value;
            FW_LOAD(&value, (const uint32_t*)(const void*)(values->bytes + i * 4));
            if (code == SLW_ADD_FLOAT) {
                lost = fw_try_add_float(word, value);
            } else {
                FW_ADD(word, value);
            }
        }
        if (lost) {
            break;
        }
    }
    return i;
}

/*
 * Adds the elements at `at` of the payload to the piece that `where` describes: its place in the block, bytes << 16,
 * and the operation's code << 32. Returns how many it has added.
 */
FW_GLOBAL uint32_t fw_add_piece(FW_CONTEXT* context, uint32_t offset, uint32_t at, struct fw_block* block,
                                uint64_t where) {
    FW_ENTER(env, context, offset);
    uint32_t added = 0;
    for (uint32_t i = 0; i < FW_ADD_RUNS; i++) {
        FW_OPAQUE(where); /* values made from it take no room on the stack from one round to the next */
        const uint32_t code = (uint32_t)(where >> 32) & 255;
        const uint32_t shift = fw_element_shift(code) & 3;
        const uint32_t count = ((uint32_t)where >> SLW_BLOCK_SHIFT) >> shift;
        if (added >= count || !block) {
            break;
        }
        const uint32_t some = count - added < FW_ADD_RUN ? count - added : FW_ADD_RUN;
        const uint8_t* values = fw_gather(env, at + (added << shift), some << shift);
        if (!values) {
            break;
        }
        added += fw_add_elements(block, (const struct fw_elements*)(const void*)values,
                                 (uint32_t)where + (added << shift), some, code);
    }
    return added;
}

/* Executes the next pieces. Returns 1 to go on, 0 to stop: all are done, or bulk->status says why not. */
FW_GLOBAL int fw_run_pieces(FW_CONTEXT* context, uint32_t offset, struct fw_bulk* bulk) {
    FW_ENTER(env, context, offset);
    const struct fw_scratch* scratch = fw_scratch_of(env);
    if (!scratch || !bulk) {
        return 0;
    }
    const uint32_t first = bulk->next;
    const uint32_t code = bulk->code;
    for (uint32_t i = 0; i < FW_PIECES_RUN; i++) {
        if (first + i >= bulk->pieces) {
            return 0;
        }
        const uint64_t piece = fw_piece_at(scratch, first + i);
        const uint32_t bytes = (uint32_t)(piece >> SLW_PIECE_SHIFT);
        const uint32_t place = (uint32_t)piece & (SLW_BLOCK_BYTES - 1);
        const uint64_t where = (uint64_t)code << 32 | (uint64_t)bytes << SLW_BLOCK_SHIFT | place;
        struct fw_block* block = (struct fw_block*)(void*)fw_block_at(env, bulk->segment, fw_block_of(piece));
        if (!block) {
            bulk->status = SLW_PORT_CLOSED; /* the port has closed since the list was checked */
            return 0;
        }
        if (code == SLW_PUT || code == SLW_GET) {
            const uint64_t what = where & 0xffffffff;
            if (code == SLW_PUT ? fw_put_piece(FW_LEAVE(env), FW_HERE(env), bulk->at, block, what)
                                : fw_get_piece(FW_LEAVE(env), FW_HERE(env), bulk->at, block, what)) {
                bulk->status = SLW_BAD_LENGTH;
                return 0;
            }
        } else {
            const uint32_t added = fw_add_piece(FW_LEAVE(env), FW_HERE(env), bulk->at, block, where);
            bulk->elements += added;
            if (added << (fw_element_shift(code) & 3) != bytes) {
                bulk->status = SLW_RETRY;
                return 0;
            }
        }
        bulk->at += bytes;
    }
    bulk->next = first + FW_PIECES_RUN;
    return bulk->next < bulk->pieces;
}

/*
 * Executes all pieces, which have been checked; their bytes begin at `at` of the packet. Returns enum slw_status. It is
 * a global function because the verifier would otherwise walk its loop once for each way that leads here.
 */
FW_GLOBAL uint32_t fw_run_bulk(FW_CONTEXT* context, uint32_t offset, struct fw_bulk* bulk) {
    FW_ENTER(env, context, offset);
    if (!bulk) {
        return SLW_BAD_OPERATION;
    }
    /* In the worst case each run of short pieces is one piece, with a whole run of other pieces behind it. */
    for (uint32_t i = 0; i < 2 * FW_PIECES_RUNS; i++) {
        const int put = bulk->code == SLW_PUT && fw_put_short_pieces(FW_LEAVE(env), FW_HERE(env), bulk);
        if (put ? bulk->next >= bulk->pieces : !fw_run_pieces(FW_LEAVE(env), FW_HERE(env), bulk)) {
            break;
        }
    }
    return bulk->status;
}

#endif
