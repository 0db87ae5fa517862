# SPDX-License-Identifier: BSD-3-Clause
"""Method: reductions of numbers and arrays, in the job and in groups, against the same in NumPy; a barrier orders puts; objects
reach all members whole."""
import numpy as np
import pytest

import syncline as sl

COMBINE = {"sum": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def all_ranks():
    return range(sl.size())


@pytest.mark.parametrize("how", COMBINE)
def test_whole_numbers(how):
    values = [13 * pe - 7 for pe in all_ranks()]
    assert sl.reduce(values[sl.rank()], how) == COMBINE[how].reduce(values)
    assert type(sl.reduce(np.int32(sl.rank()), how)) is int


@pytest.mark.parametrize("how", ["sum", "min", "max"])
def test_reals(how):
    values = [0.5 * pe - 1 for pe in all_ranks()]
    assert sl.reduce(values[sl.rank()], how) == COMBINE[how].reduce(values)
    assert type(sl.reduce(np.float32(1), how)) is float


def test_what_cannot_be_reduced():
    with pytest.raises(TypeError):
        sl.reduce(0.5, "xor")
    with pytest.raises(ValueError, match="reduction"):
        sl.reduce(1, "mean")
    with pytest.raises(ValueError, match="reduction"):
        sl.reduce(np.zeros(2), "mean")
    with pytest.raises((OverflowError, RuntimeError)):
        sl.reduce(2**70)


@pytest.mark.parametrize("shape", [(), (1,), (3, 2), (20_001,), (0,)], ids=str)
@pytest.mark.parametrize("dtype", ["i2", "f8", "c16"])
def test_arrays(dtype, shape):
    values = [np.random.default_rng(pe).integers(0, 1000, shape).astype(dtype) for pe in all_ranks()]
    result = sl.reduce(values[sl.rank()])
    assert result.dtype == np.dtype(dtype) and result.shape == shape
    assert (result == sum(values[1:], values[0])).all()


def test_a_barrier_completes_what_is_before_it(right, left):
    array = sl.zeros(64, dtype="i8")
    for turn in range(1, 30):
        sl.add(array, 1, pe=right, index=np.arange(64))
        sl.barrier()
        assert (array == turn).all()
        sl.barrier()


@pytest.mark.parametrize("value", [None, {"a": [1, 2.5]}, "x" * 200_000, np.arange(50_000)], ids=["none", "dict", "text", "array"])
def test_objects_are_broadcast(value):
    for root in (0, sl.size() - 1):
        received = sl.broadcast(value if sl.rank() == root else "ignored", root)
        assert np.array_equal(received, value)
    with pytest.raises(sl.Error, match="no member"):
        sl.broadcast(1, root=sl.size())


def test_groups():
    for turn in range(2):
        ranks = [pe for pe in all_ranks() if pe % 2 == turn] or [0]
        with_all = sl.Group(list(all_ranks())[::-1])
        group = sl.Group(ranks)
        assert group.ranks == ranks and group.is_member == (sl.rank() in ranks)
        if group.is_member:
            sl.barrier(group)
            assert sl.reduce(1, group=group) == len(ranks)
            assert (sl.reduce(np.full(3, sl.rank()), "max", group) == max(ranks)).all()
            assert sl.broadcast(sl.rank(), ranks[-1], group) == ranks[-1]
        else:
            with pytest.raises(sl.Error, match="members"):
                sl.barrier(group)
        assert sl.reduce(sl.rank(), "max", with_all) == sl.size() - 1
        group.close()
        with_all.close()
    with pytest.raises(ValueError):
        sl.Group([])
