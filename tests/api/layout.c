/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Method: sizes, offsets and numbers that compiled programs contain are those of the first release (docs/ABI.md): this
 * file does not compile otherwise. A structure with `struct_size` may become longer; its members stay where they are.
 */
#include <stddef.h>
#include <syncline.h>
#include <syncline/dsm.h>

#define AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member)
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)

AT(syncline_options_t, struct_size, 0);
AT(syncline_options_t, wait_mode, 8);
AT(syncline_options_t, peer_timeout_ms, 12);
AT(syncline_options_t, members, 16);
AT(syncline_options_t, member_count, 24);
AT(syncline_barrier_options_t, struct_size, 0);
AT(syncline_barrier_options_t, algorithm, 8);
AT(syncline_barrier_options_t, dimension, 12);
AT(syncline_barrier_options_t, flags, 16);
AT(syncline_dsm_options_t, struct_size, 0);
AT(syncline_dsm_options_t, bytes, 8);
AT(syncline_dsm_options_t, protocol, 16);
AT(syncline_dsm_options_t, locks, 20);
AT(syncline_dsm_statistics_t, struct_size, 0);
AT(syncline_dsm_statistics_t, read_faults, 8);
AT(syncline_dsm_statistics_t, lock_acquires, 112);
AT(syncline_dsm_statistics_t, handler_ns, 176);

/* These never change. */
SIZE(syncline_address_t, 8);
SIZE(syncline_request_t, 8);
SIZE(syncline_piece_t, 16);
AT(syncline_piece_t, bytes, 8);
SIZE(syncline_pair_t, 16);
AT(syncline_pair_t, high, 8);
SIZE(syncline_lock_counts_t, 32);
AT(syncline_lock_counts_t, inspections, 24);

/* The inline calls read these. */
SIZE(struct syncline_port_, 24);
AT(struct syncline_port_, length, 8);
AT(struct syncline_port_, waiting, 16);
SIZE(struct syncline_view_, 16);
AT(struct syncline_view_, ranks, 4);
AT(struct syncline_view_, port, 8);

#define IS(name, number) _Static_assert((name) == (number), #name)
IS(SYNCLINE_ADD, 0);
IS(SYNCLINE_AND, 1);
IS(SYNCLINE_OR, 2);
IS(SYNCLINE_XOR, 3);
IS(SYNCLINE_SWAP, 4);
IS(SYNCLINE_CAS, 5);
IS(SYNCLINE_32, 0x10);
IS(SYNCLINE_64, 0x18);
IS(SYNCLINE_128, 0x20);
IS(SYNCLINE_FETCH, 0x40);
IS(SYNCLINE_COMPLEX_DOUBLE, 5);
IS(SYNCLINE_BARRIER_TREE, 2);
IS(SYNCLINE_BARRIER_SIGNALS, 3);
IS(SYNCLINE_FENCE_LINEAR, 3);
IS(SYNCLINE_MAX_FLOAT, 12);
IS(SYNCLINE_LE, 5);
IS(SYNCLINE_LOCK_HYBRID, 3);
IS(SYNCLINE_ERR_BROKEN, -16);
IS(SYNCLINE_ERR_INTERRUPTED, -17);
