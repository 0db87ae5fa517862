/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The firmware: what a NIC does with one Syncline packet.
 *
 * Guarantee: a request is executed exactly once, however often the network delivers it, and its reply is also its
 * acknowledgement (paper 000, section III.B). A connection (source port -> target node) has `window` slots; slots
 * are independent, so nothing needs delivery in order. At the target a slot holds the last sequence executed and
 * its results: same sequence, answer from the record; older, drop; newer, execute and record. At the initiator a
 * reply is deposited only if it claims the armed completion of that very sequence, so a late duplicate can never
 * write into a buffer that is used for something else by then.
 *
 * A get changes nothing, so it is executed again for a duplicate instead of being recorded; the initiator takes one
 * reply only.
 *
 * Any number of CPUs run this on the same tables at once.
 */
#ifndef SYNCLINE_FIRMWARE_FIRMWARE_H
#define SYNCLINE_FIRMWARE_FIRMWARE_H

#include "execute.h"
#include "tag.h"

enum { FW_WORDS_MAX = SLW_BODY_MAX / 8 };

/* The tag of the packet in `env`, over `words` words of body; 0 if the packet is shorter. */
FW_INLINE uint64_t fw_tag_of(struct fw_env* env, uint32_t words) {
    uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    struct fw_sip sip;
    struct fw_sum sum = {0, 0};
    uint64_t word;
    const int authenticate = fw_config(env)->authenticate != 0;
    const uint64_t last = (uint64_t)((SLW_TAGGED_HEADER + words * 8) & 255) << 56;
    if (!at) {
        return 0;
    }
    fw_sip_start(&sip, fw_config(env)->key[0], fw_config(env)->key[1]);
    for (uint32_t i = 0; i < SLW_TAGGED_HEADER; i += 8) {
        FW_LOAD(&word, (uint64_t*)(void*)(at + i));
        if (authenticate) {
            fw_sip_word(&sip, word);
        } else {
            fw_sum_word(&sum, word);
        }
    }
    at += SLW_HEADER_BYTES;
    if (authenticate) {
        for (uint32_t i = 0; i < FW_WORDS_MAX; i++) {
            if (i >= words || at + 8 > env->end) {
                break;
            }
            FW_LOAD(&word, (uint64_t*)(void*)at);
            fw_sip_word(&sip, word);
            at += 8;
        }
        return fw_sip_finish(&sip, last);
    }
    for (uint32_t i = 0; i < FW_WORDS_MAX; i++) {
        if (i >= words || at + 8 > env->end) {
            break;
        }
        FW_LOAD(&word, (uint64_t*)(void*)at);
        fw_sum_word(&sum, word);
        at += 8;
    }
    return fw_sum_finish(&sum, last);
}

FW_INLINE uint32_t fw_body_bytes(const struct slw_header* header) {
    return (uint32_t)header->units * SLW_UNIT_BYTES + slw_padded(header->data_length);
}

/* Is this a packet of this job, whole and untouched? Loads its header; counts the rule it breaks. */
FW_INLINE int fw_validate(struct fw_env* env, struct slw_header* header) {
    uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    if (!at || env->length < SLW_HEADER_BYTES) {
        fw_count(env, FW_COUNT_rejected_short);
        return -1;
    }
    FW_LOAD(header, (struct slw_header*)(void*)at);
    if (header->magic != SLW_MAGIC || header->version != SLW_VERSION ||
        (header->kind != SLW_REQUEST && header->kind != SLW_REPLY)) {
        fw_count(env, FW_COUNT_rejected_version);
        return -1;
    }
    if (header->job != fw_config(env)->job) {
        fw_count(env, FW_COUNT_rejected_job);
        return -1;
    }
    if (header->units > SLW_UNITS_MAX || header->data_length > SLW_BODY_MAX ||
        fw_body_bytes(header) > SLW_BODY_MAX || (header->kind == SLW_REQUEST) != (header->units != 0)) {
        fw_count(env, FW_COUNT_rejected_length);
        return -1;
    }
    if (SLW_HEADER_BYTES + fw_body_bytes(header) > env->length ||
        !fw_payload(env, 0, SLW_HEADER_BYTES + (fw_body_bytes(header) & 2047))) {
        fw_count(env, FW_COUNT_rejected_short);
        return -1;
    }
    if (fw_tag_of(env, (fw_body_bytes(header) / 8) & 255) != header->tag) {
        fw_count(env, FW_COUNT_rejected_tag);
        return -1;
    }
    return 0;
}

FW_INLINE void fw_wake_port(struct fw_env* env, uint32_t port) {
    struct fw_port* words = fw_port_at(env, port);
    if (words && FW_ATOMIC_LOAD(&words->waiting) && FW_EXCHANGE(&words->waiting, 0u)) {
        fw_wake(env, port);
    }
}

static long fw_wake_touched(uint32_t port, void* argument) {
    struct fw_execution* x = argument;
    port &= 63;
    if (x->touched >> port & 1) {
        fw_wake_port(x->env, port);
    }
    return x->touched >> port == 1; /* no higher one */
}

/* Turns the packet round: writes the reply's header, data and tag over it. */
FW_INLINE enum fw_verdict fw_reply(struct fw_env* env, struct slw_header* header, struct fw_slot* slot,
                                   const struct slw_unit* get, uint64_t status, uint8_t* block) {
    const uint64_t word = (uint64_t)header->sequence << 8 | FW_SLOT_DONE;
    uint32_t length = (uint32_t)get->operand;
    uint32_t executed = 1;
    if (get->code != SLW_GET) {
        status = slot->status;
        length = slot->length;
        executed = slot->executed;
    } else if (status != SLW_OK) {
        length = 0;
        executed = 0;
    }
    if (length > SLW_BULK_MAX || fw_resize(env, SLW_HEADER_BYTES + slw_padded(length))) {
        fw_count(env, FW_COUNT_rejected_short);
        return FW_DROP;
    }
    uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    if (!at) {
        return FW_DROP;
    }
    header->kind = SLW_REPLY;
    header->units = 0;
    header->data_length = (uint16_t)length;
    header->status = (uint8_t)status;
    header->executed = (uint8_t)executed;
    FW_STORE((struct slw_header*)(void*)at, *header);
    if (length == 8 && get->code != SLW_GET) {
        uint8_t* result = fw_payload(env, SLW_HEADER_BYTES, 8);
        if (!result) {
            return FW_DROP;
        }
        FW_STORE((uint64_t*)(void*)result, slot->results[0]);
    } else if (length) {
        const uint64_t zero = 0;
        const uint32_t last = SLW_HEADER_BYTES + slw_padded(length) - 8;
        if (fw_write_packet(env, last, (const uint8_t*)&zero, 8)) {
            return FW_DROP;
        }
        if (get->code == SLW_GET) {
            if (!block || fw_copy_out(env, SLW_HEADER_BYTES, block, SLW_BLOCK_BYTES,
                                      get->offset_low & (SLW_BLOCK_BYTES - 1), length)) {
                return FW_DROP;
            }
        } else if (fw_copy_out(env, SLW_HEADER_BYTES, (uint8_t*)slot->results, sizeof(slot->results), 0, length)) {
            return FW_DROP;
        }
    }
    /* Another CPU may have begun a newer sequence: then the initiator has this one's reply already. */
    if (FW_ATOMIC_LOAD(&slot->word) != word) {
        fw_count(env, FW_COUNT_rejected_stale);
        return FW_DROP;
    }
    uint64_t tag = fw_tag_of(env, (slw_padded(length) / 8) & 255);
    at = fw_payload(env, SLW_TAGGED_HEADER, 8);
    if (!at) {
        return FW_DROP;
    }
    FW_STORE((uint64_t*)(void*)at, tag);
    fw_count(env, FW_COUNT_replies_sent);
    return FW_REPLY;
}

/* Claims the slot for this sequence. FW_REPLY: execute; FW_CONSUMED: a duplicate; FW_DROP: neither, counted. */
FW_INLINE enum fw_verdict fw_claim(struct fw_env* env, struct fw_slot* slot, uint32_t sequence) {
    const uint64_t word = FW_ATOMIC_LOAD(&slot->word);
    const uint32_t state = (uint32_t)(word & 255);
    const int32_t age = (int32_t)(sequence - (uint32_t)(word >> 8));
    if (age < 0 || (age == 0 && state == FW_SLOT_EMPTY)) {
        fw_count(env, FW_COUNT_rejected_stale);
        return FW_DROP;
    }
    if (state == FW_SLOT_BUSY) {
        fw_count(env, FW_COUNT_rejected_busy);
        return FW_DROP;
    }
    if (age == 0) {
        fw_count(env, FW_COUNT_duplicates);
        return FW_CONSUMED;
    }
    if (fw_cas64(&slot->word, word, (uint64_t)sequence << 8 | FW_SLOT_BUSY) != word) {
        fw_count(env, FW_COUNT_rejected_busy);
        return FW_DROP;
    }
    return FW_REPLY;
}

FW_INLINE enum fw_verdict fw_request(struct fw_env* env, struct slw_header* header) {
    uint64_t status = SLW_OK;
    uint8_t* block = 0;
    struct slw_unit first;
    if (header->target_node != fw_config(env)->node) {
        fw_count(env, FW_COUNT_rejected_node);
        return FW_DROP;
    }
    if (header->source_rank >= fw_config(env)->ranks || header->slot >= fw_config(env)->window) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    struct fw_slot* slot = fw_slot_at(env, (uint32_t)header->source_rank * fw_config(env)->window + header->slot);
    uint8_t* at = fw_payload(env, SLW_HEADER_BYTES, SLW_UNIT_BYTES);
    if (!slot || !at) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    FW_LOAD(&first, (struct slw_unit*)(void*)at);
    const enum fw_verdict claim = fw_claim(env, slot, header->sequence);
    if (claim == FW_DROP) {
        return FW_DROP;
    }
    fw_count(env, FW_COUNT_requests);
    if (first.code == SLW_GET) {
        if (header->units != 1 || first.operand == 0 || first.operand > SLW_BULK_MAX) {
            status = SLW_BAD_LENGTH;
        } else {
            block = fw_locate(env, &first, first.operand, &status);
        }
        if (claim == FW_REPLY) {
            fw_count_many(env, FW_COUNT_operations, status == SLW_OK);
            fw_count_many(env, FW_COUNT_refused, status != SLW_OK);
            (void)FW_EXCHANGE(&slot->word, (uint64_t)header->sequence << 8 | FW_SLOT_DONE);
        }
    } else if (claim == FW_REPLY) {
        struct fw_execution x = {.env = env, .slot = slot, .units = header->units};
        fw_execute(&x, &first, header->data_length);
        slot->status = (uint8_t)x.status;
        slot->executed = (uint8_t)x.next;
        slot->length = x.fetched ? (uint16_t)(header->units * SLW_RESULT_BYTES) : 0;
        fw_count_many(env, FW_COUNT_operations, x.executed);
        fw_count_many(env, FW_COUNT_refused, x.status != SLW_OK);
        (void)FW_EXCHANGE(&slot->word, (uint64_t)header->sequence << 8 | FW_SLOT_DONE);
        if (x.touched == 1ull << (first.port & 63)) {
            fw_wake_port(env, first.port & 63);
        } else if (x.touched) {
            FW_LOOP(SLW_PORTS_MAX, fw_wake_touched, &x);
        }
    }
    return fw_reply(env, header, slot, &first, status, block);
}

/* A reply to a process of this node. */
FW_INLINE enum fw_verdict fw_deposit(struct fw_env* env, const struct slw_header* header) {
    const uint32_t port = header->source_port;
    const uint64_t armed = (uint64_t)header->sequence << 8 | FW_COMPLETION_ARMED;
    if (port >= fw_config(env)->ports || fw_config(env)->first_rank + port != header->source_rank ||
        header->target_node >= fw_config(env)->nodes || header->slot >= fw_config(env)->window) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    struct fw_completion* completion =
        fw_completion_at(env, port, (uint32_t)header->target_node * fw_config(env)->window + header->slot);
    if (!completion) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    if (FW_ATOMIC_LOAD(&completion->state) != armed ||
        fw_cas64(&completion->state, armed, (uint64_t)header->sequence << 8 | FW_COMPLETION_CLAIMED) != armed) {
        fw_count(env, FW_COUNT_rejected_late);
        return FW_DROP;
    }
    completion->status = header->status;
    completion->executed = header->executed;
    completion->length = header->data_length;
    if (header->data_length == 8) {
        uint8_t* at = fw_payload(env, SLW_HEADER_BYTES, 8);
        uint64_t word = 0;
        if (at) {
            FW_LOAD(&word, (uint64_t*)(void*)at);
        }
        FW_STORE((uint64_t*)(void*)completion->data, word);
    } else if (header->data_length) {
        (void)fw_copy_in(env, SLW_HEADER_BYTES, completion->data, SLW_BODY_MAX, 0, header->data_length);
    }
    (void)FW_EXCHANGE(&completion->state, (uint64_t)header->sequence << 8 | FW_COMPLETION_DONE);
    fw_count(env, FW_COUNT_replies);
    fw_wake_port(env, port);
    return FW_CONSUMED;
}

/* The packet at env->offset, of env->length bytes. */
FW_INLINE enum fw_verdict fw_input(struct fw_env* env) {
    struct slw_header header;
    if (fw_validate(env, &header)) {
        return FW_DROP;
    }
    if (header.kind == SLW_REQUEST) {
        return fw_request(env, &header);
    }
    return fw_deposit(env, &header);
}

#endif
