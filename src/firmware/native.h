/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The firmware as a native library: one call executes one packet.
 *
 * The host agent, a process that reads its own socket, the shm transport's packet path, the differential test, the
 * fuzzers and the simulator use it. Any number of threads and processes may run it on the same tables at once: every
 * state change is atomic.
 */
#ifndef SYNCLINE_FIRMWARE_NATIVE_H
#define SYNCLINE_FIRMWARE_NATIVE_H

#include "tables.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fw_scratch;

/* The node, or the process, whose memory operations change: its tables, wherever they are in memory. Tables that an
 * executor does not have are NULL. */
struct fw_target {
    const struct fw_config* config;
    const uint16_t* ranks;              /* [ports]: the rank of each port of this node */
    struct fw_source* sources;          /* [ranks]; NULL: executes no requests */
    struct fw_rows* rows;               /* with room for all ranks, or fewer; ranks without a row wait for room */
    struct fw_slot* slots;              /* [rows->room * window] */
    const struct fw_segment* segments;  /* [SLW_PORTS_MAX * SLW_SEGMENTS_MAX] */
    uint8_t** memory;                   /* same index: where the segment is mapped, in whole 64 KiB blocks */
    const struct fw_buffers* directory; /* [ports * nodes * window], four in each; NULL: all 0 */
    struct fw_completion**
        completions;                /* [ports], one for each buffer (fw_completion_bytes); NULL: not deposited here */
    const struct fw_image** images; /* [ports], one for each buffer (fw_image_bytes); NULL: sends no followers */
    struct fw_port* ports;          /* [ports] */
    struct fw_barrier* barriers;    /* [SLW_BARRIERS_MAX]; NULL: takes part in no barrier */
    struct fw_counters* counters;
    void (*wake)(void* context, uint32_t port);
    void* wake_context;
    /* Sends a packet to another node; the packet may be lost. */
    void (*emit)(void* context, uint32_t node, const uint8_t* packet, uint32_t length);
    void* emit_context;
};

struct fw_env {
    struct fw_target* target;
    uint8_t* data;
    uint8_t* end;
    uint32_t offset;
    uint32_t length;
    uint32_t capacity; /* bytes from `data` that may be written */
    uint32_t due;
    struct fw_scratch* scratch;
};

enum fw_verdict {
    FW_PASS = 0,     /* not Syncline's: for the host's own stack */
    FW_DROP = 1,     /* rejected, and counted */
    FW_REPLY = 2,    /* the packet is now the reply, which must go back where the packet came from */
    FW_CONSUMED = 3, /* a reply that was deposited, or a barrier's message that was recorded */
    FW_FORWARD = 4,  /* a barrier's message was recorded and other nodes must be told: within the firmware only */
};

/*
 * Executes the packet of `length` bytes in `buffer`, which holds at least the configuration's packet_max bytes. On
 * FW_REPLY the reply is in `buffer`, and *reply_length is its length.
 */
enum fw_verdict fw_execute_packet(struct fw_target* target, uint8_t* buffer, uint32_t length, uint32_t* reply_length);

/*
 * As fw_execute_packet(), for a whole Ethernet frame, of which it may write `capacity` bytes. On FW_REPLY the frame is
 * turned round, and *frame_length is its new length.
 */
enum fw_verdict fw_execute_frame(struct fw_target* target, uint8_t* frame, uint32_t capacity, uint32_t* frame_length);

/*
 * Starts the node's part of epoch `epoch` of a barrier, once all local members have started it; `value` is their values
 * combined by `combine`. Sends the messages that are due.
 */
void fw_barrier_start(struct fw_target* target, uint32_t id, uint32_t epoch, uint32_t combine, uint64_t value);

/* Takes a barrier on as far as the records allow, and sends the messages due: for a process whose NIC only records. */
void fw_barrier_continue(struct fw_target* target, uint32_t id);

/*
 * Asks for at most `max` messages that the running epoch misses; with `refused`, only for those that had come before
 * the barrier was open. Returns how many it has asked for.
 */
uint32_t fw_barrier_pull(struct fw_target* target, uint32_t id, uint32_t max, int refused);

/* Returns two values of a barrier, combined. */
uint64_t fw_combine_values(uint32_t how, uint64_t one, uint64_t other);

/* Makes a node and this node's NIC known to each other, by a message that the other NIC always answers. */
void fw_barrier_greet(struct fw_target* target, uint32_t node);

/* Derives NH's key from the job's key; after that a configuration is complete. */
void fw_derive_keys(struct fw_config* config);

/* Writes the tag into a finished packet whose header, units and (zero-padded) data are in place. */
void fw_seal(const struct fw_config* config, uint8_t* packet);

/* Returns the length of a finished packet: its header, units and padded data. */
uint32_t fw_packet_length(const uint8_t* packet);

/* Returns SipHash-2-4 of any bytes: for the test vectors of its paper. */
uint64_t fw_siphash(const uint64_t key[2], const uint8_t* bytes, uint32_t length);

/*
 * Executes a 128-bit swap (comparand NULL) or compare&swap on a pair of 64-bit numbers, for a process that maps it.
 * `lock` is the pair's lock in its port's shared words, `owner` the process's rank + 1, `address` segment << 40 |
 * offset. Blocks while another holds the lock; once `give_up(context)` returns true it gives up with -1, and has
 * changed nothing.
 */
int fw_pair_execute(struct fw_pair_lock* lock, uint64_t owner, uint64_t address, uint64_t* pair,
                    const uint64_t operand[2], const uint64_t* comparand, uint64_t old[2], int (*give_up)(void*),
                    void* context);

/* Returns the lock, of `locks`, that protects the pair at `offset`. */
struct fw_pair_lock* fw_pair_lock_of(struct fw_port* port, uint64_t offset);

/*
 * Finishes or forgets the operations of `owner`, which is dead, on the pairs of a port. `locate` turns an address into
 * memory, or NULL. Returns how many locks the owner held.
 */
int fw_pair_recover(struct fw_port* port, uint64_t owner, uint64_t* (*locate)(void*, uint64_t), void* context);

/* Names and texts of the counters, FW_COUNTER_COUNT of each. */
extern const char* const fw_counter_names[];
extern const char* const fw_counter_texts[];

#ifdef __cplusplus
}
#endif

#endif
