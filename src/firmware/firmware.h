/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The firmware: a NIC's treatment of one Syncline packet.
 *
 * Guarantee: the target executes a request exactly once, however often the network delivers it, and its reply is also
 * its acknowledgement (Buntinas 2002, section III.B). A connection (source port -> target node) has `window` slots;
 * slots are independent, so nothing needs delivery in order. At the target a slot holds the last sequence executed and
 * its results: same sequence, answer from the record; older, drop; newer, execute and record. At the initiator the
 * firmware deposits a reply only if it claims the armed completion of that very request, so a late duplicate can never
 * write into a buffer that serves another request by then.
 *
 * A rank's slots at a target are a row, which the firmware takes for the rank when its first request comes. If no row
 * is left, the request is dropped, and executed when it is sent again: the daemon makes room meanwhile.
 *
 * A get changes nothing, so the target executes a duplicate again and records nothing; the initiator takes one reply
 * only.
 *
 * If a request may have become too long for its path, its initiator sends a short one under its sequence, SLW_CLOSE.
 * Whichever of the two reaches the slot first is recorded, and the other is a duplicate.
 *
 * Any number of CPUs run this on the same tables at once.
 */
#ifndef SYNCLINE_FIRMWARE_FIRMWARE_H
#define SYNCLINE_FIRMWARE_FIRMWARE_H

#include "barrier.h"
#include "execute.h"
#include "validate.h"

enum {
    FW_SLACK = 32,
    FW_ROW_TRIES = 4, /* against other CPUs; then the request counts as lost */
};

/*
 * Gives the payload that length. A frame that would lose only a few bytes keeps them: behind the packet they mean
 * nothing, and moving a frame's end costs more than an atomic. Returns 0, or -1 if the frame cannot grow.
 */
FW_INLINE int fw_set_length(struct fw_env* env, uint32_t payload) {
    const uint32_t now = (uint32_t)(env->end - env->data) - fw_offset(env);
    if (payload <= now && now - payload <= FW_SLACK) {
        env->length = payload;
        return 0;
    }
    return fw_resize(env, payload);
}

/* Writes the recorded results behind the header. Mostly there is one. Returns 0 or -1. */
FW_INLINE int fw_reply_results(struct fw_env* env, struct fw_slot* slot, uint32_t length) {
    if (length == SLW_RESULT_BYTES) {
        uint8_t* at = fw_payload(env, SLW_HEADER_BYTES, SLW_RESULT_BYTES);
        if (!at) {
            return -1;
        }
        FW_STORE((uint64_t*)(void*)at, slot->results[0]);
        return 0;
    }
    return fw_write_some(env, SLW_HEADER_BYTES, (const uint8_t*)slot->results, length, sizeof(slot->results));
}

/* Writes the bytes of a get behind the header, padded with zeros to whole words. Returns 0 or -1. */
FW_INLINE int fw_reply_bytes(struct fw_env* env, struct fw_scratch* scratch, uint32_t length) {
    const uint64_t zero = 0;
    if (!scratch ||
        fw_write_packet(env, SLW_HEADER_BYTES - 8 + slw_padded(length), (const uint8_t*)&zero, sizeof(zero))) {
        return -1;
    }
    scratch->bulk.at = SLW_HEADER_BYTES;
    return fw_run_bulk(FW_LEAVE(env), FW_HERE(env), &scratch->bulk) == SLW_OK ? 0 : -1;
}

/*
 * Turns the packet round: writes the reply's header, data and tag over it. `get_status`: the status of a get that was
 * checked; or FW_RECORDED: the reply comes from the slot's record.
 */
enum { FW_RECORDED = 255 };

FW_INLINE enum fw_verdict fw_reply(struct fw_env* env, struct slw_header* header, struct fw_slot* slot,
                                   uint32_t get_status) {
    const uint64_t word = (uint64_t)header->sequence << 8 | FW_SLOT_DONE;
    struct fw_scratch* scratch = 0;
    uint32_t length = 0;
    header->status = (uint8_t)get_status;
    header->executed = 0;
    if (get_status == FW_RECORDED) {
        length = slot->length;
        header->status = (uint8_t)slot->status;
        header->executed = slot->executed;
    } else if (get_status == SLW_OK) {
        scratch = fw_scratch_of(env);
        length = scratch ? scratch->bulk.bytes : 0;
        header->executed = 1;
    }
    if (length > fw_config(env)->packet_max - SLW_HEADER_BYTES ||
        fw_set_length(env, SLW_HEADER_BYTES + slw_padded(length))) {
        fw_count(env, FW_COUNT_rejected_short);
        return FW_DROP;
    }
    uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    if (!at) {
        return FW_DROP;
    }
    header->kind = SLW_REPLY;
    header->units = 0;
    header->data_length = (uint16_t)length;
    FW_STORE((struct slw_header*)(void*)at, *header);
    if (length &&
        (get_status == FW_RECORDED ? fw_reply_results(env, slot, length) : fw_reply_bytes(env, scratch, length))) {
        return FW_DROP;
    }
    /*
     * Another CPU may have begun a newer sequence. Then the initiator has this sequence's reply already, and refuses a
     * reply that slips through. So the loads need no order.
     */
    if (FW_ATOMIC_LOAD(&slot->word) != word) {
        fw_count(env, FW_COUNT_rejected_stale);
        return FW_DROP;
    }
    const uint64_t tag = fw_tag_of(env, slw_padded(length) / 8);
    at = fw_payload(env, SLW_TAGGED_HEADER, 8);
    if (!at) {
        return FW_DROP;
    }
    FW_STORE((uint64_t*)(void*)at, tag);
    fw_count(env, FW_COUNT_replies_sent);
    return FW_REPLY;
}

/*
 * Claims the slot for this sequence; *before becomes the sequence of its record. Returns FW_REPLY: execute;
 * FW_CONSUMED: a duplicate; FW_DROP: neither, counted.
 */
FW_INLINE enum fw_verdict fw_claim(struct fw_env* env, struct fw_slot* slot, uint32_t sequence, uint32_t* before) {
    const uint64_t word = FW_ATOMIC_LOAD(&slot->word);
    const uint32_t state = (uint32_t)(word & 255);
    *before = (uint32_t)(word >> 8);
    const int32_t age = (int32_t)(sequence - (uint32_t)(word >> 8));
    if (age < 0 || (age == 0 && state == FW_SLOT_EMPTY)) {
        fw_count(env, FW_COUNT_rejected_stale);
        return FW_DROP;
    }
    if (state == FW_SLOT_BUSY) {
        fw_count(env, FW_COUNT_rejected_busy);
        return FW_DROP;
    }
    if (age == 0) {
        FW_ACQUIRE(&slot->word); /* pairs with fw_publish(): the record is read next */
        fw_count(env, FW_COUNT_duplicates);
        return FW_CONSUMED;
    }
    if (fw_cas64(&slot->word, word, (uint64_t)sequence << 8 | FW_SLOT_BUSY) != word) {
        fw_count(env, FW_COUNT_rejected_busy);
        return FW_DROP;
    }
    return FW_REPLY;
}

/* Takes a row for a rank that has none. Returns the row + 1; or 0, counted: the request has to come again. */
FW_GLOBAL uint32_t fw_take_row(FW_CONTEXT* context, uint32_t offset, uint32_t rank) {
    FW_ENTER(env, context, offset);
    struct fw_source* source = fw_source_at(env, rank);
    struct fw_rows* rows = fw_rows_of(env);
    if (!source || !rows || fw_count_on(env)) {
        return 0;
    }
    const uint32_t seen = fw_cas32(&source->row, 0, FW_ROW_CLAIMED);
    if (seen != 0) {
        fw_count_many(env, FW_COUNT_rejected_busy, seen == FW_ROW_CLAIMED);
        return seen == FW_ROW_CLAIMED ? 0 : seen;
    }
    for (uint32_t i = 0; i < FW_ROW_TRIES; i++) {
        const uint32_t taken = FW_ATOMIC_LOAD(&rows->taken);
        if (taken >= FW_ATOMIC_LOAD(&rows->room)) {
            break;
        }
        if (fw_cas32(&rows->taken, taken, taken + 1) == taken) {
            (void)FW_EXCHANGE(&source->row, taken + 1);
            return taken + 1;
        }
    }
    fw_count(env, FW_COUNT_rejected_room);
    (void)FW_EXCHANGE(&source->row, 0u);
    return 0;
}

/* Returns the row of a rank's slots, + 1; or 0, counted: there is none. */
FW_INLINE uint32_t fw_row_of(struct fw_env* env, uint32_t rank) {
    const struct fw_source* source = fw_source_at(env, rank);
    if (!source) {
        fw_count(env, FW_COUNT_rejected_source);
        return 0;
    }
    const uint32_t row = FW_ATOMIC_LOAD(&source->row);
    return row != 0 && row != FW_ROW_CLAIMED ? row : fw_take_row(FW_LEAVE(env), FW_HERE(env), rank);
}

/* Adds `more` to the sequences executed for a rank. It is a global function for the verifier's sake. Returns 0. */
FW_GLOBAL int fw_add_executed(FW_CONTEXT* context, uint32_t offset, uint32_t rank, uint32_t more) {
    FW_ENTER(env, context, offset);
    struct fw_source* source = fw_source_at(env, rank);
    if (source) {
        FW_ADD(&source->executed, more);
    }
    return 0;
}

/* Publishes the slot's record, which is complete. `before`: the slot's sequence that was executed before this one. */
FW_INLINE void fw_publish(struct fw_env* env, struct fw_slot* slot, const struct slw_header* header, uint32_t before) {
    const uint32_t more = header->slot + 1u < fw_config(env)->window ? header->sequence - before : 0;
    (void)FW_EXCHANGE(&slot->word, (uint64_t)header->sequence << 8 | FW_SLOT_DONE);
    (void)fw_add_executed(FW_LEAVE(env), FW_HERE(env), header->source_rank, more);
}

FW_INLINE enum fw_verdict fw_request(struct fw_env* env, struct slw_header* header) {
    struct slw_unit first;
    uint32_t get_status = FW_RECORDED;
    if (header->target_node != fw_config(env)->node) {
        fw_count(env, FW_COUNT_rejected_node);
        return FW_DROP;
    }
    if (header->source_rank >= fw_config(env)->ranks || header->slot >= fw_config(env)->window) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    const uint32_t row = fw_row_of(env, header->source_rank);
    if (row == 0) {
        return FW_DROP;
    }
    const uint32_t index = (row - 1) << FW_SLOT_SHIFT | header->slot;
    struct fw_slot* slot = fw_slot_at(env, index);
    uint8_t* at = fw_payload(env, SLW_HEADER_BYTES, SLW_UNIT_BYTES);
    if (!slot || !at) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    FW_LOAD(&first, (struct slw_unit*)(void*)at);
    uint32_t before = 0;
    const enum fw_verdict claim = fw_claim(env, slot, header->sequence, &before);
    if (claim == FW_DROP) {
        return FW_DROP;
    }
    fw_count(env, FW_COUNT_requests);
    if ((first.code & ~SLW_LIST) == SLW_GET) {
        get_status = fw_open_bulk(FW_LEAVE(env), FW_HERE(env));
        if (claim == FW_REPLY) {
            fw_count_many(env, FW_COUNT_operations, get_status == SLW_OK);
            fw_count_many(env, FW_COUNT_refused, get_status != SLW_OK);
            fw_publish(env, slot, header, before);
        }
    } else if (claim == FW_REPLY) {
        struct fw_execution x = {.slot_index = index, .units = header->units, .first_port = first.port};
        fw_execute(env, &x, &first);
        slot->status = (uint16_t)x.status;
        slot->executed = (uint16_t)x.next;
        slot->length = x.fetched ? (uint16_t)(header->units * SLW_RESULT_BYTES) : 0;
        fw_count_many(env, FW_COUNT_operations, x.executed);
        fw_count_many(env, FW_COUNT_refused, x.status != SLW_OK);
        fw_publish(env, slot, header, before);
        fw_written(env, first.port);
        if (x.others) {
            fw_wake_some(env, x.others);
        }
    }
    return fw_reply(env, header, slot, get_status);
}

/* Copies the data of a reply into a completion. Returns 0 or -1. */
FW_GLOBAL int fw_deposit_data(FW_CONTEXT* context, uint32_t offset, uint32_t port, uint32_t buffer, uint32_t bytes) {
    FW_ENTER(env, context, offset);
    struct fw_completion* completion = fw_completion_at(env, port, buffer);
    if (!completion) {
        return -1;
    }
    return fw_read_some(env, SLW_HEADER_BYTES, completion->data, bytes, fw_packet_max - SLW_HEADER_BYTES);
}

/*
 * Claims the completion for the reply to this request. Returns the state that it had; 0: it does not wait for this
 * reply.
 */
FW_INLINE uint64_t fw_claim_completion(struct fw_completion* completion, uint64_t request) {
    const uint64_t armed = request | FW_COMPLETION_ARMED;
    const uint64_t claimed = request | FW_COMPLETION_CLAIMED;
    uint64_t state = FW_ATOMIC_LOAD(&completion->state);
    for (uint32_t i = 0; i < 2; i++) { /* a process names a follower once */
        if ((state & ~(uint64_t)FW_FOLLOWER) != armed) {
            return 0;
        }
        const uint64_t seen = fw_cas64(&completion->state, state, claimed);
        if (seen == state) {
            return state;
        }
        state = seen;
    }
    return 0;
}

/*
 * Writes the `length` bytes of an image's packet over this packet. Returns 0, or -1 if there is no image or the frame
 * is too short.
 */
FW_GLOBAL int fw_load_image(FW_CONTEXT* context, uint32_t offset, uint32_t port, uint32_t buffer, uint32_t length) {
    FW_ENTER(env, context, offset);
    const struct fw_image* image = fw_image_at(env, port, buffer);
    return image ? fw_write_some(env, 0, image->packet, length, fw_packet_max) : -1;
}

/* Sends the packet that follows the one to which this reply belongs, in the reply's frame. */
FW_INLINE enum fw_verdict fw_follow(struct fw_env* env, const struct slw_header* header, uint32_t follower) {
    const uint32_t port = header->source_port;
    const uint32_t node = header->target_node;
    const uint32_t slot = header->slot ^ follower;
    if (slot >= fw_config(env)->window) {
        return FW_CONSUMED;
    }
    const uint32_t buffer = fw_buffer_at(env, port, node * fw_config(env)->window + slot);
    const struct fw_image* image = fw_image_at(env, port, buffer);
    if (!image) {
        return FW_CONSUMED;
    }
    const uint64_t state = FW_ATOMIC_LOAD(&image->state);
    FW_ACQUIRE(&image->state); /* pairs with the process's store of the state, which follows the packet */
    const uint32_t length = FW_ATOMIC_LOAD(&image->length);
    const uint32_t pad_to = FW_ATOMIC_LOAD(&image->pad_to);
    const uint32_t most = fw_config(env)->packet_max;
    if ((state & 255) == 0 || state >> 40 != fw_request_id(node, slot, 0) >> 40) {
        return FW_CONSUMED; /* a call has sent the follower again, and it was answered */
    }
    if (length < SLW_HEADER_BYTES || length > most || pad_to > most ||
        fw_set_length(env, pad_to > length ? pad_to : length) ||
        fw_load_image(FW_LEAVE(env), FW_HERE(env), port, buffer, length)) {
        struct fw_port* words = fw_port_at(env, port);
        fw_count(env, FW_COUNT_followers_lost);
        if (words) {
            FW_ADD(&words->followers_lost, 1);
        }
        return FW_CONSUMED;
    }
    FW_ACQUIRE(&image->state); /* the copy is made */
    if (FW_ATOMIC_LOAD(&image->state) != state) {
        return FW_CONSUMED; /* the same happened while it was copied */
    }
    fw_count(env, FW_COUNT_followers);
    return FW_REPLY;
}

/* Deposits a reply to a process of this node. */
FW_INLINE enum fw_verdict fw_deposit(struct fw_env* env, const struct slw_header* header) {
    const uint32_t port = header->source_port;
    if (fw_rank_of(env, port) != header->source_rank || header->target_node >= fw_config(env)->nodes ||
        header->slot >= fw_config(env)->window) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    const uint64_t request = fw_request_id(header->target_node, header->slot, header->sequence);
    const uint32_t index = (uint32_t)header->target_node * fw_config(env)->window + header->slot;
    const uint32_t buffer = fw_buffer_at(env, port, index);
    struct fw_completion* completion = fw_completion_at(env, port, buffer);
    if (!completion) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    const uint64_t state = fw_claim_completion(completion, request);
    if (!state) {
        fw_count(env, FW_COUNT_rejected_late);
        return FW_DROP;
    }
    completion->status = header->status;
    completion->executed = header->executed;
    completion->length = header->data_length;
    const uint8_t* result = fw_payload(env, SLW_HEADER_BYTES, SLW_RESULT_BYTES);
    if (header->data_length == SLW_RESULT_BYTES && result) {
        FW_COPY_WORD(uint64_t, completion->data, result);
    } else if (header->data_length) {
        (void)fw_deposit_data(FW_LEAVE(env), FW_HERE(env), port, buffer, header->data_length);
    }
    (void)FW_EXCHANGE(&completion->state, request | FW_COMPLETION_DONE);
    fw_count(env, FW_COUNT_replies);
    fw_written(env, port);
    const uint32_t follower = (uint32_t)state >> FW_FOLLOWER_SHIFT & (FW_FOLLOWER >> FW_FOLLOWER_SHIFT);
    return follower ? fw_follow(env, header, follower) : FW_CONSUMED;
}

/* Handles the packet at fw_offset(env), of env->length bytes. */
FW_INLINE enum fw_verdict fw_input(struct fw_env* env) {
    struct slw_header header;
    if (fw_validate(env, &header)) {
        return FW_DROP;
    }
    if (header.kind == SLW_REQUEST) {
        return fw_request(env, &header);
    }
    return header.kind == SLW_REPLY ? fw_deposit(env, &header) : fw_barrier_input(env);
}

#endif
