# SPDX-License-Identifier: BSD-3-Clause
"""The example of docs/PROTOCOL.md, executed by nic.py: the bytes on the page are the bytes that it answers with. The tags
of the page's test vectors are those of wire.py.

example.py <docs/PROTOCOL.md>
"""

import re
import sys

import wire
from nic import Config, ProcessTarget, Segment
from words import Memory

KEY = tuple(int.from_bytes(bytes(range(8 * i, 8 * i + 8)), "little") for i in (0, 1))
ADDRESS, BEFORE = 0x10040, 41


def packets(page):
    """The dumps in the section, one packet each."""
    section = page.split("\n## Example\n")[1].split("\n# ")[0]
    found = []
    for offset, row in re.findall(r"^    ([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+)$", section, re.MULTILINE):
        if int(offset, 16) == 0:
            found.append(b"")
        assert len(found[-1]) == int(offset, 16)
        found[-1] += bytes.fromhex(row)
    return section, found


def with_tag(packet, tag):
    return packet[:wire.TAGGED] + tag.to_bytes(8, "little") + packet[wire.HEADER_BYTES:]


def execute(key, request, reply):
    memory = Memory(1 << 17)
    memory.store(ADDRESS, BEFORE)
    nic = ProcessTarget(Config(0x5EED1234, key, 1, 2, 4, [2, 3], 2, 32), {(1, 0): Segment(memory)})
    for turn in ("first", "repeated"):
        answer = nic.input(request)
        assert answer == reply, "%s: %s, not %s" % (turn, answer.hex(" ") if answer else answer, reply.hex(" "))
        assert memory.load(ADDRESS) == BEFORE + 1
    older = wire.Header(*wire.HEADER.unpack_from(request))._replace(sequence=6)
    assert nic.input(wire.seal(key, older, request[wire.HEADER_BYTES:])) is None
    assert nic.counters["rejected_stale"] == 1 and nic.counters["duplicates"] == 1


def vectors(page, request):
    section = page.split("\n### Test vectors\n")[1].split("\n# ")[0].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| 0x([0-9a-f]{16}) \| 0x([0-9a-f]{16}) \|$", section, re.MULTILINE)
    assert [int(row[0]) for row in rows] == [64, 72, 1024, 1032, 8912]
    header = wire.Header(*wire.HEADER.unpack_from(request))
    for length, *tags in rows:
        body = bytes(7 * i + i // 256 & 255 for i in range(int(length)))
        for key, tag in zip((KEY, None), tags):
            packet = wire.seal(key, header._replace(data_length=len(body) - wire.UNIT_BYTES), body)
            assert packet == with_tag(packet, int(tag, 16)), (length, key)
    words = ["0x%08x" % word for word in wire.nh_key(KEY)]
    hashes = ["0x%016x" % word for word in wire.PAIR.unpack(wire.hashes(KEY, body)[:16])]
    for words in ([", ".join(words[:2])], [", ".join(words[-2:])], hashes):
        assert all(word in section for word in words), words


def run(page):
    section, (request, reply) = packets(page)
    tags = [int(tag, 16) for tag in re.findall(r"0x([0-9a-f]{16})", section)]
    assert len(tags) == 4
    vectors(page, request)
    execute(KEY, request, reply)
    assert (request, reply) == (with_tag(request, tags[0]), with_tag(reply, tags[1]))
    execute(None, with_tag(request, tags[2]), with_tag(reply, tags[3]))
    for tag in tags[2:]:
        assert tag.to_bytes(8, "little").hex(" ") in section.replace("\n", " ")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        run(file.read())
