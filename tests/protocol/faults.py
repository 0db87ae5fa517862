# SPDX-License-Identifier: BSD-3-Clause
"""A network with seeded faults, in front of what a node sends and receives."""

import random
import time
from typing import NamedTuple


class Rates(NamedTuple):
    loss: float = 0
    duplicate: float = 0
    reorder: float = 0
    corrupt: float = 0
    seed: int = 1

    @classmethod
    def parse(cls, text):
        named = dict(item.split("=") for item in text.split(",") if item)
        return cls(**{name: int(value) if name == "seed" else float(value) for name, value in named.items()})


class Faults:
    """Packets go in; those that come out now, and those that were held back for a while, go to `deliver`."""

    HELD_MAX = 0.002

    def __init__(self, rates, salt):
        self.rates = rates
        self.random = random.Random(rates.seed * 1000003 + salt)
        self.held = []
        self.injected = 0

    def put(self, packet, deliver):
        chance = self.random.random
        if chance() < self.rates.loss:
            self.injected += 1
            return
        if chance() < self.rates.corrupt:
            self.injected += 1
            packet = bytearray(packet)
            bit = self.random.randrange(len(packet) * 8)
            packet[bit // 8] ^= 1 << bit % 8
            packet = bytes(packet)
        if chance() < self.rates.reorder:
            self.injected += 1
            self.held.append((time.monotonic() + self.random.random() * self.HELD_MAX, packet, deliver))
            return
        deliver(packet)
        if chance() < self.rates.duplicate:
            self.injected += 1
            deliver(packet)

    def release(self):
        now = time.monotonic()
        due = [held for held in self.held if held[0] <= now]
        self.held = [held for held in self.held if held[0] > now]
        for _, packet, deliver in due:
            deliver(packet)
