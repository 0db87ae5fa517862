// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distributed shared memory, the ardmar and async protocols (src/dsm/handler, and Pages in src/dsm/core). Each process has
 * a handler, and pages have versions.
 *
 *   release  HandledSynchroniser::release(). The process sends the changes of its copies to the homes' handlers, and does
 *            not wait for them (HandledPages::send_diff, finish_diffs). This ends an interval, which gets the process's
 *            next number; the notices of the changed pages have that number. A copy without changes has no notice. Pages
 *            at their homes that the program may have written have nothing to send; they make an interval of their own
 *            (publish).
 *   version  For each page and each other writer, the home keeps the latest interval whose diff it has applied. The
 *            handler stores first the bytes, into the page that the program at the home sees, and then the version
 *            (PageServer::apply). The home's own writes are in the page at once and have no version.
 *   acquire  Each process has a vector: for each process, the latest interval whose notices it has. An acquirer takes in
 *            the notices that are new to it (HandledSynchroniser::take_in). For the pages whose home it is, it waits until
 *            the versions of these notices have come (HandledPages::await_changes). It invalidates the other pages. If
 *            such a copy is changed, the process first ends an interval, with these pages alone.
 *   fetch    A process needs a page whose versions include all notices that it has, also its own, because its own diff
 *            may be under way. With ardmar it gets the versions until they fit, and then the page (ArdmarPages::fetch).
 *            With async (ASYNC) it sends the needed versions to the home's handler, which answers when it has them
 *            (AsyncPages::fetch, PageServer::serve).
 *   touch    A process that learns by its first access that it is a page's home waits for the versions, too
 *            (Pages::bring).
 *   lock     The owner keeps the lock until another process asks for it. A request goes to the manager's handler, which
 *            forwards it to the last process that has asked. When that process has the lock and does not hold it, its
 *            handler grants the lock, with the notices that the process has (LockServer).
 *   barrier  A release. Then all processes exchange all notices (BarrierServer).
 *
 * Claims
 *   V1  for every byte, a program without data races reads the value of the last write that happens before the read, and
 *       no write is lost when several writers write different bytes of a page, as D1 and D2 of dsm_nic.pml;
 *   V2  a page's version of a writer never decreases;
 *   V3  a process has at most one successor in the queue of a lock, and grants a lock only if it has the lock and does not
 *       hold it;
 *   L   no process waits for ever: every run comes to its end. So fetches and homes wait only for versions that come.
 *
 * Steps. The diffs of one writer for one page arrive in their order; diffs for different pages arrive in any order, and
 * requests, forwarded requests and grants at any time. The model has a handler for each page and one for locks, so it does
 * more at a time than the code's one handler. A handler applies a diff byte by byte. Versions only grow, so a process that
 * gets all of them again until each fits goes on as one that waits until all fit. Then it reads the two bytes in any order,
 * each in a step.
 *
 * Bounds: N processes, PAGES, LOCKS, WRITES and SECTIONS of all processes together, BARRIERS of each.
 * Omissions: several threads of a process (dsm_nic.pml has them); flags and conditions; attempts to take a lock without
 * waiting; stores of notices that drop old ones; forwarding by the default home, which only delays here (dsm_home.pml);
 * the barrier's own messages; weak memory; processes that die, because the job ends with them.
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

#define INTERVALS (WRITES + BARRIERS) /* of each process at most */
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
byte notices[N * INTERVALS]; /* sets of pages; a process has only the notices up to its vector */
byte need[N * N];            /* the versions that a process needs of the page that it fetches */
byte fetching[N];            /* async: a request has come to the page's home: page + 1 */

/* Diffs under way from a writer to a page's home: the interval, and for each byte its value + 1, or 0 if the diff does not
 * have the byte. */
chan diffs[N * PAGES] = [INTERVALS] of { byte, byte, byte };

byte owner[LOCKS + 1]; /* process + 1; 0: the lock is under way */
byte held[N];          /* sets of locks */
byte last[LOCKS + 1];  /* at the manager: the last process that has asked */
byte next[(LOCKS + 1) * N];      /* process + 1: the process that gets the lock from this one */
byte asked[LOCKS + 1];           /* requests on their way to the manager */
byte forwarded[(LOCKS + 1) * N]; /* process + 1: requests on their way from the manager to a process */
byte granted[N];                 /* lock + 1: a grant on its way to a process */
byte grant[N * N];               /* the granter's vector, which comes with the grant */
byte arrived[BARRIERS + 1];
byte joined[(BARRIERS + 1) * N]; /* for each process, the latest interval that an arrival has brought */

#define FITS(p, process)                                \
    (VERSION(p, 0) >= NEED(process, 0) &&               \
     VERSION(p, 1) >= NEED(process, 1) &&               \
     VERSION(p, N - 1) >= NEED(process, N - 1))

/* Grants a lock. The caller does this in a d_step. */
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
    :: atomic { /* at the process that has asked last before this one */
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
    :: atomic { /* answers one of the requests whose versions have come: writes into the requester's view */
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

/* Pages::flush_copies() for `pages`. Those of `keep` stay writable if they have changes. sent := the pages with changes. */
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

/* Releases lock `source`. */
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

/* NEED := for each writer but the home, the writer's latest interval of which this process has a notice of page p. */
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

/* The vector that comes with the lock, or that all processes have brought to the barrier. */
#define COMES_WITH(w) (source == BARRIER -> JOINED(barriers, w) : GRANT(me, w))

/* HandledSynchroniser::take_in(): invalid := the pages of the notices that are new to this process. */
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

/* Pages::invalidate(), after await_changes(). */
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
    byte early; /* pages that were flushed under the number of the interval that is still open */
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
            :: owner[source] == me + 1 -> /* owner since its last release: there are no new notices */
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
