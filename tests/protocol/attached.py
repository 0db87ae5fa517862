# SPDX-License-Identifier: BSD-3-Clause
"""Makes a PE of the descriptors that a daemon hands over: docs/PROTOCOL.md, "Attach"."""

import os
import socket

import barriers
import daemon
import requester
import wire
from faults import Faults
from nic import Config, ProcessTarget
from pe import Pe
from words import Memory

PORT_BYTES, SEGMENT_BYTES, SLOT_BYTES, SOURCE_BYTES = 2112, 16, 720, 8
COUNTERS_AT = 24
COUNTERS = """requests operations replies_sent replies wakeups duplicates refused rejected_short rejected_version
rejected_job rejected_tag rejected_length rejected_node rejected_source rejected_room rejected_stale rejected_busy rejected_late
rejected_fragment barriers barriers_sent barriers_pulled rejected_barrier followers followers_lost""".split()


def config_of(spec, ranks_here):
    key = (spec.key0, spec.key1) if spec.authenticate else None
    return Config(spec.job, key, spec.node, spec.nodes, spec.ranks, ranks_here, spec.ports, spec.window,
                  spec.packet_max)


class Attached:
    """This process as PE `rank`, at a daemon that it has connected to."""

    def __init__(self, connection, token, job, rank):
        self.connection = connection
        answer = connection.attach(token, job, rank)
        spec = answer.spec
        self.spec, self.config = spec, config_of(spec, answer.nodes[spec.node].ranks)
        self.port = self.config.ranks_here.index(rank)
        self._map(answer)
        is_xdp = spec.transport == daemon.XDP
        buffers = requester.Buffers(self.config, self.port, self.directory)
        completions = requester.Completions(self.config, self.completions, buffers)
        self.images = requester.Images(self.config, buffers, self.images_memory)
        the_barriers = barriers.Barriers(self.config, self.send, self.woken, self.barriers_memory)
        self.nic = ProcessTarget(self.config, completions={self.port: completions}, barriers=the_barriers)
        self.faults_out, self.faults_in = (Faults(spec.rates(), 2 * rank + i) for i in (0, 1))
        heaps = {port: Memory(*reversed(self._fetch(port))) for port in range(spec.ports)}
        # The reply lands in a frame that cannot grow; a PE does not know which NIC can.
        requests = requester.Requester(self.config, self.port, completions, self.images, self.send,
                                       0.0005 if is_xdp else 0.002, spec.peer_timeout_ms / 1000, pads=is_xdp)
        self.pe = Pe(self.config, answer.nodes, rank, heaps, requests, the_barriers, self.turn, self.wake)

    def _map(self, answer):
        spec, descriptors = answer.spec, iter(answer.descriptors)
        self.ports = Memory(PORT_BYTES * spec.ports, next(descriptors))
        self.segments = Memory(SEGMENT_BYTES * 256 * 16, next(descriptors), writable=False)
        self.barriers_memory = Memory(barriers.BARRIER_BYTES * barriers.BARRIERS, next(descriptors))
        self.ring = next(descriptors) if answer.flags & daemon.ATTACH_RING else None
        assert answer.flags & daemon.ATTACH_PACKETS, "this PE talks to others by packets"
        self.completions = Memory(requester.completions_bytes(self.config), next(descriptors))
        self.images_memory = Memory(requester.images_bytes(self.config), next(descriptors))
        self.sources_descriptor = next(descriptors)
        self.directory = Memory(requester.directory_bytes(self.config), next(descriptors))
        sockets = min(spec.nodes, daemon.SOCKETS_MAX) if answer.flags & daemon.ATTACH_SOCKETS else 0
        self.sockets = [socket.socket(fileno=next(descriptors)) for _ in range(sockets)]
        for each, node in zip(self.sockets, answer.nodes, strict=True):  # no more nodes than sockets here
            each.setblocking(False)
            each.connect((str(node.address), spec.udp_port))
        self.events = [next(descriptors) for _ in range(spec.ports)]
        assert not list(descriptors), "the daemon sent more than it says"

    def _fetch(self, port):
        length, descriptor = self.connection.segment(port, 0)
        assert int.from_bytes(self.segments.bytes[256 * port:256 * port + 8], "little") == length
        return descriptor, length

    def woken(self, ports):
        for port in range(self.config.ports):
            if ports >> port & 1:
                self.wake(port)

    def wake(self, port):
        if self.ports.load(PORT_BYTES * port, 4) and self.ports.exchange(PORT_BYTES * port, 0, 4):
            os.eventfd_write(self.events[port], 1)

    def send(self, node, packet):
        def leave(damaged):
            try:
                self.sockets[node].send(damaged)
            except OSError:
                pass  # a packet that was lost

        self.faults_out.put(packet, leave)

    def turn(self):
        """Takes in what has come to the sockets; on xdp nothing does, for the NIC takes it."""
        self.faults_out.release()
        self.faults_in.release()
        for node, each in enumerate(self.sockets):
            while True:
                try:
                    packet = each.recv(wire.DATAGRAM_MAX)
                except OSError:
                    break
                self.faults_in.put(packet, lambda damaged, node=node: self._take(node, damaged))

    def _take(self, node, packet):
        answer = self.nic.input(packet)
        if answer:
            self.send(node, answer)

    def finish(self):
        """A last barrier, behind which no PE needs this memory; then it leaves."""
        self.pe.barrier()
        self.pe.part()
        for i, name in enumerate(COUNTERS):
            self.images.memory.store(COUNTERS_AT + 8 * i, self.nic.counters[name])
        self.connection.detach()


def attach_from_environment():
    return Attached(*daemon.from_environment())
