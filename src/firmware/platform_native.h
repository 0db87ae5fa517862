/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* The firmware's surroundings outside BPF: plain tables, GCC atomics, memcpy. */
#ifndef SYNCLINE_FIRMWARE_PLATFORM_NATIVE_H
#define SYNCLINE_FIRMWARE_PLATFORM_NATIVE_H

#include <string.h>

#include "base/check.h"
#include "native.h"
#include "tables.h"
#include "vectors_native.h"

/* A function, so that its arguments lose their types, to which their places in a packet are not aligned. */
static inline __attribute__((always_inline)) void fw_move(void* target, const void* source, size_t bytes) {
    memcpy(target, source, bytes);
}

#define FW_LOAD(target, source) fw_move((target), (source), sizeof(*(target)))
#define FW_STORE(target, value)                           \
    do {                                                  \
        const __typeof__(value) fw_stored = (value);      \
        fw_move((target), &fw_stored, sizeof(fw_stored)); \
    } while (0)

/* Copies an aligned word in one access: compilers make one instruction of a memcpy of constant size. */
#define FW_COPY_WORD(type, target, source)                \
    do {                                                  \
        type fw_copied;                                   \
        fw_move(&fw_copied, (source), sizeof(fw_copied)); \
        fw_move((target), &fw_copied, sizeof(fw_copied)); \
    } while (0)

/* Our own mistakes: see base/check.h. A packet, or a word that a process writes, makes none of these fail. */
#define FW_ASSERT SYNCLINE_ASSERT
#define FW_CHECK SYNCLINE_CHECK

#define FW_UNROLL
#define FW_OPAQUE(variable) ((void)(variable))

#define FW_GLOBAL static inline
#define FW_SELDOM __attribute__((cold))
#define FW_CONTEXT struct fw_env
#define FW_ENTER(name, context, payload) struct fw_env* const name = ((void)(payload), (context))
#define FW_LEAVE(env) (env)
#define FW_HERE(env) ((env)->offset)
#define FW_AT(env, offset) ((void)(env), (offset))

#define FW_PREFETCH(pointer) __builtin_prefetch((pointer), 1)

/*
 * Sequentially consistent, because of pairs of words of which each CPU writes one by FW_EXCHANGE and then reads the
 * other: a barrier's `word` and records; `waiting` and the memory for which a process waits.
 */
#define FW_ATOMIC_LOAD(pointer) __atomic_load_n((pointer), __ATOMIC_SEQ_CST)
#define FW_ATOMIC_STORE(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_RELAXED)
/*
 * It also orders an earlier read in front of a later load, for example of the word that tells whether the read data is
 * whole.
 */
#define FW_ACQUIRE(pointer) ((void)(pointer), __atomic_thread_fence(__ATOMIC_ACQUIRE))
#define FW_RELEASE(pointer) ((void)(pointer), __atomic_thread_fence(__ATOMIC_RELEASE))
#define FW_EXCHANGE(pointer, value) __atomic_exchange_n((pointer), (value), __ATOMIC_SEQ_CST)
#define FW_FETCH_ADD(pointer, value) __atomic_fetch_add((pointer), (value), __ATOMIC_SEQ_CST)
#define FW_FETCH_AND(pointer, value) __atomic_fetch_and((pointer), (value), __ATOMIC_SEQ_CST)
#define FW_FETCH_OR(pointer, value) __atomic_fetch_or((pointer), (value), __ATOMIC_SEQ_CST)
#define FW_FETCH_XOR(pointer, value) __atomic_fetch_xor((pointer), (value), __ATOMIC_SEQ_CST)
#define FW_ADD(pointer, value) ((void)FW_FETCH_ADD(pointer, value))
#define FW_AND(pointer, value) ((void)FW_FETCH_AND(pointer, value))
#define FW_OR(pointer, value) ((void)FW_FETCH_OR(pointer, value))
#define FW_XOR(pointer, value) ((void)FW_FETCH_XOR(pointer, value))

static inline uint64_t fw_cas64(uint64_t* pointer, uint64_t expected, uint64_t desired) {
    __atomic_compare_exchange_n(pointer, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

static inline uint32_t fw_cas32(uint32_t* pointer, uint32_t expected, uint32_t desired) {
    __atomic_compare_exchange_n(pointer, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

enum { fw_packet_max = SLW_PACKET_MAX };

static inline uint32_t fw_offset(const struct fw_env* env) {
    return env->offset;
}

static inline void fw_set_offset(struct fw_env* env, uint32_t offset) {
    env->offset = offset;
}

static inline const struct fw_config* fw_config(struct fw_env* env) {
    return env->target->config;
}

static inline uint32_t fw_rank_of(struct fw_env* env, uint32_t port) {
    return port < env->target->config->ports ? env->target->ranks[port] : FW_NO_RANK;
}

static inline struct fw_slot* fw_slot_at(struct fw_env* env, uint32_t index) {
    const struct fw_config* config = env->target->config;
    const uint32_t row = index >> FW_SLOT_SHIFT;
    const uint32_t slot = index & (SLW_WINDOW_MAX - 1);
    if (!env->target->slots || row >= config->ranks || slot >= config->window) {
        return NULL;
    }
    return &env->target->slots[(size_t)row * config->window + slot];
}

static inline struct fw_source* fw_source_at(struct fw_env* env, uint32_t rank) {
    return env->target->sources && rank < env->target->config->ranks ? &env->target->sources[rank] : NULL;
}

static inline struct fw_rows* fw_rows_of(struct fw_env* env) {
    return env->target->rows;
}

static inline uint32_t fw_buffer_at(struct fw_env* env, uint32_t port, uint32_t index) {
    const struct fw_config* config = env->target->config;
    FW_CHECK(port < config->ports, "port %u of %u", port, config->ports);
    FW_CHECK(index < config->nodes * config->window, "slot %u of %u", index, config->nodes * config->window);
    const size_t place = (size_t)port * config->nodes * config->window + index;
    return env->target->directory ? FW_ATOMIC_LOAD(&env->target->directory[place / 4].of_slot[place % 4]) : 0;
}

static inline struct fw_completion* fw_completion_at(struct fw_env* env, uint32_t port, uint32_t buffer) {
    const struct fw_config* config = env->target->config;
    if (port >= config->ports || buffer >= fw_buffers_of(config->nodes, config->window) ||
        !env->target->completions[port]) {
        return NULL;
    }
    uint8_t* const first = (uint8_t*)env->target->completions[port];
    return (struct fw_completion*)(void*)(first + (size_t)buffer * fw_completion_bytes(config->packet_max));
}

static inline const struct fw_image* fw_image_at(struct fw_env* env, uint32_t port, uint32_t buffer) {
    const struct fw_config* config = env->target->config;
    if (!env->target->images || port >= config->ports || buffer >= fw_buffers_of(config->nodes, config->window)) {
        return NULL;
    }
    const uint8_t* const first = (const uint8_t*)env->target->images[port];
    return (const struct fw_image*)(const void*)(first + (size_t)buffer * fw_image_bytes(config->packet_max));
}

static inline struct fw_port* fw_port_at(struct fw_env* env, uint32_t port) {
    return port < env->target->config->ports ? &env->target->ports[port] : NULL;
}

static inline struct fw_barrier* fw_barrier_at(struct fw_env* env, uint32_t id) {
    return env->target->barriers && id < SLW_BARRIERS_MAX ? &env->target->barriers[id] : NULL;
}

/* Does nothing: sockets have the addresses of their peers. */
static inline void fw_learn(struct fw_env* env, uint32_t node, int answer) {
    (void)env;
    (void)node;
    (void)answer;
}

static inline const struct fw_segment* fw_segment_at(struct fw_env* env, uint32_t index) {
    return env->target->segments && index < SLW_PORTS_MAX * SLW_SEGMENTS_MAX ? &env->target->segments[index] : NULL;
}

static inline uint8_t* fw_block_at(struct fw_env* env, uint32_t index, uint32_t block) {
    FW_CHECK(index < SLW_PORTS_MAX * SLW_SEGMENTS_MAX, "segment %u", index);
    uint8_t* base = __atomic_load_n(&env->target->memory[index], __ATOMIC_ACQUIRE);
    return base ? base + ((uint64_t)block << SLW_BLOCK_SHIFT) : NULL;
}

static inline void fw_count_many(struct fw_env* env, enum fw_counter counter, uint64_t count) {
    __atomic_fetch_add(&env->target->counters->value[counter], count, __ATOMIC_RELAXED);
}

static inline int fw_count_on(struct fw_env* env) {
    (void)env;
    return 0;
}

static inline void fw_wake(struct fw_env* env, uint32_t port) {
    fw_count_many(env, FW_COUNT_wakeups, 1);
    if (env->target->wake) {
        env->target->wake(env->target->wake_context, port);
    }
}

static inline int fw_has(struct fw_env* env, uint32_t bytes) {
    return bytes <= (uint32_t)(env->end - env->data);
}

static inline int fw_resize(struct fw_env* env, uint32_t payload) {
    if (env->offset + payload > env->capacity) {
        return -1;
    }
    FW_CHECK(payload >= SLW_HEADER_BYTES, "a payload of %u bytes", payload);
    env->end = env->data + env->offset + payload;
    env->length = payload;
    return 0;
}

static inline const uint8_t* fw_gather(struct fw_env* env, uint32_t at, uint32_t bytes) {
    const uint8_t* source = env->data + env->offset + at;
    return source + bytes > env->end ? NULL : source;
}

static inline const uint8_t* fw_gathered(struct fw_env* env, uint32_t at) {
    FW_CHECK(env->data + env->offset + at < env->end, "%u bytes from the header on", at);
    return env->data + env->offset + at;
}

static inline struct fw_scratch* fw_scratch_of(struct fw_env* env) {
    return env->scratch;
}

static inline int fw_read_packet(struct fw_env* env, uint32_t at, uint8_t* target, uint32_t bytes) {
    const uint8_t* source = fw_gather(env, at, bytes);
    if (!source) {
        return -1;
    }
    memcpy(target, source, bytes);
    return 0;
}

static inline int fw_write_packet(struct fw_env* env, uint32_t at, const uint8_t* source, uint32_t bytes) {
    uint8_t* target = env->data + env->offset + at;
    if (target + bytes > env->end) {
        return -1;
    }
    memcpy(target, source, bytes);
    return 0;
}

static inline int fw_read_some(struct fw_env* env, uint32_t at, uint8_t* target, uint32_t bytes, uint32_t most) {
    return bytes > most ? -1 : fw_read_packet(env, at, target, bytes);
}

static inline int fw_write_some(struct fw_env* env, uint32_t at, const uint8_t* source, uint32_t bytes, uint32_t most) {
    return bytes > most ? -1 : fw_write_packet(env, at, source, bytes);
}

#endif
