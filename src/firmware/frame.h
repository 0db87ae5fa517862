/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Ethernet, IPv4 or IPv6, UDP: finds the Syncline packet in a frame, and turns the frame round for the reply.
 *
 * A frame is Syncline's if it is UDP from or to the job's UDP port. Anything else, also with IP options or IPv6
 * extension headers, is the host's (FW_PASS). UDP checksums are not looked at and are sent as 0: the tag covers more.
 */
#ifndef SYNCLINE_FIRMWARE_FRAME_H
#define SYNCLINE_FIRMWARE_FRAME_H

#include "firmware.h"

enum {
    FW_ETHERNET = 14,
    FW_IP4 = 20,
    FW_IP6 = 40,
    FW_UDP = 8,
};

FW_INLINE uint32_t fw_big16(const uint8_t* at) {
    uint16_t word;
    FW_LOAD(&word, (const uint16_t*)(const void*)at);
    return __builtin_bswap16(word);
}

FW_INLINE void fw_put_big16(uint8_t* at, uint32_t value) {
    const uint16_t word = __builtin_bswap16((uint16_t)value);
    FW_STORE((uint16_t*)(void*)at, word);
}

/* Exchanges two fields, a word of `type` at a time. */
#define FW_SWAP_FIELDS(type, one, other)                       \
    do {                                                       \
        type fw_one, fw_other;                                 \
        FW_LOAD(&fw_one, (const type*)(const void*)(one));     \
        FW_LOAD(&fw_other, (const type*)(const void*)(other)); \
        FW_STORE((type*)(void*)(one), fw_other);               \
        FW_STORE((type*)(void*)(other), fw_one);               \
    } while (0)

/* Sets env->offset and env->length; FW_CONSUMED if the frame is Syncline's. */
FW_INLINE enum fw_verdict fw_parse_udp(struct fw_env* env, uint8_t* udp, uint32_t at, int fragment) {
    const uint32_t port = fw_config(env)->udp_port;
    if (fw_big16(udp) != port && fw_big16(udp + 2) != port) {
        return FW_PASS;
    }
    const uint32_t length = fw_big16(udp + 4);
    if (fragment) {
        fw_count(env, FW_COUNT_rejected_fragment);
        return FW_DROP;
    }
    if (length < FW_UDP || !fw_has(env, at + length)) {
        fw_count(env, FW_COUNT_rejected_short);
        return FW_DROP;
    }
    env->length = length - FW_UDP;
    return FW_CONSUMED;
}

FW_INLINE enum fw_verdict fw_parse_frame(struct fw_env* env) {
    uint8_t* at = env->data;
    if (at + FW_ETHERNET + FW_IP4 + FW_UDP > env->end) {
        return FW_PASS;
    }
    const uint32_t type = fw_big16(at + 12);
    uint8_t* ip = at + FW_ETHERNET;
    if (type == 0x0800 && ip[0] == 0x45 && ip[9] == 17) {
        env->offset = FW_ETHERNET + FW_IP4 + FW_UDP;
        if (fw_big16(ip + 6) & 0x1fff) {
            return FW_PASS; /* not the first fragment: no UDP header to look at */
        }
        return fw_parse_udp(env, ip + FW_IP4, FW_ETHERNET + FW_IP4, (ip[6] & 0x20) != 0);
    }
    if (type == 0x86dd && at + FW_ETHERNET + FW_IP6 + FW_UDP <= env->end && (ip[0] >> 4) == 6 && ip[6] == 17) {
        env->offset = FW_ETHERNET + FW_IP6 + FW_UDP;
        return fw_parse_udp(env, ip + FW_IP6, FW_ETHERNET + FW_IP6, 0);
    }
    return FW_PASS;
}

FW_INLINE void fw_turn_udp(uint8_t* udp, uint32_t length) {
    FW_SWAP_FIELDS(uint16_t, udp, udp + 2);
    fw_put_big16(udp + 4, length);
    fw_put_big16(udp + 6, 0);
}

FW_INLINE void fw_turn_ip4(uint8_t* ip, uint32_t length) {
    uint64_t sum = 0;
    uint32_t word;
    fw_put_big16(ip + 2, length);
    ip[8] = 64;
    fw_put_big16(ip + 10, 0);
    FW_SWAP_FIELDS(uint32_t, ip + 12, ip + 16);
    /* One's complement sums do not mind the byte order, nor how wide the words are that are summed up. */
    for (uint32_t i = 0; i < FW_IP4; i += 4) {
        FW_LOAD(&word, (const uint32_t*)(const void*)(ip + i));
        sum += word;
    }
    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    const uint16_t checksum = (uint16_t)~sum;
    FW_STORE((uint16_t*)(void*)(ip + 10), checksum);
}

/* Sends the frame, whose payload is env->length bytes by now, back where it came from. */
FW_INLINE enum fw_verdict fw_turn_frame(struct fw_env* env) {
    const uint32_t udp_length = FW_UDP + env->length;
    uint8_t* at = env->data;
    if (at + FW_ETHERNET + FW_IP4 + FW_UDP > env->end) {
        return FW_DROP;
    }
    FW_SWAP_FIELDS(uint32_t, at, at + 6);
    FW_SWAP_FIELDS(uint16_t, at + 4, at + 10);
    uint8_t* ip = at + FW_ETHERNET;
    if (env->offset == FW_ETHERNET + FW_IP4 + FW_UDP) {
        fw_turn_ip4(ip, FW_IP4 + udp_length);
        fw_turn_udp(ip + FW_IP4, udp_length);
        return FW_REPLY;
    }
    if (at + FW_ETHERNET + FW_IP6 + FW_UDP > env->end) {
        return FW_DROP;
    }
    fw_put_big16(ip + 4, udp_length);
    ip[7] = 64;
    FW_SWAP_FIELDS(uint64_t, ip + 8, ip + 24);
    FW_SWAP_FIELDS(uint64_t, ip + 16, ip + 32);
    fw_turn_udp(ip + FW_IP6, udp_length);
    return FW_REPLY;
}

/* Makes a frame that came to this node look as if it had come from `peer`: turned round, it goes there. 0 or -1. */
FW_INLINE int fw_aim_frame(struct fw_env* env, const struct fw_peer* peer) {
    uint8_t* at = env->data;
    if (at + FW_ETHERNET + FW_IP4 + FW_UDP > env->end) {
        return -1;
    }
    FW_STORE((uint32_t*)(void*)(at + 6), *(const uint32_t*)(const void*)peer->mac);
    FW_STORE((uint16_t*)(void*)(at + 10), *(const uint16_t*)(const void*)(peer->mac + 4));
    uint8_t* ip = at + FW_ETHERNET;
    if (env->offset == FW_ETHERNET + FW_IP4 + FW_UDP) {
        FW_STORE((uint32_t*)(void*)(ip + 12), *(const uint32_t*)(const void*)peer->address);
        fw_put_big16(ip + FW_IP4, fw_config(env)->udp_port);
        return 0;
    }
    if (at + FW_ETHERNET + FW_IP6 + FW_UDP > env->end) {
        return -1;
    }
    FW_STORE((uint64_t*)(void*)(ip + 8), *(const uint64_t*)(const void*)peer->address);
    FW_STORE((uint64_t*)(void*)(ip + 16), *(const uint64_t*)(const void*)(peer->address + 8));
    fw_put_big16(ip + FW_IP6, fw_config(env)->udp_port);
    return 0;
}

FW_INLINE enum fw_verdict fw_frame(struct fw_env* env) {
    enum fw_verdict verdict = fw_parse_frame(env);
    if (verdict != FW_CONSUMED) {
        return verdict;
    }
    verdict = fw_input(env);
    return verdict == FW_REPLY ? fw_turn_frame(env) : verdict;
}

#endif
