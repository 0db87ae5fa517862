// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distributed shared memory, the nic protocol (src/dsm/onesided, and Pages and Notices in src/dsm/core). The protocol needs no
 * handler: processes do everything by gets and puts.
 *
 *   release  OneSidedSynchroniser::release(). For each changed copy, Pages::flush() puts the bytes in which the copy differs
 *            from its twin into the home's slot, and stores these bytes into the twin. The process waits until all bytes
 *            have arrived (finish_diffs). A copy loses the right to write before it is compared, unless it stays
 *            writable. A page at its home has nothing to send: it loses the right to write, or stays writable and then
 *            counts as written at the next release, too. For each of these pages, and for each copy that an acquire had
 *            to flush since the last release, Notices::publish() appends a record that names the page to the process's
 *            log. It then publishes the log's head. (A position in a log is a number of records.) Last the process
 *            stores its knowledge, which is its position in each process's log, for the lock's next holder, and hands
 *            the lock over.
 *   acquire  OneSidedSynchroniser::take_over(). The process gets the knowledge of the last holder. It gets the records of
 *            each process from its own position to the position in the knowledge, and invalidates the copies that they
 *            name (Pages::invalidate). It flushes a changed copy before. A page at its home stays valid, because it has
 *            the writes that the records announce.
 *   fetch    OneSidedPages::fetch(): a get of the home's slot.
 *   barrier  A release, the NIC barrier, and then all records up to each process's head (Notices::read_all).
 *   log      A ring. A record contains its turn round the ring. A reader that finds an unexpected turn, or is more than
 *            a ring behind, assumes that all pages have been written, and continues at the log's head.
 *   guard    Only one thread of a process at a time is in a fault, in a release (up to the copy of the knowledge), or in
 *            an acquire after the lock has come. The guard holds while that thread waits for answers of the network.
 *
 * Claims
 *   D1  for every byte, a program without data races reads the value of the last write that happens before the read
 *       (dsm_memory.pml has the program and says why one assertion covers all reads);
 *   D2  no write is lost when several writers write different bytes of a page, whether or not one of them is the home,
 *       and whether or not two of them are threads of one process. This is part of D1, which needs no order between them;
 *   D3  a reader never sees a record that is older than the one it looks for;
 *   L   no thread waits for ever: every run comes to its end.
 *
 * Steps. The bytes of a diff travel one by one, and arrive in any order. A fetch reads the two bytes in two steps, and so
 * does a comparison while another thread may write. A record is one word. An access to the knowledge is one step, because
 * only the lock's holder accesses it. The lock (see lock.pml) and the barrier (see barrier.pml) are one step each. The
 * model joins a process's steps on its own memory to the step before or after, where no other thread can see the
 * difference.
 *
 * Bounds: N processes, PAGES, LOCKS, WRITES and SECTIONS of all processes together, BARRIERS of each, rings of RING;
 * two threads in the processes of THREADS.
 * Omissions: flags and conditions, which release and acquire as locks do; the wrap-around of a turn; runs of bytes in a
 * diff and runs of pages in a record (here each is a single byte or page); weak memory; processes that die, because the
 * job ends with them.
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
#ifndef RING
#define RING 4
#endif

#include "dsm_memory.pml"

byte put[N * BYTES];   /* bytes in flight from each process: value + 1 */
byte record[N * RING]; /* the turn, from 1, and the page */
byte head[N];
byte known[N * N];   /* each process's position in each log */
byte unpublished[N]; /* Pages::written_: pages that are flushed and have no record yet */
bit taken[LOCKS + 1];
byte knowledge[(LOCKS + 1) * N];
byte arrived[BARRIERS + 1];
#define KNOWN(j) known[me * N + (j)]
#define RECORD(position, page) (((position) / RING + 1) * PAGES + (page))
#define TURN(record) ((record) / PAGES)

#if defined(THREADS) && BARRIERS > 0
#define WRITERS /* a process without a second thread publishes nothing while it is in a barrier */
byte writers[BARRIERS + 1]; /* the NIC barrier's result: processes that may have published since the last one */
byte published[N];          /* each process's own head when it came to its last barrier */
byte came[N * N];           /* each process's knowledge at that time */
byte heard[N];              /* processes of which a lock has brought later notices */
#define FROM_BARRIER(j) (writers[barriers] & BIT(j) -> head[j] : 0)
#define HEAR hear()
#define COME come()
#else
#define FROM_BARRIER(j) head[j]
#define HEAR skip
#define COME skip
#endif

/* The position in j's log up to which the acquirer reads records. */
#define LIMIT(j) (source == BARRIER -> FROM_BARRIER(j) : knowledge[source * N + (j)])

#define NO_PUTS                                  \
    (put[AT(me, 0)] == 0 && put[AT(me, 1)] == 0 && \
     put[AT(me, BYTES - 2)] == 0 && put[AT(me, BYTES - 1)] == 0)

#ifdef THREADS
bit guard[N];
#define TAKE_GUARD atomic { !guard[me] -> guard[me] = 1 }
#define LEAVE_GUARD guard[me] = 0
#else
#define TAKE_GUARD skip
#define LEAVE_GUARD skip
#endif

/* Executes the puts, each at any time. */
proctype network() {
end:
    do
#define DELIVER(k)                                                       \
    :: d_step {                                                          \
        put[k] ->                                                        \
        slot[AT(home[PAGE((k) % BYTES)] - 1, (k) % BYTES)] = put[k] - 1; \
        put[k] = 0;                                                      \
        check_home(home[PAGE((k) % BYTES)] - 1, (k) % BYTES)             \
    }
    DELIVER(0)
    DELIVER(1)
    DELIVER(2)
    DELIVER(3)
#if N * BYTES > 4
    DELIVER(4)
    DELIVER(5)
#endif
#if N * BYTES > 6
    DELIVER(6)
    DELIVER(7)
#endif
#if N * BYTES > 8
    DELIVER(8)
    DELIVER(9)
    DELIVER(10)
    DELIVER(11)
#endif
    od
}

#ifdef BROKEN_PAGE
#define IS_SENT(b) 1
#else
#define IS_SENT(b) IS_CHANGED(b)
#endif

/* Pages::send_changes() for each `step`th byte, from `first` on, of the copies `mask`. sent := the copies with changes.
 */
inline send_changes(mask, first, step) {
    d_step {
        k = first;
        do
        :: k < BYTES ->
            if
            :: ((mask) & BIT(PAGE(k))) && IS_SENT(k) ->
                assert(put[AT(me, k)] == 0);
                put[AT(me, k)] = view[AT(me, k)] + 1;
#if !defined(BROKEN_OLD_TWIN) && !defined(BROKEN_TWIN)
                slot[AT(me, k)] = view[AT(me, k)];
#endif
                sent = sent | BIT(PAGE(k))
            :: else
            fi;
            k = k + step
        :: else -> break
        od;
        k = 0
    }
}

#ifdef BROKEN_TWIN
inline copy_twins(mask) {
    d_step {
        do
        :: k < BYTES ->
            if
            :: (mask) & BIT(PAGE(k)) -> slot[AT(me, k)] = view[AT(me, k)]
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}
#endif

inline take_rights(mask) {
    changed[me] = changed[me] & ~(mask)
}

/* Notes the copies whose diffs are under way: they need records. */
inline note_sent() {
    d_step {
        unpublished[me] = unpublished[me] | sent;
        sent = 0
    }
}

/* q := the head to publish. */
inline append() {
    d_step {
        q = KNOWN(me);
        do
        :: k < PAGES ->
            if
            :: (unpublished[me] & BIT(k)) -> record[me * RING + q % RING] = RECORD(q, k); q++
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0;
        unpublished[me] = 0
    }
}

inline publish() {
    head[me] = q;
    KNOWN(me) = q;
    q = 0
}

/* j := the first process, from j on, that has records for this one to read. */
inline find_source() {
    d_step {
        do
        :: j < N && KNOWN(j) >= limit ->
            j++;
            limit = (j < N && j != me -> LIMIT(j) : 0)
        :: else -> break
        od;
        k = 0
    }
}

inline start_acquire() {
    limit = (me != 0 -> LIMIT(0) : 0);
    find_source()
}

#ifdef WRITERS
/* Part of OneSidedSynchroniser::take_over(). A lock may bring records that a process has published during the barrier. */
inline hear() {
    d_step {
        do
        :: k < N ->
            if
            :: source != BARRIER && k != me && knowledge[source * N + k] > came[me * N + k] ->
                heard[me] = heard[me] | BIT(k)
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

/* OneSidedSynchroniser::own_mask(). */
inline come() {
    d_step {
        writers[barriers] = writers[barriers] | (KNOWN(me) != published[me] -> BIT(me) : 0);
#ifndef BROKEN_WRITERS
        writers[barriers] = writers[barriers] | heard[me];
#endif
        heard[me] = 0;
        published[me] = KNOWN(me);
        do
        :: k < N -> came[me * N + k] = (k == me -> 0 : KNOWN(k)); k++
        :: else -> break
        od;
        k = 0
    }
}
#endif

/* Notices::take() for one record of j. */
inline take() {
    p = record[j * RING + KNOWN(j) % RING];
    assert(TURN(p) >= KNOWN(j) / RING + 1); /* D3 */
    if
#ifndef BROKEN_TURN
    :: TURN(p) != KNOWN(j) / RING + 1 -> news = ALL_PAGES; KNOWN(j) = limit
#endif
    :: else -> news = news | BIT(p % PAGES); KNOWN(j)++
    fi;
    p = 0;
    find_source()
}

/* Pages::invalidate(), which completes the acquire. */
inline invalidate() {
    news = news & valid[me] & ~HOMES;
    ending = news & changed[me];
    take_rights(ending);
#ifndef BROKEN_DROP
    send_changes(ending, 0, 1);
#endif
    note_sent();
#ifdef BROKEN_FORGET
    unpublished[me] = 0;
#endif
    drop_twins(ending);
    ending = 0;
    NO_PUTS;
    forget_copies(news);
    news = 0
}

/* Stores this process's knowledge for the lock's next holder. The process does not hold the lock afterwards. */
inline write_knowledge() {
    do
    :: k < N ->
        if
#ifdef BROKEN_KNOWLEDGE
        :: k != me -> skip
#endif
        :: else -> knowledge[source * N + k] = KNOWN(k)
        fi;
        k++
    :: else -> break
    od;
    k = 0;
    held = held & ~BIT(source);
    source = 0
}

/* Pages::flush_adopted() for `own`: pages that do not stay writable lose the right to write. */
inline take_own_rights() {
    d_step {
        take_rights(own & ~stay);
#ifdef BROKEN_ASSUMED
        forgotten[me] = forgotten[me] | (own & stay);
        take_rights(own);
#endif
        own = 0;
        stay = 0
    }
}

#ifdef THREADS
#define OTHER_THREADS } atomic {
#else
#define OTHER_THREADS
#endif

/* A thread. */
proctype process(byte me; byte barriers) {
    byte held, b = NO_BYTE, p, q, j, k, source, limit, stay, sent, ending, own, news;
    bit more;
next:
    do
    :: atomic { /* an access, which calls Pages::fault() if it faults */
            choose_access();
            if
            :: b != NO_BYTE && (valid[me] & WRITABLE & BIT(p)) -> store(); goto next
            :: else
            fi;
            TAKE_GUARD;
            if
            :: (valid[me] & BIT(p)) -> finish_access(); LEAVE_GUARD; goto next
            :: else ->
                find_home();
                if
                :: IS_HOME(p) -> now_valid(); LEAVE_GUARD; goto next
                :: else
                fi;
                copy_one_byte()
            fi;
#ifdef BROKEN_GUARD
            LEAVE_GUARD
#endif
        }
        atomic {
            copy_other_byte();
#ifdef BROKEN_GUARD
            TAKE_GUARD;
#endif
            now_valid();
            LEAVE_GUARD
        }
    :: atomic { /* lock */
            if
            :: sections > 0 && !taken[0] && !held -> source = 0
#if LOCKS > 1
            :: sections > 0 && !taken[1] -> source = 1
#endif
            fi;
            taken[source] = 1;
            held = held | BIT(source);
            sections--;
        }
acquire:
        atomic { TAKE_GUARD; HEAR; start_acquire() }
        do
        :: atomic { j < N -> take() }
        :: atomic {
                j == N ->
                j = 0;
                invalidate();
                if
                :: source == BARRIER -> learn(OF_BARRIER(barriers))
                :: else -> learn(OF_LOCK(source))
                fi;
                source = 0;
                LEAVE_GUARD;
                break
            }
        od
    :: atomic { /* unlock or barrier */
            if
            :: held -> source = (held & 2 -> 1 : 0)
            :: barriers > 0 && !held -> source = BARRIER
            fi;
            if
            :: source == BARRIER ->
                barriers--;
                knows[OF_BARRIER(barriers)] = knows[OF_BARRIER(barriers)] | KNOWN_NOW
            :: else -> knows[OF_LOCK(source)] = KNOWN_NOW
            fi;
            TAKE_GUARD;
            own = changed[me] & HOMES;
            keep_some();
            if
            :: !(stay & ~own) -> goto compared
            :: else
            fi;
            send_changes(stay & ~own, 0, 2);
            OTHER_THREADS
            send_changes(stay & ~own, 1, 2);
#ifdef BROKEN_TWIN
            OTHER_THREADS
            copy_twins(stay & ~own);
#endif
        }
compared:
        atomic {
            ending = changed[me] & ~own & ~(stay & sent);
#ifdef BROKEN_RIGHT
            send_changes(ending, 0, 1);
            OTHER_THREADS
            take_rights(ending);
#else
            take_rights(ending);
            send_changes(ending, 0, 1);
#endif
            drop_twins(ending);
            ending = 0;
            note_sent();
#ifndef BROKEN_NOTICE
            NO_PUTS;
#endif
            unpublished[me] = unpublished[me] | own;
#ifndef BROKEN_PUBLISHED
            take_own_rights();
#endif
            if
            :: !unpublished[me] -> goto all_published
            :: else
            fi;
#ifdef BROKEN_HEAD
        }
        atomic { head[me] = head[me] + (unpublished[me] == 3 -> 2 : 1) }
        atomic {
#endif
            append()
        }
        d_step { publish() }
all_published:
#ifdef BROKEN_PUBLISHED
        take_own_rights();
#endif
        atomic {
            if
            :: source == BARRIER -> COME; arrived[barriers]++; LEAVE_GUARD
            :: else ->
#ifdef BROKEN_HANDOVER
                taken[source] = 0;
                goto handed_over
#else
                d_step { taken[source] = 0; write_knowledge() }
                LEAVE_GUARD;
                goto next
#endif
            fi
        }
        atomic { arrived[barriers] == N -> goto acquire }
#ifdef BROKEN_HANDOVER
handed_over:
        atomic { write_knowledge() }
#endif
    :: barriers == 0 && !held -> break
    od
}

init {
    byte k;
    atomic {
        set_up();
        valid[0] = 1; /* page 0's home has touched it; no put is under way that a first touch could miss */
        run network();
        do
        :: k < N ->
            run process(k, BARRIERS);
#ifdef THREADS
            if
            :: (THREADS) & BIT(k) -> run process(k, 0)
            :: else
            fi;
#endif
            k++
        :: else -> break
        od
    }
}
