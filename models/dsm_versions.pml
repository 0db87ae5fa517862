// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distributed shared memory, the ardmar and async protocols (src/dsm/handler, and Pages in src/dsm/core): a handler in
 * each process, and versions.
 *
 *   release  HandledSynchroniser::release(). If copies have changes, they go to the homes' handlers, and the process
 *            does not wait (HandledPages::send_diff, finish_diffs): its interval ends, which gets the next number, and
 *            the notices of these pages have that number. A copy without changes has no notice. Pages at their homes
 *            that the program may have written have nothing to send; they make an interval of their own (publish).
 *   version  The home keeps for each page the latest interval of each other writer whose diff is applied: the handler
 *            stores the bytes first, into the page that the program at the home sees, and then the version
 *            (PageServer::apply). Its own writes are there at once and have no version.
 *   acquire  Each process has a vector: the latest interval of each process whose notices it has. An acquirer takes
 *            in the notices that are new to it (HandledSynchroniser::take_in). For pages at their homes here it waits
 *            until the versions of these notices are there (HandledPages::await_changes). It invalidates copies. If
 *            such a copy is changed, an interval of its own ends before, with those pages alone.
 *   fetch    needs a page whose versions include all notices that the process has, its own ones too: its own diff may
 *            be under way. ardmar gets the versions, and when they fit, the page; if not, the versions again
 *            (ArdmarPages::fetch). async (ASYNC) sends the needed versions to the home's handler, which answers when
 *            it has them (AsyncPages::fetch, PageServer::serve).
 *   touch    A process that learns by its first access that it is a page's home waits likewise (Pages::bring).
 *   lock     The owner has the lock until another process asks for it. A request goes to the manager's handler, which
 *            forwards it to the last process that has asked; the handler there grants it, with the notices that its
 *            process has, once the lock is there and is not held (LockServer).
 *   barrier  A release; all notices of all processes are exchanged (BarrierServer).
 *
 * Claims
 *   V1  a program without data races reads of every byte the value of the last write that happens before the read,
 *       and writers of different bytes of a page lose nothing, as D1 and D2 of dsm_nic.pml;
 *   V2  a page's version of a writer never goes back;
 *   V3  a process has at most one successor in the queue of a lock, and grants only what it has and does not hold;
 *   L   no process waits for ever: every run comes to its end. So a fetch, and a home, wait only for versions that
 *       come.
 *
 * Steps. The diffs of a writer arrive at a page's handler in their order, those of different pages in any; requests,
 * forwarded ones and grants at any time. A handler here is one page's, and locks have another: a real one does less
 * at a time. It applies a diff byte by byte. Versions only grow, so a process that gets all of them again until each
 * fits goes on as one that waits until all fit. Then it reads the two bytes in any order, each in a step.
 *
 * Bounds: N processes, PAGES, LOCKS, WRITES and SECTIONS of all processes together, BARRIERS of each.
 * Omissions: several threads of a process (dsm_nic.pml has them); flags and conditions; trials of locks; notices that a
 * store throws away; forwarding by the default home, which only delays here (dsm_home.pml); the barrier's own messages;
 * weak memory; processes that die, for the job ends with them.
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

#define INTERVALS (WRITES + BARRIERS) /* of each process, at most */
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

/* Under way from a writer to a page's home: interval, and of each byte value + 1, or 0 if it is not in the diff. */
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
        :: d_step {
            one ->
            slot[AT(home[p] - 1, 2 * p)] = one - 1;
            one = 0;
            check_home(home[p] - 1, 2 * p)
        }
        :: !one
        fi;
        if
        :: d_step {
            two ->
            slot[AT(home[p] - 1, 2 * p + 1)] = two - 1;
            two = 0;
            check_home(home[p] - 1, 2 * p + 1)
        }
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

#define IN_DIFF(b) (IS_CHANGED(b) -> view[AT(me, b)] + 1 : 0)
#define HAS_CHANGES(p) (IS_CHANGED(2 * (p)) || IS_CHANGED(2 * (p) + 1))

/* Pages::flush_copies() of `pages`, of which those of `keep` stay writable if they have changes; `sent` gets those that
   have any. */
inline send_changes(pages, keep) {
    d_step {
        ending = (pages);
        do
        :: k < PAGES ->
            if
            :: ((pages) & BIT(k)) && HAS_CHANGES(k) ->
                diffs[me * PAGES + k] ! VECTOR(me, me) + 1, IN_DIFF(2 * k), IN_DIFF(2 * k + 1);
                slot[AT(me, 2 * k)] = view[AT(me, 2 * k)];
                slot[AT(me, 2 * k + 1)] = view[AT(me, 2 * k + 1)];
                sent = sent | BIT(k);
                ending = ending & ~((keep) & BIT(k))
#ifdef BROKEN_SAME
            :: ((pages) & BIT(k)) && !HAS_CHANGES(k) -> sent = sent | BIT(k)
#endif
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0;
        changed[me] = changed[me] & ~ending
    }
    drop_twins(ending);
    ending = 0
}

/* HandledPages::end_interval(). */
inline end_interval(pages) {
    d_step {
        if
        :: (pages) ->
            VECTOR(me, me)++;
            NOTICES(me, VECTOR(me, me)) = (pages)
        :: else
        fi
    }
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

/* Needs: for each writer but the home the latest of its intervals of which there is a notice of p here. */
inline find_need() {
    d_step {
        do
        :: k < N ->
            q = VECTOR(me, k);
            do
            :: q > 0 && !(NOTICES(k, q) & BIT(p)) -> q--
            :: else -> break
            od;
            NEED(me, k) = (home[p] == k + 1 -> 0 : q);
            k++
        :: else -> break
        od;
#ifdef BROKEN_OWN
        NEED(me, me) = 0;
#endif
#ifdef BROKEN_INTERVAL
        NEED(me, me) = ((early & BIT(p)) && !IS_HOME(p) -> VECTOR(me, me) + 1 : NEED(me, me));
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

/* HandledSynchroniser::take_in(): invalid := the pages of the notices that are new here. */
inline take_in() {
    d_step {
        do
        :: k < N ->
            q = VECTOR(me, k);
            do
            :: q < COMES_WITH(k) -> q++; invalid = invalid | NOTICES(k, q)
            :: else -> break
            od;
            VECTOR(me, k) = q;
            k++
        :: else -> break
        od;
        k = 0;
        q = 0
    }
}

/* Pages::invalidate(), behind await_changes(). */
inline invalidate() {
    invalid = invalid & valid[me] & ~HOMES;
    send_changes(changed[me] & invalid, 0);
#ifdef BROKEN_INTERVAL
    early = early | sent;
#else
    end_interval(sent);
#endif
    sent = 0;
    forget_copies(invalid);
    invalid = 0
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

#ifdef BROKEN_AWAIT
#define ARE_HERE(p) 1
#else
#define ARE_HERE(p) FITS(p, me)
#endif

proctype process(byte me) {
    byte barriers = BARRIERS, b = NO_BYTE, p, q, k, source, stay, sent, ending, own, invalid;
    bit more;
#ifdef BROKEN_INTERVAL
    byte early; /* pages that have been flushed with the number of the interval that is still open */
#endif
again:
    do
    :: atomic { /* an access */
            choose_access();
            if
            :: (valid[me] & BIT(p)) -> finish_access(); goto again
            :: else -> find_home(); find_need()
            fi;
            if
            :: IS_HOME(p) ->
#ifndef BROKEN_ADOPT
                FITS(p, me);
#endif
                forget_need();
                now_valid();
                goto again
            :: else
            fi;
#ifdef ASYNC
            fetching[me] = p + 1;
            goto sent_request
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
sent_request:
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
            take_in();
            do
            :: p < PAGES && (invalid & valid[me] & HOMES & BIT(p)) -> /* await_changes() */
                find_need();
                ARE_HERE(p);
                forget_need();
                p++
            :: p < PAGES && !(invalid & valid[me] & HOMES & BIT(p)) -> p++
            :: p == PAGES -> break
            od;
            p = 0;
            invalidate();
            if
            :: source == BARRIER -> learn(OF_BARRIER(barriers))
            :: else ->
                learn(OF_LOCK(source));
                d_step { GRANT(me, 0) = 0; GRANT(me, 1) = 0; GRANT(me, N - 1) = 0 }
            fi;
            source = 0
        }
    :: atomic { /* unlock or barrier */
            if
            :: held[me] -> source = (held[me] & 2 -> 1 : 0)
            :: barriers > 0 && !held[me] -> source = BARRIER
            fi;
            own = changed[me] & HOMES;
            keep_some();
            send_changes(changed[me] & ~own, stay);
#ifdef BROKEN_INTERVAL
            sent = sent | early;
            early = 0;
#endif
            end_interval(sent);
            sent = 0;
            changed[me] = changed[me] & ~(own & ~stay);
            end_interval(own);
            own = 0;
            stay = 0;
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
