/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* Never trust a packet: its tag, and the rules that it must keep before the firmware believes anything in it. */
#ifndef SYNCLINE_FIRMWARE_VALIDATE_H
#define SYNCLINE_FIRMWARE_VALIDATE_H

#include "platform.h"
#include "tag.h"

enum { FW_WORDS_MAX = SLW_BODY_MAX / 8 };

/*
 * Feeds the tagged words of a packet to `word`(state, word): eight at a time behind one bounds check, then the rest.
 * Leaves the loops early where the packet ends before; the tag is wrong then.
 */
#define FW_TAG_WORDS(word, state)                         \
    for (uint32_t i = 0; i < SLW_TAGGED_HEADER; i += 8) { \
        word(state, fw_word_at(at + i));                  \
    }                                                     \
    at += SLW_HEADER_BYTES;                               \
    for (uint32_t i = 0; i < FW_WORDS_MAX / 8; i++) {     \
        if (words < 8 || at + 64 > env->end) {            \
            break;                                        \
        }                                                 \
        for (uint32_t j = 0; j < 64; j += 8) {            \
            word(state, fw_word_at(at + j));              \
        }                                                 \
        at += 64;                                         \
        words -= 8;                                       \
    }                                                     \
    for (uint32_t i = 0; i < 7; i++) {                    \
        if (words == 0 || at + 8 > env->end) {            \
            break;                                        \
        }                                                 \
        word(state, fw_word_at(at));                      \
        at += 8;                                          \
        words--;                                          \
    }

#define FW_TAG_LAST(words) ((uint64_t)((SLW_TAGGED_HEADER + (words) * 8) & 255) << 56)

/* SipHash of the packet at `offset`, over `words` words of body; 0 if the packet is shorter. */
FW_GLOBAL uint64_t fw_sip_of(FW_CONTEXT* context, uint32_t offset, uint32_t words) {
    FW_ENTER(env, context, offset);
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    const uint64_t last = FW_TAG_LAST(words);
    struct fw_sip sip;
    if (!at) {
        return 0;
    }
    fw_sip_start(&sip, fw_config(env)->key[0], fw_config(env)->key[1]);
    FW_TAG_WORDS(fw_sip_word, &sip)
    return fw_sip_finish(&sip, last);
}

/* The checksum of the packet, as fw_sip_of(): in line, because it takes no longer than a call. */
FW_INLINE uint64_t fw_sum_of(struct fw_env* env, uint32_t words) {
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    const uint64_t last = FW_TAG_LAST(words);
    struct fw_sum sum = {0, 0};
    if (!at) {
        return 0;
    }
    FW_TAG_WORDS(fw_sum_word, &sum)
    return fw_sum_finish(&sum, last);
}

FW_INLINE uint64_t fw_tag_of(struct fw_env* env, uint32_t words) {
    return fw_config(env)->authenticate ? fw_sip_of(FW_LEAVE(env), env->offset, words) : fw_sum_of(env, words);
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
    if (header->magic != SLW_MAGIC || header->version != SLW_VERSION || header->kind < SLW_REQUEST ||
        header->kind > SLW_BROKEN) {
        fw_count(env, FW_COUNT_rejected_version);
        return -1;
    }
    if (header->job != fw_config(env)->job) {
        fw_count(env, FW_COUNT_rejected_job);
        return -1;
    }
    const uint32_t body = fw_body_bytes(header);
    if (header->units > SLW_UNITS_MAX || header->data_length > SLW_BODY_MAX || body > SLW_BODY_MAX ||
        (header->kind == SLW_REQUEST) != (header->units != 0)) {
        fw_count(env, FW_COUNT_rejected_length);
        return -1;
    }
    if (SLW_HEADER_BYTES + body > env->length) {
        fw_count(env, FW_COUNT_rejected_short);
        return -1;
    }
    if (fw_tag_of(env, body / 8) != header->tag) {
        fw_count(env, FW_COUNT_rejected_tag);
        return -1;
    }
    return 0;
}

#endif
