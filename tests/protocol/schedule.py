# SPDX-License-Identifier: BSD-3-Clause
"""Schedules of the NICs' barrier: docs/PROTOCOL.md, "Barriers"."""

from typing import NamedTuple

EXCHANGE, TREE = 1, 2


class Phase(NamedTuple):
    hear_from: int
    hear_to: int
    send_to: int
    replace: int


class Route(NamedTuple):
    node: int
    place: int
    phase: int


class Schedule(NamedTuple):
    phases: list  # one more than there are: the last is the complete epoch
    hear: list
    send: list


def exchange(nodes, this):
    count, i = len(nodes), nodes.index(this)
    pairs = count & (count - 1) == 0
    phases, hear, send = [], [], []
    for p in range((count - 1).bit_length()):
        distance = 1 << p
        to = i ^ distance if pairs else (i + distance) % count
        source = i ^ distance if pairs else (i - distance) % count
        phases.append(Phase(p, p + 1, p + 1, 0))
        hear.append(Route(nodes[source], p, p))
        send.append(Route(nodes[to], p, p))
    return Schedule(phases + [Phase(0, 0, len(send), 0)], hear, send)


def tree(nodes, this, dimension):
    count, i = len(nodes), nodes.index(this)

    def children_of(node):
        return range(dimension * node + 1, min(dimension * node + dimension, count - 1) + 1)

    children, hear, send = children_of(i), [], []
    for child in children:
        hear.append(Route(nodes[child], 0, 0))
    if i > 0:
        parent = (i - 1) // dimension
        hear.append(Route(nodes[parent], (parent > 0) + (i - 1) % dimension, 1))
        send.append(Route(nodes[parent], (i - 1) % dimension, 1))
    for child in children:
        # The child hears its parent in the entry behind its own children.
        send.append(Route(nodes[child], len(children_of(child)), 2))
    if count == 1:
        return Schedule([Phase(0, 0, 0, 0)], hear, send)
    up = int(i > 0)
    return Schedule([Phase(0, len(children), 0, 0), Phase(len(children), len(hear), up, 1),
                     Phase(0, 0, len(send), 0)], hear, send)


def draw(algorithm, dimension, nodes, this):
    return exchange(nodes, this) if algorithm == EXCHANGE else tree(nodes, this, dimension)
