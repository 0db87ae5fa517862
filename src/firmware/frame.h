/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * Finds the Syncline packet in a frame, and turns the frame round for the reply. Addresses are exchanged and VLAN tags
 * stay, so the reply goes the way that the request came: to a router, if one is between the nodes.
 *
 * A frame is Syncline's if it is UDP from or to the job's UDP port. All other frames, and those with IP options or IPv6
 * extension headers, are the host's (FW_PASS). UDP checksums are not checked and are sent as 0, because the tag covers
 * more.
 */
#ifndef SYNCLINE_FIRMWARE_FRAME_H
#define SYNCLINE_FIRMWARE_FRAME_H

#include "firmware.h"
#include "headers.h"

FW_INLINE void fw_put_big16(uint8_t* at, uint32_t value) {
    const uint16_t word = __builtin_bswap16((uint16_t)value);
    FW_STORE((uint16_t*)(void*)at, word);
}

/* Exchanges two fields, one word of `type` at a time. */
#define FW_SWAP_FIELDS(type, one, other)                       \
    do {                                                       \
        type fw_one, fw_other;                                 \
        FW_LOAD(&fw_one, (const type*)(const void*)(one));     \
        FW_LOAD(&fw_other, (const type*)(const void*)(other)); \
        FW_STORE((type*)(void*)(one), fw_other);               \
        FW_STORE((type*)(void*)(other), fw_one);               \
    } while (0)

/* Sets the offset and the length; returns FW_CONSUMED if the frame is Syncline's. */
FW_INLINE enum fw_verdict fw_parse_frame(struct fw_env* env) {
    const uint32_t port = fw_config(env)->udp_port;
    struct fw_datagram found;
    const uint8_t* udp = fw_find_udp(env->data, env->end, &found);
    if (!udp || (fw_big16(udp) != port && fw_big16(udp + 2) != port)) {
        return FW_PASS;
    }
    const uint32_t length = fw_big16(udp + 4);
    if (found.fragment) {
        fw_count(env, FW_COUNT_rejected_fragment);
        return FW_DROP;
    }
    if (length < FW_UDP || !fw_has(env, found.payload - FW_UDP + length)) {
        fw_count(env, FW_COUNT_rejected_short);
        return FW_DROP;
    }
    fw_set_offset(env, found.payload);
    env->length = length - FW_UDP;
    return FW_CONSUMED;
}

/* Returns the IP header, which is in the frame with the UDP header behind it; or NULL. */
FW_INLINE uint8_t* fw_ip_header(struct fw_env* env) {
    uint8_t* ip = env->data + fw_ip_of(fw_offset(env));
    FW_OPAQUE(ip);
    return ip + FW_IP4 + FW_UDP <= env->end ? ip : 0;
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
    /* One's complement sums do not depend on the byte order, nor on the width of the words that are summed. */
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

/* Sends the frame, whose payload has env->length bytes by now, back where it came from. */
FW_INLINE enum fw_verdict fw_turn_frame(struct fw_env* env) {
    const uint32_t udp_length = FW_UDP + env->length;
    uint8_t* at = env->data;
    if (at + FW_ETHERNET > env->end) {
        return FW_DROP;
    }
    FW_SWAP_FIELDS(uint32_t, at, at + 6);
    FW_SWAP_FIELDS(uint16_t, at + 4, at + 10);
    uint8_t* ip = fw_ip_header(env);
    if (!ip) {
        return FW_DROP;
    }
    if (fw_is_ip4(fw_offset(env))) {
        fw_turn_ip4(ip, FW_IP4 + udp_length);
        fw_turn_udp(ip + FW_IP4, udp_length);
        return FW_REPLY;
    }
    if (ip + FW_IP6 + FW_UDP > env->end) {
        return FW_DROP;
    }
    fw_put_big16(ip + 4, udp_length);
    ip[7] = 64;
    FW_SWAP_FIELDS(uint64_t, ip + 8, ip + 24);
    FW_SWAP_FIELDS(uint64_t, ip + 16, ip + 32);
    fw_turn_udp(ip + FW_IP6, udp_length);
    return FW_REPLY;
}

/* Makes a frame that came to this node look as if `peer` had sent it: turned round, it goes there. Returns 0 or -1. */
FW_INLINE int fw_aim_frame(struct fw_env* env, const struct fw_peer* peer) {
    uint8_t* at = env->data;
    if (at + FW_ETHERNET > env->end) {
        return -1;
    }
    FW_STORE((uint32_t*)(void*)(at + 6), *(const uint32_t*)(const void*)peer->mac);
    FW_STORE((uint16_t*)(void*)(at + 10), *(const uint16_t*)(const void*)(peer->mac + 4));
    uint8_t* ip = fw_ip_header(env);
    if (!ip) {
        return -1;
    }
    if (fw_is_ip4(fw_offset(env))) {
        FW_STORE((uint32_t*)(void*)(ip + 12), *(const uint32_t*)(const void*)peer->address);
        fw_put_big16(ip + FW_IP4, fw_config(env)->udp_port);
        return 0;
    }
    if (ip + FW_IP6 + FW_UDP > env->end) {
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
