# SPDX-License-Identifier: BSD-3-Clause
"""PEs have children by multiprocessing, forked and spawned. Children compute; a call in a forked one is refused, as is a second
PE where the first one is. Afterwards the PE goes on."""
import multiprocessing
import sys

import syncline as sl


def call(_):
    try:
        sl.rank()
        return "a child is a PE"
    except sl.Error as error:
        return error.status.name


def start(_):
    try:
        sl.init()
        return "a child has joined the job"
    except sl.Error as error:
        return error.status.name


if __name__ == "__main__":
    sl.init()
    array = sl.full(16, sl.rank(), "i8")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(abs, range(-10, 0)) == list(range(10, 0, -1))
        assert pool.map(call, [0]) == ["NOT_INITIALIZED"] and pool.map(start, [0]) == ["NOT_INITIALIZED"]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(abs, [-1]) == [1]
        refused = pool.map(start, [0])
        assert refused[0].isupper(), refused
    sl.barrier()
    sl.put(array, sl.rank() + 100, (sl.rank() + 1) % sl.size())
    sl.barrier()
    assert (array == (sl.rank() - 1) % sl.size() + 100).all(), array
    print(f"PE {sl.rank()} went on", flush=True)
    sys.exit(0)
