# SPDX-License-Identifier: BSD-3-Clause
"""Packets as docs/PROTOCOL.md, part 1, describes them: header, units and tag."""

import functools
import struct
from typing import NamedTuple

MAGIC, VERSION = 0x53, 2
REQUEST, REPLY, ARRIVE, PULL, BROKEN = 1, 2, 3, 4, 5
HEADER_BYTES, UNIT_BYTES, TAGGED = 32, 16, 24
PACKET_LEAST, PACKET_MAX = 1232, 8944
BODY_MAX, UNITS_MAX, FETCH_UNITS_MAX, BULK_MAX = PACKET_MAX - HEADER_BYTES, 557, 88, 8896
DATAGRAM_MAX = 9216  # room for any datagram of a link
BLOCK = 1 << 16
MASK = (1 << 64) - 1

OPERATIONS = ADD, AND, OR, XOR, SWAP, CAS, SMIN, SMAX, UMIN, UMAX = range(10)
FETCH, PUT, GET, ADD_INT32, ADD_INT64, ADD_FLOAT, ADD_DOUBLE, LIST = 0x40, 0x80, 0x81, 0x84, 0x85, 0x86, 0x87, 0x08
CLOSE = 0x82
ELEMENT_BYTES = {ADD_INT32: 4, ADD_INT64: 8, ADD_FLOAT: 4, ADD_DOUBLE: 8}

(OK, BAD_OPERATION, BAD_LENGTH, NO_SEGMENT, PORT_CLOSED, OUT_OF_BOUNDS, MISALIGNED, RETRY, BAD_PIECES,
 CLOSED) = range(10)

HEADER = struct.Struct("<BBBBHBBIIHHHHQ")
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
    status: int = 0
    job: int = 0
    sequence: int = 0
    units: int = 0
    data_length: int = 0
    target_node: int = 0
    executed: int = 0
    tag: int = 0

    def body_bytes(self):
        return self.units * UNIT_BYTES + padded(self.data_length)


class Unit(NamedTuple):
    """The code of an atomic has bits 3 and 4 of the operation's number in bits 20 and 21."""

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


def code_of(operation, width, fetch=False):
    return operation & 7 | (operation >> 3) << 20 | 8 * (width.bit_length() - 1) | (FETCH if fetch else 0)


def width_of(code):
    return 1 << (code >> 3 & 7)


def operation_of(code):
    return code & 7 | (code >> 20) << 3


def is_atomic(code):
    operation, width = operation_of(code), width_of(code)
    if code & 0x80 or operation not in OPERATIONS:
        return False
    if width in (4, 8):
        return True
    if width == 16:
        return operation in (SWAP, CAS)
    return width in (1, 2) and operation == SWAP and not code & FETCH


def units_of(code):
    """Units that an atomic takes."""
    return 1 + (operation_of(code) == CAS) + (width_of(code) == 16)


def combine(operation, width, old, operand, comparand):
    """Return the number that memory becomes."""

    def signed(number):
        return number - (1 << 8 * width) if number >> (8 * width - 1) else number

    def smaller(key):
        return operand if key(operand) < key(old) else old

    def larger(key):
        return operand if key(operand) > key(old) else old

    def unsigned(number):
        return number

    if operation == CAS:
        return operand if old == comparand else old
    return {ADD: lambda: (old + operand) & (1 << 8 * width) - 1, AND: lambda: old & operand, OR: lambda: old | operand,
            XOR: lambda: old ^ operand, SWAP: lambda: operand, SMIN: lambda: smaller(signed),
            SMAX: lambda: larger(signed), UMIN: lambda: smaller(unsigned),
            UMAX: lambda: larger(unsigned)}[operation]()


def pack_unit(unit):
    return UNIT.pack(unit.code & 0xFF, unit.port, unit.segment | unit.code >> 16, unit.offset >> 32,
                     unit.offset & 0xFFFFFFFF, unit.operand & MASK)


def unpack_unit(packet, index):
    code, port, segment, high, low, operand = UNIT.unpack_from(packet, HEADER_BYTES + UNIT_BYTES * index)
    if not code & 0x80:
        code |= (segment & 0x30) << 16
        segment &= 0xCF
    return Unit(code, port, segment, high << 32 | low, operand)


def atomic_units(operation, width, fetch, port, segment, offset, operand, comparand=0):
    """All units of an atomic, as bytes. A pair is low + high * 2^64."""
    units = pack_unit(Unit(code_of(operation, width, fetch), port, segment, offset, operand & MASK))
    if width == 16:
        units += PAIR.pack(operand >> 64, 0)
        if operation == CAS:
            units += PAIR.pack(comparand & MASK, comparand >> 64)
    elif operation == CAS:
        units += PAIR.pack(comparand & MASK, 0)
    return units


def bulk_kind(code):
    """The bulk code without LIST, or None."""
    kind = code & ~LIST
    return kind if kind in (PUT, GET) or kind in ELEMENT_BYTES else None


def pack_pieces(pieces):
    """A list of (offset, bytes)."""
    return b"".join((offset | count << 40).to_bytes(8, "little") for offset, count in pieces)


def unpack_pieces(data, count):
    return [(word & (1 << 40) - 1, word >> 40) for word in struct.unpack_from("<%dQ" % count, data)]


def add_element(kind, old, value):
    """The sum of two elements, each as a word."""
    width = ELEMENT_BYTES[kind]
    if kind in (ADD_INT32, ADD_INT64):
        return old + value & (1 << 8 * width) - 1
    form = "<f" if kind == ADD_FLOAT else "<d"
    one, other = (struct.unpack(form, word.to_bytes(width, "little"))[0] for word in (old, value))
    # A sum of floats is rounded twice, to double and to float. As 53 >= 2 * 24 + 2 bits, that is as good as once
    # (Figueroa, "When is double rounding innocuous?", 1995).
    total = one + other
    try:
        return int.from_bytes(struct.pack(form, total), "little")
    except OverflowError:
        return 0x7F800000 | (total < 0) << 31


def is_nan(kind, word):
    if kind not in (ADD_FLOAT, ADD_DOUBLE):
        return False
    sign, infinity = (1 << 31, 0xFF << 23) if kind == ADD_FLOAT else (1 << 63, 0x7FF << 52)
    return word & ~sign > infinity


def siphash(key, data, last=0):
    """SipHash-2-4 of whole 64-bit words. `last`: more bits of the block behind them."""
    v0, v1 = key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D
    v2, v3 = key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573
    words = struct.unpack("<%dQ" % (len(data) // 8), data) + ((len(data) & 255) << 56 | last,)
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


SIPHASH_BODY_MAX, NH_CHUNK = 64, 1024


@functools.lru_cache
def nh_key(key):
    """260 words of 32 bits."""
    words = [siphash(key, (0x6E68 << 48 | i).to_bytes(8, "little")) for i in range(130)]
    return [word >> shift & 0xFFFFFFFF for word in words for shift in (0, 32)]


def nh(key, chunk, shift):
    """NH of whole 64-bit words, under the key's words from `shift` on."""
    words = struct.unpack("<%dI" % (len(chunk) // 4), chunk)
    sums = [word + part & 0xFFFFFFFF for word, part in zip(words, nh_key(key)[shift:])]
    return sum(low * high for low, high in zip(sums[0::2], sums[1::2])) & MASK


def hashes(key, body):
    """The words that SipHash takes in place of a long body."""
    chunks = [body[at:at + NH_CHUNK] for at in range(0, len(body), NH_CHUNK)]
    return b"".join(PAIR.pack(nh(key, chunk, 0), nh(key, chunk, 4)) for chunk in chunks)


def lane(halves):
    a = b = 0
    for half in halves:
        a = (a + half) & MASK
        b = (b + a) & MASK
    return a, b


def checksum(header, body):
    halves = struct.unpack("<%dI" % ((len(header) + len(body)) // 4), header + body)
    a, b = lane(halves[::2])
    high_a, high_b = lane(halves[1::2])
    last = ((TAGGED + len(body)) & 255) << 56
    return (
        (a + last) * 0x9E3779B97F4A7C15
        + b * 0xD6E8FEB86659FD92
        + high_a * 0xC2B2AE3D27D4EB4F
        + high_b * 0x94D049BB133111EA
    ) & MASK


def tag_of(key, packet):
    """The tag of a packet that is exactly header and body; `key` is None without authentication."""
    header, body = bytes(packet[:TAGGED]), bytes(packet[HEADER_BYTES:])
    if key is None:
        return checksum(header, body)
    if len(body) <= SIPHASH_BODY_MAX:
        return siphash(key, header + body)
    return siphash(key, header + hashes(key, body), last=1)


def seal(key, header, body):
    packet = bytearray(HEADER.pack(*header) + body + bytes(header.body_bytes() - len(body)))
    struct.pack_into("<Q", packet, TAGGED, tag_of(key, packet))
    return bytes(packet)
