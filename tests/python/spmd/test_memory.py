# SPDX-License-Identifier: BSD-3-Clause
"""Method: each PE puts what is its own into its right neighbour's array and finds its left neighbour's in its own, for
every type, shape and kind of view; gets must see the same. Wrong arguments raise and move nothing."""
import numpy as np
import pytest

import syncline as sl

TYPES = ["i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16", "?", ">i4", "S5", [("a", "i4"), ("b", "f8")]]
VIEWS = {
    "whole": np.s_[...],
    "row": np.s_[2],
    "column": np.s_[:, 1],
    "block": np.s_[1:3, 2:5],
    "steps": np.s_[::2, ::3],
    "backwards": np.s_[::-1, 4:1:-2],
    "element": np.s_[3:4, 3:4],
    "nothing": np.s_[2:2],
    "turned": np.s_[np.newaxis, :, 1:4],
}


def pattern(pe, shape, dtype):
    numbers = np.random.default_rng(pe + 1).integers(0, 100, shape)
    if isinstance(dtype, list):
        made = np.empty(shape, dtype)
        made["a"], made["b"] = numbers, numbers / 2
        return made
    return numbers.astype(dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_type_travels(dtype, right, left):
    array = sl.zeros(7, dtype=dtype)
    sl.put(array, pattern(sl.rank(), 7, dtype), right)
    sl.barrier()
    assert (array == pattern(left, 7, dtype)).all()
    assert (sl.get(array, right) == pattern(sl.rank(), 7, dtype)).all()
    assert sl.get(array, right, index=3) == pattern(sl.rank(), 7, dtype)[3].item()
    sl.barrier()
    sl.free(array)


@pytest.mark.parametrize("name", VIEWS)
def test_views_move_their_elements_and_no_others(name, right, left):
    array = sl.zeros((4, 6), dtype="i4")
    view = array[VIEWS[name]]
    values = pattern(sl.rank(), view.shape, "i4") + 1
    sl.put(view, values, right)
    sl.barrier()
    expected = np.zeros((4, 6), "i4")
    expected[VIEWS[name]] = pattern(left, view.shape, "i4") + 1
    assert (array == expected).all()
    assert (sl.get(view, right) == values).all()
    out = np.empty_like(values)
    assert sl.get(view, right, out=out) is out and (out == values).all()
    sl.barrier()
    sl.free(array)


def test_large_arrays(right, left):
    array = sl.zeros((300, 1000))
    sl.put(array, pattern(sl.rank(), array.shape, "f8"), right)
    sl.put(array[:, 10::90], 0.5, right)
    sl.barrier()
    expected = pattern(left, array.shape, "f8")
    expected[:, 10::90] = 0.5
    assert (array == expected).all()
    sl.barrier()
    sl.free(array)


def test_values_are_broadcast_and_cast_within_their_kind(right):
    array = sl.zeros((2, 3), dtype="f4")
    sl.put(array, [1, 2, 3], right)
    sl.barrier()
    assert (array == [[1, 2, 3], [1, 2, 3]]).all()
    whole = sl.zeros(3, dtype="u8")
    sl.put(whole, 5, right)
    sl.barrier()
    assert (whole == 5).all()
    for wrong in (np.array([0.5, 1, 2]), np.arange(4)):
        with pytest.raises((TypeError, ValueError)):
            sl.put(whole, wrong, right)
    with pytest.raises(TypeError):
        sl.put(whole, 0.5, right, index=0)
    with pytest.raises(OverflowError):
        sl.put(whole, 2**70, right, index=0)
    sl.barrier()
    assert (whole == 5).all()


def test_elements_by_index(right, left):
    array = sl.zeros((3, 4), dtype="i8")
    sl.put(array, sl.rank() + 10, right, index=5)
    sl.put(array, sl.rank() + 20, right, index=-1)
    sl.put(array[:, 2], sl.rank() + 30, right, index=2)
    sl.barrier()
    assert array[1, 1] == left + 10 and array[2, 2] == left + 30 and array[2, 3] == left + 20
    assert sl.get(array, right, index=5) == sl.rank() + 10
    for index in (12, -13):
        with pytest.raises(IndexError):
            sl.get(array, right, index=index)
    with pytest.raises(ValueError, match="view"):
        sl.get(array[:, 1:3], right, index=1)


def test_memory_is_given_back_and_zeroed_again():
    for _ in range(3):
        array = sl.zeros(100_000)
        assert not array.any()
        array[...] = 1
        sl.free(array)
    assert (sl.full((2, 2), 7) == 7).all() and sl.full(2, 7).dtype == np.dtype("int64")
    assert (sl.array([[sl.rank()]]) == sl.rank()).all()


def test_what_is_no_symmetric_memory_is_refused(right):
    array = sl.zeros(4)
    for wrong in (np.zeros(4), array.copy()):
        with pytest.raises(sl.Error, match="symmetric") as caught:
            sl.put(wrong, 1, right)
        assert caught.value.status == sl.Status.ADDRESS
    for wrong in ([1, 2], array[3]):
        with pytest.raises(TypeError, match="NumPy array"):
            sl.get(wrong, right)
    with pytest.raises(sl.Error, match=f"no PE {sl.size()} ") as caught:
        sl.put(array, 1, sl.size())
    assert caught.value.status == sl.Status.RANK
    with pytest.raises(ValueError, match="out"):
        sl.get(array, right, out=np.empty(3))
    with pytest.raises(TypeError):
        sl.empty(3, dtype=object)


def test_too_much_memory_is_refused_at_all_pes():
    with pytest.raises(sl.Error, match="heap") as caught:
        sl.empty(2**45, dtype="u1")
    assert caught.value.status == sl.Status.NO_MEMORY


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"])
def test_accumulate_adds_every_contribution(dtype):
    array = sl.zeros((4, 5), dtype=dtype)
    for _ in range(10):
        sl.accumulate(array, np.full((4, 5), sl.rank() + 1, dtype), 0)
        sl.accumulate(array[:, ::2], 1, 0)
        sl.accumulate_nb(array[1], 2, 0).wait()
    sl.barrier()
    if sl.rank() == 0:
        expected = np.full((4, 5), 10 * sum(range(1, sl.size() + 1)), dtype)
        expected[:, ::2] += 10 * sl.size()
        expected[1] += 20 * sl.size()
        assert (array == expected).all()


def test_accumulate_is_for_numbers():
    for dtype in ("i2", "?", ">i8"):
        with pytest.raises(TypeError, match="accumulate"):
            sl.accumulate(sl.zeros(1, dtype=dtype), 1, 0)


def test_requests(right, left):
    array = sl.zeros(5000, dtype="i8")
    source = np.full(5000, sl.rank())
    requests = [sl.put_nb(array[part : part + 1000], source[:1000], right) for part in range(0, 5000, 1000)]
    source[...] = -1  # the library has its copy
    assert all(request.wait() is None for request in requests)
    sl.barrier()
    assert (array == left).all()
    request = sl.get_nb(array[::7], right)
    while not request.test():
        pass
    assert (request.wait() == sl.rank()).all() and (request.wait() == sl.rank()).all()
    out = np.empty(5000, "i8")
    del request
    sl.get_nb(array, right, out=out)  # dropped, which waits
    assert (out == sl.rank()).all()
