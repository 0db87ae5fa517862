# SPDX-License-Identifier: BSD-3-Clause
"""The Python half of the job that partner.cpp is the other half of. Both say the same thing in the same order: see
there for the words and the phases."""

import os
import struct

import barriers
import schedule
import wire
from pe import HEAP_RESERVED, Failed

ROUNDS, REDUCTIONS, BYTES = 3, 6, 5001
COUNTER, NARROW, CHAIN, PAIR, LOCAL, FLAGS, INBOX = 0, 8, 16, 32, 48, 1024, 4096
INBOX_BYTES = 8192
DOUBLES, FLOATS, INTEGERS, STRIDED = 40960, 49152, 57344, 61440 + 10
ELEMENTS, NUMBERS, PIECES, STRIDED_BYTES = 700, 500, 300, 6144
BARRIER = 5
NONSENSE = (0, 2, 7 << 32 | 1, 1 << 32 | 9, 2 << 32, 2 << 32 | 65, 1 << 63)


def expect(what, found, expected):
    if found != expected:
        raise AssertionError("%s is %r, not %r" % (what, found, expected))


def pattern(sender, number):
    return bytes((i * 7 + sender * 13 + number * 31) & 255 for i in range(BYTES))


def strided(rank):
    """Pieces of an area for PE `rank`'s bytes; one crosses 64 KiB."""
    return [(HEAP_RESERVED + STRIDED + STRIDED_BYTES * rank + 20 * i, 12) for i in range(PIECES)]


def others(pe):
    return [(pe.rank + i) % pe.config.ranks for i in range(1, pe.config.ranks)]


def operations(pe):
    start, inbox = HEAP_RESERVED, HEAP_RESERVED + INBOX + INBOX_BYTES * pe.rank + 3
    for number in range(1, ROUNDS + 1):
        for target in others(pe):
            old = pe.atomic(wire.ADD, target, start + COUNTER, 1)
            assert old < ROUNDS * pe.config.ranks
            pe.atomic(wire.ADD, target, start + NARROW, 3, width=4, fetch=False)
            pe.atomic(wire.XOR, target, start + CHAIN, 1 << pe.rank * ROUNDS + number - 1)
            if pe.node_of(target) != pe.config.node:
                add_to_pair(pe, target, start + PAIR)
            pe.put(target, inbox, pattern(pe.rank, number))
            expect("what was put", pe.get(target, inbox, BYTES), pattern(pe.rank, number))
            bulk(pe, target, number)
        pe.barrier()
        for sender in others(pe):
            at = HEAP_RESERVED + INBOX + INBOX_BYTES * sender + 3
            expect("inbox of PE %d" % sender, bytes(pe.heap.bytes[at:at + BYTES]), pattern(sender, number))
            expect("pieces of PE %d" % sender, pe.get_pieces(pe.rank, strided(sender)),
                   pattern(sender, number)[:12 * PIECES])
        pe.barrier()


def bulk(pe, target, number):
    start, factor = HEAP_RESERVED, pe.rank + 1
    pe.put_pieces(target, strided(pe.rank), pattern(pe.rank, number)[:12 * PIECES])
    expect("pieces", pe.get_pieces(target, strided(pe.rank)), pattern(pe.rank, number)[:12 * PIECES])
    values = [0.25 * factor * (i + 1) for i in range(ELEMENTS)]
    pe.accumulate(wire.ADD_DOUBLE, target, start + DOUBLES, struct.pack("<%dd" % ELEMENTS, *values))
    pe.accumulate(wire.ADD_FLOAT, target, start + FLOATS, struct.pack("<%df" % ELEMENTS, *values))
    pieces = [(start + INTEGERS + 8 * i, 4) for i in range(NUMBERS)]
    pe.accumulate_pieces(wire.ADD_INT32, target, pieces,
                         struct.pack("<%di" % NUMBERS, *(-factor - i for i in range(NUMBERS))))


def add_to_pair(pe, target, address):
    seen = 0
    while True:
        low, high = seen & wire.MASK, seen >> 64
        wanted = low + 1 | high + 2 << 64
        found = pe.atomic(wire.CAS, target, address, wanted, seen, width=16)
        if found == seen:
            return
        seen = found


def refusals(pe):
    for target in others(pe):
        if pe.node_of(target) == pe.config.node:
            continue
        for address, operation, status in ((5 << 40, wire.ADD, wire.NO_SEGMENT),
                                           (HEAP_RESERVED + 4, wire.ADD, wire.MISALIGNED),
                                           (1 << 39, wire.ADD, wire.OUT_OF_BOUNDS)):
            try:
                pe.atomic(operation, target, address, 1)
                raise AssertionError("PE %d took address %x" % (target, address))
            except Failed as failed:
                expect("status", failed.status, status)


def nic_barriers(pe):
    ranks = list(range(pe.config.ranks))
    size = len(ranks)
    for algorithm, dimension in ((schedule.EXCHANGE, 0), (schedule.TREE, 1), (schedule.TREE, 2)):
        barrier = pe.open(BARRIER, ranks, algorithm, dimension)
        for number in range(1, REDUCTIONS + 1):
            flag = HEAP_RESERVED + FLAGS + 8 * pe.rank
            for target in others(pe):
                pe.put(target, flag, struct.pack("<Q", number))
            if algorithm == schedule.TREE:
                result = barrier.reduce(barriers.SUM, (pe.rank + 1) * number)
                expect("sum", result, number * size * (size + 1) // 2)
            else:
                expect("greatest", barrier.reduce(barriers.MAX, pe.rank * number), (size - 1) * number)
            for sender in others(pe):
                assert pe.heap.load(HEAP_RESERVED + FLAGS + 8 * sender) in (number, number + 1)
        barrier.close()
        for sender in others(pe):
            pe.heap.store(HEAP_RESERVED + FLAGS + 8 * sender, 0)
        pe.barrier()


def totals(pe):
    start, times = HEAP_RESERVED, ROUNDS * (pe.config.ranks - 1)
    expect("counter", pe.heap.load(start + COUNTER), times)
    expect("narrow counter", pe.heap.load(start + NARROW, 4), 3 * times)
    senders = others(pe)
    expect("chain", pe.heap.load(start + CHAIN),
           sum(1 << sender * ROUNDS + i for sender in senders for i in range(ROUNDS)))
    apart = ROUNDS * sum(pe.node_of(sender) != pe.config.node for sender in senders)
    factors = ROUNDS * sum(sender + 1 for sender in senders)
    sums = [0.25 * factors * (i + 1) for i in range(ELEMENTS)]
    for at, form in ((DOUBLES, "<%dd"), (FLOATS, "<%df")):
        expect("sums " + form, list(struct.unpack_from(form % ELEMENTS, pe.heap.bytes, start + at)), sums)
    expect("sums of integers", list(struct.unpack_from("<" + "i4x" * NUMBERS, pe.heap.bytes, start + INTEGERS)),
           [-factors - times * i for i in range(NUMBERS)])
    expect("pair", (pe.heap.load(start + PAIR), pe.heap.load(start + PAIR + 8)), (apart, 2 * apart))


def nonsense(pe):
    """PE 0 announces schedules that there are none of; the library's PEs refuse them with a sentence."""
    for choice in NONSENSE:
        words = pe.heap
        if pe.rank == 0:
            import pe as the_pe
            base = the_pe.BARRIER_WORDS + 64 * BARRIER
            count = (words.load(base + the_pe.ANNOUNCED) >> 32) + 1
            words.store(base + the_pe.CHOICE, choice)
            words.store(base + the_pe.ANNOUNCED,
                        count << 32 | the_pe.digest(range(pe.config.ranks), 0, 0, 0))
        pe.barrier()
        pe.barrier()


def run(pe, case):
    pe.barrier()  # of the partners' syncline_alloc()
    if case == "nonsense":
        return nonsense(pe)
    operations(pe)
    nic_barriers(pe)
    refusals(pe)
    pe.barrier()
    totals(pe)


if __name__ == "__main__":
    import sys
    from attached import attach_from_environment
    attached = attach_from_environment()
    run(attached.pe, sys.argv[1])
    attached.finish()
    print("PE %d: python" % attached.pe.rank, flush=True)
    os._exit(0)
