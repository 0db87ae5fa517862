/* SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"

#include <sched.h>

#include "frame.h"

enum fw_verdict fw_execute_packet(struct fw_nic* nic, uint8_t* buffer, uint32_t length, uint32_t* reply_length) {
    struct fw_env env = {
        .nic = nic,
        .data = buffer,
        .end = buffer + length,
        .length = length,
        .capacity = SLW_PACKET_MAX > length ? SLW_PACKET_MAX : length,
    };
    const enum fw_verdict verdict = fw_input(&env);
    *reply_length = verdict == FW_REPLY ? env.length : 0;
    return verdict;
}

enum fw_verdict fw_execute_frame(struct fw_nic* nic, uint8_t* frame, uint32_t capacity, uint32_t* frame_length) {
    struct fw_env env = {
        .nic = nic,
        .data = frame,
        .end = frame + *frame_length,
        .capacity = capacity,
    };
    const enum fw_verdict verdict = fw_frame(&env);
    *frame_length = (uint32_t)(env.end - env.data);
    return verdict;
}

uint32_t fw_packet_length(const uint8_t* packet) {
    struct slw_header header;
    memcpy(&header, packet, sizeof(header));
    return SLW_HEADER_BYTES + fw_body_bytes(&header);
}

void fw_seal(const struct fw_config* config, uint8_t* packet) {
    const uint32_t length = fw_packet_length(packet);
    struct fw_nic nic = {.config = config};
    struct fw_env env = {.nic = &nic, .data = packet, .end = packet + length, .length = length};
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
    for (uint32_t tries = 0; fw_pair_try(lock, owner); tries++) {
        if (tries % FW_PAIR_TRIES == FW_PAIR_TRIES - 1) {
            if (give_up(context)) {
                return -1;
            }
            sched_yield();
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
