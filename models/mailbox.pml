// SPDX-License-Identifier: BSD-3-Clause
/*
 * ARMCI's mailboxes (src/api/armci/mailbox.h). Each process has a ring of cells, which all other processes write.
 *
 *   send_cell  ticket = fetch&add(head). The sender waits until ticket < tail + CELLS, and meanwhile takes the cells in
 *              its own ring. Then it puts the cell's contents, and after these the cell's number, ticket + 1.
 *   take       If the number of the cell at `tail` is tail + 1, the owner copies the cell, and then adds 1 to `tail`.
 *
 * Claims
 *   M1  no process writes a cell whose contents its owner has not taken, and no two processes write a cell at once;
 *   M2  a process takes whole cells only;
 *   M3  a process takes each cell once, and the cells of one sender in their order, so a message of many cells stays
 *       together;
 *   L   no process waits for ever, even if all processes send more than the rings hold before any receives: every run
 *       comes to its end. (Each step of the model makes progress, so in a run that does not end all processes wait.)
 *
 * Every process sends SENT cells to each other process, in any order of the targets (with IN_TURN to one target after the
 * other, for up to three processes), and then takes until it has all cells. A step is one access to a shared word. The
 * contents of a cell are two words, because a copy is not atomic.
 *
 * Bounds: N processes, SENT cells from each to each, rings of CELLS. Numbers do not wrap around: they have 64 bits.
 * Omissions: processes that die, because the job ends with them; tags and lengths, which only the receiver reads. Polling
 * `tail` is one step that waits, because `tail` only grows.
 */
#ifndef N
#define N 2
#endif
#ifndef SENT
#define SENT 3
#endif
#ifndef CELLS
#define CELLS 2
#endif

#define CELL(process, ticket) ((process) * CELLS + (ticket) % CELLS)
#ifdef BROKEN_FULL
#define HAS_ROOM(to, ticket) (ticket <= tail[to] + CELLS)
#else
#define HAS_ROOM(to, ticket) (ticket < tail[to] + CELLS)
#endif
#ifdef BROKEN_NUMBER
#define HAS_COME(me) (number[CELL(me, tail[me])] != 0) /* a number of the ring's previous turn counts, too */
#else
#define HAS_COME(me) (number[CELL(me, tail[me])] == tail[me] + 1)
#endif

byte head[N];
byte tail[N];
byte number[N * CELLS];
byte first[N * CELLS];  /* the contents: 16 * sender + the number of the sender's cell, from 1 */
byte second[N * CELLS];

/* Not part of the protocol: only the claims use these variables. */
bit used[N * CELLS]; /* from before the write of the first word until the cell is taken */

inline take() {
    c = CELL(me, tail[me]);
#ifdef BROKEN_TAIL
    d_step { used[c] = 0; tail[me]++ }
#endif
    one = first[c];
    d_step { two = second[c]; c = 0 }
#ifndef BROKEN_TAIL
    d_step { used[CELL(me, tail[me])] = 0; tail[me]++ }
#endif
    d_step {
        assert(one == two);                      /* M2 */
        assert(one % 16 == last[one / 16] + 1);  /* M3 */
        last[one / 16]++;
        taken++;
        one = 0;
        two = 0
    }
}

proctype process(byte me) {
    byte to, ticket, c, one, two, taken, left;
    byte sent[N], last[N];
    left = SENT * (N - 1);
    do
    :: left > 0 ->
        left--;
        if
#ifdef IN_TURN
        :: left >= SENT -> to = (me + 1) % N
        :: left < SENT -> to = (me + N - 1) % N
#else
        :: me != 0 && sent[0] < SENT -> to = 0
        :: me != 1 && sent[1] < SENT -> to = 1
#if N > 2
        :: me != 2 && sent[2] < SENT -> to = 2
#endif
#endif
        fi;
        d_step { ticket = head[to]; head[to]++ }
        do
        :: HAS_ROOM(to, ticket) -> break
#ifndef BROKEN_WAIT
        :: HAS_COME(me) -> take()
#endif
        od;
        atomic { sent[to]++; assert(!used[CELL(to, ticket)]); used[CELL(to, ticket)] = 1 } /* M1 */
#ifdef BROKEN_ORDER
        number[CELL(to, ticket)] = ticket + 1;
#endif
        first[CELL(to, ticket)] = 16 * me + sent[to];
        second[CELL(to, ticket)] = 16 * me + sent[to];
#ifndef BROKEN_ORDER
        number[CELL(to, ticket)] = ticket + 1;
#endif
        d_step { ticket = 0; to = 0 }
    :: else -> break
    od;
    do
    :: taken < SENT * (N - 1) && HAS_COME(me) -> take()
    :: taken == SENT * (N - 1) -> break
    od
}

init {
    atomic {
        run process(0);
        run process(1);
#if N > 2
        run process(2)
#endif
    }
}
