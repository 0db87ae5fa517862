// SPDX-License-Identifier: BSD-3-Clause
/*
 * The queueing lock (MCS) with remote operations. The lock's home has the word `tail`, and each PE has one word of two
 * halves, `next` and `state`.
 *
 * Claims
 *   K1  at most one PE holds the lock;
 *   K2  PEs get the lock in the order of their swaps of `tail`, except those that have given up;
 *   K3  no PE is granted the lock twice, or without waiting for it, or after giving up;
 *   K4  in the end the tail is empty, no put is under way, and no word is in the queue;
 *   L   a PE that does not give up gets the lock (LIVENESS): with ROUNDS, every run comes to its end, whatever the order
 *       of steps; with FOREVER, PE 0 gets it whenever it asks, as long as no PE stops (weak fairness).
 *
 * Each of N PEs acquires the lock ROUNDS times, or FOREVER. The TIMED PEs with the highest ranks may give up at any moment
 * of their wait. It does not matter whether the home of `tail` is also a PE of the lock.
 *
 * A remote swap, compare&swap or get blocks its caller, so it is one step: a delay before or after its execution is the
 * same as a slow caller. A put does not block: the target executes it once, at any later time, in any order with other
 * puts (slots.pml shows "once"). A PE that polls a word until it changes simply waits in the model.
 *
 * Bounds: the number of PEs, of rounds, of waiters that may give up. Left out: death of a PE.
 */
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef TIMED
#define TIMED 0
#endif

#define NO_PE 0 /* PEs are 1 to N in `tail` and `next` */

#define FREE 0
#define WAITING 1
#define GRANTED 2
#define ABANDONED 3

byte tail;
byte next[N + 1];
bit next_timed[N + 1];
byte state[N + 1];

/* Puts that are under way. Assertions check that there is at most one to each half. */
byte put_next[N + 1];
bit put_next_timed[N + 1];
byte put_state[N + 1]; /* FREE + 1, GRANTED + 1; 0: none */

/* Not part of the protocol: only the claims use these variables. */
byte holders;
byte finished;
bit wants;
bit holds;
byte line[N]; /* the PEs in the order of their swaps, without those that have given up */
byte waiting;

inline join_line() {
    line[waiting] = me;
    waiting++
}

inline leave_line() {
    k = 0;
    do
    :: line[k] != me -> k++
    :: else -> break
    od;
    waiting--;
    do
    :: k < waiting -> line[k] = line[k + 1]; k++
    :: else -> break
    od;
    line[waiting] = 0;
    k = 0
}

/* Executes the puts, each at any time. */
active proctype network() {
    byte k;
end:
    do
#define DELIVER(k)                                        \
    :: d_step {                                           \
        put_next[k] ->                                    \
        assert(next[k] == NO_PE);                         \
        next[k] = put_next[k];                            \
        next_timed[k] = put_next_timed[k];                \
        put_next[k] = 0;                                  \
        put_next_timed[k] = 0                             \
    }                                                     \
    :: d_step {                                           \
        put_state[k] ->                                   \
        if                                                \
        :: put_state[k] == GRANTED + 1 ->                 \
            assert(state[k] == WAITING) /* K3 */          \
        :: else -> assert(state[k] == ABANDONED)          \
        fi;                                               \
        state[k] = put_state[k] - 1;                      \
        put_state[k] = 0                                  \
    }
    DELIVER(1)
    DELIVER(2)
    DELIVER(3)
#if N > 3
    DELIVER(4)
#endif
    od
}

/* Goes on at `got_it` or at `gave_up`. */
inline acquire() {
#ifndef BROKEN_REUSE
    state[me] == FREE; /* an abandoned word may be used again after the queue has passed it */
#endif
    d_step { /* one store, because no other PE knows this word now */
        next[me] = NO_PE;
        next_timed[me] = 0;
        state[me] = WAITING
    }
    d_step { /* remote swap */
        before = tail;
        tail = me;
        join_line()
    }
    if
    :: before == NO_PE -> goto got_it
    :: else
    fi;
    d_step { /* put */
        assert(put_next[before] == 0);
        put_next[before] = me;
        put_next_timed[before] = timed;
        before = 0
    }
    if
    :: state[me] == GRANTED -> goto got_it
#if TIMED > 0
    :: atomic { /* a compare&swap of the PE's own word, which fails if the lock has been granted in the meantime */
        timed && state[me] == WAITING ->
        state[me] = ABANDONED;
        d_step { leave_line() }
    }
        goto gave_up
#endif
    fi
}

/* `place` is the PE whose word is at the head of the queue: first this PE, then each PE that has given up. */
inline release() {
    place = me;
    do
    :: true ->
        if
        :: next[place] == NO_PE -> /* a load, or a remote get */
            atomic { /* remote compare&swap */
                if
                :: tail == place ->
                    tail = NO_PE;
                    if
                    :: place != me -> after = NO_PE; goto passed
                    :: else -> break
                    fi
                :: else
                fi
            }
#ifdef BROKEN_RACE
            break
#else
            next[place] != NO_PE /* another PE has swapped the tail; its put will come */
#endif
        :: next[place] != NO_PE
        fi;
        atomic { /* both are in one word */
            after = next[place];
            after_timed = next_timed[place]
        }
passed:
        if
        :: place != me -> /* a put, which gives the word back to its owner */
            atomic {
                assert(put_state[place] == 0);
                put_state[place] = FREE + 1
            }
        :: else
        fi;
        if
        :: after == NO_PE -> break
        :: after != NO_PE && !after_timed -> /* put */
            d_step {
                assert(put_state[after] == 0);
                put_state[after] = GRANTED + 1
            }
            break
        :: after != NO_PE && after_timed ->
#ifdef BROKEN_ABANDONED
            state[after] = GRANTED; /* without a look whether the PE has given up */
            break
#else
            atomic { /* remote compare&swap */
                if
                :: state[after] == WAITING -> state[after] = GRANTED; break
                :: else -> assert(state[after] == ABANDONED)
                fi
            }
            place = after
#endif
        fi
    od;
    atomic {
        place = 0;
        after = 0;
        after_timed = 0
    }
}

proctype pe(byte me) {
    byte round, before, place, after, k;
    bit timed, after_timed;
    timed = me > N - TIMED;
    do
#ifdef FOREVER
    :: true ->
#else
    :: round < ROUNDS -> round++;
#endif
        d_step {
            wants = wants || me == 1
        }
        acquire();
got_it:
        atomic {
            before = 0;
            holders++;
            assert(holders == 1);       /* K1 */
            assert(line[0] == me);      /* K2 */
            if
            :: me == 1 -> wants = 0; holds = 1
            :: else
            fi
        }
        d_step { /* leaves `line`; the word stays in the queue until the release */
            holders--;
            leave_line();
            if
            :: me == 1 -> holds = 0
            :: else
            fi
        }
        release();
        state[me] = FREE;
gave_up:
        skip
#ifndef FOREVER
    :: else -> break
#endif
    od;
    state[me] == FREE; /* the memory may be freed only after the queue has passed the word */
    d_step {
        finished++;
        if
        :: finished == N ->
            assert(tail == NO_PE && waiting == 0); /* K4 */
            k = 1;
            do
            :: k <= N -> assert(state[k] == FREE && put_next[k] == 0 && put_state[k] == 0); k++
            :: else -> break
            od
        :: else
        fi
    }
}

init {
    byte k = 1;
    atomic {
        do
        :: k <= N -> run pe(k); k++
        :: else -> break
        od
    }
}

#ifdef LIVENESS
#ifdef FOREVER
ltl who_wants_it_gets_it { [] (wants -> <> holds) }
#else
ltl every_pe_gets_it { <> (finished == N) }
#endif
#endif
