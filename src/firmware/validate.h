/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* Never trust a packet: its tag, and the rules that it must keep before the firmware believes anything in it. */
#ifndef SYNCLINE_FIRMWARE_VALIDATE_H
#define SYNCLINE_FIRMWARE_VALIDATE_H

#include "platform.h"
#include "tag.h"

enum {
    FW_CHUNKS = (SLW_BODY_MAX + FW_NH_CHUNK - 1) / FW_NH_CHUNK,
    FW_CHUNKS_GATHERED = FW_GATHER_MAX / FW_NH_CHUNK,
};

FW_INLINE uint32_t fw_at_most(uint32_t number, uint32_t most) {
    return number < most ? number : most;
}

FW_INLINE void fw_sip_at(struct fw_sip* state, const uint8_t* at) {
    fw_sip_word(state, fw_word_at(at));
}

FW_INLINE uint32_t fw_half_at(const uint8_t* at) {
    uint32_t half;
    FW_LOAD(&half, (const uint32_t*)(const void*)at);
    return half;
}

/* Two loads of a half each: a load of the whole word would need two more instructions to take it apart. */
FW_INLINE void fw_sum_at(struct fw_sum* state, const uint8_t* at) {
    fw_sum_word(state, fw_half_at(at), fw_half_at(at + 4));
}

FW_INLINE uint64_t fw_nh_product(uint32_t low, uint32_t high, const uint8_t* key) {
    return (uint64_t)(low + fw_half_at(key)) * (high + fw_half_at(key + 4));
}

/* `key`: the key for the word's place in its chunk. */
FW_INLINE void fw_nh_at(struct fw_nh* nh, const uint8_t* at, const uint8_t* key) {
    const uint32_t low = fw_half_at(at);
    const uint32_t high = fw_half_at(at + 4);
    nh->first += fw_nh_product(low, high, key);
    nh->second += fw_nh_product(low, high, key + FW_NH_SHIFT * 8);
}

/* Feeds the tagged words of a packet's header, at `at`, to `word`(state, place). */
#define FW_HEADER_WORDS(word, state)                      \
    for (uint32_t i = 0; i < SLW_TAGGED_HEADER; i += 8) { \
        word(state, at + i);                              \
    }

/* Feeds the `words` words at `at`, at most `most` of them: eight at a time behind one bounds check, then the rest. */
#define FW_BODY_WORDS(word, state, most)        \
    for (uint32_t i = 0; i < (most) / 8; i++) { \
        if (words < 8 || at + 64 > env->end) {  \
            break;                              \
        }                                       \
        for (uint32_t j = 0; j < 64; j += 8) {  \
            word(state, at + j);                \
        }                                       \
        at += 64;                               \
        words -= 8;                             \
    }                                           \
    for (uint32_t i = 0; i < 7; i++) {          \
        if (words == 0 || at + 8 > env->end) {  \
            break;                              \
        }                                       \
        word(state, at);                        \
        at += 8;                                \
        words--;                                \
    }

#define FW_TAG_LAST(bytes) ((uint64_t)((bytes) & 255) << 56)

/*
 * Returns SipHash of the packet at `offset`, over `words` words of body, at most FW_SHORT_BODY bytes; 0 if the packet
 * is shorter.
 */
FW_GLOBAL uint64_t fw_sip_of(FW_CONTEXT* context, uint32_t offset, uint32_t words) {
    FW_ENTER(env, context, offset);
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    const uint64_t last = FW_TAG_LAST(SLW_TAGGED_HEADER + words * 8);
    struct fw_sip sip;
    if (!at) {
        return 0;
    }
    fw_sip_start(&sip, fw_config(env)->key[0], fw_config(env)->key[1]);
    FW_HEADER_WORDS(fw_sip_at, &sip)
    at += SLW_HEADER_BYTES;
    FW_BODY_WORDS(fw_sip_at, &sip, FW_SHORT_BODY / 8)
    return fw_sip_finish(&sip, last);
}

/* Hashes `words` words by NH, at most a chunk: chunk `index` of the bytes gathered from `at`. Returns 0 or -1. */
FW_GLOBAL int fw_nh_chunk(FW_CONTEXT* context, uint32_t at, uint32_t index, uint32_t words, struct fw_nh* nh) {
    FW_ENTER(env, context, at);
    const uint8_t* chunk = fw_gathered(env, at);
    const uint8_t* key = (const uint8_t*)(long)fw_config(env)->nh;
    struct fw_nh sum = {0, 0};
    if (!chunk || !nh || words > FW_NH_CHUNK / 8) {
        return -1;
    }
    FW_OPAQUE(key); /* the daemon writes it */
    chunk += (index & (FW_CHUNKS_GATHERED - 1)) * FW_NH_CHUNK;
    const uint32_t done = fw_nh_vector(chunk, words, key, &sum);
    chunk += done * 8;
    key += done * 8;
    words -= done;
    for (uint32_t i = 0; i < FW_NH_CHUNK / 64; i++) {
        if (words < 8) {
            break;
        }
        FW_UNROLL
        for (uint32_t j = 0; j < 64; j += 8) {
            fw_nh_at(&sum, chunk + j, key + j);
            FW_OPAQUE(sum.first); /* one word after the other, because there are few registers */
            FW_OPAQUE(sum.second);
        }
        chunk += 64;
        key += 64;
        words -= 8;
    }
    for (uint32_t i = 0; i < 7; i++) {
        if (i >= words) {
            break;
        }
        fw_nh_at(&sum, chunk + i * 8, key + i * 8);
        FW_OPAQUE(sum.first);
    }
    *nh = sum;
    return 0;
}

/* Returns the tag of the packet at `offset` with a longer body; 0 if the packet is shorter. */
FW_GLOBAL uint64_t fw_long_tag_of(FW_CONTEXT* context, uint32_t offset, uint32_t words) {
    FW_ENTER(env, context, offset);
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    uint32_t chunks = 0;
    struct fw_sip sip;
    struct fw_nh nh;
    if (!at) {
        return 0;
    }
    fw_sip_start(&sip, fw_config(env)->key[0], fw_config(env)->key[1]);
    FW_HEADER_WORDS(fw_sip_at, &sip)
    for (uint32_t i = 0; i < FW_CHUNKS; i++) {
        if (words == 0) {
            break;
        }
        const uint32_t from = SLW_HEADER_BYTES + i / FW_CHUNKS_GATHERED * FW_GATHER_MAX;
        if (i % FW_CHUNKS_GATHERED == 0 && !fw_gather(env, from, fw_at_most(words, FW_GATHER_MAX / 8) * 8)) {
            return 0;
        }
        const uint32_t some = fw_at_most(words, FW_NH_CHUNK / 8);
        if (fw_nh_chunk(FW_LEAVE(env), FW_AT(env, from), i % FW_CHUNKS_GATHERED, some, &nh)) {
            return 0;
        }
        fw_sip_word(&sip, nh.first);
        fw_sip_word(&sip, nh.second);
        words -= some;
        chunks++;
    }
    /* The lowest bit distinguishes it from a short body that equals these words. */
    return fw_sip_finish(&sip, FW_TAG_LAST(SLW_TAGGED_HEADER + chunks * 16) | 1);
}

/* Returns the checksum of the packet at `offset`, as fw_sip_of(). */
FW_GLOBAL uint64_t fw_sum_of(FW_CONTEXT* context, uint32_t offset, uint32_t words) {
    FW_ENTER(env, context, offset);
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    const uint64_t last = FW_TAG_LAST(SLW_TAGGED_HEADER + words * 8);
    struct fw_sum sum = {0};
    if (!at) {
        return 0;
    }
    FW_HEADER_WORDS(fw_sum_at, &sum)
    at += SLW_HEADER_BYTES;
    FW_BODY_WORDS(fw_sum_at, &sum, FW_SHORT_BODY / 8)
    return fw_sum_finish(&sum, last);
}

/*
 * Adds `words` words of payload from `at`, at most FW_GATHER_MAX bytes, to the checksum. Returns 0, or -1 if the packet
 * is shorter.
 */
FW_GLOBAL int fw_sum_chunk(FW_CONTEXT* context, uint32_t offset, uint32_t at, uint32_t words, struct fw_sum* state) {
    FW_ENTER(env, context, offset);
    const uint8_t* chunk = fw_gather(env, at, words * 8);
    if (!chunk || !state || words > FW_GATHER_MAX / 8) {
        return -1;
    }
    struct fw_sum sum = *state;
    const uint32_t done = fw_sum_vector(chunk, words, &sum);
    chunk += done * 8;
    words -= done;
    for (uint32_t i = 0; i < FW_GATHER_MAX / 64; i++) {
        if (words < 8) {
            break;
        }
        for (uint32_t j = 0; j < 64; j += 8) {
            fw_sum_at(&sum, chunk + j);
        }
        chunk += 64;
        words -= 8;
    }
    for (uint32_t i = 0; i < 7; i++) {
        if (i >= words) {
            break;
        }
        fw_sum_at(&sum, chunk + i * 8);
    }
    *state = sum;
    return 0;
}

/* Returns the checksum of the packet at `offset` with a longer body; 0 if the packet is shorter. */
FW_GLOBAL uint64_t fw_long_sum_of(FW_CONTEXT* context, uint32_t offset, uint32_t words) {
    FW_ENTER(env, context, offset);
    const uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    const uint64_t last = FW_TAG_LAST(SLW_TAGGED_HEADER + words * 8);
    struct fw_sum sum = {0};
    if (!at) {
        return 0;
    }
    FW_HEADER_WORDS(fw_sum_at, &sum)
    for (uint32_t i = 0; i < FW_CHUNKS / FW_CHUNKS_GATHERED + 1; i++) {
        if (words == 0) {
            break;
        }
        const uint32_t some = fw_at_most(words, FW_GATHER_MAX / 8);
        if (fw_sum_chunk(FW_LEAVE(env), FW_HERE(env), SLW_HEADER_BYTES + i * FW_GATHER_MAX, some, &sum)) {
            return 0;
        }
        words -= some;
    }
    return fw_sum_finish(&sum, last);
}

/* Returns the tag of the packet, over `words` words of body; 0 if the packet is shorter. */
FW_INLINE uint64_t fw_tag_of(struct fw_env* env, uint32_t words) {
    const int is_short = words <= FW_SHORT_BODY / 8;
    if (fw_config(env)->authenticate) {
        return is_short ? fw_sip_of(FW_LEAVE(env), FW_HERE(env), words)
                        : fw_long_tag_of(FW_LEAVE(env), FW_HERE(env), words);
    }
    return is_short ? fw_sum_of(FW_LEAVE(env), FW_HERE(env), words)
                    : fw_long_sum_of(FW_LEAVE(env), FW_HERE(env), words);
}

FW_INLINE uint32_t fw_body_bytes(const struct slw_header* header) {
    return (uint32_t)header->units * SLW_UNIT_BYTES + slw_padded(header->data_length);
}

/*
 * Checks that this is a packet of this job, whole and unchanged. Loads its header, and counts the rule that it breaks.
 */
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
    const uint32_t most = fw_config(env)->packet_max - SLW_HEADER_BYTES;
    if (header->units > SLW_UNITS_MAX || header->data_length > most || body > most ||
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
