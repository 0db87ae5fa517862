// SPDX-License-Identifier: BSD-3-Clause
/*
 * The exactly-once slots: src/firmware/firmware.h (target and deposit), src/fabric/packet/connection/connection.cpp (initiator).
 *
 * Claims
 *   S1  an operation is executed at most once, and exactly once if its initiator is told that it succeeded;
 *   S2  a reply is written into a completion only while that completion belongs to the firmware and to the reply's
 *       sequence: never into the buffer of a later operation, never while the process reads it;
 *   S3  the process reads the reply to the operation that it waits for;
 *   S4  an initiator that is told CLOSED may send the operation under another sequence: it was not executed, and S1 holds;
 *   L   with finitely many losses and duplicates, every operation completes (LIVENESS).
 *
 * Nodes: node 0 is the target, the N-1 others are initiators of one slot each. Slots share nothing (fw_request finds
 * one by source rank and slot number), so several slots of an initiator are several initiators.
 *
 * The network, one of two:
 *   SET     a packet that was ever sent can be received any number of times, at any later time, or never. So losses,
 *           duplicates, delays and retransmissions are not bounded. This network is for safety.
 *   else    a bag of packets, with bounded LOSSES and DUPLICATES. A packet is sent again when it and its reply are gone
 *           (a right time-out), and EARLY times when they are not (a time-out that is too short). So every run is
 *           finite, and L needs no assumption of fairness: it says that no run gets stuck or goes round in a circle.
 *
 * Closing (CLOSES > 0): an initiator may send CLOSE in place of a request, at any time, CLOSES times in all. When it is
 * told CLOSED, it sends the operation under the next sequence. The request is still in the network. (The shorter parts
 * into which the code cuts it are further operations.)
 *
 * Bounds: OPERATIONS per slot, each under one sequence, and under one more for each close; all NICs together execute CPUS
 * packets at any one time (a CPU here belongs to whichever node has the packet). Sequences are compared as numbers: they
 * do not wrap.
 *
 * Left out: validation (a damaged packet is a lost one); gets (a duplicate executes one again; a get changes nothing, so
 * only S2 and S3 matter, and they rest on the same code); batches (one claim for all units); RETRY of a locked pair (a
 * request that executes nothing, followed by another sequence); the daemon's retransmission (another copy of the packet,
 * which SET has anyway).
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
#define GIVE_UPS 0 /* how often an initiator may take its target for dead, and go on with the slot all the same */
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

/* fw_slot, one for each initiator: `word`, and `results` as the sequence whose result this is. */
byte slot_sequence[3];
byte slot_state[3];
byte slot_result[3];
bit slot_closed[3]; /* `status` is CLOSED */

/* fw_completion of each initiator: `state`, and `data` as the sequence whose result this is. */
byte completion_sequence[3];
byte completion_state[3];
byte completion_data[3];
bit completion_closed[3]; /* `status` */

/* Packets in the network: a count each, or whether it was ever sent (SET). */
byte requests[9];
byte replies[9];
byte closings[9]; /* CLOSE */
byte denials[9];  /* replies with CLOSED */
byte losses = LOSSES;
byte duplicates = DUPLICATES;
byte early = EARLY;
byte give_ups = GIVE_UPS;
byte closes = CLOSES;

/* Not of the protocol, only to say what is claimed. */
byte operation[9]; /* that the sequence is for */
byte executed[9];  /* how often each operation was */
byte handled[9];   /* CPUs that have a packet of this sequence in their hands */
byte finished;    /* initiators with nothing left to do */

#ifdef SET
#define PUT(cell) cell = 1
#define TAKE(cell)
#else
#define PUT(cell) cell++
/* Received, and perhaps another copy of it stays behind. */
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
    :: s < seen_sequence || seen_state == BUSY -> goto next /* stale or busy: dropped */
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
reply: /* fw_reply: copies the record, then looks whether it still was this sequence's */
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
    atomic { /* looks, but does not claim */
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
    atomic { /* the compare&swap; the load in front of it only saves one that would fail */
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

/* One CPU of some NIC: fw_input. */
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
    atomic { /* the packet is forgotten, with all that was known of it */
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
        :: atomic { /* the peer timeout: a compare&swap, which a deposit may have been faster than */
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
