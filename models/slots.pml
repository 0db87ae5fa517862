// SPDX-License-Identifier: BSD-3-Clause
/*
 * The exactly-once slots: src/firmware/firmware.h (target and deposit) and src/fabric/packet/connection/connection.cpp
 * (initiator).
 *
 * Claims
 *   S1  an operation is executed at most once, and exactly once if its initiator is told that it succeeded;
 *   S2  a reply is written into a completion only while that completion belongs to the firmware and to the reply's
 *       sequence, so never into the buffer of a later operation, and never while the process reads it;
 *   S3  the process reads the reply to the operation that it waits for;
 *   S4  if an initiator is told CLOSED, the operation was not executed, so the initiator may send it under another sequence
 *       and S1 holds;
 *   L   with finitely many losses and duplicates, every operation completes (LIVENESS).
 *
 * Nodes: node 0 is the target, the N-1 others are initiators of one slot each. Slots share nothing (fw_request finds
 * one by source rank and slot number), so several slots of an initiator are several initiators.
 *
 * There are two networks:
 *   SET     A packet that was ever sent can be received any number of times, at any later time, or never. So losses,
 *           duplicates, delays and retransmissions are not bounded. The claims of safety are checked with this network.
 *   else    A bag of packets, with bounded LOSSES and DUPLICATES. The initiator sends a packet again when the packet and
 *           its reply are gone (a time-out of the right length), and EARLY times when they are not (a time-out that is
 *           too short). Every run is finite, so L needs no assumption of fairness: it says that no run gets stuck or
 *           repeats a state for ever.
 *
 * Closing (CLOSES > 0): an initiator may send CLOSE in place of a request, at any time, CLOSES times in all. When it is
 * told CLOSED, it sends the operation under the next sequence, while the request may still be in the network. (The code
 * cuts the request into shorter ones; these are further operations.)
 *
 * Bounds: OPERATIONS per slot, each under one sequence, and under one more for each close. All NICs together execute at
 * most CPUS packets at a time; a CPU of the model belongs to the node that has the packet. Sequences are compared as
 * numbers and do not wrap around.
 *
 * Left out: validation (a damaged packet counts as lost); gets (a duplicate executes a get again, but a get changes
 * nothing, so only S2 and S3 matter, and the same code provides these); batches (one claim for all units); RETRY of a
 * locked pair (a request that executes nothing, followed by another sequence); the daemon's retransmission (another copy
 * of the packet, which SET has anyway).
 *
 * Memory is sequentially consistent, and each read, write or compare&swap of a shared word is one step. tables.h has the
 * orderings that make it so.
 */
#ifndef N
#define N 3
#endif
#ifndef OPERATIONS
#define OPERATIONS 2 /* 3 at most */
#endif
#ifndef CPUS
#define CPUS 2
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef DUPLICATES
#define DUPLICATES 1
#endif
#ifndef EARLY
#define EARLY 1
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 0 /* how often an initiator may take its target for dead, and yet use the slot again */
#endif

#ifndef CLOSES
#define CLOSES 0 /* OPERATIONS + CLOSES is 3 at most */
#endif

#define INITIATORS (N - 1)
#define AT(initiator, sequence) ((initiator) * 3 + (sequence) - 1)

#define EMPTY 0
#define BUSY 1
#define DONE 2
#define IDLE 0
#define ARMED 1
#define CLAIMED 2
#define DEPOSITED 3

/* fw_slot, one for each initiator: `word`, and in place of `results` the sequence to which the result belongs. */
byte slot_sequence[3];
byte slot_state[3];
byte slot_result[3];
bit slot_closed[3]; /* `status` is CLOSED */

/* fw_completion of each initiator: `state`, and in place of `data` the sequence to which the result belongs. */
byte completion_sequence[3];
byte completion_state[3];
byte completion_data[3];
bit completion_closed[3]; /* `status` */

/* Packets in the network: how many there are of each, or with SET whether it was ever sent. */
byte requests[9];
byte replies[9];
byte closings[9]; /* CLOSE */
byte denials[9];  /* replies with CLOSED */
byte losses = LOSSES;
byte duplicates = DUPLICATES;
byte early = EARLY;
byte give_ups = GIVE_UPS;
byte closes = CLOSES;

/* Not part of the protocol: only the claims use these variables. */
byte operation[9]; /* the operation of each sequence */
byte executed[9];  /* how often each operation was executed */
byte handled[9];   /* CPUs that execute a packet of each sequence */
byte finished;    /* initiators with nothing left to do */

#ifdef SET
#define PUT(cell) cell = 1
#define TAKE(cell)
#else
#define PUT(cell) cell++
/* Receives a packet, of which another copy may stay in the network. */
#define TAKE(cell)                       \
    if                                   \
    :: cell--                            \
    :: duplicates > 0 -> duplicates--    \
    fi
#endif

/* fw_claim and fw_request. */
inline request() {
    atomic { /* the load */
        seen_sequence = slot_sequence[i];
        seen_state = slot_state[i]
    }
    if
    :: s < seen_sequence || seen_state == BUSY -> goto next /* drops a stale packet, and any packet while the slot is busy */
#ifdef BROKEN_NO_ANSWER
    :: s == seen_sequence && seen_state == DONE -> goto next
#endif
#ifndef BROKEN_REEXECUTE
    :: s == seen_sequence && seen_state == DONE -> goto reply
#else
    :: s == seen_sequence && seen_state == DONE
#endif
    :: s > seen_sequence && seen_state != BUSY
    fi;
#ifdef BROKEN_CLOSE_UNRECORDED
    if
    :: is_close -> PUT(denials[AT(i, s)]); goto next
    :: else
    fi;
#endif
#ifdef BROKEN_CLAIM
    d_step { /* a store instead of a compare&swap */
        slot_sequence[i] = s;
        slot_state[i] = BUSY
    }
#else
    atomic {
        if
        :: slot_sequence[i] == seen_sequence && slot_state[i] == seen_state ->
            slot_sequence[i] = s;
            slot_state[i] = BUSY
        :: else -> goto next
        fi
    }
#endif
    if
    :: is_close -> slot_closed[i] = 1
    :: else ->
        d_step { /* fw_execute */
            executed[AT(i, operation[AT(i, s)])]++;
            assert(executed[AT(i, operation[AT(i, s)])] <= 1); /* S1 */
            slot_closed[i] = 0
        }
    fi;
    slot_result[i] = s;
    slot_state[i] = DONE; /* FW_EXCHANGE of the whole word, which no other CPU changes while it is BUSY */
reply: /* fw_reply: copies the record, and then checks that it still was the record of this sequence */
    result = slot_result[i];
    is_close = slot_closed[i];
    atomic {
        if
        :: slot_sequence[i] == s && slot_state[i] == DONE -> assert(result == s && is_close == slot_closed[i])
        :: else -> goto next
        fi;
        if
        :: is_close -> PUT(denials[AT(i, s)])
        :: else -> PUT(replies[AT(i, s)])
        fi
    }
}

/* fw_deposit. */
inline deposit() {
#ifdef BROKEN_DEPOSIT
    atomic { /* checks the word without claiming it */
        if
        :: completion_sequence[i] == s && completion_state[i] == ARMED
        :: else -> goto next
        fi
    }
    d_step {
        assert(completion_sequence[i] == s && completion_state[i] == ARMED); /* S2 */
        completion_data[i] = s;
        completion_closed[i] = is_close
    }
#else
    atomic { /* the compare&swap; the load before it in the code only avoids one that would fail */
        if
        :: completion_sequence[i] == s && completion_state[i] == ARMED -> completion_state[i] = CLAIMED
        :: else -> goto next
        fi
    }
    d_step {
        assert(completion_sequence[i] == s && completion_state[i] == CLAIMED); /* S2 */
        completion_data[i] = s;
        completion_closed[i] = is_close
    }
#endif
    completion_state[i] = DEPOSITED
}

#define RECEIVE_REQUEST(a, b) :: requests[AT(a, b)] -> TAKE(requests[AT(a, b)]); i = a; s = b; is_request = 1
#define RECEIVE_REPLY(a, b) :: replies[AT(a, b)] -> TAKE(replies[AT(a, b)]); i = a; s = b; is_request = 0
#define RECEIVE_CLOSE(a, b) :: closings[AT(a, b)] -> TAKE(closings[AT(a, b)]); i = a; s = b; is_request = 1; is_close = 1
#define RECEIVE_DENIAL(a, b) :: denials[AT(a, b)] -> TAKE(denials[AT(a, b)]); i = a; s = b; is_request = 0; is_close = 1

/* A CPU of any NIC: fw_input. */
active [CPUS] proctype cpu() {
    byte i, s, seen_sequence, seen_state, result;
    bit is_request, is_close;
end:
    atomic {
        if
        RECEIVE_REQUEST(0, 1)
        RECEIVE_REQUEST(0, 2)
        RECEIVE_REQUEST(0, 3)
        RECEIVE_REQUEST(1, 1)
        RECEIVE_REQUEST(1, 2)
        RECEIVE_REQUEST(1, 3)
        RECEIVE_REQUEST(2, 1)
        RECEIVE_REQUEST(2, 2)
        RECEIVE_REQUEST(2, 3)
        RECEIVE_REPLY(0, 1)
        RECEIVE_REPLY(0, 2)
        RECEIVE_REPLY(0, 3)
        RECEIVE_REPLY(1, 1)
        RECEIVE_REPLY(1, 2)
        RECEIVE_REPLY(1, 3)
        RECEIVE_REPLY(2, 1)
        RECEIVE_REPLY(2, 2)
        RECEIVE_REPLY(2, 3)
#if CLOSES > 0
        RECEIVE_CLOSE(0, 1)
        RECEIVE_CLOSE(0, 2)
        RECEIVE_CLOSE(0, 3)
        RECEIVE_CLOSE(1, 1)
        RECEIVE_CLOSE(1, 2)
        RECEIVE_CLOSE(1, 3)
        RECEIVE_DENIAL(0, 1)
        RECEIVE_DENIAL(0, 2)
        RECEIVE_DENIAL(0, 3)
        RECEIVE_DENIAL(1, 1)
        RECEIVE_DENIAL(1, 2)
        RECEIVE_DENIAL(1, 3)
#endif
        fi;
        handled[AT(i, s)]++;
#ifndef SET
        if
        :: skip
        :: losses > 0 -> losses--; goto next
        fi
#endif
    }
    if
    :: is_request -> request()
    :: else -> deposit()
    fi;
next:
    atomic { /* the CPU forgets the packet and its contents */
        handled[AT(i, s)]--;
        i = 0;
        s = 0;
        seen_sequence = 0;
        seen_state = 0;
        result = 0;
        is_request = 0;
        is_close = 0;
        goto end
    }
}

#define SEND_AGAIN                             \
    if                                         \
    :: closing -> PUT(closings[AT(me, s)])     \
    :: else -> PUT(requests[AT(me, s)])        \
    fi

/* A process: Connection::start, take_answer, retransmit, close. */
proctype initiator(byte me) {
    byte s = 1;
    byte o = 1;
    bit closing = 0;
    do
    :: o <= OPERATIONS ->
        d_step { /* take_slot and arm: one store of the word */
            operation[AT(me, s)] = o;
            completion_sequence[me] = s;
            completion_state[me] = ARMED
        }
        PUT(requests[AT(me, s)]);
        do
        :: completion_state[me] == DEPOSITED -> /* finish */
            d_step {
                assert(completion_data[me] == s); /* S3 */
                completion_data[me] = 0;
                if
                :: completion_closed[me] ->
                    assert(executed[AT(me, o)] == 0); /* S4 */
                    completion_closed[me] = 0
                :: else ->
                    assert(executed[AT(me, o)] == 1); /* S1 */
                    o++
                fi
            }
            break
#if CLOSES > 0
        :: atomic { /* Connection::close */
            completion_state[me] == ARMED && !closing && closes > 0 ->
            closes--;
#ifdef BROKEN_CUT_UNCLOSED
            completion_state[me] = IDLE; /* the operation goes out again at once */
            break
#else
            closing = 1;
            PUT(closings[AT(me, s)])
#endif
        }
#endif
#if !defined(SET) && !defined(BROKEN_NO_RETRANSMISSION)
        :: atomic {
            completion_state[me] == ARMED && requests[AT(me, s)] == 0 && replies[AT(me, s)] == 0 &&
                closings[AT(me, s)] == 0 && denials[AT(me, s)] == 0 && handled[AT(me, s)] == 0 -> SEND_AGAIN
        }
        :: atomic { completion_state[me] == ARMED && early > 0 -> early--; SEND_AGAIN }
#endif
#if GIVE_UPS > 0
        :: atomic { /* the peer timeout: a compare&swap, which fails if a deposit came first */
            completion_state[me] == ARMED && give_ups > 0 ->
            give_ups--;
            completion_state[me] = IDLE;
            o++
        }
            break
#endif
        od;
        closing = 0;
        s++
    :: else -> break
    od;
    finished++
}

init {
    byte k;
    atomic {
        do
        :: k < INITIATORS -> run initiator(k); k++
        :: else -> break
        od
    }
}

#ifdef LIVENESS
ltl every_operation_completes { <>(finished == INITIATORS) }
#endif
