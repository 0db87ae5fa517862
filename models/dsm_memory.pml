// SPDX-License-Identifier: BSD-3-Clause
/*
 * The part that dsm_nic.pml and dsm_versions.pml share, no model by itself: a process's copies of the pages, and a
 * program that does all that a program without data races may do.
 *
 * A page has two bytes. A process has a view of each page, which it reads and writes if it is valid, and a slot: at
 * the page's home the home copy, at other processes the twin, made when the view becomes dirty. The home's own twin
 * is from a pool. Page 0 has its home at process 0 (the processes are alike, so it may be any); page 1 at the first
 * one that touches it, by a compare&swap that is one step here (dsm_home.pml). A fetch reads the bytes of the home's
 * slot in any order, one a step.
 *
 * The program. Each process accesses pages, takes and releases locks and enters barriers, in any order, as long as
 * all processes together have not used up WRITES and SECTIONS, and each its BARRIERS. It may take lock 1 while it
 * holds lock 0. It writes a byte only if it knows the byte's last write, that is, if releases and acquires order that
 * write before. So no two writes race, but those of the two bytes of a page do all the time. A write takes effect as
 * a claim when it begins: from then on no other process knows the last one.
 *
 * Reads are no steps. Whenever a process has a valid view and knows the last write, a read would return what is in
 * the view: check() says that this is the last write's value, wherever one of the two has just become true. As a page
 * may be fetched at any time (a read of its other byte or a prefetch does so), nothing that a program could read is
 * left out. Reads do not keep others from writing here, so the runs of the model are more than those of programs
 * without races.
 *
 * Values are numbers of writes; with SAME, a write may also store the value that is there already. Byte 1 of a page
 * is first written after byte 0: the bytes are alike.
 */
#define BYTES (2 * PAGES)
#define AT(process, b) ((process) * BYTES + (b))
#define PAGE(b) ((b) / 2)
#define BIT(k) (1 << (k))
#define ALL_PAGES (BIT(PAGES) - 1)
#define NO_BYTE 255
#define BARRIER 9 /* as the `source` of notices; locks are 0 and 1 */

byte home[PAGES]; /* 0: none yet, else home + 1 */
byte view[N * BYTES];
byte slot[N * BYTES];
byte pool[N * BYTES];
byte valid[N]; /* sets of pages */
byte dirty[N];

/* Not of the protocol: the program, and to say what is claimed. */
byte writes = WRITES;
byte sections = SECTIONS;
byte truth[BYTES];                    /* by the last write of each byte */
byte written;                         /* the bytes that have been */
byte knows[N + LOCKS + BARRIERS + 1]; /* the bytes whose last write a process knows, or learns by a lock or barrier */
#define OF_LOCK(lock) (N + (lock))
#define OF_BARRIER(barrier) (N + LOCKS + (barrier))

#define IS_HOME(p) (home[p] == me + 1)
#define TWIN(b) (IS_HOME(PAGE(b)) -> pool[AT(me, b)] : slot[AT(me, b)])
#define IS_CHANGED(b) (view[AT(me, b)] != TWIN(b))

inline check() {
    d_step {
        k = 0;
        do
        :: k < BYTES ->
            if
            :: (valid[me] & BIT(PAGE(k))) && (knows[me] & BIT(k)) -> assert(view[AT(me, k)] == truth[k])
            :: else
            fi;
            k++
        :: else -> break
        od;
        k = 0
    }
}

/* An acquire has been completed. */
inline learn(from) {
    knows[me] = knows[me] | knows[from];
    check()
}

/* p := a page to fetch, or b := a byte to write, and p its page. */
inline choose_access() {
    if
    :: !(valid[me] & 1) -> p = 0
    :: writes > 0 && (knows[me] & 1) -> b = 0
    :: writes > 0 && (knows[me] & 2) && (written & 1) -> b = 1
#if PAGES > 1
    :: !(valid[me] & 2) -> p = 1
    :: writes > 0 && (knows[me] & 4) -> b = 2
    :: writes > 0 && (knows[me] & 8) && (written & 4) -> b = 3
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

/* The page of b is valid. A page that was clean gets its twin. */
inline write() {
    d_step {
        if
        :: !(dirty[me] & BIT(p)) && IS_HOME(p) ->
            dirty[me] = dirty[me] | BIT(p);
            pool[AT(me, 2 * p)] = view[AT(me, 2 * p)];
            pool[AT(me, 2 * p + 1)] = view[AT(me, 2 * p + 1)]
        :: !(dirty[me] & BIT(p)) && !IS_HOME(p) ->
            dirty[me] = dirty[me] | BIT(p);
            slot[AT(me, 2 * p)] = view[AT(me, 2 * p)];
            slot[AT(me, 2 * p + 1)] = view[AT(me, 2 * p + 1)]
        :: else
        fi;
        truth[b] = truth[b] + more;
        view[AT(me, b)] = truth[b];
        b = NO_BYTE;
        p = 0;
        more = 0
    }
}

inline find_home() { /* a compare&swap */
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

/* The view of p is complete: what it was fetched for takes place. */
inline now_valid() {
    valid[me] = valid[me] | BIT(p);
    check();
    if
    :: b != NO_BYTE -> write()
    :: else -> p = 0
    fi
}

/* The pages of `mask` are not dirty any more. Within a d_step. */
inline clean(mask) {
    k = 0;
    do
    :: k < BYTES ->
        if
        :: !(dirty[me] & (mask) & BIT(PAGE(k)))
        :: (dirty[me] & (mask) & BIT(PAGE(k))) && IS_HOME(PAGE(k)) -> pool[AT(me, k)] = 0
        :: else -> slot[AT(me, k)] = 0
        fi;
        k++
    :: else -> break
    od;
    k = 0;
    dirty[me] = dirty[me] & ~(mask)
}

inline invalidate(mask) {
    d_step {
        k = 0;
        do
        :: k < BYTES ->
            if
            :: ((mask) & BIT(PAGE(k))) -> view[AT(me, k)] = 0
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
