# SPDX-License-Identifier: BSD-3-Clause
"""fw_barrier, and what a NIC and a process do with it: docs/PROTOCOL.md, "Barriers" and "fw_barrier"."""

from collections import Counter

import wire
from wire import Header
from words import Memory

BARRIERS, BARRIER_BYTES, ENTRIES, PHASES = 64, 5080, 65, 16
PORT_WORDS = 4
CLOSED, OPEN, BROKEN, GONE = range(4)
DONE, RUNNING, BUSY = range(3)
WRITING, HEARD = 1, 2

STATE, INSTANCE, PORTS, WORD, SENT, REFUSED = 0, 4, 8, 40, 48, 56
COUNTS, COMBINE, DRAWER, GATHERED, LEFT = 64, 68, 70, 72, 80
PHASE, HEAR, SEND, VALUE, CONTRIBUTION, RECORD = 88, 156, 416, 680, 952, 3000

NONE, SUM, MIN, MAX, BITAND, BITOR, BITXOR = range(7)


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def combine(how, one, other):
    return {NONE: one, SUM: one + other & wire.MASK, MIN: min(one, other, key=signed),
            MAX: max(one, other, key=signed), BITAND: one & other, BITOR: one | other, BITXOR: one ^ other}[how]


class Barrier:
    """One fw_barrier."""

    def __init__(self, memory, number):
        self.memory, self.number = memory, number
        self.base = BARRIER_BYTES * number

    def load(self, offset, width=8):
        return self.memory.load(self.base + offset, width)

    def members(self):
        """The set of ports: bit p for port p."""
        return sum(self.load(PORTS + 8 * word) << 64 * word for word in range(PORT_WORDS))

    def store(self, offset, value, width=8):
        self.memory.store(self.base + offset, value, width)

    def cas(self, offset, expected, desired, width=8):
        return self.memory.cas(self.base + offset, expected, desired, width)

    def phase(self, number):
        return tuple(self.load(PHASE + 4 * number + i, 1) for i in range(4))

    def route(self, table, entry):
        at = table + 4 * entry
        return self.load(at, 2), self.load(at + 2, 1), self.load(at + 3, 1)

    def value(self, epoch, phase):
        return VALUE + 8 * ((PHASES + 1) * (epoch & 1) + phase)

    def record(self, entry, epoch):
        return RECORD + 16 * (2 * entry + (epoch & 1))

    def draw_if_first(self, port, schedule, instance, ports):
        if not self.cas(DRAWER, 0, port + 1, 2):
            return False
        first = self.load(STATE, 4) in (CLOSED, GONE)
        if first:
            self.draw(schedule, instance, ports)
        self.store(DRAWER, 0, 2)
        return first

    def draw(self, schedule, instance, ports):
        for offset in range(PHASE, VALUE, 4):
            self.store(offset, 0, 4)
        for offset in range(RECORD, BARRIER_BYTES, 8):
            self.store(offset, 0)
        for table, rows, layout in ((PHASE, schedule.phases, (1, 1, 1, 1)), (HEAR, schedule.hear, (2, 1, 1)),
                                    (SEND, schedule.send, (2, 1, 1))):
            for i, row in enumerate(rows):
                at = table + 4 * i
                for field, width in zip(row, layout):
                    self.store(at, field, width)
                    at += width
        phases, sends = len(schedule.phases) - 1, len(schedule.send)
        for i, count in enumerate((phases, len(schedule.hear), sends, 0)):
            self.store(COUNTS + i, count, 1)
        self.store(INSTANCE, instance, 4)
        self.store(GATHERED, 0)
        self.store(LEFT, 0)
        self.store(SENT, sends)
        self.store(WORD, phases << 8 | DONE)
        for word in range(PORT_WORDS):
            self.store(PORTS + 8 * word, ports >> 64 * word & wire.MASK)
        self.store(STATE, OPEN, 4)

    def start(self, epoch, how, value):
        """The node's members have all started the epoch."""
        self.store(COMBINE + (epoch & 1), how, 1)
        self.store(self.value(epoch, 0), value)
        self.store(WORD, epoch << 32 | (RUNNING if self.load(COUNTS, 1) else DONE))

    def heard(self, epoch, entry):
        return self.load(self.record(entry, epoch)) == epoch << 32 | HEARD

    def step(self):
        """Enters the next phase if the running one has heard all. False if it has not."""
        word = self.load(WORD)
        epoch, number = word >> 32, word >> 8 & 255
        hear_from, hear_to, _, replace = self.phase(number)
        entries = range(hear_from, hear_to)
        if word & 255 != RUNNING or not all(self.heard(epoch, entry) for entry in entries):
            return False
        value = self.load(self.value(epoch, number))
        how = self.load(COMBINE + (epoch & 1), 1)
        for entry in entries:
            other = self.load(self.record(entry, epoch) + 8)
            value = other if replace else combine(how, value, other)
        if not self.cas(WORD, word, word + BUSY - RUNNING):
            return False
        self.store(self.value(epoch, number + 1), value)
        complete = number + 1 == self.load(COUNTS, 1)
        self.store(WORD, epoch << 32 | number + 1 << 8 | (DONE if complete else RUNNING))
        return True

    def take_due(self):
        """The epoch and the entry of `send` of a message that is due and that this call has taken, or None."""
        while True:
            sent, word, sends = self.load(SENT), self.load(WORD), self.load(COUNTS + 2, 1)
            now, allowed = word >> 32, self.phase(word >> 8 & 255)[2]
            epoch, entry = sent >> 32, sent & 255
            if epoch + 1 < now:
                epoch, entry = now - 1, 0
            if epoch < now and entry >= sends:
                epoch, entry = now, 0
            if entry >= (allowed if epoch == now else sends):
                return None
            if self.cas(SENT, sent, epoch << 32 | entry + 1):
                return epoch, entry

    def reached(self, epoch, phase):
        word = self.load(WORD)
        return word >> 32 == epoch + 1 or (word >> 32 == epoch and (word >> 8 & 255) >= phase)


class Barriers:
    """All of a node. `emit(node, packet)` sends a message, which may be lost; `woken(ports)` wakes members."""

    def __init__(self, config, emit, woken=lambda ports: None, memory=None):
        self.config, self.emit, self.woken = config, emit, woken
        self.memory = memory or Memory(BARRIERS * BARRIER_BYTES)
        self.counters = Counter()
        self.all = [Barrier(self.memory, number) for number in range(BARRIERS)]

    def message(self, kind, number, epoch, target, instance, place, value=0):
        header = Header(kind=kind, source_rank=self.config.ranks_here[0], slot=number, job=self.config.job,
                        sequence=epoch, data_length=wire.BARRIER_MESSAGE.size, target_node=target)
        return wire.seal(self.config.key, header, wire.BARRIER_MESSAGE.pack(instance, self.config.node, place, value))

    # The NIC's part.

    def take(self, header, arrival):
        """The answer to a message, whose rules 1 to 9 hold, or None."""
        barrier, epoch = self.all[header.slot], header.sequence
        if epoch == 0:
            return self._greeted(header, arrival)
        state = barrier.load(STATE, 4)
        if state == CLOSED or barrier.load(INSTANCE, 4) != arrival.instance:
            if header.kind == wire.ARRIVE and state != OPEN and arrival.place < 64:
                barrier.memory.update(barrier.base + REFUSED, lambda old: old | 1 << arrival.place)
            self.counters["rejected_barrier"] += 1
            return None
        if header.kind == wire.BROKEN:
            barrier.cas(STATE, OPEN, BROKEN, 4)
            self.woken(barrier.members())
            return None
        if state in (BROKEN, GONE):
            self.counters["barriers_pulled"] += 1
            return self.message(wire.BROKEN, header.slot, epoch, arrival.source_node, arrival.instance, arrival.place,
                                arrival.value)
        if header.kind == wire.PULL:
            return self._pulled(barrier, epoch, arrival)
        self._arrived(barrier, epoch, arrival)
        return None

    def _greeted(self, header, arrival):
        if header.kind != wire.PULL:
            return None
        self.counters["barriers_pulled"] += 1
        return self.message(wire.ARRIVE, header.slot, 0, arrival.source_node, arrival.instance, arrival.place,
                            arrival.value)

    def _pulled(self, barrier, epoch, arrival):
        if arrival.place >= barrier.load(COUNTS + 2, 1):
            return None
        node, place, phase = barrier.route(SEND, arrival.place)
        if node != arrival.source_node or not barrier.reached(epoch, phase):
            return None
        self.counters["barriers_pulled"] += 1
        return self.message(wire.ARRIVE, barrier.number, epoch, node, arrival.instance, place,
                            barrier.load(barrier.value(epoch, phase)))

    def _arrived(self, barrier, epoch, arrival):
        now = barrier.load(WORD) >> 32
        if epoch not in (now, now + 1):
            return
        if arrival.place >= barrier.load(COUNTS + 1, 1) or barrier.route(HEAR, arrival.place)[0] != arrival.source_node:
            self.counters["rejected_barrier"] += 1
            return
        at = barrier.record(arrival.place, epoch)
        word = barrier.load(at)
        if word >> 32 >= epoch or not barrier.cas(at, word, epoch << 32 | WRITING):
            return
        barrier.store(at + 8, arrival.value)
        barrier.store(at, epoch << 32 | HEARD)
        self.counters["barriers"] += 1
        self.advance(barrier.number)

    def advance(self, number):
        """Takes the barrier on as far as what was heard allows, and sends what is due."""
        barrier = self.all[number]
        while barrier.step():
            if barrier.load(WORD) & 255 == DONE:
                self.woken(barrier.members())
        while (due := barrier.take_due()) is not None:
            epoch, entry = due
            node, place, phase = barrier.route(SEND, entry)
            value = barrier.load(barrier.value(epoch, phase))
            self.counters["barriers_sent"] += 1
            self.emit(node, self.message(wire.ARRIVE, number, epoch, node, barrier.load(INSTANCE, 4), place, value))

    # The process's part.

    def greet(self, number):
        barrier = self.all[number]
        for entry in range(barrier.load(COUNTS + 2, 1)):
            node = barrier.route(SEND, entry)[0]
            self.emit(node, self.message(wire.PULL, 0, 0, node, 0, 0))

    def pull(self, number):
        """Asks for what the running phase misses."""
        barrier = self.all[number]
        word = barrier.load(WORD)
        epoch = word >> 32
        if word & 255 == DONE:
            return
        hear_from, hear_to, _, _ = barrier.phase(word >> 8 & 255)
        for entry in range(hear_from, hear_to):
            if not barrier.heard(epoch, entry):
                node, place, _ = barrier.route(HEAR, entry)
                self.emit(node, self.message(wire.PULL, number, epoch, node, barrier.load(INSTANCE, 4), place))
