// SPDX-License-Identifier: BSD-3-Clause
/*
 * Distributed shared memory: how a page gets its home (src/dsm). dsm_nic.pml and dsm_versions.pml model how processes
 * use pages afterwards.
 *
 *   nic, ardmar  Directory::find(). A process that touches the page first compares and swaps the directory's word at
 *                the page's default home from 0 to its own number. The result names the home. The other processes get
 *                the page from the home's slot, and put their changes into it.
 *   ASYNC        AsyncPages::touch(). A process sends a request to the default home's handler, which does the same on
 *                the word (PageServer). The handler tells the requester that it is the home, or answers from its own
 *                slot if the default home is the home, or forwards the request to the home's handler. The default
 *                home's own process compares and swaps the word itself.
 *
 * At the home, the program accesses the slot itself (View::adopt). At other processes it has a copy, and the slot is the
 * copy's twin.
 *
 * Claims
 *   H1  the first process whose compare&swap or request is executed becomes the home, and no other process;
 *   H2  all processes come to the same home;
 *   H3  a process gets the page only from its home, and puts only into its home;
 *   H4  no byte that a process puts is lost, although the first puts may come before the home knows that it is the home:
 *       the slot is zero-filled before any process can touch it, and the home does not clear it;
 *   H5  no process uses as a twin the slot of a page whose home it is;
 *   L   no process waits for ever: every run comes to its end.
 *
 * N processes touch one page; each writes a byte of its own and brings it to the home. The default home is process 0.
 * The model represents a slot by the set of the processes whose bytes it has. A remote operation blocks its caller, so
 * it is one step, as in lock.pml; between the execution of a compare&swap and its caller's next step, the other
 * processes may do anything. Requests arrive in any order.
 *
 * Bounds: N processes, one touch each, because later touches know the home; one page, because pages share nothing.
 * Omissions: allocations that place pages, whose words exist before any process knows the page's address
 * (dsm_versions.pml has such a page); words of neighbouring pages, which a read gets, too (Directory::read_line); freed
 * pages, which keep their home; contents of the page beyond a byte for each process (dsm_nic.pml).
 */
#ifndef N
#define N 3 /* 4 at most */
#endif

#define ALL (BIT(N) - 1)
#define BIT(k) (1 << (k))
#define DEFAULT 0
#define NO_PROCESS 255

byte directory; /* the word at the default home. 0: no home yet, else home + 1 */
byte slot[N];   /* at the home the page, elsewhere the twin */
byte view[N];   /* the copy; not used at the home */

/* ASYNC: requests on their way to the default home, and to each home. */
byte asked;
byte forwarded[N];
bit told[N];      /* the process knows that it is the home */
byte answered[N]; /* home + 1: the home's answer is in the view */

/* Not part of the protocol: only the claims use these variables. */
byte first = NO_PROCESS; /* the process whose attempt was executed first */
byte finished;

/* The compare&swap of the directory's word: before := its old value. From now on the word names a home. */
inline assign(process) {
#ifdef BROKEN_ASSIGN
    atomic { before = directory; first = (first == NO_PROCESS -> process : first) }
    if
    :: before == 0 -> directory = process + 1
    :: else
    fi
#else
    d_step {
        before = directory;
        first = (first == NO_PROCESS -> process : first);
        if
        :: before == 0 -> directory = process + 1
        :: else
        fi
    }
#endif
}

inline answer(process) {
    assert(me == first); /* H3 */
    view[process] = slot[me];
    answered[process] = me + 1
}

proctype handler(byte me) {
    byte before, r;
end:
    do
    :: atomic {
            me == DEFAULT && asked ->
            if
            :: asked & 1 -> r = 0
            :: asked & 2 -> r = 1
#if N > 2
            :: asked & 4 -> r = 2
#endif
#if N > 3
            :: asked & 8 -> r = 3
#endif
            fi;
            asked = asked & ~BIT(r)
        }
        assign(r);
        atomic {
            if
            :: before == 0 -> told[r] = 1
#ifdef BROKEN_FORWARD
            :: before != 0 -> answer(r)
#else
            :: before == me + 1 -> answer(r)
            :: before != 0 && before != me + 1 -> forwarded[before - 1] = forwarded[before - 1] | BIT(r)
#endif
            fi;
            before = 0;
            r = 0
        }
    :: atomic {
            if
            :: forwarded[me] & 1 -> r = 0
            :: forwarded[me] & 2 -> r = 1
#if N > 2
            :: forwarded[me] & 4 -> r = 2
#endif
#if N > 3
            :: forwarded[me] & 8 -> r = 3
#endif
            fi;
            forwarded[me] = forwarded[me] & ~BIT(r);
            answer(r);
            r = 0
        }
    od
}

/* home := the page's home. If that is another process, waits until the view has the page. */
inline touch() {
#ifdef ASYNC
    if
    :: me != DEFAULT ->
        asked = asked | BIT(me);
        if
        :: atomic { told[me] -> home = me }
        :: atomic { answered[me] -> home = answered[me] - 1 }
        fi
    :: me == DEFAULT ->
        assign(me);
        if
        :: before == 0 -> home = me
        :: before != 0 ->
            home = before - 1;
            forwarded[home] = forwarded[home] | BIT(me);
            answered[me]
        fi
    fi
#else
    assign(me);
    home = (before == 0 -> me : before - 1);
    if
    :: home != me ->
        atomic {
            assert(home == first); /* H3 */
            view[me] = slot[home]
        }
    :: else
    fi
#endif
}

proctype process(byte me) {
    byte home, before;
    touch();
    assert(home == first); /* H1, H2 */
    if
    :: home == me ->
#ifdef BROKEN_CLEAR
        slot[me] = 0;
#endif
#ifdef BROKEN_COPY
        view[me] = slot[me];
        slot[me] = view[me] | BIT(me)
#else
        slot[me] = slot[me] | BIT(me) /* a store of the program */
#endif
    :: else ->
        atomic {
            assert(directory != me + 1); /* H5 */
            slot[me] = view[me]
        }
        atomic {
            view[me] = view[me] | BIT(me);
            assert(home == first);                    /* H3 */
            slot[home] = slot[home] | (view[me] & ~slot[me]) /* a put of the diff */
        }
    fi;
    d_step {
        finished++;
        assert(finished < N || slot[first] == ALL) /* H4 */
    }
}

init {
    byte k;
    atomic {
        do
        :: k < N ->
            run process(k);
#ifdef ASYNC
            run handler(k);
#endif
            k++
        :: else -> break
        od
    }
}
