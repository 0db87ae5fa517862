# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of an atomic that updates many elements, as the compiled half takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core


def _offsets(target: NDArray[Any], index: ArrayLike) -> NDArray[np.int64]:
    """Byte offsets of elements, which are counted in the order of C."""
    chosen = np.asarray(index)
    if chosen.dtype.kind not in "iu":
        raise TypeError(f"an index is a whole number, not {chosen.dtype}")
    if chosen.size and (chosen.min() < -target.size or chosen.max() >= target.size):
        raise IndexError(f"an index is outside the array of {target.size} elements")
    chosen = np.where(chosen < 0, chosen + target.size, chosen).astype(np.int64)
    places = np.unravel_index(chosen, target.shape)
    return sum((place * stride for place, stride in zip(places, target.strides)), np.zeros_like(chosen))


def _pes(pe: ArrayLike) -> NDArray[np.int32]:
    chosen = np.asarray(pe)
    if chosen.dtype.kind not in "iu":
        raise TypeError(f"a PE is a whole number, not {chosen.dtype}")
    if chosen.size and (chosen.min() < 0 or chosen.max() >= _core.size()):
        raise IndexError(f"there is no such PE in a job of {_core.size()}")
    return chosen.astype(np.int32)


def prepare(target: NDArray[Any], value: ArrayLike, pe: ArrayLike, index: ArrayLike) -> tuple[NDArray[Any], ...]:
    """Offsets, PEs and values, broadcast to one shape and one behind the other."""
    values = np.asarray(value, dtype=None if isinstance(value, np.ndarray) else target.dtype)
    if not np.can_cast(values.dtype, target.dtype, casting="same_kind"):
        raise TypeError(f"values of type {values.dtype} are of another kind than the array's {target.dtype}")
    arrays = np.broadcast_arrays(_offsets(target, index), _pes(pe), values.astype(target.dtype))
    return tuple(np.ascontiguousarray(array) for array in arrays)
