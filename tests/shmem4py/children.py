# SPDX-License-Identifier: BSD-3-Clause
"""Method: each PE makes children by multiprocessing's fork, whose ends leave its arrays and its job alone. Each PE says so once."""
import multiprocessing

import numpy
from shmem4py import shmem


def child(queue):
    queue.put(42)


rank, size = shmem.my_pe(), shmem.n_pes()
array = shmem.zeros(16, dtype="i8")
array[:] = rank
fork = multiprocessing.get_context("fork")
answers = fork.Queue()
process = fork.Process(target=child, args=(answers,))
process.start()
assert answers.get(timeout=60) == 42
process.join()
assert process.exitcode == 0, process.exitcode
with fork.Pool(2) as pool:
    assert sum(pool.map(abs, range(-10, 0))) == 55
shmem.barrier_all()
shmem.put(array, numpy.full(16, rank + 100), (rank + 1) % size)
shmem.barrier_all()
assert (array == (rank - 1) % size + 100).all(), array
print(f"[{rank}] children", flush=True)
