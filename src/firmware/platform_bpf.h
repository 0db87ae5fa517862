/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The firmware's surroundings under XDP. The loader sizes the maps; the jobs' configurations are data.
 *
 * Linux 6.1 has everything used here: bpf_xdp_load_bytes and bpf_xdp_store_bytes (5.18), global functions with pointers
 * to memory (5.13), atomics (5.12), inner arrays of different lengths (BPF_F_INNER_MAP, 5.10), BPF_F_MMAPABLE (5.5).
 * It does not use bpf_loop: some kernels walk its callback only once and trust the facts of the first round.
 */
#ifndef SYNCLINE_FIRMWARE_PLATFORM_BPF_H
#define SYNCLINE_FIRMWARE_PLATFORM_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "headers.h"
#include "tables.h"
#include "tag.h"

#define FW_LOAD(target, source) (*(target) = *(const __typeof__(*(target))*)(source))
/* Keeps the compiler from reasoning about this variable: the code must check the register that it then uses. */
#define FW_OPAQUE(variable) __asm__ volatile("" : "+r"(variable))

/* Unrolls the next loop completely. */
#define FW_UNROLL _Pragma("clang loop unroll(full)")

#define FW_STORE(target, value) (*(target) = (value))
/* Volatile: neither divided nor done twice. */
#define FW_COPY_WORD(type, target, source) \
    (*(volatile type*)(void*)(target) = *(const volatile type*)(const void*)(source))

/* BPF has no instruction for it: a load whose result no instruction needs. */
#define FW_PREFETCH(pointer)                                              \
    do {                                                                  \
        const uint64_t fw_fetched = *(const volatile uint64_t*)(pointer); \
        (void)fw_fetched;                                                 \
    } while (0)

/*
 * Volatile: one access of the whole word. A plain load or store of BPF has the order that the machine gives it: on x86
 * a load acquires and a store releases, on arm64 neither does. Atomics that return a value are full barriers
 * everywhere, the others are none. So every word that publishes data is written by FW_EXCHANGE or a compare&swap, and a
 * reader that goes on to the published data says FW_ACQUIRE after its load.
 */
#define FW_ATOMIC_LOAD(pointer) (*(volatile __typeof__(*(pointer))*)(pointer))
#define FW_ATOMIC_STORE(pointer, value) (*(volatile __typeof__(*(pointer))*)(pointer) = (value))
#define FW_EXCHANGE(pointer, value) __sync_lock_test_and_set((pointer), (value))
#define FW_FETCH_ADD(pointer, value) __sync_fetch_and_add((pointer), (value))
#define FW_FETCH_AND(pointer, value) __sync_fetch_and_and((pointer), (value))
#define FW_FETCH_OR(pointer, value) __sync_fetch_and_or((pointer), (value))
#define FW_FETCH_XOR(pointer, value) __sync_fetch_and_xor((pointer), (value))
/*
 * FW_ACQUIRE(pointer): later accesses come after earlier loads. `pointer` is a word of 4 or 8 bytes, which stays as it
 * is. BPF's own load-acquire is newer than Linux 6.1. FW_RELEASE(pointer): later stores come after earlier accesses;
 * the same holds for `pointer`.
 */
#ifdef __TARGET_ARCH_x86
#define FW_ACQUIRE(pointer) ((void)(pointer))
#define FW_RELEASE(pointer) ((void)(pointer))
/* Without a result the compiler emits the plain locked instruction, where the fetching one would be a loop. */
#define FW_ADD(pointer, value) ((void)__sync_fetch_and_add((pointer), (value)))
#define FW_AND(pointer, value) ((void)__sync_fetch_and_and((pointer), (value)))
#define FW_OR(pointer, value) ((void)__sync_fetch_and_or((pointer), (value)))
#define FW_XOR(pointer, value) ((void)__sync_fetch_and_xor((pointer), (value)))
#else
/*
 * The result must be used, or the compiler takes the atomic without one, which has no order: a put's signal would
 * overtake the put.
 */
#define FW_FETCHED(atomic, pointer, value)                                                                  \
    do {                                                                                                    \
        __typeof__(*(pointer) + 0) fw_seen = atomic((__typeof__(fw_seen)*)(void*)(long)(pointer), (value)); \
        FW_OPAQUE(fw_seen);                                                                                 \
    } while (0)
#define FW_ACQUIRE(pointer) FW_FETCHED(__sync_fetch_and_or, pointer, 0)
#define FW_RELEASE(pointer) FW_FETCHED(__sync_fetch_and_or, pointer, 0)
#define FW_ADD(pointer, value) FW_FETCHED(__sync_fetch_and_add, pointer, value)
#define FW_AND(pointer, value) FW_FETCHED(__sync_fetch_and_and, pointer, value)
#define FW_OR(pointer, value) FW_FETCHED(__sync_fetch_and_or, pointer, value)
#define FW_XOR(pointer, value) FW_FETCHED(__sync_fetch_and_xor, pointer, value)
#endif

static __always_inline uint64_t fw_cas64(uint64_t* pointer, uint64_t expected, uint64_t desired) {
    return __sync_val_compare_and_swap(pointer, expected, desired);
}

static __always_inline uint32_t fw_cas32(uint32_t* pointer, uint32_t expected, uint32_t desired) {
    return __sync_val_compare_and_swap(pointer, expected, desired);
}

enum fw_verdict {
    FW_PASS = 0,
    FW_DROP = 1,
    FW_REPLY = 2,
    FW_CONSUMED = 3,
    FW_FORWARD = 4,
};

/*
 * The kernel takes long to verify this program. So one program serves many: the nodes of a job on one machine, and the
 * jobs of a daemon whose packets have one length. Each has a place in the program's tables, which the dispatcher hands
 * over (dispatch.h). The daemon writes a place's tables before the dispatcher learns the way there, and changes them
 * for another job when no run of the program can be in that place any more.
 *
 * A table that the node's processes map is a map by itself, in an array of maps. In every other table each place has a
 * part.
 */
/* For the verifier: the longest packet of all jobs that have a place. Each job's own maximum is in its fw_config. */
const volatile uint32_t fw_packet_max = SLW_PACKET_MAX;
/*
 * The jobs, by place, each with its node here. It is data, not an array map: an index with a bound needs no check for
 * NULL.
 */
struct fw_config fw_configs[FW_PLACES] SEC(".data.configs") = {};

/*
 * An array of maps, or an array, in which each place has `of_place` entries. The loader multiplies the size by the
 * places.
 */
#define FW_PLACED_ARRAY(name, of_place, entry) \
    struct {                                   \
        __uint(type, BPF_MAP_TYPE_ARRAY);      \
        __uint(max_entries, (of_place));       \
        __type(key, uint32_t);                 \
        __type(value, entry);                  \
    } name SEC(".maps")
#define FW_PLACED_MAPS(name, of_place, inner)     \
    struct {                                      \
        __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); \
        __uint(max_entries, (of_place));          \
        __type(key, uint32_t);                    \
        __array(values, inner);                   \
    } name SEC(".maps")
/* A table that processes map, with `entries` entries in each place. The verifier expands a look-up inline. */
#define FW_MAPPED_INNER(name, entries, entry) \
    struct name {                             \
        __uint(type, BPF_MAP_TYPE_ARRAY);     \
        __uint(max_entries, (entries));       \
        __uint(map_flags, BPF_F_MMAPABLE);    \
        __uint(key_size, 4);                  \
        __uint(value_size, sizeof(entry));    \
    }
/* Such a table for which the loader sets the number and the size of entries. */
#define FW_SIZED_INNER(name, bytes)                          \
    struct name {                                            \
        __uint(type, BPF_MAP_TYPE_ARRAY);                    \
        __uint(max_entries, 1);                              \
        __uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP); \
        __uint(key_size, 4);                                 \
        __uint(value_size, (bytes));                         \
    }

/* The rank + 1 of each port; 0: there is no such port. The daemon writes it. */
FW_PLACED_ARRAY(fw_ranks, SLW_PORTS_MAX, uint32_t);

/* [ranks]; processes map it to read. The daemon freezes it: only this program writes it. */
FW_MAPPED_INNER(fw_sources_inner, 1, struct fw_source);
FW_PLACED_MAPS(fw_sources, 1, struct fw_sources_inner);

/* The daemon maps it. */
FW_MAPPED_INNER(fw_rows_inner, 1, struct fw_rows);
FW_PLACED_MAPS(fw_row_count, 1, struct fw_rows_inner);

/* A chunk of rows, with window slots for each; the daemon adds chunks before they are needed. */
struct fw_slots_inner {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(map_flags, BPF_F_INNER_MAP);
    __uint(key_size, 4);
    __uint(value_size, sizeof(struct fw_slot));
};
FW_PLACED_MAPS(fw_slots, FW_CHUNKS_OF_ROWS, struct fw_slots_inner);

/* [ports * nodes * window], four in an element; processes map it. */
FW_MAPPED_INNER(fw_directory_inner, 1, struct fw_buffers);
FW_PLACED_MAPS(fw_directory, 1, struct fw_directory_inner);

/* The daemon writes it. */
FW_PLACED_ARRAY(fw_segments, SLW_PORTS_MAX* SLW_SEGMENTS_MAX, struct fw_segment);

/* The shared words of the ports. */
FW_MAPPED_INNER(fw_ports_inner, 1, struct fw_port);
FW_PLACED_MAPS(fw_ports, 1, struct fw_ports_inner);

FW_MAPPED_INNER(fw_barriers_inner, SLW_BARRIERS_MAX, struct fw_barrier);
FW_PLACED_MAPS(fw_barriers, 1, struct fw_barriers_inner);

/* [nodes]; the daemon writes the addresses, the firmware the rest. */
FW_MAPPED_INNER(fw_peers_inner, 1, struct fw_peer);
FW_PLACED_MAPS(fw_peers, 1, struct fw_peers_inner);

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1); /* in each place */
    __type(key, uint32_t);
    __type(value, struct fw_counters);
} fw_counts SEC(".maps");

/*
 * A segment's memory: an array of 64 KiB blocks that its process maps. It has blocks because only an element of at most
 * 512 MiB can be addressed with a variable offset, and because the array's own bounds check then serves as the
 * firmware's.
 */
FW_SIZED_INNER(fw_memory_inner, SLW_BLOCK_BYTES);
FW_PLACED_MAPS(fw_memory, SLW_PORTS_MAX* SLW_SEGMENTS_MAX, struct fw_memory_inner);

/* A port's completions, one for each buffer; its process maps them. */
FW_SIZED_INNER(fw_completions_inner, sizeof(struct fw_completion));
FW_PLACED_MAPS(fw_completions, SLW_PORTS_MAX, struct fw_completions_inner);

/*
 * A port's request images, one for each buffer, behind an element for the process's own words; its process maps them.
 */
FW_SIZED_INNER(fw_images_inner, sizeof(struct fw_image));
FW_PLACED_MAPS(fw_images, SLW_PORTS_MAX, struct fw_images_inner);

/* A blocked process polls its ring buffer; the content of a record means nothing. */
struct fw_wakes_inner {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 4096);
};
FW_PLACED_MAPS(fw_wakes, SLW_PORTS_MAX, struct fw_wakes_inner);

struct fw_env {
    struct xdp_md* xdp;
    uint8_t* data;
    uint8_t* end;
    struct fw_counters* counters;
    uint32_t here; /* the place, and the offset of the Syncline header: see FW_HERE */
    uint32_t length;
    uint32_t due;
};

/*
 * The verifier walks a global function once and by itself, however often others call it, and knows only the types of
 * its arguments. So FW_ENTER makes its packet pointers from the context.
 */
#define FW_GLOBAL __attribute__((noinline))
#define FW_SELDOM
#define FW_CONTEXT struct xdp_md
#define FW_ENTER(name, context, payload)                      \
    FW_OPAQUE(context); /* used: else callers leave it out */ \
    struct fw_env fw_entered = {                              \
        .xdp = (context),                                     \
        .data = (uint8_t*)(long)(context)->data,              \
        .end = (uint8_t*)(long)(context)->data_end,           \
        .here = (payload),                                    \
    };                                                        \
    struct fw_env* const name = &fw_entered
#define FW_LEAVE(env) ((env)->xdp)

/*
 * The place and the offset pass from function to function in one word: place << 16 | offset. Functions take both from
 * it each time, which needs half of the room of two words on the stack.
 */
_Static_assert((FW_PLACES & (FW_PLACES - 1)) == 0 && FW_PAYLOAD_MASK < 1 << 16, "a mask, and room for the offset");
#define FW_HERE(env) ((env)->here)
#define FW_AT(env, offset) ((env)->here & ~0xffffu | (offset))

static __always_inline uint32_t fw_offset(const struct fw_env* env) {
    uint32_t here = env->here;
    FW_OPAQUE(here);
    return here & FW_PAYLOAD_MASK;
}

static __always_inline void fw_set_offset(struct fw_env* env, uint32_t offset) {
    env->here |= offset;
}

static __always_inline uint32_t fw_place_of_node(const struct fw_env* env) {
    uint32_t here = env->here;
    FW_OPAQUE(here);
    return here >> 16 & (FW_PLACES - 1);
}

static __always_inline const struct fw_config* fw_config(struct fw_env* env) {
    return &fw_configs[fw_place_of_node(env)];
}

/* Returns entry `index` in the node's part of an array, which has `of_place` entries. */
static __always_inline uint32_t fw_placed(struct fw_env* env, uint32_t of_place, uint32_t index) {
    return fw_place_of_node(env) * of_place + index;
}

static __always_inline uint32_t fw_rank_of(struct fw_env* env, uint32_t port) {
    const uint32_t index = fw_placed(env, SLW_PORTS_MAX, port);
    const uint32_t* rank = port < SLW_PORTS_MAX ? bpf_map_lookup_elem(&fw_ranks, &index) : 0;
    return rank ? *rank - 1 : FW_NO_RANK;
}

static __always_inline struct fw_slot* fw_slot_at(struct fw_env* env, uint32_t index) {
    const uint32_t row = index >> FW_SLOT_SHIFT;
    const uint32_t chunk = fw_placed(env, FW_CHUNKS_OF_ROWS, row >> FW_CHUNK_SHIFT);
    const uint32_t at = (row & (FW_CHUNK_ROWS - 1)) * fw_config(env)->window + (index & (SLW_WINDOW_MAX - 1));
    void* of_chunk = row < SLW_RANKS_MAX ? bpf_map_lookup_elem(&fw_slots, &chunk) : 0;
    return of_chunk ? bpf_map_lookup_elem(of_chunk, &at) : 0;
}

static __always_inline struct fw_source* fw_source_at(struct fw_env* env, uint32_t rank) {
    const uint32_t place = fw_place_of_node(env);
    void* of_node = bpf_map_lookup_elem(&fw_sources, &place);
    return of_node ? bpf_map_lookup_elem(of_node, &rank) : 0;
}

static __always_inline struct fw_rows* fw_rows_of(struct fw_env* env) {
    const uint32_t zero = 0;
    const uint32_t place = fw_place_of_node(env);
    void* of_node = bpf_map_lookup_elem(&fw_row_count, &place);
    return of_node ? bpf_map_lookup_elem(of_node, &zero) : 0;
}

static __always_inline uint32_t fw_buffer_at(struct fw_env* env, uint32_t port, uint32_t index) {
    const uint32_t place = fw_place_of_node(env);
    const uint32_t slot = port * fw_config(env)->nodes * fw_config(env)->window + index;
    const uint32_t element = slot >> 2;
    void* of_node = bpf_map_lookup_elem(&fw_directory, &place);
    const struct fw_buffers* buffers = of_node ? bpf_map_lookup_elem(of_node, &element) : 0;
    return buffers ? FW_ATOMIC_LOAD(&buffers->of_slot[slot & 3]) : 0;
}

static __always_inline struct fw_completion* fw_completion_at(struct fw_env* env, uint32_t port, uint32_t buffer) {
    const uint32_t placed = fw_placed(env, SLW_PORTS_MAX, port);
    void* of_port = port < SLW_PORTS_MAX ? bpf_map_lookup_elem(&fw_completions, &placed) : 0;
    return of_port ? bpf_map_lookup_elem(of_port, &buffer) : 0;
}

static __always_inline const struct fw_image* fw_image_at(struct fw_env* env, uint32_t port, uint32_t buffer) {
    const uint32_t placed = fw_placed(env, SLW_PORTS_MAX, port);
    void* of_port = port < SLW_PORTS_MAX ? bpf_map_lookup_elem(&fw_images, &placed) : 0;
    buffer++;
    return of_port ? bpf_map_lookup_elem(of_port, &buffer) : 0;
}

static __always_inline struct fw_port* fw_port_at(struct fw_env* env, uint32_t port) {
    const uint32_t place = fw_place_of_node(env);
    void* of_node = bpf_map_lookup_elem(&fw_ports, &place);
    return of_node ? bpf_map_lookup_elem(of_node, &port) : 0;
}

static __always_inline struct fw_barrier* fw_barrier_at(struct fw_env* env, uint32_t id) {
    const uint32_t place = fw_place_of_node(env);
    void* of_node = bpf_map_lookup_elem(&fw_barriers, &place);
    return of_node ? bpf_map_lookup_elem(of_node, &id) : 0;
}

static __always_inline struct fw_peer* fw_peer_at(struct fw_env* env, uint32_t node) {
    const uint32_t place = fw_place_of_node(env);
    void* of_node = bpf_map_lookup_elem(&fw_peers, &place);
    return of_node ? bpf_map_lookup_elem(of_node, &node) : 0;
}

/*
 * Stores the peer's MAC address, if the frame's source address is the one that the daemon has stored for it. It is a
 * function of its own because Linux 6.1 counts the stack of all functions on a path in steps of 32 bytes.
 */
FW_GLOBAL int fw_learn_from(FW_CONTEXT* context, uint32_t offset, uint32_t node, uint32_t answer) {
    FW_ENTER(env, context, offset);
    struct fw_peer* peer = node < fw_config(env)->nodes ? fw_peer_at(env, node) : 0;
    uint8_t* at = env->data;
    uint8_t* ip = at + fw_ip_of(fw_offset(env));
    FW_OPAQUE(ip);
    if (!peer || at + FW_ETHERNET > env->end || ip + FW_IP4 > env->end) {
        return 0;
    }
    if (fw_is_ip4(fw_offset(env))) {
        if (*(uint32_t*)(ip + 12) != *(uint32_t*)peer->address) {
            return 0;
        }
    } else if (ip + FW_IP6 > env->end || *(uint64_t*)(ip + 8) != *(uint64_t*)peer->address ||
               *(uint64_t*)(ip + 16) != *(uint64_t*)(peer->address + 8)) {
        return 0;
    }
    if (!peer->known || *(uint32_t*)(at + 6) != *(uint32_t*)peer->mac ||
        *(uint16_t*)(at + 10) != *(uint16_t*)(peer->mac + 4)) {
        *(uint32_t*)peer->mac = *(uint32_t*)(at + 6);
        *(uint16_t*)(peer->mac + 4) = *(uint16_t*)(at + 10);
        peer->known = 1;
    }
    if (answer && !peer->answered) {
        peer->answered = 1;
    }
    return 0;
}

static __always_inline void fw_learn(struct fw_env* env, uint32_t node, int answer) {
    (void)fw_learn_from(FW_LEAVE(env), FW_HERE(env), node, (uint32_t)answer);
}

static __always_inline const struct fw_segment* fw_segment_at(struct fw_env* env, uint32_t index) {
    const uint32_t placed = fw_placed(env, SLW_PORTS_MAX * SLW_SEGMENTS_MAX, index);
    return index < SLW_PORTS_MAX * SLW_SEGMENTS_MAX ? bpf_map_lookup_elem(&fw_segments, &placed) : 0;
}

static __always_inline uint8_t* fw_block_at(struct fw_env* env, uint32_t index, uint32_t block) {
    const uint32_t placed = fw_placed(env, SLW_PORTS_MAX * SLW_SEGMENTS_MAX, index);
    void* segment = bpf_map_lookup_elem(&fw_memory, &placed);
    return segment ? bpf_map_lookup_elem(segment, &block) : 0;
}

static __always_inline void fw_count_many(struct fw_env* env, enum fw_counter counter, uint64_t count) {
    env->counters->value[counter] += count;
}

static __always_inline struct fw_counters* fw_counters_of(struct fw_env* env) {
    const uint32_t place = fw_place_of_node(env);
    return bpf_map_lookup_elem(&fw_counts, &place);
}

static __always_inline int fw_count_on(struct fw_env* env) {
    env->counters = fw_counters_of(env);
    return env->counters ? 0 : -1;
}

/* `port` has words, so it belongs to the node. */
static __always_inline void fw_wake(struct fw_env* env, uint32_t port) {
    const uint64_t record = 1;
    const uint32_t placed = fw_placed(env, SLW_PORTS_MAX, port);
    struct fw_counters* counters = fw_counters_of(env);
    void* wakes = bpf_map_lookup_elem(&fw_wakes, &placed);
    if (counters) {
        counters->value[FW_COUNT_wakeups]++;
    }
    if (wakes) {
        /*
         * If the ring is full, it has records that the process has not yet read: the process is awake or about to be.
         */
        bpf_ringbuf_output(wakes, (void*)&record, sizeof(record), BPF_RB_FORCE_WAKEUP);
    }
}

static __always_inline int fw_has(struct fw_env* env, uint32_t bytes) {
    return bytes <= (uint32_t)(env->end - env->data) || bytes <= bpf_xdp_get_buff_len(env->xdp);
}

/*
 * A frame of several parts keeps its length if the configuration says so: bytes behind the datagram mean nothing. If
 * another interface gives veth such a frame, and in generic mode since Linux 6.9, the kernel frees the parts that are
 * cut off to the wrong allocator ("Bad page state").
 */
static __always_inline int fw_resize(struct fw_env* env, uint32_t payload) {
    const int32_t now = (int32_t)bpf_xdp_get_buff_len(env->xdp);
    const int32_t wanted = (int32_t)(fw_offset(env) + payload);
    if (fw_config(env)->keep_parts && now != (int32_t)(env->end - env->data)) {
        if (wanted > now) {
            return -1;
        }
    } else if (now != wanted && bpf_xdp_adjust_tail(env->xdp, wanted - now)) {
        return -1; /* veth cannot grow a frame */
    }
    env->data = (uint8_t*)(long)env->xdp->data;
    env->end = (uint8_t*)(long)env->xdp->data_end;
    env->length = payload;
    return 0;
}

static __always_inline int fw_read_packet(struct fw_env* env, uint32_t at, uint8_t* target, uint32_t bytes) {
    return (int)bpf_xdp_load_bytes(env->xdp, fw_offset(env) + at, target, bytes);
}

static __always_inline int fw_write_packet(struct fw_env* env, uint32_t at, const uint8_t* source, uint32_t bytes) {
    return (int)bpf_xdp_store_bytes(env->xdp, fw_offset(env) + at, (void*)source, bytes);
}

/* Bounds to 1 to `most`, in a form that the verifiers of old kernels recognise, too. */
static __always_inline uint64_t fw_bounded(uint64_t bytes, uint64_t most) {
    FW_OPAQUE(bytes);
    if (bytes > most) {
        bytes = most;
    }
    if (bytes < 1) {
        bytes = 1;
    }
    FW_OPAQUE(bytes);
    return bytes;
}

static __always_inline int fw_read_some(struct fw_env* env, uint32_t at, uint8_t* target, uint32_t bytes,
                                        uint32_t most) {
    return fw_read_packet(env, at, target, (uint32_t)fw_bounded(bytes, most));
}

static __always_inline int fw_write_some(struct fw_env* env, uint32_t at, const uint8_t* source, uint32_t bytes,
                                         uint32_t most) {
    return fw_write_packet(env, at, source, (uint32_t)fw_bounded(bytes, most));
}

static __always_inline uint32_t fw_nh_vector(const uint8_t* chunk, uint32_t words, const uint8_t* key,
                                             struct fw_nh* nh) {
    (void)chunk, (void)words, (void)key, (void)nh;
    return 0;
}

static __always_inline uint32_t fw_sum_vector(const uint8_t* chunk, uint32_t words, struct fw_sum* sum) {
    (void)chunk, (void)words, (void)sum;
    return 0;
}

/* Each CPU has its own, because XDP programs do not interrupt each other. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct fw_scratch);
} fw_scratches SEC(".maps");

static __always_inline struct fw_scratch* fw_scratch_of(struct fw_env* env) {
    const uint32_t zero = 0;
    (void)env;
    return bpf_map_lookup_elem(&fw_scratches, &zero);
}

static __always_inline const uint8_t* fw_gather(struct fw_env* env, uint32_t at, uint32_t bytes) {
    struct fw_scratch* scratch = fw_scratch_of(env);
    return scratch && !fw_read_some(env, at, scratch->gathered, bytes, FW_GATHER_MAX) ? scratch->gathered : 0;
}

static __always_inline const uint8_t* fw_gathered(struct fw_env* env, uint32_t at) {
    struct fw_scratch* scratch = fw_scratch_of(env);
    (void)at;
    return scratch ? scratch->gathered : 0;
}

#endif
