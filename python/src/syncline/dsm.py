# SPDX-License-Identifier: BSD-3-Clause
"""Distributed shared memory: arrays that all PEs read and write as plain memory.

Pages travel between nodes when they are touched, and synchronisation brings copies up to date (docs/DSM.md). The rule is
that of threads: two accesses of the same bytes, of which one writes, are ordered by a lock, a flag, a condition or a barrier.

An access that fetches a page keeps the GIL, so other threads of Python wait with it; prefetch() does not. A call that hands an
array to the kernel (array.tofile, socket.send) needs prefetch() first. Ctrl-C in a call that waits leaves the call half done:
shared memory is over for this PE then, and the job ends when its program does.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._memory import Shape, bytes_of, view_as

_PROTOCOLS = {"nic": 0, "ardmar": 1, "async": 2}
_HOMES = {"first touch": 0, "block": 1, "cyclic": 2, "mine": 3}
_has_freed = False  # at all PEs alike


def init(bytes: int = 0, protocol: Literal["nic", "ardmar", "async"] = "nic", locks: int = 0) -> None:
    """Makes shared memory of `bytes` (0: SYNCLINE_DSM_SIZE, or 128 MiB), behind syncline.init(). Collective.

    `locks` bounds the numbers of locks, conditions and flags (0: 4096). syncline.finalize(), or the end of the program,
    ends it.
    """
    if protocol not in _PROTOCOLS:
        raise ValueError(f"a protocol is one of {', '.join(_PROTOCOLS)}, not {protocol!r}")
    _core._dsm_init(bytes, _PROTOCOLS[protocol], locks)


def finalize() -> None:
    """Ends shared memory: an access to an array in it is a crash. Collective."""
    _core._dsm_finalize()


def zeros(shape: Shape, dtype: DTypeLike = float, homes: Literal["first touch", "block", "cyclic", "mine"] = "first touch") -> NDArray[Any]:
    """An array of shared memory, the same one for all PEs, at one address, and zero. Collective.

    `homes` says where its pages live: at the PE that touches one first, divided in blocks, page by page in turn, or all at
    PE 0. The memory is the array's until free() or finalize().
    """
    if homes not in _HOMES:
        raise ValueError(f"homes is one of {', '.join(_HOMES)}, not {homes!r}")
    chosen = np.dtype(dtype)
    memory = _core._dsm_allocate(bytes_of(shape, chosen), _HOMES[homes])
    if _has_freed:  # this memory may have been another array's; fresh memory is zero, and its first touch is the program's
        np.array_split(memory, _core.size())[_core.rank()][...] = 0
        barrier()
    return view_as(memory, shape, chosen)


def free(array: NDArray[Any]) -> None:
    """Gives the memory of zeros() back. Collective, begins with a barrier."""
    global _has_freed
    _core._dsm_free(array)
    _has_freed = True


def barrier() -> None:
    """Waits until every PE has called it; behind it each sees what all have written. Collective."""
    _core._dsm_barrier()


def prefetch(array: NDArray[Any], write: bool = False) -> None:
    """Brings the pages of an array without gaps, all together, and with `write` makes them writable, until this PE's next acquire
    or release. Lets other threads of Python run.
    """
    _core._dsm_prefetch(array, write)


class Lock:
    """A lock of shared memory, by number. `with lock:` has it: it sees what the last holder has written.

    Without a number all PEs create it together, in the same order. First come, first served between PEs, and between threads
    of one.
    """

    _next = 0

    def __init__(self, number: int | None = None) -> None:
        if number is None:
            number = Lock._next
            Lock._next += 1
        self.number = number

    def acquire(self, blocking: bool = True) -> bool:
        """Takes it. False: `blocking` is False and it is taken."""
        return _core._dsm_acquire(self.number, blocking)

    def release(self) -> None:
        """Lets the next one have it, with all that this PE has written."""
        _core._dsm_release(self.number)

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        if not _core._dsm_is_interrupted():  # the exception that has ended shared memory is on its way
            self.release()


class Condition:
    """A condition of shared memory, which belongs to a lock. All PEs create it together, in the same order, or give a number.

    with condition.lock:
        while not ready[0]:
            condition.wait()
    """

    _next = 0

    def __init__(self, lock: Lock, number: int | None = None) -> None:
        if number is None:
            number = Condition._next
            Condition._next += 1
        self.lock = lock
        self.number = number

    def wait(self) -> None:
        """Gives the lock back, waits for a notification, takes it again. It may return without one: test again."""
        _core._dsm_condition_wait(self.number, self.lock.number)

    def notify(self) -> None:
        """Wakes one PE that waits, if any. The caller has the lock."""
        _core._dsm_condition_signal(self.number)

    def notify_all(self) -> None:
        """Wakes all PEs that wait. The caller has the lock."""
        _core._dsm_condition_broadcast(self.number)


class Flag:
    """A word that grows, 0 at first. set() releases what this PE has written, wait() acquires it.

    All PEs create it together, in the same order, or give a number.
    """

    _next = 0

    def __init__(self, number: int | None = None) -> None:
        if number is None:
            number = Flag._next
            Flag._next += 1
        self.number = number

    def set(self, value: int = 1) -> None:
        """Stores a value, as a release."""
        _core._dsm_flag_set(self.number, value)

    def wait(self, value: int = 1) -> int:
        """Waits until the flag is at least `value`, as an acquire, and returns what it is."""
        return _core._dsm_flag_wait(self.number, value)
