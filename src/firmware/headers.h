/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The headers in front of a UDP datagram: Ethernet, at most two VLAN tags (802.1Q, 802.1ad), IPv4 or IPv6. The NIC
 * program and the dispatcher before it find the datagram by this one function.
 *
 * The place of the payload tells all facts about the headers that later code needs: FW_PAYLOAD_MIN for IPv4 without a
 * tag, 4 more for each tag, 20 more for IPv6.
 */
#ifndef SYNCLINE_FIRMWARE_HEADERS_H
#define SYNCLINE_FIRMWARE_HEADERS_H

#include "wire.h"

enum {
    FW_ETHERNET = 14,
    FW_VLAN = 4,
    FW_VLANS_MAX = 2,
    FW_IP4 = 20,
    FW_IP6 = 40,
    FW_UDP = 8,
    FW_PAYLOAD_MIN = FW_ETHERNET + FW_IP4 + FW_UDP,
    FW_PAYLOAD_MAX = FW_ETHERNET + FW_VLANS_MAX * FW_VLAN + FW_IP6 + FW_UDP,
    FW_PAYLOAD_MASK = 127, /* a mask tells the verifier how far away a payload can be */
};
SLW_STATIC_ASSERT(FW_PAYLOAD_MAX <= FW_PAYLOAD_MASK, "no payload begins beyond");

static inline __attribute__((always_inline)) uint32_t fw_big16(const uint8_t* at) {
    return (uint32_t)at[0] << 8 | at[1];
}

static inline __attribute__((always_inline)) int fw_is_ip4(uint32_t payload) {
    return payload < FW_ETHERNET + FW_IP6 + FW_UDP;
}

/* Returns where the IP header begins. */
static inline __attribute__((always_inline)) uint32_t fw_ip_of(uint32_t payload) {
    return (payload - FW_UDP - (fw_is_ip4(payload) ? FW_IP4 : FW_IP6)) & 31;
}

/* A datagram in a frame. */
struct fw_datagram {
    uint32_t payload;  /* where the payload begins in the frame */
    uint32_t fragment; /* 1: the first fragment of several */
};

/* Returns the UDP header, if it is in the frame's first part and at the usual place; else NULL. */
static inline __attribute__((always_inline)) uint8_t* fw_find_udp(uint8_t* data, const uint8_t* end,
                                                                  struct fw_datagram* found) {
    uint8_t* ip = data + FW_ETHERNET;
    uint32_t at = FW_ETHERNET;
    if (ip + FW_IP4 + FW_UDP > end) {
        return 0;
    }
    uint32_t type = fw_big16(ip - 2);
    for (uint32_t i = 0; i < FW_VLANS_MAX && (type == 0x8100 || type == 0x88a8); i++) {
        ip += FW_VLAN;
        at += FW_VLAN;
        if (ip + FW_IP4 + FW_UDP > end) {
            return 0;
        }
        type = fw_big16(ip - 2);
    }
    if (type == 0x0800 && ip[0] == 0x45 && ip[9] == 17) {
        const uint32_t fragment = fw_big16(ip + 6);
        found->payload = at + FW_IP4 + FW_UDP;
        found->fragment = fragment >> 13 & 1;
        return (fragment & 0x1fff) == 0 ? ip + FW_IP4 : 0; /* only the first fragment has a UDP header */
    }
    if (type == 0x86dd && ip + FW_IP6 + FW_UDP <= end && (ip[0] >> 4) == 6 && ip[6] == 17) {
        found->payload = at + FW_IP6 + FW_UDP;
        found->fragment = 0;
        return ip + FW_IP6;
    }
    return 0;
}

#endif
