/* SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"

#include "base/yield.h"
#include "frame.h"

/* Sends the messages of a barrier that are due. */
static void fw_barrier_send(struct fw_target* target, uint32_t id) {
    uint8_t packet[FW_BARRIER_MESSAGE_BYTES];
    struct fw_env env = {.target = target, .data = packet, .end = packet + sizeof(packet), .capacity = sizeof(packet)};
    for (;;) {
        const int node = fw_barrier_next(&env, &target->barriers[id], id);
        if (node < 0) {
            return;
        }
        FW_ASSERT(target->emit, "barrier %u has a message to node %d, and nothing sends it", id, node);
        target->emit(target->emit_context, (uint32_t)node, packet, sizeof(packet));
    }
}

/* Returns the verdict on a packet, after its barrier's messages have been sent. */
static enum fw_verdict fw_forwarded(struct fw_env* env, enum fw_verdict verdict) {
    if (verdict != FW_FORWARD) {
        return verdict;
    }
    struct slw_header header;
    memcpy(&header, env->data + env->offset, sizeof(header));
    fw_barrier_send(env->target, header.slot);
    return FW_CONSUMED;
}

enum fw_verdict fw_execute_packet(struct fw_target* target, uint8_t* buffer, uint32_t length, uint32_t* reply_length) {
    const uint32_t packet_max = target->config->packet_max;
    struct fw_scratch scratch;
    struct fw_env env = {
        .target = target,
        .data = buffer,
        .end = buffer + length,
        .length = length,
        .capacity = packet_max > length ? packet_max : length,
        .scratch = &scratch,
    };
    const enum fw_verdict verdict = fw_forwarded(&env, fw_input(&env));
    FW_ASSERT(verdict != FW_REPLY || (env.length >= SLW_HEADER_BYTES && env.length <= env.capacity),
              "a reply of %u bytes, with room for %u", env.length, env.capacity);
    *reply_length = verdict == FW_REPLY ? env.length : 0;
    return verdict;
}

enum fw_verdict fw_execute_frame(struct fw_target* target, uint8_t* frame, uint32_t capacity, uint32_t* frame_length) {
    struct fw_scratch scratch;
    struct fw_env env = {
        .target = target,
        .data = frame,
        .end = frame + *frame_length,
        .capacity = capacity,
        .scratch = &scratch,
    };
    const enum fw_verdict verdict = fw_frame(&env);
    *frame_length = (uint32_t)(env.end - env.data);
    return fw_forwarded(&env, verdict);
}

void fw_barrier_start(struct fw_target* target, uint32_t id, uint32_t epoch, uint32_t combine, uint64_t value) {
    struct fw_barrier* barrier = &target->barriers[id];
    FW_ASSERT(id < SLW_BARRIERS_MAX, "barrier %u", id);
    barrier->combine[epoch & 1] = (uint8_t)combine;
    barrier->value[epoch & 1][0] = value;
    const uint64_t step = barrier->phases == 0 ? FW_BARRIER_DONE : FW_BARRIER_RUNNING;
    (void)FW_EXCHANGE(&barrier->word, (uint64_t)epoch << 32 | step);
    if (step == FW_BARRIER_DONE) {
        struct fw_env env = {.target = target};
        fw_wake_ports(&env, &barrier->ports);
    } else {
        fw_barrier_continue(target, id);
    }
}

void fw_barrier_continue(struct fw_target* target, uint32_t id) {
    struct fw_env env = {.target = target};
    const uint32_t due = fw_barrier_advance(&env, env.offset, id);
    if (due & FW_BARRIER_COMPLETE) {
        fw_wake_ports(&env, &target->barriers[id].ports);
    }
    if (due & (FW_BARRIER_COMPLETE - 1)) {
        fw_barrier_send(target, id);
    }
}

static void fw_barrier_ask(struct fw_target* target, uint32_t id, uint32_t node, uint32_t epoch, uint32_t place) {
    uint8_t packet[FW_BARRIER_MESSAGE_BYTES];
    struct fw_env env = {.target = target, .data = packet, .end = packet + sizeof(packet), .capacity = sizeof(packet)};
    const struct slw_barrier_message message = {
        .instance = target->barriers[id].instance,
        .source_node = (uint16_t)target->config->node,
        .place = (uint16_t)place,
    };
    if (fw_barrier_write(&env, SLW_PULL, id, node, epoch, &message) == 0) {
        target->emit(target->emit_context, node, packet, sizeof(packet));
    }
}

uint32_t fw_barrier_pull(struct fw_target* target, uint32_t id, uint32_t max, int refused) {
    struct fw_barrier* barrier = &target->barriers[id];
    const uint64_t word = FW_ATOMIC_LOAD(&barrier->word);
    const uint32_t epoch = fw_epoch_of(word);
    const uint32_t phase = (uint32_t)(word >> 8) & 255;
    const uint64_t wanted = refused ? FW_EXCHANGE(&barrier->refused, (uint64_t)0) : ~(uint64_t)0;
    uint32_t asked = 0;
    if ((word & 255) == FW_BARRIER_DONE || phase >= barrier->phases || phase >= FW_BARRIER_PHASES) {
        return 0;
    }
    /*
     * Messages of later phases may be missing, too. The node asks for them when their phase comes, because they may not
     * be due yet.
     */
    const struct fw_barrier_phase what = barrier->phase[phase];
    for (uint32_t i = what.hear_from; i < what.hear_to && i < FW_BARRIER_ENTRIES && asked < max; i++) {
        const uint64_t record = FW_ATOMIC_LOAD(&fw_record_of(barrier, i, epoch)->word);
        const struct fw_barrier_route route = barrier->hear[i];
        if (record != ((uint64_t)epoch << 32 | FW_RECORD_HEARD) && route.node < target->config->nodes &&
            (i >= 64 || (wanted >> i & 1))) {
            fw_barrier_ask(target, id, route.node, epoch, route.place);
            asked++;
        }
    }
    return asked;
}

uint64_t fw_combine_values(uint32_t how, uint64_t one, uint64_t other) {
    return fw_combine(how, one, other);
}

void fw_barrier_greet(struct fw_target* target, uint32_t node) {
    fw_barrier_ask(target, 0, node, 0, 0);
}

uint32_t fw_packet_length(const uint8_t* packet) {
    struct slw_header header;
    memcpy(&header, packet, sizeof(header));
    return SLW_HEADER_BYTES + fw_body_bytes(&header);
}

void fw_derive_keys(struct fw_config* config) {
    for (uint64_t i = 0; i < FW_NH_WORDS; i++) {
        struct fw_sip sip;
        fw_sip_start(&sip, config->key[0], config->key[1]);
        fw_sip_word(&sip, 0x6e68000000000000ull + i);
        config->nh[i] = fw_sip_finish(&sip, FW_TAG_LAST(8));
    }
}

void fw_seal(const struct fw_config* config, uint8_t* packet) {
    const uint32_t length = fw_packet_length(packet);
    struct fw_target target = {.config = config};
    struct fw_env env = {.target = &target, .data = packet, .end = packet + length, .length = length};
    const uint64_t tag = fw_tag_of(&env, (length - SLW_HEADER_BYTES) / 8);
    memcpy(packet + SLW_TAGGED_HEADER, &tag, sizeof(tag));
}

uint64_t fw_siphash(const uint64_t key[2], const uint8_t* bytes, uint32_t length) {
    struct fw_sip sip;
    uint64_t word;
    uint64_t last = (uint64_t)(length & 255) << 56;
    fw_sip_start(&sip, key[0], key[1]);
    const uint8_t* const tail = bytes + (length & ~7u);
    for (; bytes < tail; bytes += 8) {
        memcpy(&word, bytes, 8);
        fw_sip_word(&sip, word);
    }
    for (uint32_t i = 0; i < (length & 7); i++) {
        last |= (uint64_t)tail[i] << (8 * i);
    }
    return fw_sip_finish(&sip, last);
}

struct fw_pair_lock* fw_pair_lock_of(struct fw_port* port, uint64_t offset) {
    return &port->pair_locks[fw_pair_index(offset)];
}

int fw_pair_execute(struct fw_pair_lock* lock, uint64_t owner, uint64_t address, uint64_t* pair,
                    const uint64_t operand[2], const uint64_t* comparand, uint64_t old[2], int (*give_up)(void*),
                    void* context) {
    FW_ASSERT(owner != 0 && (uintptr_t)pair % 16 == 0, "PE %ld at %p", (long)owner - 1, (void*)pair);
    for (uint32_t tries = 0; fw_pair_try(lock, owner); tries++) {
        if (tries % FW_PAIR_TRIES == FW_PAIR_TRIES - 1) {
            if (give_up(context)) {
                return -1;
            }
            yield_cpu();
        }
    }
    fw_pair_run(lock, owner, address, pair, operand[0], operand[1], comparand != NULL, comparand ? comparand[0] : 0,
                comparand ? comparand[1] : 0, old);
    return 0;
}

int fw_pair_recover(struct fw_port* port, uint64_t owner, uint64_t* (*locate)(void*, uint64_t), void* context) {
    int found = 0;
    for (uint32_t i = 0; i < FW_PAIR_LOCKS; i++) {
        struct fw_pair_lock* lock = &port->pair_locks[i];
        const uint64_t word = FW_ATOMIC_LOAD(&lock->owner);
        if (word >> 1 != owner) {
            continue;
        }
        uint64_t* pair = word & 1 ? locate(context, FW_ATOMIC_LOAD(&lock->address)) : NULL;
        if (pair) {
            FW_ATOMIC_STORE(&pair[0], lock->low);
            FW_ATOMIC_STORE(&pair[1], lock->high);
        }
        found += fw_cas64(&lock->owner, word, 0) == word;
    }
    return found;
}

#define FW_COUNTER_NAME(name, text) #name,
const char* const fw_counter_names[] = {FW_COUNTERS(FW_COUNTER_NAME)};
#define FW_COUNTER_TEXT(name, text) text,
const char* const fw_counter_texts[] = {FW_COUNTERS(FW_COUNTER_TEXT)};
