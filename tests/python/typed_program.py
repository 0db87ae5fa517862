# SPDX-License-Identifier: BSD-3-Clause
"""A program for a type checker, which finds the package's types by its stubs: no error, and the types that it states."""
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import syncline as sl

sl.init(wait="block", peer_timeout=2.5)
array: NDArray[Any] = sl.zeros((2, 3), dtype=np.int64)
assert_type(sl.fetch_add(array, 1, pe=0), int)
assert_type(sl.compare_swap(array, 0, 1, pe=0), Any)
assert_type(sl.get_nb(array, 0).test(), bool)
assert_type(sl.rank(), int)
sl.add(array, np.arange(3), pe=[0, 0, 0], index=range(3))
with sl.Lock(home=0, kind="mcs") as lock:
    assert_type(lock.acquire(timeout=0.5), bool)
with sl.RWLock().reading():
    pass
shared: NDArray[Any] = sl.dsm.zeros(10, homes="block")
assert_type(sl.dsm.Flag().wait(1), int)
try:
    sl.barrier(sl.Group([0]))
except sl.PeerError as error:
    assert_type(error.status, sl.Status | int)
