// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distributed shared memory, the ardmar and async protocols (src/dsm): a handler in each process, and versions.
 *
 *   release  If pages are dirty, the process's interval ends: it gets the next number, and a notice of each of these
 *            pages has that number. The process sends the diffs to the homes' handlers and does not wait. (It stores
 *            its own into the slots that it is the home of.) A page may be dirty without having been changed: its
 *            diff goes all the same, for the notice promises its version.
 *   version  The home keeps for each page the latest interval of each writer whose diff is applied: the handler
 *            stores the bytes first and then the version.
 *   notices  Each process has a vector: the latest interval of each process whose notices it has. An acquirer takes
 *            in the notices that are new to it, and invalidates their pages. If such a page is dirty, an interval of
 *            its own ends before, with those pages alone.
 *   fetch    needs a page whose versions include all notices that the process has, its own ones too: its own diff may
 *            be under way. ardmar gets the versions, and when they fit, the page; if not, the versions again. async
 *            (ASYNC) sends the needed versions to the home's handler, which answers when it has them.
 *   lock     The owner has the lock until another process asks for it. A request goes to the manager's handler, which
 *            forwards it to the last process that has asked; the handler there grants it, with the notices that its
 *            process has, once the lock is there and is not held.
 *   barrier  A release; all notices of all processes are exchanged.
 *
 * Claims
 *   V1  a program without data races reads of every byte the value of the last write that happens before the read,
 *       and writers of different bytes of a page lose nothing, as D1 and D2 of dsm_nic.pml;
 *   V2  a page's version of a writer never goes back;
 *   V3  a process has at most one successor in the queue of a lock, and grants only what it has and does not hold;
 *   L   no process waits for ever: every run comes to its end. So a fetch waits only for versions that come.
 *
 * Steps. The diffs of a writer arrive at a page's handler in their order, those of different pages in any; requests,
 * forwarded ones and grants at any time. A handler here is one page's, and locks have another: a real one does less
 * at a time. It applies a diff byte by byte. Versions only grow, so a process that gets all of them again until each
 * fits goes on as one that waits until all fit. Then it reads the two bytes in any order, each in a step, as the home
 * does itself.
 *
 * Bounds: N processes, PAGES, LOCKS, WRITES and SECTIONS of all processes together, BARRIERS of each.
 * Omissions: several threads of a process (dsm_nic.pml has one that fetches); flags and conditions; forwarding by the
 * default home, which only delays here (dsm_home.pml); the barrier's own messages; weak memory; processes that die, for
 * the job ends with them.
 */
#ifndef N
#define N 2
#endif
#ifndef PAGES
#define PAGES 1 /* 2 at most */
#endif
#ifndef LOCKS
#define LOCKS 1 /* 2 at most */
#endif
#ifndef WRITES
#define WRITES 3
#endif
#ifndef SECTIONS
#define SECTIONS 3
#endif
#ifndef BARRIERS
#define BARRIERS 1
#endif

#include "dsm_memory.pml"

#define INTERVALS WRITES /* of each process, at most */
#define NOTICES(writer, interval) notices[(writer) * INTERVALS + (interval) - 1]
#define VERSION(p, writer) version[(p) * N + (writer)]
#define VECTOR(process, writer) vector[(process) * N + (writer)]
#define NEED(process, writer) need[(process) * N + (writer)]
#define GRANT(process, writer) grant[(process) * N + (writer)]
#define JOINED(barrier, writer) joined[(barrier) * N + (writer)]
#define NEXT(lock, process) next[(lock) * N + (process)]
#define FORWARDED(lock, process) forwarded[(lock) * N + (process)]
#define MANAGER(lock) (N - 1 - (lock))

byte version[PAGES * N];     /* at the page's home */
byte vector[N * N];
byte notices[N * INTERVALS]; /* the pages; those beyond a process's vector it has not got */
byte need[N * N];            /* versions, while the process fetches a page */
byte fetching[N];            /* async, a request at the page's home: page + 1 */

/* Under way from a writer to the home of a page: interval, and of each byte value + 1, or 0 if it is not in the diff. */
chan diffs[N * PAGES] = [INTERVALS] of { byte, byte, byte };

byte owner[LOCKS + 1]; /* process + 1, or 0: the lock is under way */
byte held[N];          /* sets of locks */
byte last[LOCKS + 1];  /* at the manager: the last process that has asked */
byte next[(LOCKS + 1) * N];      /* process + 1: gets the lock from this one */
byte asked[LOCKS + 1];           /* requests on their way to the manager */
byte forwarded[(LOCKS + 1) * N]; /* and from it to a process: process + 1 */
byte granted[N];                 /* lock + 1 */
byte grant[N * N];               /* and the granter's vector */
byte arrived[BARRIERS + 1];
byte joined[(BARRIERS + 1) * N]; /* the vectors of all that have arrived */

#define FITS(p, process)                                \
    (VERSION(p, 0) >= NEED(process, 0) &&               \
     VERSION(p, 1) >= NEED(process, 1) &&               \
     VERSION(p, N - 1) >= NEED(process, N - 1))

/* Within a d_step. */
inline give(lock, from, to) {
    assert(owner[lock] == (from) + 1 && !(held[from] & BIT(lock))); /* V3 */
    owner[lock] = 0;
    granted[to] = (lock) + 1;
    k = 0;
    do
    :: k < N ->
        if
#ifdef BROKEN_GRANT
        :: k != (from) -> skip
#endif
        :: else -> GRANT(to, k) = VECTOR(from, k)
        fi;
        k++
    :: else -> break
    od;
    k = 0
}

#if N > 2
#define IF_THREE(option) option
#else
#define IF_THREE(option)
#endif
#if LOCKS > 1
#define IF_TWO_LOCKS(option) option
#else
#define IF_TWO_LOCKS(option)
#endif

/* The handlers' part in locks. */
proctype locks() {
    byte k, l, process;
end:
    do
    :: atomic { /* at the manager */
            if
#define ASKED(lock, which) :: asked[lock] & BIT(which) -> l = lock; process = which
            ASKED(0, 0)
            ASKED(0, 1)
            IF_THREE(ASKED(0, 2))
            IF_TWO_LOCKS(ASKED(1, 0))
            IF_TWO_LOCKS(ASKED(1, 1))
            IF_TWO_LOCKS(IF_THREE(ASKED(1, 2)))
            fi;
            d_step {
                asked[l] = asked[l] & ~BIT(process);
                assert(last[l] != process && FORWARDED(l, last[l]) == 0); /* V3 */
                FORWARDED(l, last[l]) = process + 1;
                last[l] = process;
                l = 0;
                process = 0
            }
        }
    :: atomic { /* at the last process that has asked before */
            if
#define COMES(lock, which) :: FORWARDED(lock, which) -> l = lock; process = which
            COMES(0, 0)
            COMES(0, 1)
            IF_THREE(COMES(0, 2))
            IF_TWO_LOCKS(COMES(1, 0))
            IF_TWO_LOCKS(COMES(1, 1))
            IF_TWO_LOCKS(IF_THREE(COMES(1, 2)))
            fi;
            d_step {
                if
                :: owner[l] == process + 1 && !(held[process] & BIT(l)) ->
                    give(l, process, FORWARDED(l, process) - 1)
                :: else ->
                    assert(NEXT(l, process) == 0); /* V3 */
                    NEXT(l, process) = FORWARDED(l, process)
                fi;
                FORWARDED(l, process) = 0;
                l = 0;
                process = 0
            }
        }
    od
}

/* The handler of page p at its home. */
proctype handler(byte p) {
    byte w, interval, one, two;
end:
    do
    :: atomic {
            if
            :: diffs[p] ? interval, one, two -> w = 0
            :: diffs[PAGES + p] ? interval, one, two -> w = 1
#if N > 2
            :: diffs[2 * PAGES + p] ? interval, one, two -> w = 2
#endif
            fi;
#ifdef BROKEN_APPLY
            VERSION(p, w) = interval
#endif
        }
        if
        :: d_step { one -> slot[AT(home[p] - 1, 2 * p)] = one - 1; one = 0 }
        :: !one
        fi;
        if
        :: d_step { two -> slot[AT(home[p] - 1, 2 * p + 1)] = two - 1; two = 0 }
        :: !two
        fi;
        d_step {
            assert(VERSION(p, w) <= interval); /* V2 */
            VERSION(p, w) = interval;
            interval = 0;
            w = 0
        }
#ifdef ASYNC
    :: atomic { /* of the requests that are there, one that can be answered: into the view of the process that waits */
            if
#ifdef BROKEN_REPEAT
#define ANSWERED(which) :: fetching[which] == p + 1 -> w = which
#else
#define ANSWERED(which) :: fetching[which] == p + 1 && FITS(p, which) -> w = which
#endif
            ANSWERED(0)
            ANSWERED(1)
            IF_THREE(ANSWERED(2))
            fi;
            view[AT(w, 2 * p)] = slot[AT(home[p] - 1, 2 * p)]
        }
        d_step {
            view[AT(w, 2 * p + 1)] = slot[AT(home[p] - 1, 2 * p + 1)];
            fetching[w] = 0;
            w = 0
        }
#endif
    od
}

#ifdef BROKEN_INTERVAL /* pages that have been flushed with the number of the interval that is still open */
#define EARLY early
#else
#define EARLY 0
#endif
#define IN_DIFF(b) (IS_CHANGED(b) -> view[AT(me, b)] + 1 : 0)
#ifdef BROKEN_SAME
#define IS_SENT(p) (IS_CHANGED(2 * (p)) || IS_CHANGED(2 * (p) + 1))
#else
#define IS_SENT(p) 1
#endif

/* Ends the interval of those pages of `mask` that are dirty, if any is. store_mine() follows. */
inline end_interval(mask) {
    if
    :: (dirty[me] & (mask)) || EARLY ->
        d_step {
            VECTOR(me, me)++;
            interval = VECTOR(me, me);
            NOTICES(me, interval) = (dirty[me] & (mask)) | EARLY;
            do
            :: k < PAGES ->
                if
                :: !(dirty[me] & (mask) & BIT(k)) || !IS_SENT(k)
                :: (dirty[me] & (mask) & BIT(k)) && IS_SENT(k) && !IS_HOME(k) ->
                    diffs[me * PAGES + k] ! interval, IN_DIFF(2 * k), IN_DIFF(2 * k + 1)
                :: (dirty[me] & (mask) & BIT(k)) && IS_SENT(k) && IS_HOME(k) ->
                    stored = stored | BIT(k);
                    mine = mine | (IS_CHANGED(2 * k) -> BIT(2 * k) : 0) | (IS_CHANGED(2 * k + 1) -> BIT(2 * k + 1) : 0)
                fi;
                k++
            :: else -> break
            od;
            clean(mask)
        }
    :: else
    fi
}

#ifdef BROKEN_INTERVAL
inline flush_early() {
    if
    :: dirty[me] & invalid ->
        before = early | (dirty[me] & invalid);
        early = 0;
        end_interval(invalid);
        NOTICES(me, interval) = 0;
        VECTOR(me, me)--;
        early = before;
        before = 0
    :: else
    fi
}
#endif

/* Stores the bytes `mine` into the home's own slots, in any order, and then the versions of the pages `stored`. */
inline store_mine() {
    do
#define STORE(b) :: d_step { mine & BIT(b) -> slot[AT(me, b)] = view[AT(me, b)]; mine = mine & ~BIT(b) }
    STORE(0)
    STORE(1)
#if PAGES > 1
    STORE(2)
    STORE(3)
#endif
    :: d_step {
            !mine ->
            do
            :: k < PAGES ->
                if
                :: stored & BIT(k) -> VERSION(k, me) = interval
                :: else
                fi;
                k++
            :: else -> break
            od;
            k = 0;
            stored = 0
        }
        break
    od
}

/* The lock `source`. */
inline unlock() {
    d_step {
        held[me] = held[me] & ~BIT(source);
        knows[OF_LOCK(source)] = knows[me];
        if
#ifndef BROKEN_NEXT
        :: NEXT(source, me) ->
            give(source, me, NEXT(source, me) - 1);
            NEXT(source, me) = 0
#endif
        :: else
        fi;
        source = 0
    }
}

/* For each writer the latest of its intervals of which there is a notice of p here. */
inline find_need() {
    d_step {
        do
        :: k < N ->
            q = VECTOR(me, k);
            do
            :: q > 0 && !(NOTICES(k, q) & BIT(p)) -> q--
            :: else -> break
            od;
            NEED(me, k) = q;
            k++
        :: else -> break
        od;
#ifdef BROKEN_OWN
        NEED(me, me) = 0;
#endif
#ifdef BROKEN_INTERVAL
        NEED(me, me) = (early & BIT(p) -> VECTOR(me, me) + 1 : NEED(me, me));
#endif
        k = 0;
        q = 0
    }
}

inline forget_need() {
    d_step { NEED(me, 0) = 0; NEED(me, 1) = 0; NEED(me, N - 1) = 0 }
}

/* The vector that comes with the lock, or that all have brought to the barrier. */
#define COMES_WITH(w) (source == BARRIER -> JOINED(barriers, w) : GRANT(me, w))

/* invalid := the pages of the notices that are new here. */
inline find_new() {
    d_step {
        do
        :: k < N ->
            q = VECTOR(me, k);
            do
            :: q < COMES_WITH(k) -> q++; invalid = invalid | NOTICES(k, q)
            :: else -> break
            od;
            k++
        :: else -> break
        od;
        k = 0;
        q = 0
    }
}

inline take_in() {
    invalidate(invalid);
    d_step {
        invalid = 0;
        do
        :: k < N ->
            VECTOR(me, k) = (VECTOR(me, k) < COMES_WITH(k) -> COMES_WITH(k) : VECTOR(me, k));
            k++
        :: else -> break
        od;
        k = 0
    }
}

inline join() {
    d_step {
        arrived[barriers]++;
        do
        :: k < N ->
            JOINED(barriers, k) = (JOINED(barriers, k) < VECTOR(me, k) -> VECTOR(me, k) : JOINED(barriers, k));
            k++
        :: else -> break
        od;
        k = 0
    }
    knows[OF_BARRIER(barriers)] = knows[OF_BARRIER(barriers)] | knows[me]
}

proctype process(byte me) {
    byte barriers = BARRIERS, b = NO_BYTE, p, q, k, source, interval, mine, stored, invalid;
    bit more;
#ifdef BROKEN_INTERVAL
    byte early, before;
#endif
again:
    do
    :: atomic { /* an access */
            choose_access();
            if
            :: (valid[me] & BIT(p)) -> write(); goto again
            :: else -> find_home(); find_need()
            fi;
#ifdef ASYNC
            if
            :: !IS_HOME(p) -> fetching[me] = p + 1; goto sent
            :: else
            fi
#endif
        }
        atomic {
#if !defined(BROKEN_ORDER) && (!defined(BROKEN_REPEAT) || defined(ASYNC))
            FITS(p, me);
#endif
            copy_one_byte()
        }
        atomic {
            copy_other_byte();
#ifdef BROKEN_ORDER
            FITS(p, me);
#endif
            forget_need();
            now_valid();
            goto again
        }
sent:
        atomic { fetching[me] == 0 -> forget_need(); now_valid() }
    :: atomic { /* lock */
            if
            :: sections > 0 && !held[me] -> source = 0
#if LOCKS > 1
            :: sections > 0 && !(held[me] & 2) -> source = 1
#endif
            fi;
            sections--;
            if
            :: owner[source] == me + 1 -> /* it has been since its last release: nothing is new */
                held[me] = held[me] | BIT(source);
                learn(OF_LOCK(source));
                source = 0;
                goto again
            :: else -> asked[source] = asked[source] | BIT(me)
            fi
        }
        atomic {
            granted[me] == source + 1 ->
            granted[me] = 0;
            owner[source] = me + 1;
            held[me] = held[me] | BIT(source)
        }
acquire:
        atomic {
            find_new();
#ifdef BROKEN_INTERVAL
            flush_early();
#else
            end_interval(invalid);
#endif
            if
            :: !stored -> goto flushed
            :: else
            fi
        }
        store_mine();
flushed:
        atomic {
            take_in();
            if
            :: source == BARRIER -> learn(OF_BARRIER(barriers))
            :: else ->
                learn(OF_LOCK(source));
                d_step { GRANT(me, 0) = 0; GRANT(me, 1) = 0; GRANT(me, N - 1) = 0 }
            fi;
            interval = 0;
            source = 0
        }
    :: atomic { /* unlock or barrier */
            if
            :: held[me] -> source = (held[me] & 2 -> 1 : 0)
            :: barriers > 0 && !held[me] -> source = BARRIER
            fi;
            end_interval(ALL_PAGES);
#ifdef BROKEN_INTERVAL
            early = 0;
#endif
            if
            :: !stored -> goto released
            :: else
            fi
        }
        store_mine();
released:
        atomic {
            interval = 0;
            if
            :: source == BARRIER -> barriers--; join()
            :: else -> unlock(); goto again
            fi
        }
        atomic { arrived[barriers] == N -> goto acquire }
    :: barriers == 0 && !held[me] -> break
    od
}

init {
    byte k;
    atomic {
        set_up();
        do
        :: k < LOCKS -> owner[k] = MANAGER(k) + 1; last[k] = MANAGER(k); k++
        :: else -> break
        od;
        run locks();
        run handler(0);
#if PAGES > 1
        run handler(1);
#endif
        k = 0;
        do
        :: k < N -> run process(k); k++
        :: else -> break
        od
    }
}
