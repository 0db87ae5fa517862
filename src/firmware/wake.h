/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* Waking processes that sleep until their memory is written: tables.h, fw_port.waiting. */
#ifndef SYNCLINE_FIRMWARE_WAKE_H
#define SYNCLINE_FIRMWARE_WAKE_H

#include "platform.h"

/* Wakes the process of a port if it sleeps. Returns 1 if it did. */
FW_GLOBAL int fw_wake_port(FW_CONTEXT* context, uint32_t port) {
    FW_ENTER(env, context, 0);
    struct fw_port* words = fw_port_at(env, port);
    if (!words || !FW_ATOMIC_LOAD(&words->waiting) || !FW_EXCHANGE(&words->waiting, 0u)) {
        return 0;
    }
    fw_wake(env, port);
    return 1;
}

/* The same for each port of a set. Returns how many slept. */
FW_GLOBAL int fw_wake_ports(FW_CONTEXT* context, uint64_t ports) {
    FW_OPAQUE(context);
    int woken = 0;
    for (uint32_t port = 0; port < SLW_PORTS_MAX && ports >> port; port++) {
        if (ports >> port & 1) {
            woken += fw_wake_port(context, port);
        }
    }
    return woken;
}

/* A port's memory or completion was written. Looks before it calls: it costs less, and mostly nobody sleeps. */
FW_INLINE void fw_written(struct fw_env* env, uint32_t port) {
    struct fw_port* words = fw_port_at(env, port);
    if (words && FW_ATOMIC_LOAD(&words->waiting)) {
        (void)fw_wake_port(FW_LEAVE(env), port);
    }
}

#endif
