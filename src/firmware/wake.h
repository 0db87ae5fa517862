/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* Waking processes that sleep until their memory is written: tables.h, fw_port.waiting. */
#ifndef SYNCLINE_FIRMWARE_WAKE_H
#define SYNCLINE_FIRMWARE_WAKE_H

#include "platform.h"

/* Wakes the process of a port if it sleeps. Returns 1 if it slept. */
FW_GLOBAL int fw_wake_port(FW_CONTEXT* context, uint32_t offset, uint32_t port) {
    FW_ENTER(env, context, offset);
    struct fw_port* words = fw_port_at(env, port);
    if (!words || !FW_ATOMIC_LOAD(&words->waiting) || !FW_EXCHANGE(&words->waiting, 0u)) {
        return 0;
    }
    fw_wake(env, port);
    return 1;
}

/* Wakes each sleeping process of a word of a port set, whose first port is `first`. Returns how many slept. */
FW_GLOBAL int fw_wake_word(FW_CONTEXT* context, uint32_t offset, uint32_t first, uint64_t ports) {
    FW_OPAQUE(context);
    int woken = 0;
    for (uint32_t bit = 0; bit < 64 && ports >> bit; bit++) {
        if (ports >> bit & 1) {
            woken += fw_wake_port(context, offset, first + bit);
        }
    }
    return woken;
}

FW_INLINE void fw_wake_ports(struct fw_env* env, const struct fw_port_set* ports) {
    for (uint32_t i = 0; i < FW_PORT_WORDS; i++) {
        (void)fw_wake_word(FW_LEAVE(env), FW_HERE(env), i * 64, ports->word[i]);
    }
}

/* Wakes the ports whose number modulo 64 is in the set. A process that finds nothing new sleeps again. */
FW_INLINE void fw_wake_some(struct fw_env* env, uint64_t ports) {
    for (uint32_t i = 0; i < FW_PORT_WORDS; i++) {
        (void)fw_wake_word(FW_LEAVE(env), FW_HERE(env), i * 64, ports);
    }
}

/*
 * Called when a port's memory or completion was written. It looks before it calls, because that costs less and mostly
 * no process sleeps.
 */
FW_INLINE void fw_written(struct fw_env* env, uint32_t port) {
    struct fw_port* words = fw_port_at(env, port);
    if (words && FW_ATOMIC_LOAD(&words->waiting)) {
        (void)fw_wake_port(FW_LEAVE(env), FW_HERE(env), port);
    }
}

#endif
