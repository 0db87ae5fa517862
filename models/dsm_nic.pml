// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distributed shared memory, the nic protocol (src/dsm): no handler, all by gets and puts.
 *
 *   release  For each dirty page the process puts the bytes in which the view differs from the twin into the home's
 *            slot (the home stores its own), and waits until all are there. Then it appends a record, which names the
 *            page, for each of them to its log, and publishes the log's head: a position counts records. The pages
 *            that it has had to flush since its last release get their records now, too.
 *   unlock   A release. Then the process puts its vector, which has its position in each process's log, to the lock's
 *            home as the lock's payload, and then hands the lock over.
 *   lock     The process gets the payload with the lock. It gets the records of each process between its own position
 *            and the payload's, invalidates the pages that they name, and takes the payload's position for its own.
 *            If such a page is dirty, it flushes it before: puts the diff and waits.
 *   fetch    A get of the home's slot. If a notice of the page comes meanwhile, by an acquire of another thread, the
 *            process does not use the bytes and gets them again.
 *   barrier  A release, the NIC barrier, and then all records up to each process's head.
 *   log      A ring. A record has its generation, which counts the ring's turns. A reader that finds a later
 *            generation than it expects invalidates all pages and goes on behind.
 *
 * Claims
 *   D1  a program without data races reads of every byte the value of the last write that happens before the read
 *       (dsm_memory.pml has the program and says why one assertion covers all reads);
 *   D2  writers of different bytes of a page lose nothing, be one of them the home or not: part of D1, as no order
 *       between them is asked for;
 *   D3  a reader never sees a record that is older than the one it looks for;
 *   L   no process waits for ever: every run comes to its end.
 *
 * Steps. The bytes of a diff are in flight one by one, and arrive in any order; so are the stores of the home. A
 * fetch reads the two bytes in two steps. A record is one word. The payload is one step, for only the lock's holder
 * touches it; so is the lock itself (lock.pml has it) and the barrier (barrier.pml). A process's steps on its own
 * memory are one with the step before or after.
 *
 * READERS: each process has a second thread, which fetches any page at any time. One thread of a process fetches a page
 * at a time.
 *
 * Bounds: N processes, PAGES, LOCKS, WRITES and SECTIONS of all processes together, BARRIERS of each, rings of RING.
 * Omissions: further threads that write or take locks (a flush is one step, so no thread writes between a diff and
 * the end of its twin); flags and conditions; the wrap-around of a generation; runs of a diff, a byte being as good;
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
#ifndef RING
#define RING 4
#endif

#include "dsm_memory.pml"

byte put[N * BYTES];  /* bytes in flight from each process: value + 1 */
byte record[N * RING]; /* generation, from 1, and page */
byte head[N];
byte unpublished[N]; /* pages that are flushed and have no record yet */
byte fetched[N]; /* pages for which a get is under way */
byte stale[N];   /* and a notice has come since */
bit taken[LOCKS + 1];
byte payload[(LOCKS + 1) * N];
byte arrived[BARRIERS + 1];

#define RECORD(position, page) (((position) / RING + 1) * PAGES + (page))
#define GENERATION(record) ((record) / PAGES)

/* Positions in j's log up to which there are records for the acquirer. */
#define LIMIT(j) (source == BARRIER -> head[j] : payload[source * N + (j)])

#define NO_PUTS                                  \
    (put[AT(me, 0)] == 0 && put[AT(me, 1)] == 0 && \
     put[AT(me, BYTES - 2)] == 0 && put[AT(me, BYTES - 1)] == 0)

/* Each put at a time of its own. */
proctype network() {
end:
    do
#define DELIVER(k) \
    :: d_step { put[k] -> slot[AT(home[PAGE((k) % BYTES)] - 1, (k) % BYTES)] = put[k] - 1; put[k] = 0 }
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

/* Posts the diffs of those pages of `mask` that are dirty. */
#ifdef BROKEN_PAGE
#define IS_PUT(b) (!IS_HOME(PAGE(b)) || IS_CHANGED(b))
#elif defined(BROKEN_HOME)
#define IS_PUT(b) (IS_HOME(PAGE(b)) || IS_CHANGED(b))
#else
#define IS_PUT(b) IS_CHANGED(b)
#endif
inline flush(mask) {
    d_step {
        k = 0;
        do
        :: k < BYTES ->
            if
            :: (dirty[me] & (mask) & BIT(PAGE(k))) && IS_PUT(k) ->
                assert(put[AT(me, k)] == 0);
                put[AT(me, k)] = view[AT(me, k)] + 1
            :: else
            fi;
            k++
        :: else -> break
        od;
        unpublished[me] = unpublished[me] | (dirty[me] & (mask));
        clean(mask)
    }
}

/* q := the head that is to be published. */
inline append() {
    d_step {
        q = known[me];
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
    known[me] = q;
    q = 0
}

/* j := the first process from j on of which there are records to be read. */
inline find_source() {
    d_step {
        do
        :: j < N && known[j] >= limit ->
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

/* Takes one record of j in. */
inline take_in() {
    p = record[j * RING + known[j] % RING];
    assert(GENERATION(p) >= known[j] / RING + 1); /* D3 */
    if
#ifndef BROKEN_GENERATION
    :: GENERATION(p) != known[j] / RING + 1 -> p = ALL_PAGES; known[j] = limit
#endif
    :: else -> p = BIT(p % PAGES); known[j]++
    fi;
#ifdef BROKEN_KEEP
    p = p & ~(IS_HOME(0) -> 1 : 0);
#endif
    if
    :: (dirty[me] & p) ->
#ifdef BROKEN_DROP
        d_step { clean(p) }
#else
        flush(p);
#ifdef BROKEN_FORGET
        unpublished[me] = 0;
#endif
        NO_PUTS
#endif
    :: else
    fi;
    invalidate(p);
    stale[me] = stale[me] | (fetched[me] & p);
    p = 0;
    find_source()
}

/* And this process does not hold the lock any more. */
inline write_payload() {
    do
    :: k < N ->
        if
#ifdef BROKEN_PAYLOAD
        :: k != me -> skip
#endif
        :: else -> payload[source * N + k] = known[k]
        fi;
        k++
    :: else -> break
    od;
    k = 0;
    held = held & ~BIT(source);
    source = 0
}

#ifdef READERS
/* The second thread of a process. */
proctype reader(byte me) {
    byte p, q, k;
    byte copy[2];
end:
    do
    :: atomic {
            if
            :: !(fetched[me] & 1) && !(valid[me] & 1) -> p = 0
#if PAGES > 1
            :: !(fetched[me] & 2) && !(valid[me] & 2) -> p = 1
#endif
            fi;
            find_home();
            fetched[me] = fetched[me] | BIT(p);
            stale[me] = stale[me] & ~BIT(p);
            if
            :: q = 0
            :: q = 1
            fi;
            copy[q] = slot[AT(home[p] - 1, 2 * p + q)]
        }
        atomic {
            q = q ^ 1;
            copy[q] = slot[AT(home[p] - 1, 2 * p + q)];
            d_step {
                fetched[me] = fetched[me] & ~BIT(p);
                if
#ifndef BROKEN_STALE
                :: stale[me] & BIT(p)
#endif
                :: else ->
                    view[AT(me, 2 * p)] = copy[0];
                    view[AT(me, 2 * p + 1)] = copy[1];
                    valid[me] = valid[me] | BIT(p)
                fi;
                stale[me] = stale[me] & ~BIT(p);
                p = 0;
                q = 0;
                copy[0] = 0;
                copy[1] = 0
            }
            check()
        }
    od
}
#endif

proctype process(byte me) {
    byte barriers = BARRIERS, held, b = NO_BYTE, p, q, j, k, source, limit;
    byte known[N];
    bit more;
next:
    do
    :: atomic { /* an access */
            choose_access();
            if
            :: (valid[me] & BIT(p)) -> write(); goto next
            :: else ->
                !(fetched[me] & BIT(p));
                if
                :: (valid[me] & BIT(p)) -> now_valid(); goto next /* the reader has fetched it meanwhile */
                :: else -> find_home(); fetched[me] = fetched[me] | BIT(p); copy_one_byte()
                fi
            fi
        }
        atomic { copy_other_byte(); fetched[me] = fetched[me] & ~BIT(p); now_valid() }
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
            start_acquire()
        }
acquire:
        do
        :: atomic { j < N -> take_in() }
        :: atomic {
                j == N ->
                j = 0;
                if
                :: source == BARRIER -> learn(OF_BARRIER(barriers))
                :: else -> learn(OF_LOCK(source))
                fi;
                source = 0;
                break
            }
        od
    :: atomic { /* unlock or barrier */
            if
            :: held -> source = (held & 2 -> 1 : 0)
            :: barriers > 0 && !held -> source = BARRIER
            fi;
            flush(ALL_PAGES);
            if
            :: !unpublished[me] -> goto published
            :: else
            fi
        }
#ifdef BROKEN_HEAD
        atomic { NO_PUTS; head[me] = head[me] + (unpublished[me] == 3 -> 2 : 1) }
        atomic { append(); publish() }
#else
        atomic {
#ifndef BROKEN_NOTICE
            NO_PUTS;
#endif
            append()
        }
        d_step { publish() }
#endif
published:
        atomic {
            if
            :: source == BARRIER ->
                barriers--;
                arrived[barriers]++;
                knows[OF_BARRIER(barriers)] = knows[OF_BARRIER(barriers)] | knows[me]
            :: else ->
                knows[OF_LOCK(source)] = knows[me];
                taken[source] = 0;
#ifdef BROKEN_HANDOVER
                goto handed_over
#else
                d_step { write_payload() }
                goto next
#endif
            fi
        }
        atomic { arrived[barriers] == N -> start_acquire(); goto acquire }
#ifdef BROKEN_HANDOVER
handed_over:
        atomic { write_payload() }
#endif
    :: barriers == 0 && !held -> break
    od
}

init {
    byte k;
    atomic {
        set_up();
        run network();
        do
        :: k < N ->
            run process(k);
#ifdef READERS
            run reader(k);
#endif
            k++
        :: else -> break
        od
    }
}
