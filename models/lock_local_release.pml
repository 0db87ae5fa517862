// SPDX-License-Identifier: BSD-3-Clause
/*
 * The queueing lock whose release needs no remote compare&swap. Each PE has two words, which its acquires use in turn.
 *
 *   acquire   word := nothing; before = swap(tail, word); old = swap(before, me). If `old` is RELEASED, the PE has the
 *             lock. Else it waits for a put of the owner of `before`, which will find the PE's number there.
 *   release   A LOCAL swap(word, RELEASED). If it returns a PE, one put of GRANTED to that PE.
 *
 * `tail` names the word of the PE that came last; at first it names a word that no PE owns and that is RELEASED.
 *
 * Claims
 *   K1  at most one PE holds the lock;
 *   K2  PEs get the lock in the order of their swaps of `tail`;
 *   K3  no PE is granted the lock twice or without waiting for it;
 *   K5  a PE uses a word again only when no PE can touch it any more for its earlier use;
 *   L   every PE gets the lock (LIVENESS): with ROUNDS, every run comes to its end, whatever the order of steps; with
 *       FOREVER, PE 0 gets it whenever it asks, as long as no PE stops (weak fairness).
 *
 * Steps, bounds and omissions are those of lock.pml; no PE gives up here.
 */
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 3 /* each word is used again */
#endif
#ifdef BROKEN_ONE_WORD
#define WORD(pe, turn) (2 * (pe))
#else
#define WORD(pe, turn) (2 * (pe) + (turn))
#endif

/* A word has the number of a PE (1 to N), or one of these values. */
#define NOTHING 0
#define RELEASED 255
#define FIRST 0 /* the word that no PE owns; those of PE p are 2p and 2p + 1 */

byte tail = FIRST;
byte word[2 * N + 2];
bit granted[N + 1];
byte grants[N + 1]; /* puts of GRANTED that are under way */

/* Not part of the protocol: only the claims use these variables. */
byte holders;
byte finished;
bit wants;
bit holds;
byte line[N];
byte waiting;
bit touched[2 * N + 2]; /* a PE has got the word's name from `tail`, and will swap the word */

active proctype network() {
end:
    do
#define DELIVER(k)                           \
    :: d_step {                              \
        grants[k] ->                         \
        assert(grants[k] == 1 && !granted[k]); /* K3 */ \
        grants[k] = 0;                       \
        granted[k] = 1                       \
    }
    DELIVER(1)
    DELIVER(2)
    DELIVER(3)
#if N > 3
    DELIVER(4)
#endif
    od
}

proctype pe(byte me) {
    byte round, before, old, k;
    bit turn;
    do
#ifdef FOREVER
    :: true ->
#else
    :: round < ROUNDS -> round++;
#endif
        d_step { /* local stores, because no other PE knows the word now */
            assert(!touched[WORD(me, turn)]); /* K5 */
            word[WORD(me, turn)] = NOTHING;
            granted[me] = 0;
            wants = wants || me == 1
        }
        d_step { /* remote swap */
            before = tail;
            assert(!touched[before]);
            touched[before] = 1;
            tail = WORD(me, turn);
            line[waiting] = me;
            waiting++
        }
        d_step { /* remote swap */
            old = word[before];
            word[before] = me;
            touched[before] = 0;
            assert(old == NOTHING || old == RELEASED);
            before = 0
        }
        if
        :: old == RELEASED
        :: old != RELEASED && granted[me] -> granted[me] = 0
        fi;
        d_step {
            old = 0;
            holders++;
            assert(holders == 1);  /* K1 */
            assert(line[0] == me); /* K2 */
            if
            :: me == 1 -> wants = 0; holds = 1
            :: else
            fi
        }
        d_step {
            holders--;
            waiting--;
            k = 0;
            do
            :: k < waiting -> line[k] = line[k + 1]; k++
            :: else -> break
            od;
            line[waiting] = 0;
            k = 0;
            if
            :: me == 1 -> holds = 0
            :: else
            fi
        }
#ifdef BROKEN_RELEASE
        old = word[WORD(me, turn)]; /* a load and a store instead of a swap */
        word[WORD(me, turn)] = RELEASED;
#else
        d_step { /* local swap */
            old = word[WORD(me, turn)];
            word[WORD(me, turn)] = RELEASED
        }
#endif
        atomic {
            if
            :: old != NOTHING -> grants[old]++ /* put */
            :: else
            fi;
            old = 0;
            turn = 1 - turn
        }
#ifndef FOREVER
    :: else -> break
#endif
    od;
    finished++
}

init {
    byte k = 1;
    atomic {
        word[FIRST] = RELEASED;
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
