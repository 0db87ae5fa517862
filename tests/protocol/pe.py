# SPDX-License-Identifier: BSD-3-Clause
"""A PE: what a program does with the words of docs/PROTOCOL.md, with a NIC, an agent or itself as the executor.

Job describes the nodes, Pe has the operations. Its maker gives it the memory of its node's ports, its
Requester, its Barriers, and `turn()`, which takes in what has come.
"""

import functools
import time

import barriers
import schedule
import wire
from requester import PeerSilent

HEAP_RESERVED = 1 << 16
BROKEN_WORD, PROBE_WORD, ROUND_WORDS, BARRIER_WORDS = 0, 64, 128, 4096
ANNOUNCED, BASE, CLOSED, CHOICE = 0, 8, 16, 24
PATIENCE_S = 60
TURNS, PAUSE_S = 20, 0.0001  # of a wait: turns in a row, and then the pause behind each, which leaves others the CPU
PROBE_S, PROBE_STEP = 0.100, 512


class Failed(Exception):
    """A request was refused; `status` is the reply's."""

    def __init__(self, what, status):
        super().__init__("%s: status %d" % (what, status))
        self.status = status


class Pe:
    def __init__(self, config, nodes, rank, memories, requester, the_barriers, turn, wake=lambda port: None):
        self.config, self.nodes, self.rank = config, nodes, rank
        self.memories = memories  # {port: Memory} of the heaps of this node
        self.requester, self.barriers, self.turn, self.wake = requester, the_barriers, turn, wake
        self.port = config.ranks_here.index(rank)
        self.places = {each: (i, port) for i, node in enumerate(nodes) for port, each in enumerate(node.ranks)}
        self.met = 0
        self.last_instances = {}
        self.lengths = {}  # of paths, by node

    @property
    def heap(self):
        return self.memories[self.port]

    def node_of(self, rank):
        return self.places[rank][0]

    def port_of(self, rank):
        return self.places[rank][1]

    def wait(self, done):
        """Until `done()`, which another has to bring about."""
        deadline = time.monotonic() + PATIENCE_S
        turns = 0
        while not done():
            turns += 1
            if turns > TURNS:
                time.sleep(PAUSE_S)
            self.turn()
            self.requester.retransmit()
            if self.heap.load(BROKEN_WORD) != 0:
                raise RuntimeError("a PE is gone")
            if time.monotonic() > deadline:
                raise TimeoutError("PE %d waits for more than %d s" % (self.rank, PATIENCE_S))

    # Operations.

    def request(self, rank, units, count, data=b"", reply_bytes=0, runtime=False, pad_to=0):
        """Starts one; the request, for finish()."""
        node = self.node_of(rank)
        started = []

        def start():
            request = self.requester.start(node, units, count, data, reply_bytes, runtime, pad_to)
            started.extend([request] if request else [])
            return request is not None

        self.wait(start)
        return started[0]

    def answer(self, request):
        """(status, executed, data)."""
        answers = []

        def take():
            answer = self.requester.answer(request)
            answers.extend([answer] if answer else [])
            return answer is not None

        self.wait(take)
        return answers[0]

    def finish(self, request):
        status, _, data = self.answer(request)
        if status != wire.OK:
            raise Failed("PE %d" % self.rank, status)
        return data

    def finish_all(self, requests):
        """Finishes them, as many at a time as there are slots. The data of all."""
        under_way, found = [], b""
        for request in requests:
            under_way.append(request)
            if len(under_way) >= self.config.window - 1:
                found += self.finish(under_way.pop(0))
        return found + b"".join(self.finish(request) for request in under_way)

    # How long packets may be.

    def length_to(self, rank):
        """The longest packet that goes to a PE's node, and comes back."""
        node = self.node_of(rank)
        if node not in self.lengths:
            self.lengths[node] = self._search(rank)
        return self.lengths[node]

    def _search(self, rank):
        carried, refused = wire.PACKET_LEAST, self.config.packet_max + PROBE_STEP
        length = self.config.packet_max
        while self.config.window > 1 and refused - carried > PROBE_STEP:
            if self._probe(rank, length):
                carried = length
            else:
                refused = length
            length = (carried + refused) // 16 * 8
        return carried

    def _probe(self, rank, length):
        count = min(length - wire.HEADER_BYTES, wire.BULK_MAX)
        unit = self.bulk(wire.GET, rank, 0, count)
        request = self.request(rank, unit, 1, reply_bytes=count, runtime=True, pad_to=length)
        deadline = time.monotonic() + PROBE_S
        found = []

        def over():
            answer = self.requester.answer(request)
            found.extend([answer] if answer else [])
            return answer is not None or time.monotonic() > deadline

        self.wait(over)
        if not found and self.requester.give_up(request):
            self.requester.free_slot(request)
            return False
        status, _, data = found[0] if found else self.answer(request)
        return status == wire.OK and len(data) == count

    def local(self, rank, address):
        """The memory of an address of a PE of this node, or None."""
        if self.node_of(rank) != self.config.node:
            return None
        assert address >> 40 == 0
        return self.memories[self.port_of(rank)]

    def written(self, rank):
        self.wake(self.port_of(rank))

    def ranges(self, rank, address, count):
        """An address range, cut where packets and blocks end."""
        room = self.length_to(rank) - wire.HEADER_BYTES - wire.UNIT_BYTES
        while count > 0:
            piece = min(count, room, wire.BLOCK - address % wire.BLOCK)
            yield address, piece
            address, count = address + piece, count - piece

    def lists(self, rank, pieces):
        """Pieces (address, bytes) of a segment, which ascend, cut where blocks end, as lists that fit into a packet."""
        room = self.length_to(rank) - wire.HEADER_BYTES - wire.UNIT_BYTES
        some, left = [], room
        for address, count in (cut for piece in pieces for cut in self.ranges(rank, *piece)):
            while count > 0:
                if left < 16:
                    yield some
                    some, left = [], room
                taken = min(count, left - 8 & ~7)
                some.append((address, taken))
                address, count, left = address + taken, count - taken, left - 8 - taken
        if some:
            yield some

    def bulk(self, code, rank, address, count):
        return wire.pack_unit(wire.Unit(code, self.port_of(rank), address >> 40, address & (1 << 40) - 1, count))

    def put(self, rank, address, data):
        memory = self.local(rank, address)
        if memory:
            memory.bytes[address:address + len(data)] = data
            return self.written(rank)
        self.finish_all(self.request(rank, self.bulk(wire.PUT, rank, at, count), 1, data[at - address:][:count])
                        for at, count in self.ranges(rank, address, len(data)))

    def get(self, rank, address, count):
        memory = self.local(rank, address)
        if memory:
            return bytes(memory.bytes[address:address + count])
        return self.finish_all(self.request(rank, self.bulk(wire.GET, rank, at, piece), 1, reply_bytes=piece)
                               for at, piece in self.ranges(rank, address, count))

    def put_pieces(self, rank, pieces, data):
        if self.local(rank, pieces[0][0]):
            return self._each(rank, pieces, data, self.put)
        self.finish_all(self._list(wire.PUT, rank, some, values) for some, values in self._listed(rank, pieces, data))

    def get_pieces(self, rank, pieces):
        if self.local(rank, pieces[0][0]):
            return b"".join(self.get(rank, *piece) for piece in pieces)
        return self.finish_all(self._list(wire.GET, rank, some) for some in self.lists(rank, pieces))

    @staticmethod
    def _each(rank, pieces, data, move):
        done = 0
        for address, count in pieces:
            move(rank, address, data[done:done + count])
            done += count

    def _list(self, code, rank, pieces, data=b""):
        segment = pieces[0][0] >> 40
        assert all(address >> 40 == segment for address, _ in pieces)
        unit = self.bulk(code | wire.LIST, rank, segment << 40, len(pieces))
        reply_bytes = sum(count for _, count in pieces) if code == wire.GET else 0
        listed = wire.pack_pieces((address & (1 << 40) - 1, count) for address, count in pieces)
        return self.request(rank, unit, 1, listed + data, reply_bytes)

    def _listed(self, rank, pieces, data):
        """Lists, each with its part of the data."""
        done = 0
        for some in self.lists(rank, pieces):
            count = sum(count for _, count in some)
            yield some, data[done:done + count]
            done += count

    def accumulate(self, kind, rank, address, data):
        memory = self.local(rank, address)
        if memory:
            return self._accumulate_here(memory, kind, rank, address, data)
        for at, count in self.ranges(rank, address, len(data)):
            self._add(kind, rank, [(at, count)], data[at - address:at - address + count])

    def accumulate_pieces(self, kind, rank, pieces, data):
        if self.local(rank, pieces[0][0]):
            return self._each(rank, pieces, data, functools.partial(self.accumulate, kind))
        for some, values in self._listed(rank, pieces, data):
            self._add(kind, rank, some, values)

    def _add(self, kind, rank, pieces, data):
        """Starts again behind the elements that were added, where another kept it from going on."""
        while pieces:
            if len(pieces) == 1:
                request = self.request(rank, self.bulk(kind, rank, *pieces[0]), 1, data)
            else:
                request = self._list(kind, rank, pieces, data)
            status, executed, _ = self.answer(request)
            if status == wire.OK:
                return
            if status != wire.RETRY:
                raise Failed("PE %d" % self.rank, status)
            done = executed * wire.ELEMENT_BYTES[kind]
            pieces, data = behind(pieces, done), data[done:]

    def _accumulate_here(self, memory, kind, rank, address, data):
        width = wire.ELEMENT_BYTES[kind]
        for i in range(0, len(data), width):
            value = int.from_bytes(data[i:i + width], "little")
            memory.update(address + i, lambda old, value=value: wire.add_element(kind, old, value), width)
        self.written(rank)

    def atomic(self, operation, rank, address, operand, comparand=0, width=8, fetch=True, runtime=False):
        memory = self.local(rank, address)
        if memory:
            return self._atomic_here(memory, operation, rank, address, operand, comparand, width)
        units = wire.atomic_units(operation, width, fetch, self.port_of(rank), address >> 40, address & (1 << 40) - 1,
                                  operand, comparand)
        count = len(units) // wire.UNIT_BYTES
        data = self.finish(self.request(rank, units, count, reply_bytes=8 * count if fetch else 0, runtime=runtime))
        return int.from_bytes(data[:max(width, 8)], "little") if fetch else None

    def _atomic_here(self, memory, operation, rank, address, operand, comparand, width):
        assert width in (4, 8), "a pair takes a lock"
        def change(old):
            return wire.combine(operation, width, old, operand & (1 << 8 * width) - 1, comparand)

        old = memory.update(address, change, width)
        self.written(rank)
        return old

    # The runtime's barrier.

    def barrier(self):
        size = self.config.ranks
        self.met += 1
        number, distance = 0, 1
        while distance < size:
            word = ROUND_WORDS + 64 * number
            self.atomic(wire.ADD, (self.rank + distance) % size, word, 1, fetch=False, runtime=True)
            self.wait(lambda: self.heap.load(word) >= self.met)
            number, distance = number + 1, 2 * distance

    def part(self):
        """A barrier before this PE's memory goes, in which a PE that is missing has left."""
        try:
            self.barrier()
        except (RuntimeError, Failed, PeerSilent):
            pass

    # The NICs' barrier.

    def open(self, number, ranks, algorithm, dimension):
        return NicBarrier(self, number, ranks, algorithm, dimension)


def behind(pieces, done):
    """The pieces without their first `done` bytes."""
    left = []
    for address, count in pieces:
        taken = min(count, done)
        done -= taken
        if count > taken:
            left.append((address + taken, count - taken))
    return left


def digest(ranks, algorithm, dimension, host):
    value = 2166136261
    for word in list(ranks) + [algorithm, dimension, host]:
        value = (value ^ word) * 16777619 & 0xFFFFFFFF
    return value


class NicBarrier:
    """A barrier that the NICs run, as a member sees it."""

    def __init__(self, pe, number, ranks, algorithm, dimension):
        self.pe, self.number, self.ranks = pe, number, ranks
        self.barrier = pe.barriers.all[number]
        self.words = BARRIER_WORDS + 64 * number
        self.epoch = 0
        self.nodes = list(dict.fromkeys(pe.node_of(rank) for rank in ranks))
        members = [pe.port_of(rank) for rank in ranks if pe.node_of(rank) == pe.config.node]
        self.ports = sum(1 << port for port in members)
        self.locals = len(members)
        self.is_drawer = min(members) == pe.port
        algorithm, dimension = self._agree(algorithm, dimension)
        self._enter(schedule.draw(algorithm, dimension, self.nodes, pe.config.node))

    def _leader(self, word):
        return self.pe.atomic(wire.ADD, self.ranks[0], self.words + word, 0, runtime=True)

    def _agree(self, algorithm, dimension):
        pe, wanted = self.pe, digest(self.ranks, algorithm, dimension, 0)
        if pe.rank == self.ranks[0]:
            count = (pe.heap.load(self.words + ANNOUNCED) >> 32) + 1 & 0xFFFF
            self.instance = pe.rank << 16 | count
            self.base = pe.heap.load(self.words + CLOSED)
            pe.heap.store(self.words + BASE, self.base)
            pe.heap.store(self.words + CHOICE, algorithm << 32 | dimension)
            pe.heap.store(self.words + ANNOUNCED, self.instance << 32 | wanted)
        else:
            last = pe.last_instances.get((self.number, self.ranks[0]))
            found = []

            def announced():
                found[:] = [self._leader(ANNOUNCED)]
                return found[0] & 0xFFFFFFFF == wanted and found[0] >> 32 != last and found[0] != 0

            pe.wait(announced)
            self.instance = found[0] >> 32
            self.base = self._leader(BASE)
            choice = self._leader(CHOICE)
            algorithm, dimension = choice >> 32, choice & 0xFFFFFFFF
            if (algorithm, dimension > 0) not in ((schedule.EXCHANGE, False), (schedule.TREE, True)):
                raise ValueError("the first member chose %d, %d" % (algorithm, dimension))
        pe.last_instances[self.number, self.ranks[0]] = self.instance
        return algorithm, dimension

    def _enter(self, drawn):
        barrier = self.barrier
        if not self.is_drawer:
            return self.pe.wait(lambda: barrier.load(barriers.STATE, 4) == barriers.OPEN
                                and barrier.load(barriers.INSTANCE, 4) == self.instance)
        self.pe.wait(lambda: barrier.draw_if_first(self.pe.port, drawn, self.instance, self.ports))
        self.pe.barriers.greet(self.number)

    def reduce(self, how, value):
        self.epoch += 1
        pe, barrier = self.pe, self.barrier
        barrier.store(barriers.CONTRIBUTION + 8 * pe.port, value)
        if barrier.memory.add(barrier.base + barriers.GATHERED, 1) + 1 == self.epoch * self.locals:
            for port in range(256):
                if self.ports >> port & 1 and port != pe.port:
                    value = barriers.combine(how, value, barrier.load(barriers.CONTRIBUTION + 8 * port))
            barrier.start(self.epoch, how, value)
            pe.barriers.advance(self.number)
        self._await_epoch()
        return barrier.load(barrier.value(self.epoch, barrier.load(barriers.COUNTS, 1)))

    def _await_epoch(self):
        interval = 0.001
        next_pull = time.monotonic() + interval

        def over():
            nonlocal interval, next_pull
            word = self.barrier.load(barriers.WORD)
            if self.barrier.load(barriers.STATE, 4) != barriers.OPEN:
                raise RuntimeError("the barrier broke")
            if word >> 32 == self.epoch and word & 255 == barriers.DONE:
                return True
            if time.monotonic() > next_pull:
                self.pe.barriers.pull(self.number)
                interval = min(2 * interval, 0.020)
                next_pull = time.monotonic() + interval
            return False

        self.pe.wait(over)

    def close(self):
        pe, barrier = self.pe, self.barrier
        pe.atomic(wire.ADD, self.ranks[0], self.words + CLOSED, 1, fetch=False, runtime=True)
        pe.wait(lambda: self._leader(CLOSED) - self.base & wire.MASK >= len(self.ranks))
        if barrier.memory.add(barrier.base + barriers.LEFT, 1) + 1 == self.locals:
            barrier.store(barriers.REFUSED, 0)
            barrier.store(barriers.STATE, barriers.CLOSED, 4)
