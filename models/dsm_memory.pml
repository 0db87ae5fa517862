// SPDX-License-Identifier: BSD-3-Clause
/*
 * The part that dsm_nic.pml and dsm_versions.pml share; it is not a model by itself. It has the pages of processes
 * (Pages), and a program that does everything that a program without data races may do.
 *
 * A page has two bytes. A process has a slot for each page. At the page's home the slot is the home copy, which the home's
 * program and other processes' NICs read and write (View::adopt). At other processes the program has a copy, `view`, and
 * the slot is the copy's twin. The home of page 0 is process 0 from the beginning, but process 0 learns that only when it
 * touches the page. The home of page 1 is the first process that touches it, by a compare&swap that is one step here
 * (dsm_home.pml). A fetch reads the bytes of the home's slot in any order, one in each step.
 *
 * Rights. The program may read the pages in `valid` without a fault, and write the pages in `changed` (kWrite). A page at
 * its home stays valid for ever once it is valid. A write that faults makes a copy's twin (Pages::make_writable). At a
 * release a page loses the right to write or keeps it. The code decides by heuristics (Pages); here a page may keep the
 * right at any release at which the code could let it: a copy that had changes, or at a barrier a page at its home
 * (keep_some). The code may also fetch pages, or make them writable, before they fault (run_from), or fetch them again at
 * a barrier (is_likely_to_be_used). These need no steps here, because an access of the program at that moment does the
 * same.
 *
 * The program. Each process accesses pages, takes and releases locks and enters barriers, in any order. All processes
 * together make at most WRITES writes and enter at most SECTIONS critical sections, and each process enters at most
 * BARRIERS barriers. A process may take lock 1 while it holds lock 0. It writes a byte only if it knows the byte's last
 * write, that is, if releases and acquires order that write before its own. So no two writes of one byte race, but writes
 * of the two bytes of a page may race at any time. A write claims the byte when it begins: from then on no other process
 * knows the byte's last write.
 *
 * Reads are not steps. If a process has a valid page and knows a byte's last write, a read would return the byte in the
 * page. check() asserts that this byte is the last write's value, wherever one of these two conditions has just become
 * true, and check_home() does so wherever bytes come to a home. A page may be fetched at any time (by a read of its other
 * byte, or by a prefetch), so the model leaves out no read that a program could make. Reads in the model do not keep other
 * processes from writing, so the model has more runs than programs without races have.
 *
 * THREADS: a set of processes that have a second thread. The second thread does everything that the first does, except
 * barriers. The threads of a process share all their knowledge, because they can tell each other without the library.
 *
 * Values are numbers of writes; with SAME, a write may also store the value that is there already. Byte 1 of a page is
 * first written after byte 0, without loss of generality, because the bytes are alike.
 */
#define BYTES (2 * PAGES)
#define AT(process, b) ((process) * BYTES + (b))
#define PAGE(b) ((b) / 2)
#define BIT(k) (1 << (k))
#define ALL_PAGES (BIT(PAGES) - 1)
#define NO_BYTE 255
#define BARRIER 9 /* a value of `source`; locks are 0 and 1 */

byte home[PAGES]; /* 0: none yet, else home + 1 */
byte view[N * BYTES];
byte slot[N * BYTES];
byte valid[N];   /* sets of pages */
byte changed[N];

/* Not part of the protocol: only the program and the claims use these variables. */
byte writes = WRITES;
byte sections = SECTIONS;
byte truth[BYTES];                    /* the value of each byte's last write */
byte written;                         /* the bytes that have been written */
byte knows[N + LOCKS + BARRIERS + 1]; /* the bytes whose last write a process knows, or learns from a lock or barrier */
#define OF_LOCK(lock) (N + (lock))
#define OF_BARRIER(barrier) (N + LOCKS + (barrier))

#ifdef THREADS
byte writing[N]; /* bytes whose write a thread has begun */
#define IS_WRITTEN(b) (writing[me] & BIT(b))
#define KNOWN_NOW (knows[me] & ~writing[me])
#else
#define IS_WRITTEN(b) 0
#define KNOWN_NOW knows[me]
#endif

#define IS_HOME(p) (home[p] == me + 1)
#if PAGES > 1
#define HOMES ((IS_HOME(0) -> 1 : 0) | (IS_HOME(1) -> 2 : 0))
#else
#define HOMES (IS_HOME(0) -> 1 : 0)
#endif
#define SEEN(b) (IS_HOME(PAGE(b)) -> slot[AT(me, b)] : view[AT(me, b)])
#define IS_CHANGED(b) (view[AT(me, b)] != slot[AT(me, b)]) /* in a copy */

#ifdef BROKEN_ASSUMED
byte forgotten[N]; /* pages with kWrite that are not among the changed ones */
#define WRITABLE (changed[me] | forgotten[me])
#else
#define WRITABLE changed[me]
#endif

inline check() {
    d_step {
        k = 0;
        do
        :: k < BYTES ->
            if
            :: (valid[me] & BIT(PAGE(k))) && (knows[me] & BIT(k)) -> assert(SEEN(k) == truth[k])
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

/* Called when a byte has come to the home copy. */
inline check_home(at, byte_) {
    assert(!(valid[at] & BIT(PAGE(byte_))) || !(knows[at] & BIT(byte_)) || slot[AT(at, byte_)] == truth[byte_])
}

/* Completes an acquire. */
inline learn(from) {
    knows[me] = knows[me] | knows[from];
    check()
}

/* Chooses an access: p := a page to fetch; or b := a byte to write, and p := its page. */
inline choose_access() {
    if
    :: !(valid[me] & 1) -> p = 0
    :: writes > 0 && (knows[me] & 1) && !IS_WRITTEN(0) -> b = 0
    :: writes > 0 && (knows[me] & 2) && !IS_WRITTEN(1) && (written & 1) -> b = 1
#if PAGES > 1
    :: !(valid[me] & 2) -> p = 1
    :: writes > 0 && (knows[me] & 4) && !IS_WRITTEN(2) -> b = 2
    :: writes > 0 && (knows[me] & 8) && !IS_WRITTEN(3) && (written & 4) -> b = 3
#endif
    fi;
    if
    :: b != NO_BYTE -> more = 1
#ifdef SAME
    :: b != NO_BYTE -> more = 0
#endif
    :: else
    fi;
    if
    :: b != NO_BYTE ->
        d_step {
            p = PAGE(b);
            writes--;
            written = written | BIT(b);
#ifdef THREADS
            writing[me] = writing[me] | BIT(b);
#endif
            do
            :: k < N + LOCKS + BARRIERS ->
                if
                :: k != me -> knows[k] = knows[k] & ~BIT(b)
                :: else
                fi;
                k++
            :: else -> break
            od;
            k = 0
        }
    :: else
    fi
}

/* The program's store, on a page that is kWrite. */
inline store() {
    d_step {
        truth[b] = truth[b] + more;
        if
        :: IS_HOME(p) -> slot[AT(me, b)] = truth[b]
        :: else -> view[AT(me, b)] = truth[b]
        fi;
#ifdef THREADS
        writing[me] = writing[me] & ~BIT(b);
#endif
        b = NO_BYTE;
        p = 0;
        more = 0
    }
}

/* Pages::make_writable(). */
inline make_writable() {
    d_step {
        if
        :: !(WRITABLE & BIT(p)) && !IS_HOME(p) ->
            slot[AT(me, 2 * p)] = view[AT(me, 2 * p)];
            slot[AT(me, 2 * p + 1)] = view[AT(me, 2 * p + 1)];
            changed[me] = changed[me] | BIT(p)
        :: !(WRITABLE & BIT(p)) && IS_HOME(p) -> changed[me] = changed[me] | BIT(p)
        :: else
        fi
    }
}

inline find_home() { /* Directory::find() */
    if
    :: home[p] == 0 -> home[p] = me + 1
    :: else
    fi
}

inline copy_one_byte() {
    if
    :: q = 2 * p
    :: q = 2 * p + 1
    fi;
    view[AT(me, q)] = slot[AT(home[p] - 1, q)]
}

inline copy_other_byte() {
    q = q ^ 1;
    view[AT(me, q)] = slot[AT(home[p] - 1, q)];
    q = 0
}

/* Page p is valid: the access takes place. */
inline finish_access() {
    if
    :: b != NO_BYTE -> make_writable(); store()
    :: else -> p = 0
    fi
}

/* Page p has just become valid. */
inline now_valid() {
    valid[me] = valid[me] | BIT(p);
    check();
    finish_access()
}

/* stay := the pages that keep the right to write at a release. */
inline keep_some() {
#define MAY_STAY(p) (!IS_HOME(p) || source == BARRIER)
    if
    :: (changed[me] & 1) && MAY_STAY(0) -> stay = stay | 1
    :: 1
    fi;
#if PAGES > 1
    if
    :: (changed[me] & 2) && MAY_STAY(1) -> stay = stay | 2
    :: 1
    fi
#endif
}

/* Drops the twins of the copies of `mask`, which are no longer writable. */
inline drop_twins(mask) {
    d_step {
        k = 0;
        do
        :: k < BYTES ->
            if
            :: (mask) & BIT(PAGE(k)) -> slot[AT(me, k)] = 0
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

/* Takes all rights from copies. */
inline forget_copies(mask) {
    d_step {
        k = 0;
        do
        :: k < BYTES ->
            if
            :: (mask) & BIT(PAGE(k)) -> view[AT(me, k)] = 0
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0;
        valid[me] = valid[me] & ~(mask)
    }
}

inline set_up() {
    d_step {
        home[0] = 1;
        do
        :: k < N + LOCKS -> knows[k] = BIT(BYTES) - 1; k++
        :: else -> break
        od;
        k = 0
    }
}
