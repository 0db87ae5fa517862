// SPDX-License-Identifier: BSD-3-Clause
/*
 * The NIC barrier: src/firmware/barrier.h, and the part that the processes play in it.
 *
 * Claims
 *   B1  no node leaves epoch e before all nodes have entered it;
 *   B2  a node that leaves epoch e has the value combined from the contributions of all nodes to epoch e, and from none
 *       to another epoch. In the schedules that a sum may use (all but dissemination among a number of nodes that is not
 *       a power of two) the value has every contribution once;
 *   B3  when no CPU executes at a node, the node has nothing left to do: it has overlooked no message;
 *   L   with finitely many losses and duplicates, every epoch completes at every node (LIVENESS).
 *
 * The model has N nodes and EPOCHS consecutive barriers. The schedule is the pairwise exchange (N = 4), which becomes
 * dissemination if N is not a power of two (N = 3), or, with TREE, gather-broadcast along a tree of dimension 2 (N = 4:
 * three levels).
 *
 * There are two networks:
 *   SET     A node can receive a message any number of times, or never, at any time after the sender has reached the
 *           message's place in the schedule. The model does not distinguish a message that its sender sends unasked from
 *           the answer to a question. So losses, duplicates, delays and questions are not bounded. The claims of safety
 *           are checked with this network.
 *   else    A bag of packets, both ARRIVE and PULL, with bounded LOSSES and DUPLICATES. A node that waits asks for a
 *           message that it has not received, if neither a question nor an answer is under way and the sender has
 *           reached the message's place. (A sender that is asked earlier does not answer, and nothing changes. So the
 *           model has only EARLY such questions; in the code a process keeps asking, also after the sender has reached
 *           the place.) Every run is finite, so L needs no assumption of fairness: it says that no run gets stuck or
 *           repeats a state for ever.
 *
 * Bounds: EPOCHS (with 3, one parity is used twice). All NICs together execute at most CPUS packets at a time, while every
 * node's process executes, too. COARSE, for L, makes one step of everything that a packet causes; B3, checked with the
 * fine steps, justifies that.
 *
 * Left out: opening and closing (a message that is refused because the barrier is not open yet counts as lost),
 * instances, BROKEN, and how the processes of a node come together first (by a counter in shared memory).
 *
 * Steps: each step accesses at most one word on which a decision depends. The step that loads `word` also reads the
 * records: if `word` changes between the two in the code, the compare&swap fails, whatever the records were. A value is
 * written in the step that makes it visible, or in the step that claims the word and thereby hides it. Where the code
 * repeats a compare&swap that failed, the model has only the one that succeeds.
 */
#ifndef N
#define N 3
#endif
#ifndef EPOCHS
#define EPOCHS 2 /* 3 at most */
#endif
#ifndef CPUS
#define CPUS 1
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef DUPLICATES
#define DUPLICATES 1
#endif
#ifndef EARLY
#define EARLY 0
#endif

#define ALL ((1 << N) - 1)
#define PARITY(epoch) ((epoch) & 1)

/* Message k of node n in an epoch. */
#define AT(n, k, epoch) (((epoch) - 1) * 12 + (n) * 3 + (k))
/* The record of place k, and the value of phase k, of node n in an epoch. */
#ifdef BROKEN_PARITY
#define RECORD(n, k, epoch) ((n) * 6 + (k) * 2)
#else
#define RECORD(n, k, epoch) ((n) * 6 + (k) * 2 + PARITY(epoch))
#endif
#define VALUE(n, k, epoch) ((n) * 6 + (k) * 2 + PARITY(epoch))

/* The schedule, as in src/firmware/schedule.cpp. Entry k of the messages of node n goes to place PLACE of node NODE. FROM
 * is the node that sends to place k of n. */
#define PHASES 2
#ifdef TREE
#define CHILD(n, c) (2 * (n) + 1 + (c))
#define CHILDREN(n) (CHILD(n, 1) < N -> 2 : (CHILD(n, 0) < N -> 1 : 0))
/* Entry 0 goes to the parent when the node enters phase 1; entries 1 and 2 go to the children on completion. The parent
 * sends to place 2, and the children send to places 0 and 1. */
#define SENDS(n) (1 + CHILDREN(n))
#define ALLOWED(n, phase) ((phase) == 0 -> 0 : ((phase) == 1 -> 1 : SENDS(n)))
#define PHASE_OF(k) ((k) == 0 -> 1 : 2)
#define NODE(n, k) ((k) == 0 -> ((n) - 1) / 2 : CHILD(n, (k) - 1))
#define PLACE(n, k) ((k) == 0 -> ((n) - 1) % 2 : 2)
#define IS_SENT(n, k) ((k) == 0 -> (n) != 0 : (k) < SENDS(n)) /* the root has no parent */
#define HEAR_FROM(n, phase) ((phase) == 0 -> 0 : 2)
#define HEAR_TO(n, phase) ((phase) == 0 -> CHILDREN(n) : ((n) == 0 -> 2 : 3))
#define FROM(n, k) ((k) == 2 -> ((n) - 1) / 2 : CHILD(n, k))
#define FROM_ENTRY(n, k) ((k) == 2 -> 1 + ((n) - 1) % 2 : 0)
#define REPLACE(phase) ((phase) == 1)
#define ONCE 1
#else
/* An entry, its place and its phase have one number, k. */
#define SENDS(n) 2
#define ALLOWED(n, phase) ((phase) == 0 -> 1 : 2)
#define PHASE_OF(k) (k)
#define PLACE(n, k) (k)
#define IS_SENT(n, k) 1
#define HEAR_FROM(n, phase) (phase)
#define HEAR_TO(n, phase) ((phase) + 1)
#define FROM_ENTRY(n, k) (k)
#define REPLACE(phase) 0
#if N == 4
#define NODE(n, k) ((n) ^ (1 << (k)))
#define FROM(n, k) ((n) ^ (1 << (k)))
#define ONCE 1
#else
#define NODE(n, k) (((n) + (1 << (k))) % N)
#define FROM(n, k) (((n) + N - ((1 << (k)) % N)) % N)
#define ONCE 0
#endif
#endif

#define DONE 0
#define RUNNING 1
#define BUSY 2
#define NOTHING 0
#define WRITING 1
#define HEARD 2

/* struct fw_barrier of each node: `word`, `sent`, `record`, `value`. A value is epoch << 4 | set of contributors. */
byte word_epoch[N];
byte word_phase[N];
byte word_state[N];
byte sent_epoch[N];
byte sent_next[N];
byte record_epoch[N * 6];
byte record_state[N * 6];
byte record_value[N * 6];
byte value[N * 6];

/* Packets in the network: each ARRIVE has its contents, and each PULL has the name of the message that it asks for. */
byte arrives[36];
byte carried[36];
byte pulls[36];
byte losses = LOSSES;
byte duplicates = DUPLICATES;
byte early = EARLY;

/* Not part of the protocol: only the claims use these variables. */
byte entered[N];
byte executing[N]; /* CPUs and processes that have recorded a message or started, and will look again */
byte finished;

#define PUT(cell) cell++
#define TAKE(cell)                       \
    if                                   \
    :: cell--                            \
    :: duplicates > 0 -> duplicates--    \
    fi
#ifdef SET
#define LOSE
#else
#define LOSE                             \
    if                                   \
    :: skip                              \
    :: losses > 0 -> losses--; goto next \
    fi
#endif

#ifdef COARSE
#define ONE_STEP atomic
#else
#define ONE_STEP
#endif

/* fw_barrier_reached */
#define REACHED(n, k, epoch)                                                                             \
    (word_epoch[n] == (epoch) && word_phase[n] >= PHASE_OF(k) || word_epoch[n] == (epoch) + 1)

/* fw_barrier_heard: finds out whether all messages of a phase have come, and combines their values into `v`. */
inline look(n) {
    d_step {
        v = value[VALUE(n, w_phase, w_epoch)];
        heard = 1;
        k1 = HEAR_FROM(n, w_phase);
        do
        :: k1 < HEAR_TO(n, w_phase) ->
            r = RECORD(n, k1, w_epoch);
            if
            :: record_epoch[r] == w_epoch && record_state[r] == HEARD ->
                assert(record_value[r] >> 4 == w_epoch && v >> 4 == w_epoch); /* B2 */
                if
                :: REPLACE(w_phase) -> v = record_value[r]
                :: else ->
                    assert(!ONCE || (record_value[r] & v & 15) == 0); /* B2 */
                    v = v | record_value[r]
                fi
            :: else -> heard = 0
            fi;
            k1++
        :: else -> break
        od;
        k1 = 0;
        r = 0
    }
}

/* fw_barrier_go */
inline go(n) {
    do
    :: atomic {
        if
        :: word_state[n] == RUNNING ->
            w_epoch = word_epoch[n];
            w_phase = word_phase[n];
            look(n);
            if
            :: heard
            :: else -> break
            fi
        :: else -> break
        fi
    }
        atomic {
            if
            :: word_epoch[n] == w_epoch && word_phase[n] == w_phase && word_state[n] == RUNNING ->
                word_state[n] = BUSY;
                value[VALUE(n, w_phase + 1, w_epoch)] = v
            :: else -> break
            fi
        }
        d_step {
            word_phase[n] = w_phase + 1;
            word_state[n] = (w_phase + 1 == PHASES -> DONE : RUNNING)
        }
#ifdef BROKEN_LOOK_AGAIN
        break
#endif
    od;
    atomic {
        w_epoch = 0;
        w_phase = 0;
        v = 0;
        heard = 0
    }
}

#ifdef SET
#define SEND(n)
#else
/* fw_barrier_take and fw_barrier_next, until no message is due. */
inline send(n) {
    do
    :: atomic {
        if
        :: sent_epoch[n] == word_epoch[n] && sent_next[n] < ALLOWED(n, word_phase[n])
        /* An epoch may be complete, and the next one started, before the node has sent all messages of the epoch, */
        :: sent_epoch[n] + 1 == word_epoch[n] && sent_next[n] < SENDS(n)
        :: sent_epoch[n] + 1 == word_epoch[n] && sent_next[n] >= SENDS(n) && ALLOWED(n, word_phase[n]) > 0 ->
            sent_epoch[n] = word_epoch[n];
            sent_next[n] = 0
        /* and at the root of a tree before it has sent any, because the root sends all its messages on completion. */
#ifdef BROKEN_SENDS
        :: sent_epoch[n] + 1 < word_epoch[n] && ALLOWED(n, word_phase[n]) > 0 -> sent_epoch[n] = word_epoch[n];
#else
        :: sent_epoch[n] + 1 < word_epoch[n] -> sent_epoch[n] = word_epoch[n] - 1;
#endif
            sent_next[n] = 0
        :: else -> break
        fi;
        w_epoch = sent_epoch[n];
        w_phase = sent_next[n];
        sent_next[n] = sent_next[n] + 1
    }
        d_step {
            if
            :: IS_SENT(n, w_phase) ->
                PUT(arrives[AT(n, w_phase, w_epoch)]);
                carried[AT(n, w_phase, w_epoch)] = value[VALUE(n, PHASE_OF(w_phase), w_epoch)]
            :: else
            fi;
            w_epoch = 0;
            w_phase = 0
        }
    od
}
#define SEND(n) ; send(n)
#endif

/* This CPU has finished its work at node n. Checks B3. */
inline leave(n) {
    d_step {
        executing[n]--;
        if
        :: executing[n] == 0 && word_state[n] == RUNNING ->
            w_epoch = word_epoch[n];
            w_phase = word_phase[n];
            look(n);
            assert(!heard)
        :: else
        fi;
        w_epoch = 0;
        w_phase = 0;
        v = 0;
        heard = 0
    }
}

/* fw_barrier_record and fw_barrier_go: value `v` of epoch e has come to place p of node `to`. */
inline arrived() {
    atomic {
        if
        :: record_epoch[RECORD(to, p, e)] < e ->
            record_epoch[RECORD(to, p, e)] = e;
            record_state[RECORD(to, p, e)] = WRITING
        :: else -> goto next
        fi
    }
    d_step {
        record_value[RECORD(to, p, e)] = v;
        record_state[RECORD(to, p, e)] = HEARD;
        executing[to]++;
        v = 0;
        e = 0;
        p = 0
    }
    go(to);
    leave(to)
}

#ifndef SET
/* fw_barrier_pulled */
inline pulled() {
    atomic {
        if
        :: REACHED(n, k, e)
        :: else -> goto next
        fi
    }
    d_step {
        PUT(arrives[AT(n, k, e)]);
        carried[AT(n, k, e)] = value[VALUE(n, PHASE_OF(k), e)]
    }
}
#endif

/* One step receives a packet and reads the receiver's epoch (fw_barrier_arrived). The packet may wait in the network
 * before, so the model loses no run by that. */
#ifdef BROKEN_EPOCH
#define BELIEVED(to, epoch) word_epoch[to] > 0
#define EPOCH(to, epoch) word_epoch[to] /* the receiver's, whichever epoch the packet names */
#else
#define BELIEVED(to, epoch) ((epoch) == word_epoch[to] || (epoch) == word_epoch[to] + 1)
#define EPOCH(to, epoch) epoch
#endif
#ifdef SET
/* The model does not deliver a packet that the code would drop because its record is as new: records only grow. */
#define EITHER(a, b, c)                                                                           \
    :: IS_SENT(a, b) && (word_epoch[a] > (c) || REACHED(a, b, c)) && BELIEVED(NODE(a, b), c) &&   \
        record_epoch[RECORD(NODE(a, b), PLACE(a, b), EPOCH(NODE(a, b), c))] <                     \
            EPOCH(NODE(a, b), c) ->                                                               \
        to = NODE(a, b);                                                                          \
        p = PLACE(a, b);                                                                          \
        e = EPOCH(NODE(a, b), c);                                                                 \
        v = value[VALUE(a, PHASE_OF(b), c)]
#else
#define EITHER(a, b, c)                                                                           \
    :: arrives[AT(a, b, c)] ->                                                                    \
        TAKE(arrives[AT(a, b, c)]);                                                               \
        LOSE;                                                                                     \
        if                                                                                        \
        :: BELIEVED(NODE(a, b), c)                                                                \
        :: else -> goto next                                                                      \
        fi;                                                                                       \
        to = NODE(a, b);                                                                          \
        p = PLACE(a, b);                                                                          \
        e = EPOCH(NODE(a, b), c);                                                                 \
        v = carried[AT(a, b, c)]                                                                  \
    :: pulls[AT(a, b, c)] ->                                                                      \
        TAKE(pulls[AT(a, b, c)]);                                                                 \
        LOSE;                                                                                     \
        n = a;                                                                                    \
        k = b;                                                                                    \
        e = c;                                                                                    \
        is_pull = 1
#endif
#ifdef TREE
#define OF_NODE(a, c) EITHER(a, 0, c) EITHER(a, 1, c) EITHER(a, 2, c)
#else
#define OF_NODE(a, c) EITHER(a, 0, c) EITHER(a, 1, c)
#endif
#if N == 4
#define OF_EPOCH(c) OF_NODE(0, c) OF_NODE(1, c) OF_NODE(2, c) OF_NODE(3, c)
#else
#define OF_EPOCH(c) OF_NODE(0, c) OF_NODE(1, c) OF_NODE(2, c)
#endif

/* A CPU of any NIC: fw_barrier_input. */
active [CPUS] proctype cpu() {
    byte n, k, e, to, p, v, w_epoch, w_phase, k1, r;
    bit is_pull, heard;
end:
    atomic {
        if
        OF_EPOCH(1)
#if EPOCHS > 1
        OF_EPOCH(2)
#endif
#if EPOCHS > 2
        OF_EPOCH(3)
#endif
        fi;
#ifndef COARSE
        skip
    }
#endif
    if
#ifndef SET
    :: is_pull -> pulled()
#endif
    :: else ->
        arrived()
        SEND(to)
    fi;
#ifdef COARSE
        skip
    }
#endif
next:
    atomic { /* the CPU forgets the packet and its contents */
        n = 0;
        k = 0;
        e = 0;
        to = 0;
        p = 0;
        v = 0;
        is_pull = 0;
        goto end
    }
}

#if defined(SET) || defined(NO_PULL)
#define ASK(c)
#else
/* Asks for the message of place c, if this node is in that place's phase. */
#define ASK(c)                                                                                                  \
    :: atomic {                                                                                                 \
        word_state[me] == RUNNING && HEAR_FROM(me, word_phase[me]) <= c && c < HEAR_TO(me, word_phase[me]) &&   \
            record_epoch[RECORD(me, c, e)] != e && arrives[AT(FROM(me, c), FROM_ENTRY(me, c), e)] == 0 &&       \
            pulls[AT(FROM(me, c), FROM_ENTRY(me, c), e)] == 0 &&                                                \
            (REACHED(FROM(me, c), FROM_ENTRY(me, c), e) || early > 0) ->                                        \
        if                                                                                                      \
        :: REACHED(FROM(me, c), FROM_ENTRY(me, c), e)                                                           \
        :: else -> early--                                                                                      \
        fi;                                                                                                     \
        PUT(pulls[AT(FROM(me, c), FROM_ENTRY(me, c), e)])                                                       \
    }
#endif

/* The process of a node that comes last: it starts the node's epoch, and waits. */
proctype host(byte me) {
    byte e = 1, v, w_epoch, w_phase, k1, r;
    bit heard;
    do
    :: e <= EPOCHS ->
        ONE_STEP {
        d_step { /* no CPU reads the value before the word allows it */
            value[VALUE(me, 0, e)] = e << 4 | 1 << me;
            entered[me] = e;
            word_epoch[me] = e;
            word_phase[me] = 0;
            word_state[me] = RUNNING;
            executing[me]++
        }
        go(me);
        leave(me)
        SEND(me)
        }
        do
        :: word_epoch[me] == e && word_state[me] == DONE ->
            d_step {
                k1 = 0;
                do
                :: k1 < N -> assert(entered[k1] >= e); k1++ /* B1 */
                :: else -> break
                od;
                k1 = 0;
                assert(value[VALUE(me, PHASES, e)] == (e << 4 | ALL)) /* B2 */
            }
            break
        ASK(0)
        ASK(1)
        ASK(2)
        od;
        e++
    :: else -> break
    od;
    finished++
}

init {
    byte k;
    atomic {
        do
        :: k < N ->
            sent_next[k] = SENDS(k); /* of epoch 0: no node ran it, and its messages must not be due */
            run host(k);
            k++
        :: else -> break
        od
    }
}

#ifdef LIVENESS
ltl every_epoch_completes { <>(finished == N) }
#endif
