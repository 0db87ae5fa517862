// SPDX-License-Identifier: BSD-3-Clause
/*
 * The NIC barrier: src/firmware/barrier.h, and the processes' part of it.
 *
 * Claims
 *   B1  no node leaves epoch e before all have entered it;
 *   B2  a node that leaves epoch e has the value combined from the contributions of all nodes to e, and of no other
 *       epoch. In the schedules that a sum may use (all but dissemination among a number of nodes that is not a power
 *       of two) the value has every contribution once;
 *   B3  a node at which no CPU executes is not ready to go on: no message is overlooked;
 *   L   with finitely many losses and duplicates, every epoch completes at every node (LIVENESS).
 *
 * N nodes, EPOCHS consecutive barriers. Schedules: the pairwise exchange (N = 4), which is dissemination if N is no
 * power of two (N = 3); TREE: gather-broadcast along a tree of dimension 2 (N = 4: three levels).
 *
 * The network, one of two:
 *   SET     a node can receive a message any number of times, at any time after its sender has reached the message's
 *           place in the schedule, or never. The sender's own message and its answer to a question are alike. So
 *           losses, duplicates, delays and questions are not bounded. This network is for safety.
 *   else    a bag of packets, both ARRIVE and PULL, with bounded LOSSES and DUPLICATES. A node that waits asks for a
 *           message that it has not heard, if neither question nor answer is under way and the sender has reached the
 *           message's place. (A sender that is asked earlier is silent and nothing changes, so the model leaves earlier
 *           questions out, except EARLY of them; a process that keeps asking does ask after the sender has reached the
 *           place.) So every run is finite, and L needs no assumption of fairness: it says that no run gets stuck or
 *           goes round in a circle.
 *
 * Bounds: EPOCHS (3 use both parities, and the first parity once more); all NICs together execute CPUS packets at any
 * one time, while every node's process executes, too. COARSE, for L, makes one step of everything that a packet causes.
 * B3 shows for the fine steps what COARSE assumes.
 *
 * Left out: opening and closing (a message that is refused because the barrier is not open yet is a lost one),
 * instances, BROKEN, and the gathering of a node's processes before (a counter in shared memory).
 *
 * Steps: each step has at most one access to a word on which a decision depends. Reading the records belongs to the load
 * of `word` before it: if `word` changes between them, the compare&swap fails whatever the records said. A value is
 * written with the step that makes it visible, or with the claim of the word that hides it. Where a compare&swap fails
 * and is tried again, the model has only the one that succeeds.
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
/* Record of place k, value of phase k, of node n in an epoch. */
#ifdef BROKEN_PARITY
#define RECORD(n, k, epoch) ((n) * 6 + (k) * 2)
#else
#define RECORD(n, k, epoch) ((n) * 6 + (k) * 2 + PARITY(epoch))
#endif
#define VALUE(n, k, epoch) ((n) * 6 + (k) * 2 + PARITY(epoch))

/* The schedule: src/firmware/schedule.cpp. PLACE and NODE: where entry k of n's sends goes; FROM: the node that sends to
 * place k of n. */
#define PHASES 2
#ifdef TREE
#define CHILD(n, c) (2 * (n) + 1 + (c))
#define CHILDREN(n) (CHILD(n, 1) < N -> 2 : (CHILD(n, 0) < N -> 1 : 0))
/* Entry 0: to the parent, when phase 1 is entered; entries 1 and 2: to the children, on completion. Place 2 is the
 * parent's, places 0 and 1 the children's. */
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
/* Entry, place and phase k are the same. */
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

/* Packets in the network: ARRIVE with what they carry, and PULL, named by the message that they ask for. */
byte arrives[36];
byte carried[36];
byte pulls[36];
byte losses = LOSSES;
byte duplicates = DUPLICATES;
byte early = EARLY;

/* Not of the protocol, only to say what is claimed. */
byte entered[N];
byte executing[N]; /* CPUs and processes between recording or starting, and having looked for the last time */
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

/* fw_barrier_heard: is all heard, and combined with what was there? In `v`. */
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
/* fw_barrier_take and fw_barrier_next, until none is due. */
inline send(n) {
    do
    :: atomic {
        if
        :: sent_epoch[n] == word_epoch[n] && sent_next[n] < ALLOWED(n, word_phase[n])
        /* An epoch may be complete, and the next one started, before all its messages have been taken, */
        :: sent_epoch[n] + 1 == word_epoch[n] && sent_next[n] < SENDS(n)
        :: sent_epoch[n] + 1 == word_epoch[n] && sent_next[n] >= SENDS(n) && ALLOWED(n, word_phase[n]) > 0 ->
            sent_epoch[n] = word_epoch[n];
            sent_next[n] = 0
        /* and before any has been, at the root of a tree: all that it sends goes out on completion. */
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

/* This CPU does no more at node n. B3. */
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

/* fw_barrier_record and fw_barrier_go: `v` was heard at place p of node to, of epoch e. */
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

/* The look at the receiver's epoch (fw_barrier_arrived) belongs to the receipt: a packet waits in the network as well. */
#ifdef BROKEN_EPOCH
#define BELIEVED(to, epoch) word_epoch[to] > 0
#define EPOCH(to, epoch) word_epoch[to] /* whatever it says */
#else
#define BELIEVED(to, epoch) ((epoch) == word_epoch[to] || (epoch) == word_epoch[to] + 1)
#define EPOCH(to, epoch) epoch
#endif
#ifdef SET
/* A packet that would be dropped because its record is as new stays where it is: records only grow. */
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

/* One CPU of some NIC: fw_barrier_input. */
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
    atomic { /* the CPU forgets the packet, with all that it knew of it */
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
/* Asks for place c, if that is of the phase that this node is in. */
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

/* The process of a node that comes last: it starts the node's part, and waits. */
proctype host(byte me) {
    byte e = 1, v, w_epoch, w_phase, k1, r;
    bit heard;
    do
    :: e <= EPOCHS ->
        ONE_STEP {
        d_step { /* no CPU looks at the value before the word says so */
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
            sent_next[k] = SENDS(k); /* of epoch 0, which no node ran: else its messages would be due */
            run host(k);
            k++
        :: else -> break
        od
    }
}

#ifdef LIVENESS
ltl every_epoch_completes { <>(finished == N) }
#endif
