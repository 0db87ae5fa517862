# SPDX-License-Identifier: BSD-3-Clause
"""The executor of docs/PROTOCOL.md, part 1: what a node does with a packet that has come."""

from collections import Counter
from typing import NamedTuple, Optional, Tuple

import wire
from wire import BarrierMessage, Header

EMPTY, BUSY, DONE = 0, 1, 2


class Config(NamedTuple):
    job: int
    key: Optional[Tuple[int, int]]  # None without authentication
    node: int
    nodes: int
    ranks: int
    ranks_here: list  # by port
    ports: int
    window: int
    packet_max: int = wire.PACKET_MAX


class Slot:
    """The target's record of (source rank, slot)."""

    def __init__(self):
        self.sequence, self.state = 0, EMPTY
        self.status = self.executed = 0
        self.results = b""


class Segment:
    """Memory of a port: the bytes, and whether its process is gone."""

    def __init__(self, memory):
        self.memory = memory
        self.closed = False


class Bulk(NamedTuple):
    """A bulk operation."""

    kind: int
    pieces: list  # of (offset, bytes)
    values: bytes
    broken: set  # statuses of all rules that it breaks; the page leaves open which one is looked at first
    memory: Optional[object]


class ProcessTarget:
    def __init__(self, config, segments=None, completions=None, barriers=None):
        self.config = config
        self.segments = segments  # {(port, segment): Segment}, or None: this executor has no slots
        self.slots = {}
        self.completions = completions
        self.barriers = barriers
        self.counters = Counter()
        self.broken = set()  # of the last request: each of these statuses is right
        self.unspecified = []  # (port, segment, offset, width) of the words in which it left a NaN
        if barriers is not None:
            barriers.counters = self.counters

    def input(self, packet):
        """The reply to a packet, or None. An empty one only wakes an agent, and is not counted."""
        if not packet:
            return None
        broken = self._broken_rule(packet)
        if broken:
            return self._drop(broken)
        header = Header(*wire.HEADER.unpack_from(packet))
        packet = packet[:wire.HEADER_BYTES + header.body_bytes()]
        if header.kind == wire.REQUEST:
            return self._request(header, packet)
        if header.kind == wire.REPLY:
            return self._reply(header, packet)
        return self._barrier(header, packet)

    def _drop(self, counter):
        if counter:
            self.counters[counter] += 1

    def _broken_rule(self, packet):
        """Rules 1 to 6."""
        if len(packet) < wire.HEADER_BYTES:
            return "rejected_short"
        header = Header(*wire.HEADER.unpack_from(packet))
        if header.magic != wire.MAGIC or header.version != wire.VERSION or not 1 <= header.kind <= 5:
            return "rejected_version"
        if header.job != self.config.job:
            return "rejected_job"
        body = header.body_bytes()
        if (header.units > wire.UNITS_MAX or header.data_length > wire.BODY_MAX
                or wire.HEADER_BYTES + body > self.config.packet_max
                or (header.units >= 1) != (header.kind == wire.REQUEST)):
            return "rejected_length"
        if wire.HEADER_BYTES + body > len(packet):
            return "rejected_short"
        if wire.tag_of(self.config.key, packet[:wire.HEADER_BYTES + body]) != header.tag:
            return "rejected_tag"
        return None

    # Requests.

    def _request(self, header, packet):
        self.broken, self.unspecified = set(), []
        if header.target_node != self.config.node:
            return self._drop("rejected_node")
        if (header.source_rank >= self.config.ranks or header.slot >= self.config.window
                or self.segments is None):
            return self._drop("rejected_source")
        slot = self.slots.setdefault((header.source_rank, header.slot), Slot())
        age = (header.sequence - slot.sequence) & 0xFFFFFFFF
        if age >= 1 << 31 or (age == 0 and slot.state == EMPTY):
            return self._drop("rejected_stale")
        self.counters["requests"] += 1
        is_new = age != 0
        self.counters["duplicates"] += not is_new
        first = wire.unpack_unit(packet, 0)
        if wire.bulk_kind(first.code) == wire.GET:
            status, data = self._get(header, packet, first)
            executed = int(status == wire.OK)
            if is_new:
                slot.sequence, slot.state = header.sequence, DONE
                self._count(executed, status)
        else:
            if is_new:
                self._execute(header, packet, slot)
                slot.sequence, slot.state = header.sequence, DONE
            status, executed, data = slot.status, slot.executed, slot.results
        if wire.HEADER_BYTES + wire.padded(len(data)) > self.config.packet_max:
            return self._drop("rejected_short")
        self.counters["replies_sent"] += 1
        answer = header._replace(kind=wire.REPLY, units=0, data_length=len(data), status=status, executed=executed)
        return wire.seal(self.config.key, answer, data)

    def _count(self, operations, status):
        self.counters["operations"] += operations
        self.counters["refused"] += status != wire.OK

    def _segment(self, unit):
        """The segment's memory, or the status why not."""
        segment = self.segments.get((unit.port, unit.segment))
        if segment is None:
            return wire.NO_SEGMENT, None
        if segment.closed:
            return wire.PORT_CLOSED, None
        return wire.OK, segment.memory

    @staticmethod
    def _is_inside(memory, offset, count):
        return offset + count <= memory.length and offset % wire.BLOCK + count <= wire.BLOCK

    def _bulk(self, header, packet, unit):
        data = wire.HEADER_BYTES + wire.UNIT_BYTES * header.units
        values = packet[data:data + header.data_length]
        kind = wire.bulk_kind(unit.code)
        if unit.code & wire.LIST:
            listed = min(unit.operand, len(values) // 8)
            pieces, values = wire.unpack_pieces(values, listed), values[8 * listed:]
            broken = {wire.BAD_PIECES} if self._is_bad_list(unit, kind, pieces, values) else set()
        else:
            pieces = [(unit.offset, unit.operand)]
            brought = 0 if kind == wire.GET else unit.operand
            is_bad = not 1 <= unit.operand <= wire.BULK_MAX or len(values) != brought
            broken = {wire.BAD_LENGTH} if is_bad else set()
        if kind != wire.PUT and header.units != 1:
            broken.add(wire.BAD_OPERATION)
        size = wire.ELEMENT_BYTES.get(kind, 1)
        if any(offset % size or count % size for offset, count in pieces):
            broken.add(wire.MISALIGNED)
        status, memory = self._segment(unit)
        if status != wire.OK:
            broken.add(status)
        elif not all(self._is_inside(memory, *piece) for piece in pieces):
            broken.add(wire.OUT_OF_BOUNDS)
        self.broken = broken
        return Bulk(kind, pieces, values, broken, memory)

    @staticmethod
    def _is_bad_list(unit, kind, pieces, values):
        sizes = [count for _, count in pieces]
        total = sum(sizes)
        if unit.operand == 0 or unit.operand != len(pieces) or unit.offset != 0 or 0 in sizes:
            return True
        if any(offset + count > following for (offset, count), (following, _) in zip(pieces, pieces[1:])):
            return True
        if kind == wire.GET:
            return total > wire.BULK_MAX or len(values) > 0
        return total != len(values)

    def _get(self, header, packet, unit):
        bulk = self._bulk(header, packet, unit)
        if bulk.broken:
            return min(bulk.broken), b""
        return wire.OK, b"".join(bytes(bulk.memory.bytes[at:at + count]) for at, count in bulk.pieces)

    def _put_or_add(self, header, packet, unit):
        bulk = self._bulk(header, packet, unit)
        if bulk.broken:
            return min(bulk.broken)
        done = 0
        for at, count in bulk.pieces:
            values = bulk.values[done:done + count]
            if bulk.kind == wire.PUT:
                bulk.memory.bytes[at:at + count] = values
            else:
                self._add(bulk, unit, at, values)
            done += count
        return wire.OK

    def _add(self, bulk, unit, at, values):
        width = wire.ELEMENT_BYTES[bulk.kind]
        for i in range(0, len(values), width):
            place = slice(at + i, at + i + width)
            old, value = (int.from_bytes(word, "little") for word in (bulk.memory.bytes[place], values[i:i + width]))
            total = wire.add_element(bulk.kind, old, value)
            bulk.memory.bytes[place] = total.to_bytes(width, "little")
            if wire.is_nan(bulk.kind, total):
                self.unspecified.append((unit.port, unit.segment, at + i, width))

    def _execute(self, header, packet, slot):
        results = [0] * header.units
        at = operations = 0
        status, fetched = wire.OK, False
        while at < header.units and status == wire.OK:
            unit = wire.unpack_unit(packet, at)
            if at == 0 and unit.code == wire.CLOSE:
                status, takes = wire.CLOSED, 0
            elif at == 0 and wire.bulk_kind(unit.code) is not None:
                status, takes = self._put_or_add(header, packet, unit), 1
            else:
                status, takes = self._atomic(header, packet, at, results)
            if status == wire.OK:
                fetched |= not unit.code & 0x80 and bool(unit.code & wire.FETCH)
                operations += 1
                at += takes
        slot.status, slot.executed = status, at
        slot.results = b"".join(result.to_bytes(8, "little") for result in results) if fetched else b""
        self._count(operations, status)

    def _atomic(self, header, packet, at, results):
        unit = wire.unpack_unit(packet, at)
        if not wire.is_atomic(unit.code) or at + wire.units_of(unit.code) > header.units:
            return wire.BAD_OPERATION, 0
        if unit.code & wire.FETCH and header.units > wire.FETCH_UNITS_MAX:
            return wire.BAD_OPERATION, 0
        width = wire.width_of(unit.code)
        if unit.offset % width != 0:
            return wire.MISALIGNED, 0
        status, memory = self._segment(unit)
        if status != wire.OK:
            return status, 0
        if not self._is_inside(memory, unit.offset, width):
            return wire.OUT_OF_BOUNDS, 0
        operand, comparand = self._operands(packet, at, unit, width)
        place = slice(unit.offset, unit.offset + width)
        old = int.from_bytes(memory.bytes[place], "little")
        new = wire.combine(wire.operation_of(unit.code), width, old, operand, comparand)
        memory.bytes[place] = new.to_bytes(width, "little")
        if unit.code & wire.FETCH:
            results[at] = old & wire.MASK
            if width == 16:
                results[at + 1] = old >> 64
        return wire.OK, wire.units_of(unit.code)

    @staticmethod
    def _operands(packet, at, unit, width):
        extra = [wire.PAIR.unpack_from(packet, wire.HEADER_BYTES + wire.UNIT_BYTES * (at + i))
                 for i in range(1, wire.units_of(unit.code))]
        narrow = (1 << 8 * width) - 1
        if width == 16:
            comparand = extra[1][0] | extra[1][1] << 64 if len(extra) > 1 else 0
            return unit.operand | extra[0][0] << 64, comparand
        return unit.operand & narrow, extra[0][0] & narrow if extra else 0

    # Replies.

    def _reply(self, header, packet):
        config = self.config
        if (header.source_port >= config.ports or config.ranks_here[header.source_port] != header.source_rank
                or header.target_node >= config.nodes or header.slot >= config.window):
            return self._drop("rejected_source")
        completions = self.completions.get(header.source_port) if self.completions else None
        if completions is None:
            return self._drop("rejected_source")
        data = packet[wire.HEADER_BYTES:wire.HEADER_BYTES + header.data_length]
        taken = completions.deposit(header, data)
        return self._drop("replies" if taken else "rejected_late")

    # Barriers.

    def _barrier(self, header, packet):
        if header.data_length != wire.BARRIER_MESSAGE.size or header.slot >= 64 or self.barriers is None:
            return self._drop("rejected_length")
        if header.target_node != self.config.node:
            return self._drop("rejected_node")
        message = BarrierMessage(*wire.BARRIER_MESSAGE.unpack_from(packet, wire.HEADER_BYTES))
        if message.source_node >= self.config.nodes:
            return self._drop("rejected_source")
        return self.barriers.take(header, message)
