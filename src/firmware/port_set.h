/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * A set of a node's ports, in as many words as SLW_PORTS_MAX needs. The daemon, processes and NICs share some sets.
 *
 * The verifier checks an index by its knowledge of the register, so each function masks the port before it divides.
 */
#ifndef SYNCLINE_FIRMWARE_PORT_SET_H
#define SYNCLINE_FIRMWARE_PORT_SET_H

#include "wire.h"

enum { FW_PORT_WORDS = SLW_PORTS_MAX / 64 };

struct fw_port_set {
    uint64_t word[FW_PORT_WORDS]; /* port p is bit p % 64 of word p / 64 */
};

SLW_STATIC_ASSERT(SLW_PORTS_MAX % 64 == 0 && (SLW_PORTS_MAX & (SLW_PORTS_MAX - 1)) == 0, "masks, and whole words");

#define FW_SET_INLINE static inline __attribute__((always_inline))

FW_SET_INLINE uint32_t fw_set_word_of(uint32_t port) {
    return (port & (SLW_PORTS_MAX - 1)) / 64;
}

FW_SET_INLINE uint64_t fw_set_bit_of(uint32_t port) {
    return 1ull << (port & 63);
}

FW_SET_INLINE void fw_set_add(struct fw_port_set* set, uint32_t port) {
    set->word[fw_set_word_of(port)] |= fw_set_bit_of(port);
}

FW_SET_INLINE int fw_set_has(const struct fw_port_set* set, uint32_t port) {
    return (set->word[fw_set_word_of(port)] & fw_set_bit_of(port)) != 0;
}

#endif
