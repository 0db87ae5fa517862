# SPDX-License-Identifier: BSD-3-Clause
"""Counts random values in bins that are spread over all PEs, bin b at PE b mod n.

One call adds all of a PE's values: the increments have no result, so many of them travel in a packet, and no process of a
target takes part.

    syncline run -n 8 -N 4 python histogram.py [values of each PE]
"""

import sys

import numpy as np

import syncline as sl

BINS = 1000


def draw(pe: int, count: int) -> np.ndarray:
    """The values of a PE, each the sum of two dice of BINS / 2 sides: a triangle."""
    random = np.random.default_rng(pe)
    return random.integers(0, BINS // 2, (2, count)).sum(axis=0)


def main() -> int:
    values = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    sl.init()
    mine = draw(sl.rank(), values)
    counts = sl.zeros(BINS // sl.size() + 1, dtype="i8")
    sl.add(counts, 1, pe=mine % sl.size(), index=mine // sl.size())
    sl.barrier()

    wrong = 0
    if sl.rank() == 0:
        rows = [sl.get(counts, pe) for pe in range(sl.size())]
        histogram = np.stack(rows, axis=1).reshape(-1)[:BINS]
        expected = sum(np.bincount(draw(pe, values), minlength=BINS) for pe in range(sl.size()))
        wrong = int(np.count_nonzero(histogram != expected))
        verdict = "WRONG" if wrong else "right"
        print(f"histogram: {values * sl.size()} values of {sl.size()} PEs in {BINS} bins: {verdict}", flush=True)
    sl.barrier()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
