# SPDX-License-Identifier: BSD-3-Clause
"""How much a call on one element costs, beside functions of the same binding generator that do nothing: one without arguments,
and one with those of an atomic.

    python bench/scalar_calls.py                        # a job of one process
    syncline run -n 2 python bench/scalar_calls.py      # PE 0 on the memory of PE 1

All are called by turns in loops, whose own time is taken off. The table has the least of the rounds, which other processes have
disturbed least, in time that this thread has had a CPU.
"""

import argparse
import time

import syncline as sl
from syncline import _core

CALLS = 4_000
CALLS_OF_ONE = [
    "put(array, 7, pe, 0)",
    "put(array, 7, pe=pe, index=0)",
    "put(floats, 0.5, pe, 0)",
    "put(shorts, 7, pe, 0)",
    "get(array, pe, 0)",
    "get(array, pe=pe, index=0)",
    "get(floats, pe, 0)",
    "get(table, pe, 5)",
    "fetch_add(array, 1, pe)",
    "fetch_add(array, 1, pe=pe, index=0)",
    "fetch_or(words, 1, pe)",
    "swap(floats, 0.5, pe)",
    "compare_swap(array, 0, 1, pe)",
    "compare_swap(array, 0, 1, pe=pe, index=0)",
    "add(array, 1, pe)",
    "store(floats, 0.5, pe)",
]


def time_of(statement: str, names: dict[str, object]) -> float:
    """Nanoseconds of this thread on a CPU for one execution of a statement, loop included."""
    loop: dict[str, object] = {}
    exec(f"def loop(names, count):\n {', '.join(names)}, = names\n for _ in count: {statement}", loop)
    repeats = range(CALLS)
    start = time.thread_time_ns()
    loop["loop"](names.values(), repeats)  # type: ignore[operator]
    return (time.thread_time_ns() - start) / CALLS


def measure(rounds_to_run: int) -> dict[str, float]:
    """The nanoseconds of each call, without the loop around it."""
    names = {name: getattr(sl, name) for name in ("put", "get", "fetch_add", "fetch_or", "swap", "compare_swap", "add", "store")}
    names |= {"empty": _core._empty, "nothing": _core._empty_with_arguments, "pe": sl.size() - 1, **arrays}
    statements = ["pass", "empty()", "nothing(array, 1, pe)", *CALLS_OF_ONE]
    rounds = [{text: time_of(text, names) for text in statements} for _ in range(rounds_to_run)]
    least = {text: min(row[text] for row in rounds) for text in statements}
    return {text: least[text] - least["pass"] for text in statements[1:]}


parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=60)
options = parser.parse_args()
sl.init()
arrays = {"array": sl.zeros(8, dtype="i8"), "floats": sl.zeros(8), "words": sl.zeros(8, dtype="u4"), "shorts": sl.zeros(8, dtype="i2"),
          "table": sl.zeros((4, 4), dtype="i8")}
sl.barrier()
if sl.rank() == 0:
    costs = measure(options.rounds)
    where = "own memory" if sl.size() == 1 else f"memory of PE {sl.size() - 1}, on node {sl.node_of(sl.size() - 1)}"
    print(f"{'call, on ' + where:45} {'ns':>6}  of empty()  of nothing(...)")
    for text, cost in costs.items():
        print(f"{text:45} {cost:6.0f} {cost / costs['empty()']:11.2f} {cost / costs['nothing(array, 1, pe)']:15.2f}")
    print(f"the costliest takes {max(costs[text] for text in CALLS_OF_ONE) / costs['empty()']:.2f} times empty()")
sl.barrier()
