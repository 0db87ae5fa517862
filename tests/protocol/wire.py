# SPDX-License-Identifier: BSD-3-Clause
"""Packets as docs/PROTOCOL.md, part 1, describes them: header, units and tag."""

import struct
from typing import NamedTuple

MAGIC, VERSION = 0x53, 1
REQUEST, REPLY, ARRIVE, PULL, BROKEN = 1, 2, 3, 4, 5
HEADER_BYTES, UNIT_BYTES, TAGGED = 32, 16, 24
UNITS_MAX, BODY_MAX, PACKET_MAX, BULK_MAX = 88, 1408, 1440, 1392
BLOCK = 1 << 16
MASK = (1 << 64) - 1

ADD, AND, OR, XOR, SWAP, CAS = range(6)
FETCH, PUT, GET = 0x40, 0x80, 0x81

OK, BAD_OPERATION, BAD_LENGTH, NO_SEGMENT, PORT_CLOSED, OUT_OF_BOUNDS, MISALIGNED, RETRY = range(8)

HEADER = struct.Struct("<BBBBHHIIHHHBBQ")
UNIT = struct.Struct("<BBBBIQ")
PAIR = struct.Struct("<QQ")
BARRIER_MESSAGE = struct.Struct("<IHHQ")


class Header(NamedTuple):
    magic: int = MAGIC
    version: int = VERSION
    kind: int = REQUEST
    source_port: int = 0
    source_rank: int = 0
    slot: int = 0
    job: int = 0
    sequence: int = 0
    units: int = 0
    data_length: int = 0
    target_node: int = 0
    status: int = 0
    executed: int = 0
    tag: int = 0

    def body_bytes(self):
        return self.units * UNIT_BYTES + padded(self.data_length)


class Unit(NamedTuple):
    code: int
    port: int
    segment: int
    offset: int
    operand: int


class BarrierMessage(NamedTuple):
    instance: int
    source_node: int
    place: int
    value: int


def padded(count):
    return (count + 7) & ~7


def code_of(base, width, fetch=False):
    return base + 8 * (width.bit_length() - 1) + (FETCH if fetch else 0)


def width_of(code):
    return 1 << (code >> 3 & 7)


def is_atomic(code):
    base, width = code & 7, width_of(code)
    if code >= 0x80 or base > CAS:
        return False
    if width in (4, 8):
        return True
    if width == 16:
        return base in (SWAP, CAS)
    return width in (1, 2) and code in (0x04, 0x0C)


def units_of(code):
    """Units that an atomic takes."""
    base, width = code & 7, width_of(code)
    return 1 + (base == CAS) + (width == 16)


def pack_unit(unit):
    return UNIT.pack(unit.code, unit.port, unit.segment, unit.offset >> 32, unit.offset & 0xFFFFFFFF,
                     unit.operand & MASK)


def unpack_unit(packet, index):
    code, port, segment, high, low, operand = UNIT.unpack_from(packet, HEADER_BYTES + UNIT_BYTES * index)
    return Unit(code, port, segment, high << 32 | low, operand)


def atomic_units(base, width, fetch, port, segment, offset, operand, comparand=0):
    """All units of an atomic, as bytes. A pair is low + high * 2^64."""
    units = pack_unit(Unit(code_of(base, width, fetch), port, segment, offset, operand & MASK))
    if width == 16:
        units += PAIR.pack(operand >> 64, 0)
        if base == CAS:
            units += PAIR.pack(comparand & MASK, comparand >> 64)
    elif base == CAS:
        units += PAIR.pack(comparand & MASK, 0)
    return units


def siphash(key, data):
    """SipHash-2-4 of whole 64-bit words."""
    v0, v1 = key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D
    v2, v3 = key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573
    words = struct.unpack("<%dQ" % (len(data) // 8), data) + ((len(data) & 255) << 56,)
    for word in words:
        v3 ^= word
        v0, v1, v2, v3 = _rounds(v0, v1, v2, v3, 2)
        v0 ^= word
    v0, v1, v2, v3 = _rounds(v0, v1, v2 ^ 0xFF, v3, 4)
    return v0 ^ v1 ^ v2 ^ v3


def _rounds(v0, v1, v2, v3, count):
    for _ in range(count):
        v0 = (v0 + v1) & MASK
        v1 = ((v1 << 13 | v1 >> 51) & MASK) ^ v0
        v0 = (v0 << 32 | v0 >> 32) & MASK
        v2 = (v2 + v3) & MASK
        v3 = ((v3 << 16 | v3 >> 48) & MASK) ^ v2
        v0 = (v0 + v3) & MASK
        v3 = ((v3 << 21 | v3 >> 43) & MASK) ^ v0
        v2 = (v2 + v1) & MASK
        v1 = ((v1 << 17 | v1 >> 47) & MASK) ^ v2
        v2 = (v2 << 32 | v2 >> 32) & MASK
    return v0, v1, v2, v3


def checksum(data):
    a = b = 0
    for word in struct.unpack("<%dQ" % (len(data) // 8), data):
        a = (a + word) & MASK
        b = (b + a) & MASK
    return ((a + ((len(data) & 255) << 56)) * 0x9E3779B97F4A7C15 + b * 0xD6E8FEB86659FD92) & MASK


def tag_of(key, packet):
    """The tag of a packet that is exactly header and body; `key` is None without authentication."""
    data = bytes(packet[:TAGGED]) + bytes(packet[HEADER_BYTES:])
    return checksum(data) if key is None else siphash(key, data)


def seal(key, header, body):
    packet = bytearray(HEADER.pack(*header) + body + bytes(header.body_bytes() - len(body)))
    struct.pack_into("<Q", packet, TAGGED, tag_of(key, packet))
    return bytes(packet)
