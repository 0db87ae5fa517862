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


class Nic:
    def __init__(self, config, segments=None, completions=None, barriers=None):
        self.config = config
        self.segments = segments  # {(port, segment): Segment}, or None: this executor has no slots
        self.slots = {}
        self.completions = completions
        self.barriers = barriers
        self.counters = Counter()
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
        if (header.units > wire.UNITS_MAX or header.data_length > wire.BODY_MAX or body > wire.BODY_MAX
                or (header.units >= 1) != (header.kind == wire.REQUEST)):
            return "rejected_length"
        if wire.HEADER_BYTES + body > len(packet):
            return "rejected_short"
        if wire.tag_of(self.config.key, packet[:wire.HEADER_BYTES + body]) != header.tag:
            return "rejected_tag"
        return None

    # Requests.

    def _request(self, header, packet):
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
        if first.code == wire.GET:
            status, data = self._get(header, first)
            executed = int(status == wire.OK)
            if is_new:
                slot.sequence, slot.state = header.sequence, DONE
                self._count(executed, status)
        else:
            if is_new:
                self._execute(header, packet, slot)
                slot.sequence, slot.state = header.sequence, DONE
            status, executed, data = slot.status, slot.executed, slot.results
        self.counters["replies_sent"] += 1
        answer = header._replace(kind=wire.REPLY, units=0, data_length=len(data), status=status, executed=executed)
        return wire.seal(self.config.key, answer, data)

    def _count(self, operations, status):
        self.counters["operations"] += operations
        self.counters["refused"] += status != wire.OK

    def _locate(self, unit, count):
        """The segment's memory, or the status why not."""
        segment = self.segments.get((unit.port, unit.segment))
        if segment is None:
            return wire.NO_SEGMENT, None
        if segment.closed:
            return wire.PORT_CLOSED, None
        if unit.offset + count > segment.memory.length or unit.offset % wire.BLOCK + count > wire.BLOCK:
            return wire.OUT_OF_BOUNDS, None
        return wire.OK, segment.memory

    def _get(self, header, unit):
        if header.units != 1 or not 1 <= unit.operand <= wire.BULK_MAX:
            return wire.BAD_LENGTH, b""
        status, memory = self._locate(unit, unit.operand)
        return status, bytes(memory.bytes[unit.offset:unit.offset + unit.operand]) if memory else b""

    def _put(self, header, packet, unit):
        if unit.operand != header.data_length or not 1 <= unit.operand <= wire.BULK_MAX:
            return wire.BAD_LENGTH
        status, memory = self._locate(unit, unit.operand)
        if status == wire.OK:
            data = wire.HEADER_BYTES + wire.UNIT_BYTES * header.units
            memory.bytes[unit.offset:unit.offset + unit.operand] = packet[data:data + unit.operand]
        return status

    def _execute(self, header, packet, slot):
        results = [0] * header.units
        at = operations = 0
        status, fetched = wire.OK, False
        while at < header.units and status == wire.OK:
            unit = wire.unpack_unit(packet, at)
            if unit.code == wire.PUT and at == 0:
                status, takes = self._put(header, packet, unit), 1
            else:
                status, takes = self._atomic(header, packet, at, results)
            if status == wire.OK:
                fetched |= unit.code < 0x80 and bool(unit.code & wire.FETCH)
                operations += 1
                at += takes
        slot.status, slot.executed = status, at
        slot.results = b"".join(result.to_bytes(8, "little") for result in results) if fetched else b""
        self._count(operations, status)

    def _atomic(self, header, packet, at, results):
        unit = wire.unpack_unit(packet, at)
        if not wire.is_atomic(unit.code) or at + wire.units_of(unit.code) > header.units:
            return wire.BAD_OPERATION, 0
        width = wire.width_of(unit.code)
        if unit.offset % width != 0:
            return wire.MISALIGNED, 0
        status, memory = self._locate(unit, width)
        if status != wire.OK:
            return status, 0
        operand, comparand = self._operands(packet, at, unit, width)
        place = slice(unit.offset, unit.offset + width)
        old = int.from_bytes(memory.bytes[place], "little")
        new = {wire.ADD: old + operand, wire.AND: old & operand, wire.OR: old | operand, wire.XOR: old ^ operand,
               wire.SWAP: operand, wire.CAS: operand if old == comparand else old}[unit.code & 7]
        memory.bytes[place] = (new & ((1 << 8 * width) - 1)).to_bytes(width, "little")
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
