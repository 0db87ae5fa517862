# SPDX-License-Identifier: BSD-3-Clause
"""A task queue with stealing: each PE has tasks of its own, and takes those of others when it has none left.

The queue of a PE is its number of tasks and a word, `taken`, in its memory. A fetch&add of that word is all it takes to have a
task, its own or one of another PE, whose process takes no part. PE 0 has most of the work.

    syncline run -n 4 -N 2 python task_queue.py [tasks]
"""

import sys
from collections.abc import Iterator

import numpy as np

import syncline as sl


def is_prime(number: int) -> bool:
    divisors = np.arange(2, int(number**0.5) + 1)
    return number > 1 and not np.any(number % divisors == 0)


def take_tasks(taken: np.ndarray, tasks: np.ndarray) -> Iterator[int]:
    """Tasks of this PE, then those that are left at the others."""
    for step in range(sl.size()):
        owner = (sl.rank() + step) % sl.size()
        while (place := sl.fetch_add(taken, 1, pe=owner)) < tasks[owner]:
            yield int(tasks[:owner].sum()) + place


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    sl.init()
    tasks = np.full(sl.size(), count // (2 * sl.size()))
    tasks[0] += count - tasks.sum()
    taken = sl.zeros(1, dtype="i8")
    found = sl.zeros(2, dtype="i8")  # at PE 0: primes, tasks that were done

    primes = [is_prime(task) for task in take_tasks(taken, tasks)]
    sl.accumulate(found, [sum(primes), len(primes)], pe=0)
    sl.barrier()

    wrong = False
    if sl.rank() == 0:
        expected = sum(is_prime(number) for number in range(count))
        wrong = list(found) != [expected, count]
        verdict = "WRONG" if wrong else "right"
        print(f"task_queue: {found[0]} primes in {found[1]} tasks of {sl.size()} PEs: {verdict}", flush=True)
    sl.barrier()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
