# SPDX-License-Identifier: BSD-3-Clause
"""The daemon's agent and nic.py, packet by packet: what the page says is what runs.

Method: a real daemon has node 0 of a job, this program has its twin in Python with the same configuration. Both get the
same packets, drawn from a seed: requests that are new, repeated, late, refused or well-formed, replies, barrier
messages, and each of them damaged against one rule. Both must answer alike, and at the end have the same memory, slots,
completions, barrier and counters. Where a request breaks several rules, each may find another one first; where a sum is
no number, each may write another one that is none.

agent.py <synclined> [<seed> [<packets>]]
"""

import json
import os
import random
import secrets
import signal
import socket
import struct
import sys
from collections import Counter

import attached
import barriers
import daemon
import requester
import schedule
import standalone
import wire
from nic import ProcessTarget, Segment
from wire import Header
from words import Memory

ADDRESSES = "127.0.0.1", "127.0.0.2"
RANKS, WINDOW, HEAP, REGISTERED = 5, 4, 128 * 1024, 3 * 4096
RANKS_HERE = [0, 4, 2]
BARRIER, INSTANCE = 9, 0x30007
EDGES = (0, 1, 2, 4, 8, 12, 16, 32, REGISTERED - 16, REGISTERED - 1, REGISTERED, 65520, 65528, 65532, 65535, 65536,
         HEAP - 16, HEAP - 4, HEAP - 1, HEAP, HEAP + 16, 1 << 32, (1 << 40) - 16)
LENGTHS = (0, 1, 2, 3, 4, 7, 8, 9, 16, 63, 64, 65, 100, 1000, 1024, 1391, 1392, 1393, 5000, 8888, 8895, 8896, 8897,
           20000)
COUNTS = (1, 1, 2, 3, 10, 60, 128, 987, 988, 989, 1112, 1113)  # of pieces
DOUBLES = 0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, float("inf")
FLOATS = -1.0, 1e38, -1e38, 1e-45, 16777216.0, float("-inf")
NUMBERS = (*(struct.pack("<d", number) for number in DOUBLES),
           *(struct.pack("<ff", number, 3 * number) for number in FLOATS))


class Draw:
    """Packets to node 0."""

    def __init__(self, config, seed):
        self.config = config
        self.random = random.Random(seed)
        self.sequences, self.requests, self.sent = {}, {}, []

    def offset(self):
        if self.random.random() < 0.2:
            return self.random.choice(EDGES)
        return self.random.randrange(0, HEAP, self.random.choice((1, 4, 8, 16, 16)))

    def where(self):
        """Port and segment: mostly some that exist."""
        if self.random.random() < 0.7:
            return 0, 0
        return self.random.choice(((0, 1), (2, 0), (1, 0), (0, 5), (63, 15), (64, 0), (0, 16), (255, 255)))

    def atomic(self, fetching=True):
        port, segment = self.where() if self.random.random() < 0.3 else (0, 0)
        width = self.random.choice((1, 2, 4, 4, 8, 8, 16))
        base = self.random.randrange(6)
        operand = self.random.choice((0, 1, wire.MASK, self.random.getrandbits(64)))
        offset = self.offset() // width * width if self.random.random() < 0.95 else self.offset()
        pair = operand | self.random.getrandbits(2) << 64
        units = wire.atomic_units(base, width, fetching and self.random.random() < 0.5, port, segment, offset,
                                  pair if width == 16 else operand, self.random.choice((0, 1, 0)))
        if self.random.random() < 0.03:
            units = bytes([self.random.randrange(256)]) + units[1:]
        return units

    def wrap(self):
        """Requests of one slot whose sequence goes round, 0 included, which is as good as another."""
        for sequence in (0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF, 0, 1):
            header = Header(source_rank=RANKS - 1, slot=WINDOW - 1, job=self.config.job, sequence=sequence, units=1)
            packet = wire.seal(self.config.key, header, wire.atomic_units(wire.ADD, 8, True, 0, 0, 0, 1))
            self.requests[header.source_rank, header.slot, sequence] = packet
            self.sequences[header.source_rank, header.slot] = sequence
            yield packet

    def request_body(self):
        """Units and data."""
        if self.random.random() < 0.25:
            return self.atomics(self.random.choice((1, 1, 2, 5, 20, 80, 95, 550))), b""
        code = self.random.choice((wire.PUT, wire.GET, *wire.ELEMENT_BYTES))
        body = self.list_of if self.random.random() < 0.5 else self.range_of
        unit, data = body(code)
        units = wire.pack_unit(unit)
        others = self.random.choice((0, 0, 1, 2, 3)) if code == wire.PUT else self.random.random() < 0.03
        if len(units) + len(data) < 8000:
            units += self.atomics(others)
        return units, data if len(units) + wire.padded(len(data)) <= wire.BODY_MAX else data[:8]

    def atomics(self, count):
        """Atomics, of which mostly none fetches if they are many."""
        fetching = count <= 20 or self.random.random() < 0.2
        units = [self.atomic(fetching) for _ in range(count)]
        while sum(map(len, units)) > wire.UNIT_BYTES * wire.UNITS_MAX:
            units.pop()
        return b"".join(units)

    def values(self, code, count):
        """Random ones, and numbers that are special."""
        values = bytearray(self.random.randbytes(count))
        if code in wire.ELEMENT_BYTES:
            for at in range(0, count - 7, 8):
                if self.random.random() < 0.5:
                    values[at:at + 8] = self.random.choice(NUMBERS)
        return bytes(values)

    def range_of(self, code):
        count = self.random.choice(LENGTHS)
        offset, size = self.offset(), wire.ELEMENT_BYTES.get(code, 1)
        if self.random.random() < 0.8:
            count, offset = count // size * size, offset // size * size
        if offset < HEAP and self.random.random() < 0.7:
            offset = min(offset, offset // wire.BLOCK * wire.BLOCK + max(wire.BLOCK - count, 0) // size * size)
        data = self.values(code, min(count, wire.BULK_MAX)) if code != wire.GET else b""
        if self.random.random() < 0.05:
            data = data[1:]
        return wire.Unit(code, *self.where(), offset, count), data

    def list_of(self, code):
        size = wire.ELEMENT_BYTES.get(code, 1)
        pieces = self.good_pieces(self.random.choice(COUNTS), size)
        unit = wire.Unit(code | wire.LIST, *self.where(), 0, len(pieces))
        damages = (self.swap, self.shorten, self.lengthen, self.move, self.leave)
        if self.random.random() < 0.3:
            self.random.choice(damages)(pieces)
        if self.random.random() < 0.1:
            unit = unit._replace(**self.random.choice((
                {"operand": 0}, {"operand": len(pieces) + 1}, {"operand": len(pieces) - 1}, {"operand": 1 << 61},
                {"operand": 1 << 61 | len(pieces)}, {"offset": 8}, {"offset": 1 << 32})))
        total = sum(count for _, count in pieces)
        data = wire.pack_pieces(pieces)
        if code != wire.GET:
            data += self.values(code, min(total, wire.BULK_MAX))
        if self.random.random() < 0.05:
            data = self.random.choice((data[:-1], data + b"1", data[:8], data[:4], b""))
        return unit, data[:wire.BULK_MAX]

    def good_pieces(self, wanted, size):
        """As many as fit into a packet and the heap."""
        room = wire.BULK_MAX // (1 if self.random.random() < 0.9 else 2)
        at = self.random.randrange(0, HEAP // 2) // size * size
        pieces = []
        for left in range(wanted, 0, -1):
            count = max(1, min(room // left - 8, self.random.choice((1, 2, 8, 100, 4000))) // size) * size
            if at % wire.BLOCK + count > wire.BLOCK:
                at += -at % wire.BLOCK
            if room < 8 + count or at + count > HEAP:
                break
            pieces.append((at, count))
            room -= 8 + count
            at += count + self.random.choice((0, 0, 1, 2, 20)) * size
        return pieces

    def swap(self, pieces):
        i, j = (self.random.randrange(len(pieces)) for _ in range(2))
        pieces[i], pieces[j] = pieces[j], pieces[i]

    def shorten(self, pieces):
        i = self.random.randrange(len(pieces))
        pieces[i] = pieces[i][0], self.random.choice((0, pieces[i][1] // 2))

    def lengthen(self, pieces):
        i = self.random.randrange(len(pieces))
        pieces[i] = pieces[i][0], self.random.choice((pieces[i][1] + 1, 65536, 65537, (1 << 24) - 1))

    def move(self, pieces):
        i = self.random.randrange(len(pieces))
        pieces[i] = self.random.choice((pieces[i][0] + 1, pieces[i][0] ^ 4, *EDGES)) % (1 << 40), pieces[i][1]

    def leave(self, pieces):
        """Out at the end of the segment, or of its first block."""
        count = pieces[-1][1]
        pieces[-1] = self.random.choice(((HEAP - count + 8, count), (wire.BLOCK - count // 2 & ~7, count + 8)))

    def request(self):
        rank, slot = self.random.randrange(RANKS), self.random.randrange(WINDOW)
        last = self.sequences.get((rank, slot), 0)
        step = self.random.choice((1, 1, 1, 1, 1, 0, -1, 2, 1000, 0x7FFFFFFF, 0x80000000))
        sequence = (last + step) & 0xFFFFFFFF
        if step in range(1, 1 << 31):
            self.sequences[rank, slot] = sequence
        if self.random.random() < 0.08 and self.may_close(rank, slot, sequence):
            header = Header(source_port=rank % 3, source_rank=rank, slot=slot, job=self.config.job, sequence=sequence,
                            units=1)
            return self.sealed(header, wire.pack_unit(wire.Unit(wire.CLOSE, 0, 0, 0, 0)))
        # An initiator never uses a sequence for two packets, but to close it.
        if (rank, slot, sequence) not in self.requests:
            units, data = self.request_body()
            header = Header(source_port=rank % 3, source_rank=rank, slot=slot, job=self.config.job, sequence=sequence,
                            units=len(units) // 16, data_length=len(data))
            self.requests[rank, slot, sequence] = self.sealed(header, units + data)
        return self.requests[rank, slot, sequence]

    def may_close(self, rank, slot, sequence):
        """A get is never closed: its slot records nothing."""
        request = self.requests.get((rank, slot, sequence))
        return request is None or wire.bulk_kind(wire.unpack_unit(request, 0).code) != wire.GET

    def reply(self):
        longest = self.config.packet_max - wire.HEADER_BYTES
        data = self.random.randbytes(self.random.choice((0, 0, 8, 16, 100, longest - 1, longest)))
        slot, port = self.random.randrange(WINDOW), self.random.choice((0, 0, 0, 1, 2, 7))
        rank = dict(enumerate(RANKS_HERE)).get(port, port) + (self.random.random() < 0.05)
        header = Header(kind=wire.REPLY, source_port=port, source_rank=rank, slot=slot,
                        job=self.config.job, sequence=self.random.choice((1, 1, 2, 0)), data_length=len(data),
                        target_node=self.random.choice((0, 1, 1, 2)), status=self.random.randrange(8),
                        executed=self.random.randrange(3))
        return self.sealed(header, data)

    def barrier_message(self):
        instance = INSTANCE if self.random.random() < 0.9 else 1
        body = wire.BARRIER_MESSAGE.pack(instance, self.random.choice((1, 1, 1, 0, 2)), self.random.choice((0, 0, 1, 2, 70)),
                                 self.random.getrandbits(64))
        kinds = [wire.ARRIVE] * 8 + [wire.PULL] * 8 + [wire.BROKEN]
        kind = self.random.choice(kinds)
        # BROKEN ends the barrier, so only that of epoch 0 comes here.
        epoch = 0 if kind == wire.BROKEN else self.random.choice((0, 1, 2, 3, 4, 5))
        header = Header(kind=kind, source_rank=2, slot=BARRIER if self.random.random() < 0.9 else 10,
                        job=self.config.job, sequence=epoch, data_length=16)
        return self.sealed(header, body)

    def damaged(self, packet):
        packet = bytearray(packet)
        how = self.random.randrange(3)
        if how == 0:
            packet[self.random.randrange(len(packet))] ^= 1 << self.random.randrange(8)
        elif how == 1:
            del packet[self.random.randrange(len(packet)):]
        else:
            packet += self.random.randbytes(self.random.choice((1, 8, 100)))
        return bytes(packet)[:wire.PACKET_MAX]

    def wrong(self, header):
        """A header that breaks a rule under a tag that is right."""
        field, values = self.random.choice((
            ("magic", (0, 0x54)), ("version", (0, 1, 3)), ("kind", (0, 6, 1, 2, 3)), ("job", (0, header.job ^ 1)),
            ("units", (0, 1, 88, 89, 557, 558, 65535)),
            ("data_length", (0, 1, 1392, 8896, 8912, 8913, 65535)), ("target_node", (1, 2, 65535)),
            ("source_rank", (RANKS, 65535)), ("slot", (WINDOW, 64, 255)),
            ("source_port", (3, 255)), ("status", (1,)), ("executed", (9,))))
        return header._replace(**{field: self.random.choice(values)})

    def sealed(self, header, body):
        """Mostly as it should be."""
        if self.random.random() < 0.9:
            return wire.seal(self.config.key, header, body)
        header = self.wrong(header)
        size = min(header.body_bytes(), wire.BODY_MAX)
        packet = bytearray(wire.HEADER.pack(*header) + body[:size].ljust(size, b"\0"))
        struct.pack_into("<Q", packet, wire.TAGGED, wire.tag_of(self.config.key, packet))
        return bytes(packet)

    def next(self):
        chance = self.random.random()
        if self.sent and chance < 0.15:
            return self.random.choice(self.sent[-20:])
        kind = self.random.random()
        packet = self.request() if kind < 0.7 else self.reply() if kind < 0.85 else self.barrier_message()
        if chance > 0.85:
            return self.damaged(packet)
        self.sent.append(packet)
        return packet


class Pair:
    """The agent and its twin."""

    def __init__(self, spec, nodes, connection):
        self.own = attached.Attached(connection, spec.token, spec.job, 0)
        self.config, self.spec = self.own.config, spec
        number, descriptor = connection.register(REGISTERED)
        assert number == 1
        self.registered = Memory(REGISTERED, descriptor)
        self.server = self._socket(spec.udp_port)
        self.client = self._socket(0)
        self.emitted = []
        self.statuses = Counter()  # of replies
        self.answered = {}  # requests, by rank, slot and sequence
        self.completions = requester.Completions(self.config)
        self.barriers = barriers.Barriers(self.config, lambda node, packet: self.emitted.append(packet))
        self.segments = {(port, 0): Segment(Memory(HEAP)) for port in range(spec.ports)}
        self.segments[0, 1] = Segment(Memory(REGISTERED))
        others = {port: requester.Completions(self.config) for port in range(1, spec.ports)}
        self.twin = ProcessTarget(self.config, self.segments, {0: self.completions, **others}, self.barriers)

    @staticmethod
    def _socket(port):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((ADDRESSES[1], port))
        made.settimeout(10)
        return made

    def prepare(self):
        """Some completions are armed, and a barrier is in the middle of its first epoch."""
        for completions in (self.completions, self.own.pe.requester.completions):
            for slot in range(WINDOW):
                completions.buffers.take(1, slot)
                completions.arm(1, slot, 1)
        for each in (self.barriers, self.own.pe.barriers):
            each.all[BARRIER].draw(schedule.tree([0, 1], 0, 1), INSTANCE, 1)
            each.all[BARRIER].start(1, barriers.SUM, 5)

    def compare(self, packet):
        self.emitted.clear()
        self.twin.broken, self.twin.unspecified = set(), []
        expected = self.twin.input(packet)
        self.client.sendto(packet, (ADDRESSES[0], self.spec.udp_port))
        if expected is not None:
            self._compare_reply(packet, self.client.recv(wire.DATAGRAM_MAX), expected)
        for number in self.twin.unspecified:
            self._take_over(*number)
        for message in self.emitted:
            while Header(*wire.HEADER.unpack_from(found := self.server.recv(wire.DATAGRAM_MAX))).kind == wire.PULL:
                pass  # the daemon's timer asks for what the barrier misses
            assert found == message, (found.hex(), message.hex())

    def _memories(self, port, segment):
        """The agent's and the twin's."""
        there = self.registered if segment else self.own.pe.memories[port]
        return there.bytes, self.segments[port, segment].memory.bytes

    def _take_over(self, port, segment, offset, width):
        """The agent's sum, which is no number either."""
        there, here = self._memories(port, segment)
        place = slice(offset, offset + width)
        kind = wire.ADD_FLOAT if width == 4 else wire.ADD_DOUBLE
        assert wire.is_nan(kind, int.from_bytes(there[place], "little")), (port, segment, offset)
        here[place] = there[place]

    def _compare_reply(self, packet, found, expected):
        ours, theirs = (Header(*wire.HEADER.unpack_from(each)) for each in (expected, found))
        if theirs.kind == wire.REPLY:
            ours = self._agree(ours, theirs)
            self.statuses[theirs.status] += 1
        same = ours._replace(tag=0) == theirs._replace(tag=0) and len(found) == len(expected)
        if not same or theirs.tag != wire.tag_of(self.config.key, found):
            raise AssertionError("%s\n is answered with %s\n          not with %s" % (packet.hex(), theirs, ours))
        first = wire.unpack_unit(packet, 0).code
        answered = theirs.source_rank, theirs.slot, theirs.sequence
        if first == wire.CLOSE:  # the reply is that of the request
            packet = self.answered.get(answered, packet)
        self.answered[answered] = packet
        if theirs.kind != wire.REPLY or wire.bulk_kind(first) == wire.GET:
            assert found[wire.HEADER_BYTES:] == expected[wire.HEADER_BYTES:]
            return
        at = 0
        while theirs.data_length and at < theirs.executed:
            code = wire.unpack_unit(packet, at).code
            takes = 1 if wire.bulk_kind(code) else wire.units_of(code)
            if code < 0x80 and code & wire.FETCH:
                place = slice(wire.HEADER_BYTES + 8 * at, wire.HEADER_BYTES + 8 * at + max(8, wire.width_of(code)))
                assert found[place] == expected[place], (packet.hex(), found.hex(), expected.hex())
            at += takes

    def _agree(self, ours, theirs):
        """The twin's reply to a request that breaks several rules, with the rule that the agent has found first."""
        if theirs.status not in self.twin.broken:
            return ours
        slot = self.twin.slots[theirs.source_rank, theirs.slot]
        slot.status = theirs.status
        return ours._replace(status=theirs.status)

    def compare_tables(self):
        for port in range(self.spec.ports):
            assert self.own.pe.memories[port].bytes == self.segments[port, 0].memory.bytes, "heap %d" % port
        assert self.registered.bytes == self.segments[0, 1].memory.bytes
        assert self.own.completions.bytes == self.completions.memory.bytes, "completions"
        base, size = barriers.BARRIER_BYTES * BARRIER, barriers.BARRIER_BYTES
        assert self.own.barriers_memory.bytes[base:base + size] == self.barriers.memory.bytes[base:base + size]
        self._compare_records()

    def _compare_records(self):
        """The agent's are all in one file: sources, the count of rows, rows."""
        rows = (attached.SOURCE_BYTES * self.spec.ranks + 63 & ~63) + 64
        records = Memory(rows + attached.SLOT_BYTES * self.spec.ranks * WINDOW, self.own.sources_descriptor,
                         writable=False)
        executed = Counter()
        for (rank, number), slot in self.twin.slots.items():
            row = records.peek(attached.SOURCE_BYTES * rank, 4) - 1
            at = rows + attached.SLOT_BYTES * (row * WINDOW + number)
            assert records.peek(at) == slot.sequence << 8 | slot.state, (rank, number)
            executed[rank] += slot.sequence if number < WINDOW - 1 else 0
        for rank, total in executed.items():
            assert records.peek(attached.SOURCE_BYTES * rank + 4, 4) == total & 0xFFFFFFFF, rank

    def compare_counters(self, text):
        (job,) = (job for job in json.loads(text) if job["job"] == "%08x" % self.spec.job)
        # No process sleeps here, there is a row for each rank, one CPU executes, no frame is seen, and processes send
        # all their packets.
        unused = "wakeups", "rejected_room", "rejected_busy", "rejected_fragment", "followers", "followers_lost"
        names = [name for name in attached.COUNTERS if name not in unused]
        assert list(job["counters"]) == attached.COUNTERS
        for name in names:
            assert job["counters"][name] == self.twin.counters[name], (name, job["counters"], self.twin.counters)
            assert self.twin.counters[name] > 0, name + " never counted"
        print({name: self.twin.counters[name] for name in names})


def describe(seed):
    """The first seed has the longest packets."""
    nodes = [daemon.Node(RANKS_HERE, ADDRESSES[0]), daemon.Node([1, 3], ADDRESSES[1])]
    return daemon.Spec(job=secrets.randbits(32) or 1, authenticate=1, key0=secrets.randbits(64),
                       key1=secrets.randbits(64), node=0, nodes=2, ranks=RANKS, ports=3, window=WINDOW,
                       udp_port=10000 + random.randrange(20000), token=secrets.randbits(64), heap_bytes=HEAP,
                       packet_max=wire.PACKET_MAX if seed == 1 else random.Random(seed).randrange(wire.PACKET_LEAST, wire.PACKET_MAX + 1, 8),
                       owner_uid=os.geteuid()), nodes


def run(synclined, seed, packets):
    spec, nodes = describe(seed)
    name = "@syncline-protocol/%08x" % spec.job
    process = standalone.start_daemon(synclined, name)
    try:
        launcher = daemon.Daemon(name)
        launcher.create_job(spec, nodes)
        pair = Pair(spec, nodes, daemon.Daemon(name))
        leaver = daemon.Daemon(name)
        leaver.attach(spec.token, spec.job, RANKS_HERE[1])
        leaver.detach()
        pair.segments[1, 0].closed = True
        pair.prepare()
        draw = Draw(pair.config, seed)
        for packet in draw.wrap():
            pair.compare(packet)
        assert pair.segments[0, 0].memory.load(0) == 5, "each sequence was a new one"
        for number in range(packets):
            try:
                pair.compare(draw.next())
            except (AssertionError, TimeoutError):
                print("packet %d of seed %d; again: %s %d" % (number, seed, " ".join(sys.argv[:2]), seed))
                raise
        # One more, which is answered: the agent has then dealt with all.
        pair.compare(wire.seal(pair.config.key, Header(kind=wire.PULL, source_rank=3, job=spec.job, data_length=16),
                               wire.BARRIER_MESSAGE.pack(0, 1, 0, 0)))
        pair.compare_tables()
        assert set(pair.statuses) == set(range(10)) - {wire.RETRY}, pair.statuses
        pair.compare_counters(launcher.statistics())
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


if __name__ == "__main__":
    chosen = [int(argument) for argument in sys.argv[2:]]
    run(sys.argv[1], chosen[0] if chosen else 1, chosen[1] if len(chosen) > 1 else 3000)
