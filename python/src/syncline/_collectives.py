# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls: every member of a group makes them, in the same order. `group` is all PEs of the job if it is None."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core

How = Literal["sum", "min", "max", "and", "or", "xor"]
_COMBINE = {
    "sum": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _of(group: _core.Group | None) -> _core.Group:
    return _core._world() if group is None else group


@contextlib.contextmanager
def _whole(group: _core.Group, call: str) -> Iterator[None]:
    """An exception between two rounds leaves the group in the middle of a call, as one in a round does."""
    try:
        yield
    except BaseException:
        group._interrupt(call)
        raise


def barrier(group: _core.Group | None = None) -> None:
    """Waits until every member has called it. Completes this PE's operations first, so behind it all have their results.

    Raises PeerError if a member is gone, and the first error of an operation that nothing has waited for.
    """
    _of(group)._barrier()


def reduce(value: Any, how: How = "sum", group: _core.Group | None = None) -> Any:
    """Combines a value of each member; all get the result.

    A number travels with one barrier of the NICs: whole numbers of 64 bits (sums modulo 2**64) or floats of 64 bits, and each
    member gives the same kind. An array of numbers is combined element by element, a part at each member; all give the
    same shape and type, and get the same bits in a new array.
    """
    members = _of(group)
    if not isinstance(value, np.ndarray):
        return members._reduce(value, how)
    if how not in _COMBINE:
        raise ValueError(f"a reduction is one of {', '.join(_COMBINE)}, not {how!r}")
    flat = np.ascontiguousarray(value).reshape(-1)
    result = np.empty_like(flat)
    capacity = members._scratch().size // 2 // max(1, flat.itemsize)
    with _whole(members, "reduce"):
        for first in range(0, flat.size, max(1, capacity)):
            part = slice(first, first + capacity)
            result[part] = _reduce_part(members, flat[part], _COMBINE[how])
    return result.reshape(value.shape)


def _reduce_part(group: _core.Group, values: NDArray[Any], combine: np.ufunc) -> NDArray[Any]:
    """Each member combines its share of the elements, in the order of the ranks, and collects the shares of the others."""
    scratch = group._scratch()
    given = scratch[: scratch.size // 2].view(values.dtype)[: values.size]
    combined = scratch[scratch.size // 2 :].view(values.dtype)[: values.size]
    bounds = [values.size * place // len(group.ranks) for place in range(len(group.ranks) + 1)]
    shares = [slice(*pair) for pair in zip(bounds, bounds[1:])]
    given[...] = values
    group._meet("reduce")
    own = shares[group.ranks.index(_core.rank())]
    combined[own] = _core.get(given[own], group.ranks[0])
    for pe in group.ranks[1:]:
        combine(combined[own], _core.get(given[own], pe), out=combined[own])
    group._meet("reduce")
    result = np.concatenate([_core.get(combined[share], pe) for share, pe in zip(shares, group.ranks)])
    group._meet("reduce")
    return result


def broadcast(value: Any = None, root: int = 0, group: _core.Group | None = None) -> Any:
    """The root's `value` at every member; what the others give is ignored. Any object that pickle takes.

    PE `root` must be a member. At the root the result is the value itself.
    """
    members = _of(group)
    is_root = _core.rank() == root
    packed = np.frombuffer(pickle.dumps(value, protocol=5), np.uint8) if is_root else None
    received = np.empty(members._broadcast(root, packed.size if packed is not None else 0), np.uint8)
    with _whole(members, "broadcast"):
        scratch = members._scratch()
        for first in range(0, received.size, scratch.size):
            part = scratch[: min(scratch.size, received.size - first)]
            if packed is not None:
                part[...] = packed[first : first + part.size]
            members._meet("broadcast")
            if packed is None:
                _core.get(part, root, out=received[first : first + part.size])
            members._meet("broadcast")
    return value if is_root else pickle.loads(received.tobytes())
