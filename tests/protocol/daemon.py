# SPDX-License-Identifier: BSD-3-Clause
"""A client of docs/PROTOCOL.md, part 2: the daemon's socket."""

import array
import ipaddress
import os
import socket
import struct
from typing import NamedTuple

from faults import Rates

MAGIC, VERSION, INLINE_MAX, DESCRIPTORS_MAX = 0x4E504C53, 12, 128 * 1024, 200
HELLO, CREATE_JOB, ATTACH, SEGMENT, REGISTER, DEREGISTER, DETACH, STAT, AGENT_MODE, ABORT, MEMBER = range(1, 12)
UNASKED = (ABORT, MEMBER)  # to a launcher, which asks for other things meanwhile
SHM, UDP, XDP = range(3)
ATTACH_RING, ATTACH_SOCKETS, ATTACH_PACKETS = 1, 4, 8
SOCKETS_MAX = 64

HEADER = struct.Struct("=IHHIi")
SPEC = struct.Struct("=II2QIIIIIIII1040sQQIIiII16s4x4dQIIII")
NODE = struct.Struct("=HBB")
KINDS = {4: 1, 6: 2}  # of addresses, by the version of IP
SEGMENT_ANSWER = struct.Struct("=QII")


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__("%d: %s" % (status, text))
        self.status = status


class HungUp(Exception):
    """The daemon closed the connection."""


class Spec(NamedTuple):
    job: int
    authenticate: int
    key0: int
    key1: int
    node: int
    nodes: int
    ranks: int
    ports: int
    window: int
    udp_port: int
    packet_max: int = 8944
    keep_parts: int = 0
    nh: bytes = b""  # the daemon fills it in
    token: int = 0
    heap_bytes: int = 128 * 1024
    transport: int = UDP
    agent_mode: int = 2
    agent_cpu: int = -1
    peer_timeout_ms: int = 5000
    owner_uid: int = 0
    interface: bytes = b""
    loss: float = 0
    duplicate: float = 0
    reorder: float = 0
    corrupt: float = 0
    seed: int = 1
    shared_cpus: int = 0
    memory_mib: int = 0
    held_by_pes: int = 0
    unused: int = 0

    def rates(self):
        return Rates(self.loss, self.duplicate, self.reorder, self.corrupt, self.seed)


class Node(NamedTuple):
    ranks: list  # by port
    address: str


def pack_nodes(nodes):
    packed = b""
    for node in nodes:
        address = ipaddress.ip_address(node.address)
        packed += NODE.pack(len(node.ranks), KINDS[address.version], len(address.packed)) + address.packed
    ranks = array.array("H", [rank for node in nodes for rank in node.ranks])
    return packed + ranks.tobytes()


def unpack_nodes(body, count):
    found = []
    for _ in range(count):
        ports, kind, length = NODE.unpack_from(body)
        address, body = body[NODE.size:NODE.size + length], body[NODE.size + length:]
        assert KINDS[4 if length == 4 else 6] == kind
        found.append((ports, str(ipaddress.ip_address(address))))
    ranks = array.array("H", body)
    nodes = []
    for ports, address in found:
        nodes.append(Node(list(ranks[:ports]), address))
        ranks = ranks[ports:]
    assert not ranks, "the daemon sent more ranks than ports"
    return nodes


class Attached(NamedTuple):
    flags: int
    spec: Spec
    nodes: list
    descriptors: list


class Daemon:
    def __init__(self, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect("\0" + name[1:] if name.startswith("@") else name)
        self.call(HELLO)

    def call(self, kind, body=b""):
        """The body of the answer, and its descriptors."""
        self.send(kind, body)
        kind_of_answer, status, body, descriptors = self.receive()
        while kind_of_answer in UNASKED:
            kind_of_answer, status, body, descriptors = self.receive()
        assert kind_of_answer == kind
        if status < 0:
            raise Refused(status, body.decode())
        return body, descriptors

    def receive(self):
        room = socket.CMSG_SPACE(DESCRIPTORS_MAX * array.array("i").itemsize)
        packet, controls, flags, _ = self.socket.recvmsg(HEADER.size + INLINE_MAX, room, socket.MSG_CMSG_CLOEXEC)
        descriptors = array.array("i")
        for level, what, data in controls:
            if (level, what) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(data[:len(data) - len(data) % descriptors.itemsize])
        if not packet:
            raise HungUp()
        magic, version, kind, length, status = HEADER.unpack_from(packet)
        body = packet[HEADER.size:]
        if length > INLINE_MAX:
            with open(descriptors.pop(), "rb") as file:
                body += os.pread(file.fileno(), length, 0)
        assert (magic, version, length) == (MAGIC, VERSION, len(body)) and not flags & socket.MSG_CTRUNC
        return kind, status, body, list(descriptors)

    def send(self, kind, body=b""):
        self.socket.sendall(HEADER.pack(MAGIC, VERSION, kind, len(body), 0) + body)

    def create_job(self, spec, nodes):
        self.call(CREATE_JOB, SPEC.pack(*spec) + pack_nodes(nodes))

    def attach(self, token, job, rank):
        body, descriptors = self.call(ATTACH, struct.pack("=QII", token, job, rank))
        flags, _ = struct.unpack_from("=II", body)
        spec = Spec(*SPEC.unpack_from(body, 8))
        return Attached(flags, spec, unpack_nodes(body[8 + SPEC.size:], spec.nodes), descriptors)

    def segment(self, port, segment):
        """Its length and its descriptor."""
        body, descriptors = self.call(SEGMENT, struct.pack("=II", port, segment))
        return SEGMENT_ANSWER.unpack(body)[0], descriptors[0]

    def register(self, count):
        """The number and the descriptor of a new segment."""
        body, descriptors = self.call(REGISTER, struct.pack("=Q", count))
        return SEGMENT_ANSWER.unpack(body)[1], descriptors[0]

    def statistics(self):
        return self.call(STAT)[0].decode()

    def detach(self):
        self.call(DETACH)
        self.socket.close()


def from_environment():
    """A connection, and the token, job and rank that its PE attaches with."""
    return (Daemon(os.environ["SYNCLINE_SOCKET"]), int(os.environ["SYNCLINE_TOKEN"], 16),
            int(os.environ["SYNCLINE_JOB"], 16), int(os.environ["SYNCLINE_RANK"]))
