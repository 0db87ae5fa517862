# SPDX-License-Identifier: BSD-3-Clause
"""A PE: what a program does with the words of docs/PROTOCOL.md, with a NIC, an agent or itself as the executor.

Job describes the nodes, Pe has the operations. Those who make one give it the memory of its node's ports, its
Requester, its Barriers, and `turn()`, which takes in what has come.
"""

import time

import barriers
import schedule
import wire
from requester import PeerSilent

HEAP_RESERVED = 1 << 16
BROKEN_WORD, PROBE_WORD, ROUND_WORDS, BARRIER_WORDS = 0, 64, 128, 4096
ANNOUNCED, BASE, CLOSED, CHOICE = 0, 8, 16, 24
PATIENCE_S = 60


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
        while not done():
            self.turn()
            self.requester.retransmit()
            if self.heap.load(BROKEN_WORD) != 0:
                raise RuntimeError("a PE is gone")
            if time.monotonic() > deadline:
                raise TimeoutError("PE %d waits for more than %d s" % (self.rank, PATIENCE_S))

    # Operations.

    def request(self, rank, units, count, data=b"", reply_bytes=0, runtime=False):
        """Starts one; the request, for finish()."""
        node = self.node_of(rank)
        started = []

        def start():
            request = self.requester.start(node, units, count, data, reply_bytes, runtime)
            started.extend([request] if request else [])
            return request is not None

        self.wait(start)
        return started[0]

    def finish(self, request):
        answers = []

        def take():
            answer = self.requester.answer(request)
            answers.extend([answer] if answer else [])
            return answer is not None

        self.wait(take)
        status, _, data = answers[0]
        if status != wire.OK:
            raise Failed("PE %d" % self.rank, status)
        return data

    def local(self, rank, address):
        """The memory of an address of a PE of this node, or None."""
        if self.node_of(rank) != self.config.node:
            return None
        assert address >> 40 == 0
        return self.memories[self.port_of(rank)]

    def written(self, rank):
        self.wake(self.port_of(rank))

    def pieces(self, address, count):
        """An address range, cut where packets and blocks end."""
        while count > 0:
            piece = min(count, wire.BULK_MAX, wire.BLOCK - address % wire.BLOCK)
            yield address, piece
            address, count = address + piece, count - piece

    def bulk(self, code, rank, address, count):
        return wire.pack_unit(wire.Unit(code, self.port_of(rank), address >> 40, address & (1 << 40) - 1, count))

    def put(self, rank, address, data):
        memory = self.local(rank, address)
        if memory:
            memory.bytes[address:address + len(data)] = data
            return self.written(rank)
        requests = []
        for at, count in self.pieces(address, len(data)):
            piece = data[at - address:at - address + count]
            requests.append(self.request(rank, self.bulk(wire.PUT, rank, at, count), 1, piece))
        for request in requests:
            self.finish(request)

    def get(self, rank, address, count):
        memory = self.local(rank, address)
        if memory:
            return bytes(memory.bytes[address:address + count])
        requests = [self.request(rank, self.bulk(wire.GET, rank, at, piece), 1, reply_bytes=piece)
                    for at, piece in self.pieces(address, count)]
        return b"".join(self.finish(request) for request in requests)

    def atomic(self, base, rank, address, operand, comparand=0, width=8, fetch=True, runtime=False):
        memory = self.local(rank, address)
        if memory:
            return self._atomic_here(memory, base, rank, address, operand, comparand, width)
        units = wire.atomic_units(base, width, fetch, self.port_of(rank), address >> 40, address & (1 << 40) - 1,
                                  operand, comparand)
        data = self.finish(self.request(rank, units, len(units) // wire.UNIT_BYTES, runtime=runtime))
        return int.from_bytes(data[:max(width, 8)], "little") if fetch else None

    def _atomic_here(self, memory, base, rank, address, operand, comparand, width):
        assert width in (4, 8), "a pair takes a lock"
        change = {wire.ADD: lambda old: old + operand, wire.AND: lambda old: old & operand,
                  wire.OR: lambda old: old | operand, wire.XOR: lambda old: old ^ operand,
                  wire.SWAP: lambda old: operand, wire.CAS: lambda old: operand if old == comparand else old}[base]
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
            for port in range(64):
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
