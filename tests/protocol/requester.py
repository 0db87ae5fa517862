# SPDX-License-Identifier: BSD-3-Clause
"""The initiator of docs/PROTOCOL.md: slots, completions, request images and retransmission."""

import struct
import time

import wire
from wire import Header
from words import Memory

IDLE, ARMED, CLAIMED, DONE = range(4)
COMPLETION_HEADER_BYTES, IMAGE_HEADER_BYTES = 16, 24
RETRY_MAX_S, LOCKED_PAIR_S = 0.020, 0.000020


class PeerSilent(Exception):
    """A node did not answer within the peer timeout."""


class Excess(Exception):
    """A reply has more data than the request asked for."""


def whole_lines(count):
    return (count + 63) & ~63


def completion_bytes(config):
    """From one to the next."""
    return whole_lines(COMPLETION_HEADER_BYTES + config.packet_max - wire.HEADER_BYTES)


def image_bytes(config):
    return whole_lines(IMAGE_HEADER_BYTES + config.packet_max)


def buffers_of(config):
    return min(config.nodes * config.window, max(3 * config.window, 64))


def directory_bytes(config):
    return (2 * config.ports * config.nodes * config.window + 7) & ~7


def completions_bytes(config):
    return completion_bytes(config) * buffers_of(config)


def images_bytes(config):
    """The header is in front of them, in the place of one."""
    return image_bytes(config) * (1 + buffers_of(config))


def request_id(node, slot, sequence):
    """The states of a request's completion and image begin with it."""
    return (node << 6 | slot) << 40 | sequence << 8


class Buffers:
    """Which of a port's buffers each slot has, in the directory of its node."""

    def __init__(self, config, port=0, memory=None):
        self.window, self.first = config.window, port * config.nodes * config.window
        self.memory = memory or Memory(directory_bytes(config))
        self.free = set(range(buffers_of(config)))

    def _place(self, node, slot):
        return 2 * (self.first + node * self.window + slot)

    def take(self, node, slot):
        buffer = min(self.free)
        self.free.remove(buffer)
        self.memory.store(self._place(node, slot), buffer, 2)

    def give_back(self, node, slot):
        self.free.add(self.of(node, slot))

    def of(self, node, slot):
        return self.memory.load(self._place(node, slot), 2)


class Completions:
    """fw_completion of one port, by buffer."""

    def __init__(self, config, memory=None, buffers=None):
        self.stride = completion_bytes(config)
        self.memory = memory or Memory(completions_bytes(config))
        self.buffers = buffers or Buffers(config)

    def place(self, node, slot):
        return self.stride * self.buffers.of(node, slot)

    def deposit(self, header, data):
        at = self.place(header.target_node, header.slot)
        sequence = request_id(header.target_node, header.slot, header.sequence)
        if not self.memory.cas(at, sequence | ARMED, sequence | CLAIMED):
            return False
        struct.pack_into("<BxHI", self.memory.bytes, at + 8, header.status, header.executed, len(data))
        start = at + COMPLETION_HEADER_BYTES
        self.memory.bytes[start:start + len(data)] = data
        self.memory.exchange(at, sequence | DONE)
        return True

    def arm(self, node, slot, sequence):
        self.memory.store(self.place(node, slot), request_id(node, slot, sequence) | ARMED)

    def give_up(self, node, slot, sequence):
        request = request_id(node, slot, sequence)
        return self.memory.cas(self.place(node, slot), request | ARMED, request | IDLE)

    def answer(self, node, slot, sequence):
        """(status, executed, data), or None while the reply is not here."""
        at = self.place(node, slot)
        if self.memory.load(at) != request_id(node, slot, sequence) | DONE:
            return None
        status, executed, length = struct.unpack_from("<BxHI", self.memory.bytes, at + 8)
        start = at + COMPLETION_HEADER_BYTES
        return status, executed, bytes(self.memory.bytes[start:start + length])


class Images:
    """The header and the RequestImages of one port, which its daemon reads."""

    def __init__(self, config, buffers, memory=None):
        self.stride, self.buffers = image_bytes(config), buffers
        self.memory = memory or Memory(images_bytes(config))
        self.outstanding = self.retransmitted = 0

    def place(self, node, slot):
        return self.stride * (1 + self.buffers.of(node, slot))

    def publish(self, node, slot, sequence, packet, pad_to):
        at = self.place(node, slot)
        self.memory.store(at + 16, len(packet), 4)
        self.memory.store(at + 20, pad_to, 4)
        start = at + IMAGE_HEADER_BYTES
        self.memory.bytes[start:start + len(packet)] = packet
        self.sent(node, slot)
        self.memory.store(at, request_id(node, slot, sequence) | 1)
        self._set_outstanding(+1)

    def sent(self, node, slot):
        self.memory.store(self.place(node, slot) + 8, time.monotonic_ns())

    def sent_again(self, node, slot):
        self.sent(node, slot)
        self.retransmitted += 1
        self.memory.store(8, self.retransmitted)

    def withdraw(self, node, slot):
        self.memory.store(self.place(node, slot), 0)
        self._set_outstanding(-1)

    def _set_outstanding(self, change):
        self.outstanding += change
        self.memory.store(0, self.outstanding, 4)


class Request:
    def __init__(self, node, slot, units, count, data, reply_bytes, pad_to):
        self.node, self.slot = node, slot
        self.units, self.count, self.data = units, count, data
        self.reply_bytes, self.pad_to = reply_bytes, pad_to
        self.sequence, self.packet = 0, b""
        self.first_sent = self.next_retry = self.interval = 0.0


class Requester:
    """Sends requests of one port and takes their replies. `send(node, datagram)` may lose what it is given."""

    def __init__(self, config, port, completions, images, send, first_retry_s, peer_timeout_s, pads):
        self.config, self.port = config, port
        self.completions, self.images, self.send = completions, images, send
        self.first_retry_s, self.peer_timeout_s, self.pads = first_retry_s, peer_timeout_s, pads
        self.free = [set(range(config.window)) for _ in range(config.nodes)]
        self.sequences = {}
        self.requests = set()

    def start(self, node, units, count, data=b"", reply_bytes=0, runtime=False, pad_to=0):
        """A request of `count` units, whose reply has at most so much data; None if no slot or buffer is free."""
        own = {self.config.window - 1} if self.config.window > 1 else set()
        usable = self.free[node] & own if runtime and own else self.free[node] - own
        if not usable or not self.completions.buffers.free:
            return None
        slot = min(usable)
        self.free[node].remove(slot)
        self.completions.buffers.take(node, slot)
        if self.pads:
            pad_to = max(pad_to, wire.HEADER_BYTES + wire.padded(reply_bytes))
        request = Request(node, slot, units, count, data, reply_bytes, pad_to)
        self._send_anew(request)
        request.first_sent = time.monotonic()
        return request

    def _send_anew(self, request):
        """Under the slot's next sequence."""
        key = request.node, request.slot
        sequence = self.sequences.get(key, 0) + 1
        request.sequence = self.sequences[key] = sequence if sequence < 1 << 32 else 1
        header = Header(source_port=self.port, source_rank=self.config.ranks_here[self.port], slot=request.slot,
                        job=self.config.job, sequence=request.sequence, units=request.count,
                        data_length=len(request.data), target_node=request.node)
        request.packet = wire.seal(self.config.key, header, request.units + request.data)
        request.interval = self.first_retry_s
        request.next_retry = time.monotonic() + request.interval
        self.completions.arm(request.node, request.slot, request.sequence)
        self.images.publish(request.node, request.slot, request.sequence, request.packet, request.pad_to)
        self.requests.add(request)
        self._send(request)

    def _send(self, request):
        self.send(request.node, request.packet.ljust(request.pad_to, b"\0"))

    def answer(self, request):
        """(status, executed, data), or None while it is not here."""
        answer = self.completions.answer(request.node, request.slot, request.sequence)
        if answer is None:
            return None
        self._end(request)
        if answer[0] == wire.RETRY and answer[1] == 0:
            time.sleep(LOCKED_PAIR_S)
            self._send_anew(request)
            return None
        self.free_slot(request)
        if len(answer[2]) > request.reply_bytes:
            raise Excess("node %d answers with %d bytes" % (request.node, len(answer[2])))
        return answer

    def give_up(self, request):
        """False if the reply is here after all."""
        if not self.completions.give_up(request.node, request.slot, request.sequence):
            return False
        self._end(request)
        return True

    def free_slot(self, request):
        """Its request is answered, or was a get and is given up: that changes nothing."""
        self.completions.buffers.give_back(request.node, request.slot)
        self.free[request.node].add(request.slot)

    def _end(self, request):
        self.images.withdraw(request.node, request.slot)
        self.requests.remove(request)

    def retransmit(self):
        now = time.monotonic()
        for request in list(self.requests):
            if now < request.next_retry:
                continue
            if now - request.first_sent > self.peer_timeout_s and self.give_up(request):
                raise PeerSilent("node %d does not answer" % request.node)
            request.interval = min(2 * request.interval, RETRY_MAX_S)
            request.next_retry = now + request.interval
            self.images.sent_again(request.node, request.slot)
            self._send(request)
