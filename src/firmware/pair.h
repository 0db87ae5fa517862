/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * 128-bit swap and compare&swap on a pair of longs (Buntinas 2003 needs them for its queueing lock).
 *
 * BPF has no 128-bit atomic, so one of 64 locks of its port, chosen by its offset, protects a pair. Every executor
 * takes it: XDP, the agent, and processes of the node on mapped memory. A pair operation is therefore atomic with
 * respect to other pair operations on the same pair; a plain load or a 64-bit atomic may see one half changed.
 *
 * owner:  0              free
 *         id << 1        held; nothing written yet
 *         id << 1 | 1    held, and `address`, `low`, `high` say what the pair is to become (committed)
 *
 * The holder takes the owner word by compare&swap, commits by exchange (which publishes the record before the pair
 * changes) and frees it by exchange. A process may be killed at any point: the daemon then finds locks with its id,
 * finishes committed operations and frees the locks, so no executor waits for ever and no pair stays half-written. XDP
 * cannot be killed and does not wait long: after FW_PAIR_TRIES it answers SLW_RETRY, with nothing executed.
 */
#ifndef SYNCLINE_FIRMWARE_PAIR_H
#define SYNCLINE_FIRMWARE_PAIR_H

#include "platform.h"

enum { FW_PAIR_TRIES = 64 };

/* The id of executors that are no process: XDP and the agent. */
#define FW_PAIR_NIC 0x40000000ull

FW_INLINE uint32_t fw_pair_index(uint64_t offset) {
    return (uint32_t)(((offset >> 4) ^ (offset >> 12)) & (FW_PAIR_LOCKS - 1));
}

/* Tries once to take the lock; returns 0 if it has taken it. */
FW_INLINE int fw_pair_try(struct fw_pair_lock* lock, uint64_t owner) {
    return fw_cas64(&lock->owner, 0, owner << 1) != 0;
}

/* With the lock held: reads the pair, changes it if it is to be changed, and frees the lock. */
FW_INLINE void fw_pair_run(struct fw_pair_lock* lock, uint64_t owner, uint64_t address, uint64_t* pair, uint64_t low,
                           uint64_t high, int compare, uint64_t compare_low, uint64_t compare_high, uint64_t* old) {
    old[0] = FW_ATOMIC_LOAD(&pair[0]);
    old[1] = FW_ATOMIC_LOAD(&pair[1]);
    if (!compare || (old[0] == compare_low && old[1] == compare_high)) {
        FW_ATOMIC_STORE(&lock->address, address);
        FW_ATOMIC_STORE(&lock->low, low);
        FW_ATOMIC_STORE(&lock->high, high);
        (void)FW_EXCHANGE(&lock->owner, owner << 1 | 1);
        FW_ATOMIC_STORE(&pair[0], low);
        FW_ATOMIC_STORE(&pair[1], high);
    }
    (void)FW_EXCHANGE(&lock->owner, (uint64_t)0);
}

#endif
