# SPDX-License-Identifier: BSD-3-Clause
"""Symmetric arrays: NumPy arrays in memory that every PE has, at the same place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._collectives import barrier

Shape = int | tuple[int, ...]


def view_as(memory: NDArray[np.uint8], shape: Shape, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of that shape and type over bytes."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return memory[: math.prod(sizes) * dtype.itemsize].view(dtype).reshape(sizes)


def bytes_of(shape: Shape, dtype: np.dtype[Any]) -> int:
    """The length of such an array, at least 1."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if dtype.hasobject:
        raise TypeError("shared arrays hold numbers, not objects of Python")
    if any(size < 0 for size in sizes):
        raise ValueError(f"an array has no negative size: {sizes}")
    return max(1, math.prod(sizes) * dtype.itemsize)


def empty(shape: Shape, dtype: DTypeLike = float) -> NDArray[Any]:
    """An array whose memory every PE has in the same place, with any content.

    Collective: all PEs call it with the same arguments in the same order. The result is a NumPy array, as are views of it:
    array[2:5], array[:, 0], array.reshape(...). They stand for this PE's memory in NumPy, and for that of PE `pe` in calls
    that name a `pe`. A copy is ordinary memory. The memory is the array's until free() or finalize(), not until the array is
    no more. Raises Error with status NO_MEMORY, which says how to ask for more (`syncline run --heap`).
    """
    chosen = np.dtype(dtype)
    return view_as(_core._allocate(bytes_of(shape, chosen)), shape, chosen)


def full(shape: Shape, fill_value: ArrayLike, dtype: DTypeLike = None) -> NDArray[Any]:
    """empty(), filled with a value at each PE before any PE returns. Collective."""
    array = empty(shape, np.asarray(fill_value).dtype if dtype is None else dtype)
    array[...] = fill_value
    barrier()
    return array


def zeros(shape: Shape, dtype: DTypeLike = float) -> NDArray[Any]:
    """empty(), zero at each PE before any PE returns. Collective."""
    return full(shape, 0, dtype)


def array(values: ArrayLike, dtype: DTypeLike = None) -> NDArray[Any]:
    """A symmetric array with this PE's `values`, which have one shape and type at all PEs. Collective."""
    given = np.asarray(values, dtype=dtype)
    made = empty(given.shape, given.dtype)
    made[...] = given
    barrier()
    return made


def put_signal(target: NDArray[Any], value: ArrayLike, pe: int, signal: NDArray[Any], signal_value: int, index: int = 0) -> None:
    """put(), then swap() of an element of `signal` at the same PE: wait_until() there finds the data complete.

    Returns when both are. Errors as of put().
    """
    _core.put(target, value, pe)
    _core.swap(signal, signal_value, pe, index)
