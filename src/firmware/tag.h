/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The tag of a packet: SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012) with the job's
 * key, or, in a job without authentication, a checksum that catches the network's errors and no attacker.
 *
 * The tag covers the first 24 bytes of the header and the body, padded with zeros to a multiple of 8 bytes. That is
 * why both functions take whole words. BPF has no rotate instruction, so a SipRound costs about 30 instructions.
 */
#ifndef SYNCLINE_FIRMWARE_TAG_H
#define SYNCLINE_FIRMWARE_TAG_H

#include "wire.h"

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
 * The checksum: a = sum of words, b = sum of the running a, both modulo 2^64; checksum = a * odd + b * even. A
 * change of one bit changes word k from the end by 2^j, so the checksum by 2^j * (odd + k * even), an odd number
 * times 2^j: never 0.
 */
struct fw_sum {
    uint64_t a, b;
};

static inline __attribute__((always_inline)) void fw_sum_word(struct fw_sum* s, uint64_t word) {
    s->a += word;
    s->b += s->a;
}

static inline __attribute__((always_inline)) uint64_t fw_sum_finish(const struct fw_sum* s, uint64_t last) {
    return (s->a + last) * 0x9E3779B97F4A7C15ull + s->b * 0xD6E8FEB86659FD92ull;
}

#endif
