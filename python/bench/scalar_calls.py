# SPDX-License-Identifier: BSD-3-Clause
"""How much a call on one element costs, beside functions of the same binding generator that do nothing: one without arguments,
and one with those of an atomic.

    python bench/scalar_calls.py                        # a job of one process
    syncline run -n 2 python bench/scalar_calls.py      # PE 0 on the memory of PE 1

All are called by turns in loops, whose own time is taken off. The table has the median of the rounds, in time that this thread
has had a CPU.
"""

import statistics
import time

import syncline as sl
from syncline import _core

ROUNDS = 15
CALLS = 20_000


def time_of(statement: str, names: dict[str, object]) -> float:
    """Nanoseconds of this thread on a CPU for one execution of a statement, loop included."""
    loop: dict[str, object] = {}
    exec(f"def loop(names, count):\n {', '.join(names)}, = names\n for _ in count: {statement}", loop)
    repeats = range(CALLS)
    start = time.thread_time_ns()
    loop["loop"](names.values(), repeats)  # type: ignore[operator]
    return (time.thread_time_ns() - start) / CALLS


def main() -> None:
    sl.init()
    array = sl.zeros(8, dtype="i8")
    sl.barrier()
    if sl.rank() == 0:
        names = {"empty": _core._empty, "nothing": _core._empty_with_arguments, "array": array, "pe": sl.size() - 1, "put": sl.put, "get": sl.get, "add": sl.add,
                 "fetch_add": sl.fetch_add, "compare_swap": sl.compare_swap}
        statements = ["pass", "empty()", "nothing(array, 1, pe)", "put(array, 7, pe, 0)", "get(array, pe, 0)", "fetch_add(array, 1, pe)",
                      "add(array, 1, pe)", "compare_swap(array, 0, 1, pe)"]
        rounds = [{text: time_of(text, names) for text in statements} for _ in range(ROUNDS)]
        costs = {text: statistics.median(row[text] - row["pass"] for row in rounds) for text in statements[1:]}
        where = "own memory" if sl.size() == 1 else f"memory of PE {sl.size() - 1}, on node {sl.node_of(sl.size() - 1)}"
        print(f"{'call, on ' + where:40} {'ns':>6}  of empty()  of nothing(...)")
        for text, cost in costs.items():
            print(f"{text:40} {cost:6.0f} {cost / costs['empty()']:11.2f} {cost / costs[statements[2]]:15.2f}")
    sl.barrier()


if __name__ == "__main__":
    main()
