/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The functions that the firmware needs from its surroundings. The compiler takes one of two implementations:
 * platform_bpf.h (XDP) or platform_native.h (the agent, the library, tests, the simulator). Each defines struct fw_env,
 * which holds at least
 *
 *      uint8_t *data, *end;    the frame (or, without one, the UDP payload); of a frame of several parts, the first
 *      uint32_t length;        bytes of UDP payload from there
 *      uint32_t due;           messages of the barrier to be sent, with FW_FORWARD
 *
 * and these functions:
 *
 *      fw_offset(env), fw_set_offset(env, n)   where the Syncline header starts behind `data`; set once, from 0
 *      fw_config(env)                          the job, and this node of it
 *      fw_rank_of(env, port)                   the rank of a port of this node, or FW_NO_RANK
 *      fw_source_at(env, rank)                 what is known of a rank here as target, or NULL
 *      fw_rows_of(env)                         the rows of slots, or NULL
 *      fw_slot_at(env, index)                  slot record of a connection here as target, or NULL
 *      fw_buffer_at(env, port, index)          the buffer of the port's slot: index node * window + slot
 *      fw_completion_at(env, port, buffer)     completion of a port here as initiator, or NULL
 *      fw_image_at(env, port, buffer)          its request's image, or NULL
 *      fw_port_at(env, port)                   shared words of a port, or NULL
 *      fw_segment_at(env, index)               segment table entry [port * SLW_SEGMENTS_MAX + segment], or NULL
 *      fw_block_at(env, index, block)          64 KiB of a segment's memory, or NULL
 *      fw_barrier_at(env, id)                  a barrier, or NULL
 *      fw_count_on(env)                        before a global function counts; 0 or -1
 *      fw_learn(env, node, answer)             note where the packet, which is valid and that node's, came from, and
 *                                              whether it answers a greeting
 *      fw_wake(env, port)                      wake the blocked process of a port
 *      fw_has(env, bytes)                      1 if the frame has that many bytes, in whatever parts
 *      fw_resize(env, payload)                 make the frame long enough for that payload, and no longer if it can be
 *                                              made shorter; 0 or -1
 *      fw_read_packet / fw_write_packet        copy a constant number of bytes from / to the payload; 0 or -1
 *      fw_read_some / fw_write_some            copy 1 to `most` bytes, a constant, likewise
 *      fw_gather(env, at, bytes)               the payload from `at`, 1 to FW_GATHER_MAX bytes of it in one part, until
 *                                              the next call; or NULL
 *      fw_gathered(env, at)                    what the last call returned, which was for `at`
 *      fw_nh_vector, fw_sum_vector             see vectors_native.h
 *      fw_scratch_of(env)                      memory of this packet's execution, or NULL
 *      FW_GLOBAL                               a function that is called, and verified, by itself: its parameters are
 *                                              FW_CONTEXT* and numbers, or pointers to structs of numbers
 *      FW_SELDOM                               behind FW_GLOBAL: its callers are quicker without it in their midst
 *      FW_ENTER(env, context, here)            declares its struct fw_env
 *      FW_LEAVE(env), FW_HERE(env)             the context and the `here` to call one with;
 *      FW_AT(env, offset)                      the latter with another offset
 */
#ifndef SYNCLINE_FIRMWARE_PLATFORM_H
#define SYNCLINE_FIRMWARE_PLATFORM_H

#include "tables.h"

#define FW_INLINE static inline __attribute__((always_inline))

enum { FW_GATHER_MAX = 4096 };

#define FW_NO_RANK 0xffffffffu /* no packet has it */

/*
 * A bulk operation under way: see bulk.h. It holds numbers only, because a pointer would not survive the call of a
 * global function.
 */
struct fw_bulk {
    uint64_t length;   /* length of the segment in bytes */
    uint64_t end;      /* end of the last piece that was checked: no piece behind it begins before this */
    uint32_t code;     /* without SLW_LIST */
    uint32_t segment;  /* the segment's index in the tables */
    uint32_t pieces;   /* number of pieces in the list */
    uint32_t next;     /* the first piece that is not checked, or not executed, yet */
    uint32_t at;       /* payload offset of that piece's bytes */
    uint32_t stop;     /* payload offset of the end of the last piece's bytes */
    uint32_t bytes;    /* of all pieces */
    uint32_t elements; /* elements that were added */
    uint32_t status;   /* enum slw_status */
    uint32_t unused;
};

/* Memory for the execution of one packet beside the stack, of which BPF has little. */
struct fw_scratch {
    struct fw_bulk bulk;
    uint64_t list[SLW_PIECES_MAX];
    uint8_t gathered[FW_GATHER_MAX];
};

/* Global functions take pointers to these types, because the verifier takes their bounds from the types' sizes. */
struct fw_block {
    uint8_t bytes[SLW_BLOCK_BYTES];
};
struct fw_elements {
    uint8_t bytes[256];
};

#ifdef __bpf__
#include "platform_bpf.h"
#else
#include "platform_native.h"
#endif

FW_INLINE void fw_count(struct fw_env* env, enum fw_counter counter) {
    fw_count_many(env, counter, 1);
}

/* Returns the payload from `at`, if `bytes` more are there. */
FW_INLINE uint8_t* fw_payload(struct fw_env* env, uint32_t at, uint32_t bytes) {
    uint8_t* start = env->data + (fw_offset(env) + at);
    FW_OPAQUE(start);
    if (start + bytes > env->end) {
        return 0;
    }
    return start;
}

FW_INLINE uint64_t fw_word_at(const uint8_t* at) {
    uint64_t word;
    FW_LOAD(&word, (const uint64_t*)(const void*)at);
    return word;
}

#endif
