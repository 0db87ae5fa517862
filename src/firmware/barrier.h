/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/*
 * The NIC barrier (Buntinas, Panda, Sadayappan: "Fast NIC-Based Barrier over Myrinet/GM", 2001).
 *
 * Participants are nodes. The processes of a node gather in its memory first, and the last one starts the node's part.
 * From then on the NICs finish the barrier among themselves, whatever the hosts do. The schedule is a table that the
 * host draws up (firmware/schedule.cpp): it says which messages end a phase, and which go out when the node enters a
 * phase. Pairwise exchange, dissemination and gather-broadcast are three such tables.
 *
 * State is monotone: epochs only grow. A message says "I have reached this place of epoch e", and hearing it twice does
 * no harm. No node can be more than one epoch ahead of another: epoch e + 1 is complete nowhere before every node has
 * started it. So a node records an early message beside the messages of the running epoch, by parity, in constant
 * space.
 *
 * Nodes acknowledge no message. A node that waits too long asks for the message that it misses (SLW_PULL). A node that
 * has reached the place answers with that message, also one epoch later, because it keeps the values of both parities.
 * This one rule repairs lost, duplicated, late and reordered messages. A node at which the barrier is not open, or is
 * another instance, neither believes nor answers a message; it pulls those messages once its barrier is open (Buntinas
 * 2001, section 3.2; `refused` records which, so that no time is lost).
 *
 * Writers and pairs; "claims" is a compare&swap, "publishes" an exchange, both full barriers:
 *
 *   drawer                      A process that wants to open the barrier claims it from 0, checks that the barrier is
 *                               still closed, and stores 0 when it has opened it; for a process that has died, the
 *                               daemon stores 0.
 *   state, instance, schedule   The drawer writes them while the barrier is closed, and publishes `state` last. The NIC
 *                               and the daemon may turn OPEN into BROKEN. The last local member to close makes it
 *                               CLOSED or, if it was broken, GONE.
 *   record[2 * i + parity]      The CPU that executes the message claims `word` from an older epoch to WRITING, writes
 *                               the value, and publishes HEARD. So no late duplicate can write into a newer epoch's
 *                               value.
 *   word                        The process that starts epoch e publishes (e, 0, RUNNING) over (e - 1, DONE). A CPU
 *                               that finds all messages of a phase heard claims `word` to BUSY, writes
 *                               value[parity][phase + 1] and publishes the next phase. Then it looks again, because
 *                               another CPU that recorded a message meanwhile found BUSY and left the message to it.
 *                               Each CPU records before it looks at `word`, and publishes `word` before it looks at the
 *                               records: one of the two sees the other.
 *   sent                        A CPU that sends claims the next entry, so one CPU sends each message, once.
 */
#ifndef SYNCLINE_FIRMWARE_BARRIER_H
#define SYNCLINE_FIRMWARE_BARRIER_H

#include "float.h"
#include "validate.h"
#include "wake.h"

enum {
    FW_BARRIER_TRIES = 4,
    FW_BARRIER_MESSAGE_BYTES = SLW_HEADER_BYTES + sizeof(struct slw_barrier_message),
};

FW_INLINE uint32_t fw_epoch_of(uint64_t word) {
    return (uint32_t)(word >> 32);
}

FW_INLINE uint64_t fw_combine(uint32_t how, uint64_t one, uint64_t other) {
    switch (how) {
        case FW_COMBINE_SUM:
            return one + other;
        case FW_COMBINE_MIN:
            return (int64_t)one < (int64_t)other ? one : other;
        case FW_COMBINE_MAX:
            return (int64_t)one > (int64_t)other ? one : other;
        case FW_COMBINE_AND:
            return one & other;
        case FW_COMBINE_OR:
            return one | other;
        case FW_COMBINE_XOR:
            return one ^ other;
        case FW_COMBINE_SUM_DOUBLE:
            return fw_add_double(one, other);
        case FW_COMBINE_SUM_FLOAT:
            return fw_add_float((uint32_t)one, (uint32_t)other);
        default:
            return one;
    }
}

/*
 * Returns an entry of `hear` or `send`, or NULL. Here and below: Linux 6.1 trusts a bound only of the register that is
 * then used, so the index is hidden from the compiler in front of its check, and is 64 bits wide.
 */
FW_INLINE const struct fw_barrier_route* fw_route_of(const struct fw_barrier_route* routes, uint64_t entry) {
    FW_OPAQUE(entry);
    return entry < FW_BARRIER_ENTRIES ? &routes[entry] : 0;
}

/* Returns the value that the messages of a phase carry, or NULL. */
FW_INLINE uint64_t* fw_value_of(struct fw_barrier* barrier, uint32_t epoch, uint64_t phase) {
    uint64_t* values = epoch & 1 ? barrier->value[1] : barrier->value[0];
    FW_OPAQUE(phase);
    return phase <= FW_BARRIER_PHASES ? &values[phase] : 0;
}

FW_INLINE const struct fw_barrier_phase* fw_phase_of(const struct fw_barrier* barrier, uint64_t phase) {
    FW_OPAQUE(phase);
    return phase <= FW_BARRIER_PHASES ? &barrier->phase[phase] : 0;
}

/* Returns how many entries of `send` may go out by now, in the epoch of `word`. */
FW_INLINE uint32_t fw_barrier_allowed(const struct fw_barrier* barrier, uint64_t word) {
    const struct fw_barrier_phase* phase = fw_phase_of(barrier, word >> 8 & 255);
    return phase ? phase->send_to : 0;
}

/*
 * Finds where sending stands: *epoch and *next become the first entry that no CPU has taken. An epoch may be complete,
 * and the next one started, before CPUs have taken all its messages; those messages come first. Returns how many are
 * due.
 */
FW_INLINE uint32_t fw_barrier_due(const struct fw_barrier* barrier, uint64_t sent, uint32_t* epoch, uint32_t* next) {
    const uint64_t word = FW_ATOMIC_LOAD(&barrier->word);
    const uint32_t now = fw_epoch_of(word);
    const uint32_t allowed = fw_barrier_allowed(barrier, word);
    const uint32_t all = barrier->sends;
    *epoch = fw_epoch_of(sent);
    *next = (uint32_t)sent & 255;
    if (*epoch == now) {
        return *next < allowed ? allowed - *next : 0;
    }
    if (*epoch + 1 == now && *next < all) {
        return all - *next + allowed;
    }
    if (now - *epoch > 1) { /* none of the last epoch is taken: a tree's root sends when it is complete */
        *epoch = now - 1;
        *next = 0;
        return all + allowed;
    }
    *epoch = now;
    *next = 0;
    return allowed;
}

/* Returns where sending stands, for fw_barrier_due(). */
FW_INLINE uint64_t fw_barrier_sent(const struct fw_barrier* barrier) {
    const uint64_t sent = FW_ATOMIC_LOAD(&barrier->sent);
    FW_ACQUIRE(&barrier->sent); /* pairs with the exchange of `word` before it: an older word would take `sent` back */
    return sent;
}

/* Takes one message that is due: its entry of `send`, and its epoch. Returns 0 if there is none. */
FW_INLINE int fw_barrier_take(struct fw_barrier* barrier, uint32_t* epoch, uint32_t* entry) {
    for (uint32_t tries = 0; tries < FW_BARRIER_TRIES; tries++) {
        const uint64_t sent = fw_barrier_sent(barrier);
        if (fw_barrier_due(barrier, sent, epoch, entry) == 0) {
            return 0;
        }
        if (fw_cas64(&barrier->sent, sent, (uint64_t)*epoch << 32 | (*entry + 1)) == sent) {
            return 1;
        }
    }
    return 0;
}

/* Returns the record of entry `entry` for epochs of that parity, or NULL. */
FW_INLINE struct fw_barrier_record* fw_record_of(struct fw_barrier* barrier, uint32_t entry, uint32_t epoch) {
    uint64_t index = 2 * entry + (epoch & 1);
    FW_OPAQUE(index);
    return index < 2 * FW_BARRIER_ENTRIES ? &barrier->record[index] : 0;
}

/* Returns whether phase `phase` of the running epoch has all its messages, and combines their values with *value. */
FW_INLINE int fw_barrier_heard(struct fw_barrier* barrier, uint64_t word, const struct fw_barrier_phase what,
                               uint64_t* value) {
    const uint32_t epoch = fw_epoch_of(word);
    const uint32_t how = epoch & 1 ? barrier->combine[1] : barrier->combine[0];
    for (uint32_t i = what.hear_from; i < what.hear_to && i < FW_BARRIER_ENTRIES; i++) {
        struct fw_barrier_record* record = fw_record_of(barrier, i, epoch);
        if (!record || FW_ATOMIC_LOAD(&record->word) != (word >> 32 << 32 | FW_RECORD_HEARD)) {
            return 0;
        }
        FW_ACQUIRE(&record->word); /* pairs with fw_barrier_record(): the record's value is read next */
        *value = what.replace ? record->value : fw_combine(how, *value, record->value);
    }
    return 1;
}

/*
 * Takes the barrier to its next phase, if the node has heard all messages of the running one. Returns 0: a message is
 * missing, or another CPU does it; 1: done; FW_BARRIER_COMPLETE: done, and the epoch is complete. It is a global
 * function for the verifier's sake.
 */
enum { FW_BARRIER_COMPLETE = 1 << 16 };

FW_GLOBAL uint32_t fw_barrier_step(FW_CONTEXT* context, uint32_t offset, uint32_t id) {
    FW_ENTER(env, context, offset);
    struct fw_barrier* barrier = fw_barrier_at(env, id);
    if (!barrier) {
        return 0;
    }
    const uint64_t word = FW_ATOMIC_LOAD(&barrier->word);
    FW_ACQUIRE(&barrier->word); /* pairs with the exchange that published this phase: the phase's value is read next */
    const uint32_t phase = (uint32_t)(word >> 8) & 255;
    const struct fw_barrier_phase* what = fw_phase_of(barrier, phase);
    uint64_t* now = fw_value_of(barrier, fw_epoch_of(word), phase);
    uint64_t* next = fw_value_of(barrier, fw_epoch_of(word), phase + 1);
    if ((word & 255) != FW_BARRIER_RUNNING || phase >= barrier->phases || !what || !now || !next) {
        return 0;
    }
    uint64_t value = *now;
    if (!fw_barrier_heard(barrier, word, *what, &value) ||
        fw_cas64(&barrier->word, word, word + (FW_BARRIER_BUSY - FW_BARRIER_RUNNING)) != word) {
        return 0;
    }
    *next = value;
    const int complete = phase + 1 == barrier->phases;
    (void)FW_EXCHANGE(&barrier->word, word >> 32 << 32 | (uint64_t)(phase + 1) << 8 |
                                          (complete ? FW_BARRIER_DONE : FW_BARRIER_RUNNING));
    return complete ? FW_BARRIER_COMPLETE : 1;
}

/*
 * Takes the barrier on as far as the records allow. Returns how many messages are due, for fw_barrier_take(), plus
 * FW_BARRIER_COMPLETE if this has completed the epoch.
 */
FW_GLOBAL uint32_t fw_barrier_advance(FW_CONTEXT* context, uint32_t offset, uint32_t id) {
    FW_ENTER(env, context, offset);
    uint32_t epoch, next, step = 1;
    for (uint32_t turn = 0; turn < FW_BARRIER_PHASES && step == 1; turn++) {
        step = fw_barrier_step(FW_LEAVE(env), FW_HERE(env), id);
    }
    struct fw_barrier* barrier = fw_barrier_at(env, id);
    if (!barrier) {
        return 0;
    }
    return (step & FW_BARRIER_COMPLETE) + fw_barrier_due(barrier, fw_barrier_sent(barrier), &epoch, &next);
}

/* Records a message for entry `place`. Returns 0: recorded; -1: known already, or too old. */
FW_INLINE int fw_barrier_record(struct fw_barrier* barrier, uint32_t place, uint32_t epoch, uint64_t value) {
    struct fw_barrier_record* record = fw_record_of(barrier, place, epoch);
    if (!record) {
        return -1;
    }
    const uint64_t word = FW_ATOMIC_LOAD(&record->word);
    if ((int32_t)(epoch - fw_epoch_of(word)) <= 0 ||
        fw_cas64(&record->word, word, (uint64_t)epoch << 32 | FW_RECORD_WRITING) != word) {
        return -1;
    }
    record->value = value;
    (void)FW_EXCHANGE(&record->word, (uint64_t)epoch << 32 | FW_RECORD_HEARD);
    return 0;
}

/* Writes a message of this node into the packet, whose frame must be long enough. Returns 0 or -1. */
FW_INLINE int fw_barrier_write(struct fw_env* env, uint32_t kind, uint32_t id, uint32_t target, uint32_t epoch,
                               const struct slw_barrier_message* message) {
    struct slw_header header = {
        .magic = SLW_MAGIC,
        .version = SLW_VERSION,
        .kind = (uint8_t)kind,
        .source_rank = (uint16_t)fw_rank_of(env, 0),
        .slot = (uint8_t)id,
        .job = fw_config(env)->job,
        .sequence = epoch,
        .data_length = sizeof(struct slw_barrier_message),
        .target_node = (uint16_t)target,
    };
    uint8_t* at = fw_payload(env, 0, FW_BARRIER_MESSAGE_BYTES);
    if (!at) {
        return -1;
    }
    FW_STORE((struct slw_header*)(void*)at, header);
    FW_STORE((struct slw_barrier_message*)(void*)(at + SLW_HEADER_BYTES), *message);
    env->length = FW_BARRIER_MESSAGE_BYTES;
    const uint64_t tag = fw_tag_of(env, sizeof(struct slw_barrier_message) / 8);
    at = fw_payload(env, SLW_TAGGED_HEADER, 8);
    if (!at) {
        return -1;
    }
    FW_STORE((uint64_t*)(void*)at, tag);
    return 0;
}

/* Writes the next message that is due into the packet. Returns the node that it is for, or -1: there is none. */
FW_INLINE int fw_barrier_next(struct fw_env* env, struct fw_barrier* barrier, uint32_t id) {
    uint32_t epoch, entry;
    if (!fw_barrier_take(barrier, &epoch, &entry)) {
        return -1;
    }
    const struct fw_barrier_route* found = fw_route_of(barrier->send, entry);
    if (!found) {
        return -1;
    }
    const struct fw_barrier_route route = *found;
    const uint64_t* value = fw_value_of(barrier, epoch, route.phase);
    if (!value || route.node >= fw_config(env)->nodes) {
        return -1;
    }
    const struct slw_barrier_message message = {
        .instance = barrier->instance,
        .source_node = (uint16_t)fw_config(env)->node,
        .place = route.place,
        .value = *value,
    };
    if (fw_barrier_write(env, SLW_ARRIVE, id, route.node, epoch, &message)) {
        return -1;
    }
    fw_count(env, FW_COUNT_barriers_sent);
    return route.node;
}

/* Returns whether this node has reached, in `epoch`, the place at which the message of this entry is due. */
FW_INLINE int fw_barrier_reached(const struct fw_barrier* barrier, uint32_t epoch, uint32_t phase) {
    const uint64_t word = FW_ATOMIC_LOAD(&barrier->word);
    FW_ACQUIRE(&barrier->word); /* pairs with the exchange that published the phase: the caller reads the value */
    const uint32_t now = fw_epoch_of(word);
    return now == epoch ? ((uint32_t)(word >> 8) & 255) >= phase : now == epoch + 1;
}

/*
 * Answers a PULL: returns SLW_ARRIVE, with *message filled in, or 0: no answer yet. Epoch 0 is a greeting, which the
 * node answers so that both sides know each other's address.
 */
FW_INLINE uint32_t fw_barrier_pulled(struct fw_barrier* barrier, uint32_t epoch, struct slw_barrier_message* message) {
    const uint32_t entry = message->place;
    if (epoch == 0) {
        return SLW_ARRIVE;
    }
    const struct fw_barrier_route* found = fw_route_of(barrier->send, entry);
    if (!found || entry >= barrier->sends) {
        return 0;
    }
    const struct fw_barrier_route route = *found;
    const uint64_t* value = fw_value_of(barrier, epoch, route.phase);
    if (!value || route.node != message->source_node || !fw_barrier_reached(barrier, epoch, route.phase)) {
        return 0;
    }
    message->place = route.place;
    message->value = *value;
    return SLW_ARRIVE;
}

/* Handles an ARRIVE. Returns 0: recorded; -1: late, known already, or not from a member. */
FW_INLINE int fw_barrier_arrived(struct fw_env* env, struct fw_barrier* barrier, uint32_t epoch,
                                 const struct slw_barrier_message* message) {
    const uint32_t now = fw_epoch_of(FW_ATOMIC_LOAD(&barrier->word));
    const uint32_t place = message->place;
    if (epoch != now && epoch != now + 1) {
        return -1;
    }
    const struct fw_barrier_route* route = fw_route_of(barrier->hear, place);
    if (!route || place >= barrier->hears || route->node != message->source_node) {
        fw_count(env, FW_COUNT_rejected_barrier);
        return -1;
    }
    if (fw_barrier_record(barrier, place, epoch, message->value)) {
        return -1;
    }
    fw_count(env, FW_COUNT_barriers);
    return 0;
}

/* Takes the barrier on after a message has been recorded. */
FW_INLINE enum fw_verdict fw_barrier_proceed(struct fw_env* env, const struct fw_barrier* barrier, uint32_t id) {
    const uint32_t due = barrier->host ? FW_BARRIER_COMPLETE : fw_barrier_advance(FW_LEAVE(env), FW_HERE(env), id);
    if (due & FW_BARRIER_COMPLETE) {
        fw_wake_ports(env, &barrier->ports);
    }
    env->due = due & (FW_BARRIER_COMPLETE - 1);
    return env->due ? FW_FORWARD : FW_CONSUMED;
}

/*
 * Handles a message of a barrier. Returns FW_REPLY: the packet is the answer; FW_FORWARD: the barrier has been taken
 * on, and env->due messages must be sent with fw_barrier_next().
 */
FW_INLINE enum fw_verdict fw_barrier_message(struct fw_env* env, const struct slw_header* header) {
    const uint32_t id = header->slot;
    const uint32_t epoch = header->sequence;
    uint8_t* at = fw_payload(env, SLW_HEADER_BYTES, sizeof(struct slw_barrier_message));
    struct fw_barrier* barrier = fw_barrier_at(env, id);
    struct slw_barrier_message message;
    uint32_t answer = 0;
    if (!at || !barrier || header->data_length != sizeof(struct slw_barrier_message)) {
        fw_count(env, FW_COUNT_rejected_length);
        return FW_DROP;
    }
    if (header->target_node != fw_config(env)->node) {
        fw_count(env, FW_COUNT_rejected_node);
        return FW_DROP;
    }
    FW_LOAD(&message, (struct slw_barrier_message*)(void*)at);
    if (message.source_node >= fw_config(env)->nodes) {
        fw_count(env, FW_COUNT_rejected_source);
        return FW_DROP;
    }
    fw_learn(env, message.source_node, header->kind == SLW_ARRIVE && epoch == 0);
    const uint32_t state = FW_ATOMIC_LOAD(&barrier->state);
    FW_ACQUIRE(&barrier->state); /* pairs with the opener's store, which follows the schedule */
    if (epoch != 0 && (state == FW_BARRIER_CLOSED || message.instance != barrier->instance)) {
        if (header->kind == SLW_ARRIVE && state != FW_BARRIER_OPEN && message.place < 64) {
            FW_OR(&barrier->refused, 1ull << (message.place & 63));
        }
        fw_count(env, FW_COUNT_rejected_barrier);
        return FW_DROP;
    }
    if (header->kind == SLW_BROKEN && epoch != 0) {
        (void)fw_cas32(&barrier->state, FW_BARRIER_OPEN, FW_BARRIER_BROKEN);
        fw_wake_ports(env, &barrier->ports);
        return FW_CONSUMED;
    }
    if (epoch != 0 && state >= FW_BARRIER_BROKEN) {
        answer = SLW_BROKEN;
    } else if (header->kind == SLW_PULL) {
        answer = fw_barrier_pulled(barrier, epoch, &message);
    } else if (epoch != 0 && !fw_barrier_arrived(env, barrier, epoch, &message)) {
        return fw_barrier_proceed(env, barrier, id);
    }
    if (!answer) {
        return FW_DROP;
    }
    const uint32_t asker = message.source_node;
    message.source_node = (uint16_t)fw_config(env)->node;
    if (fw_barrier_write(env, answer, id, asker, epoch, &message)) {
        return FW_DROP;
    }
    fw_count(env, FW_COUNT_barriers_pulled);
    return FW_REPLY;
}

/*
 * As fw_barrier_message(), in a stack frame of its own, because it would take half of the caller's. Returns verdict |
 * due << 8.
 */
FW_GLOBAL uint32_t fw_barrier_received(FW_CONTEXT* context, uint32_t offset) {
    FW_ENTER(env, context, offset);
    struct slw_header header;
    uint8_t* at = fw_payload(env, 0, SLW_HEADER_BYTES);
    if (!at || fw_count_on(env)) {
        return FW_DROP;
    }
    FW_LOAD(&header, (struct slw_header*)(void*)at);
    const enum fw_verdict verdict = fw_barrier_message(env, &header);
    return (uint32_t)verdict | env->due << 8;
}

FW_INLINE enum fw_verdict fw_barrier_input(struct fw_env* env) {
    const uint32_t received = fw_barrier_received(FW_LEAVE(env), FW_HERE(env));
    env->length = FW_BARRIER_MESSAGE_BYTES; /* of the answer, if there is one */
    env->due = received >> 8;
    return (enum fw_verdict)(received & 255);
}

#endif
