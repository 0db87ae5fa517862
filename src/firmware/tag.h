/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The tag of a packet, over the first 24 bytes of its header and its body, which is padded with zeros to whole words.
 *
 * In a job with authentication it is SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012) with
 * the job's key. BPF has no rotate instruction, so a SipRound costs about 30 instructions; a body of more than
 * FW_SHORT_BODY bytes is therefore hashed by NH first (Black, Halevi, Krawczyk, Krovetz, Rogaway: "UMAC: Fast and
 * Secure Message Authentication", 1999; RFC 4418), 1024 bytes to two words, and these are SipHash's message.
 * PROTOCOL.md has the bound.
 *
 * Without authentication it is a checksum that detects the network's errors, but not an attacker.
 */
#ifndef SYNCLINE_FIRMWARE_TAG_H
#define SYNCLINE_FIRMWARE_TAG_H

#include "tables.h"

enum { FW_SHORT_BODY = 64 }; /* bytes that are read at their place in the frame */

struct fw_sip {
    uint64_t v0, v1, v2, v3;
};

#define FW_ROTL(x, bits) (((x) << (bits)) | ((x) >> (64 - (bits))))

#define FW_SIPROUND(s)                  \
    do {                                \
        (s)->v0 += (s)->v1;             \
        (s)->v2 += (s)->v3;             \
        (s)->v1 = FW_ROTL((s)->v1, 13); \
        (s)->v3 = FW_ROTL((s)->v3, 16); \
        (s)->v1 ^= (s)->v0;             \
        (s)->v3 ^= (s)->v2;             \
        (s)->v0 = FW_ROTL((s)->v0, 32); \
        (s)->v2 += (s)->v1;             \
        (s)->v0 += (s)->v3;             \
        (s)->v1 = FW_ROTL((s)->v1, 17); \
        (s)->v3 = FW_ROTL((s)->v3, 21); \
        (s)->v1 ^= (s)->v2;             \
        (s)->v3 ^= (s)->v0;             \
        (s)->v2 = FW_ROTL((s)->v2, 32); \
    } while (0)

static inline __attribute__((always_inline)) void fw_sip_start(struct fw_sip* s, uint64_t key0, uint64_t key1) {
    s->v0 = key0 ^ 0x736f6d6570736575ull;
    s->v1 = key1 ^ 0x646f72616e646f6dull;
    s->v2 = key0 ^ 0x6c7967656e657261ull;
    s->v3 = key1 ^ 0x7465646279746573ull;
}

static inline __attribute__((always_inline)) void fw_sip_word(struct fw_sip* s, uint64_t word) {
    s->v3 ^= word;
    FW_SIPROUND(s);
    FW_SIPROUND(s);
    s->v0 ^= word;
}

/* `last`: the message's length modulo 256 in the top byte, the 0 to 7 bytes behind the whole words below it. */
static inline __attribute__((always_inline)) uint64_t fw_sip_finish(struct fw_sip* s, uint64_t last) {
    fw_sip_word(s, last);
    s->v2 ^= 0xff;
    FW_SIPROUND(s);
    FW_SIPROUND(s);
    FW_SIPROUND(s);
    FW_SIPROUND(s);
    return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

/*
 * Two passes of NH over a chunk. The second takes the key FW_NH_SHIFT words further on (Toeplitz), so that two chunks
 * collide in both with a probability of 2^-64.
 */
struct fw_nh {
    uint64_t first, second;
};

/*
 * The checksum: the low and the high halves of the words are summed separately. In each, a = sum of the halves, b = sum
 * of the running a, both modulo 2^64; checksum = sum of a * odd + b * even. A change of one bit changes the half of
 * word k from the end by 2^j, and so the checksum by 2^j * (odd + k * even), an odd number times 2^j: never 0. It uses
 * halves because j is then 31 at most: changes of the highest bits of two whole words would cancel out modulo 2^64.
 */
struct fw_sum {
    uint64_t low, low_running, high, high_running;
};

/* Adds a word, given as two halves. */
static inline __attribute__((always_inline)) void fw_sum_word(struct fw_sum* s, uint32_t low, uint32_t high) {
    s->low += low;
    s->low_running += s->low;
    s->high += high;
    s->high_running += s->high;
}

static inline __attribute__((always_inline)) uint64_t fw_sum_finish(const struct fw_sum* s, uint64_t last) {
    return (s->low + last) * 0x9E3779B97F4A7C15ull + s->low_running * 0xD6E8FEB86659FD92ull +
           s->high * 0xC2B2AE3D27D4EB4Full + s->high_running * 0x94D049BB133111EAull;
}

#endif
