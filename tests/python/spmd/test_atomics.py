# SPDX-License-Identifier: BSD-3-Clause
"""Method: all PEs work on PE 0's words at once. Each operation's result is compared with the same arithmetic in NumPy, tickets
are all different, and updates by arrays leave what a loop in NumPy would."""
import numpy as np
import pytest

import syncline as sl

INTEGERS = ["i4", "u4", "i8", "u8"]
FETCHES = {"fetch_add": np.add, "fetch_and": np.bitwise_and, "fetch_or": np.bitwise_or, "fetch_xor": np.bitwise_xor}
POSTS = {"add": np.add, "and_": np.bitwise_and, "or_": np.bitwise_or, "xor": np.bitwise_xor}


@pytest.mark.parametrize("dtype", ["u4", "i8"])
@pytest.mark.parametrize("name", FETCHES)
def test_fetches_return_what_was_there(name, dtype, right, left):
    array = sl.full(4, 0b1100, dtype)
    sl.barrier()
    value = 0b1010 + sl.rank()
    expected = int(FETCHES[name](0b1100, value))
    assert getattr(sl, name)(array, value, right, index=2) == 0b1100
    assert sl.get(array, right, index=2) == expected
    request = getattr(sl, name + "_nb")(array, value, right, 2)
    assert request.wait() == expected and request.wait() == expected
    sl.barrier()
    once = FETCHES[name](0b1100, 0b1010 + left)
    assert list(array) == [0b1100, 0b1100, FETCHES[name](once, 0b1010 + left), 0b1100]


@pytest.mark.parametrize("dtype", ["i4", "u8"])
@pytest.mark.parametrize("name", POSTS)
def test_posts_are_there_behind_a_barrier(name, dtype, right, left):
    array = sl.full(3, 0b1100, dtype)
    getattr(sl, name)(array, 0b1010 + sl.rank(), right, -1)
    sl.barrier()
    assert list(array) == [0b1100, 0b1100, POSTS[name](0b1100, 0b1010 + left)]


@pytest.mark.parametrize("dtype", INTEGERS + ["f4", "f8"])
def test_swap_store_and_compare_swap(dtype, right):
    array = sl.zeros(2, dtype=dtype)
    assert sl.swap(array, 5, right) == 0
    assert sl.swap_nb(array, 6, right).wait() == 5
    assert sl.compare_swap(array, 5, 9, right) == 6
    assert sl.compare_swap(array, 6, 9, right) == 6
    assert sl.compare_swap_nb(array, 9, 10, right).wait() == 9
    sl.store(array, 3, right, 1)
    sl.fence(right)
    assert list(sl.get(array, right)) == [10, 3]
    sl.barrier()
    assert type(sl.swap(array, 0, right)) is (float if dtype[0] == "f" else int)


@pytest.mark.parametrize(("dtype", "values"), [
    ([("place", "u8"), ("turn", "i8")], [(2**64 - 1, -1), (3, 4), (5, 6)]),
    ("c16", [1.5 + 2j, 3j, -1]),
    ([("letter", "S1"), ("number", "f8")], [(b"a", 0.5), (b"b", 1.5), (b"c", 2.5)]),
], ids=["pair", "complex", "gaps"])
def test_elements_of_16_bytes_are_swapped_as_one(dtype, values, right):
    array = sl.zeros(3, dtype=np.dtype(dtype, align=True))
    nothing = array[0].item()
    first, second, third = values
    assert sl.swap(array, first, right, 1) == nothing
    assert sl.swap_nb(array, second, right, index=1).wait() == first
    assert sl.compare_swap(array, first, third, right, 1) == second
    assert sl.compare_swap(array, second, third, right, 1) == second
    assert sl.compare_swap_nb(array, third, first, right, 1).wait() == third
    sl.barrier()
    assert [element.item() for element in array] == [nothing, first, nothing]
    with pytest.raises(TypeError, match="4 or 8"):
        sl.fetch_add(array, first, right)
    with pytest.raises(sl.Error) as caught:
        sl.swap(sl.zeros(32, dtype="u1")[8:24].view("c16"), 1, right)
    assert caught.value.status == sl.Status.ALIGNMENT


def test_pairs_are_counted_without_a_gap():
    """All PEs count both halves of PE 0's pair up at once, by compare_swap(); each success has its own number."""
    pair = sl.zeros(1, dtype=[("number", "u8"), ("twice", "u8")])
    mine = []
    for _ in range(50):
        seen = (0, 0)
        while True:
            found = sl.compare_swap(pair, seen, (seen[0] + 1, seen[1] + 2), 0)
            if found == seen:
                break
            seen = found
        mine.append(seen[0])
    sl.barrier()
    assert sl.get(pair, 0, index=0) == (50 * sl.size(), 100 * sl.size())
    assert mine == sorted(set(mine))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8"])
@pytest.mark.parametrize("shape", [6, (2, 3), ()])
def test_arguments_in_any_form(dtype, shape, right, left):
    """Calls on one number have a way of their own for common arguments, and another one for all else."""
    array = sl.zeros(shape, dtype=dtype)
    for value in (3, np.int64(4), np.uint8(5)):
        for where in (0, np.int32(0), -array.size):
            sl.put(array, value, np.int16(right), index=where)
            sl.put(array, value, pe=right, index=where)
            assert sl.get(array, right, index=where) == sl.get(source=array, index=where, pe=np.int8(right)) == value
    assert type(sl.get(array, right, 0)) is (float if dtype[0] == "f" else int)
    for arguments in [(array,), (array, right, 0, None, 0)]:
        with pytest.raises(TypeError, match="incompatible function arguments"):
            sl.get(*arguments)
    for names in [{"pe": right, "place": 0}, {"pe": right, "source": array}]:
        with pytest.raises(TypeError, match="incompatible function arguments"):
            sl.get(array, **names)
    with pytest.raises(IndexError):
        sl.get(array, right, array.size)
    if dtype[0] != "f":
        with pytest.raises((OverflowError, TypeError, ValueError)):
            sl.put(array, 2**70, right, 0)
        with pytest.raises(OverflowError):
            sl.put(array, np.iinfo(dtype).max + 1, right, 0)
        with pytest.raises(OverflowError):
            sl.put(array, np.iinfo(dtype).min - 1, right, 0)
        for value in (np.iinfo(dtype).min, np.iinfo(dtype).max):
            sl.put(array, value, right, 0)
            assert sl.get(array, right, 0) == value
    sl.barrier()


def test_numbers_wrap_and_keep_their_sign(right):
    array = sl.zeros(1, dtype="i8")
    assert sl.fetch_add(array, -3, right) == 0
    assert sl.fetch_add(array, 1, right) == -3
    words = sl.full(1, 2**64 - 1, "u8")
    assert sl.fetch_add(words, 1, right) == 2**64 - 1
    assert sl.get(words, right, index=0) == 0


def test_tickets_are_all_different():
    counter = sl.zeros(1, dtype="i8")
    drawn = sl.zeros(sl.size() * 200, dtype="i8")
    mine = [sl.fetch_add(counter, 1, pe=0) for _ in range(200)]
    sl.put(drawn[sl.rank() * 200 : (sl.rank() + 1) * 200], mine, 0)
    sl.barrier()
    if sl.rank() == 0:
        assert sorted(drawn) == list(range(sl.size() * 200))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_many_updates_in_a_call(dtype):
    array = sl.zeros((5, 20), dtype=dtype)
    view = array[:, ::2]  # elements are counted in the view
    random = np.random.default_rng(sl.rank())
    index, pe = random.integers(-50, 50, 1000), random.integers(0, sl.size(), 1000)
    sl.add(view, 2, pe=pe, index=index)
    sl.add(view, np.arange(50, dtype=dtype), pe=sl.rank(), index=np.arange(50))
    sl.barrier()
    expected = np.tile(np.arange(50), (sl.size(), 1))
    for other in range(sl.size()):
        random = np.random.default_rng(other)
        index, pe = random.integers(-50, 50, 1000), random.integers(0, sl.size(), 1000)
        np.add.at(expected, (pe, index), 2)
    assert (view.reshape(-1) == expected[sl.rank()]).all()
    assert not array[:, 1::2].any()


def test_wrong_updates_change_nothing(right):
    array = sl.zeros(4, dtype="i8")
    for index, pe, value, error in [
        ([0, 4], right, 1, IndexError),
        ([0, 1], [0, sl.size()], 1, IndexError),
        ([0, 1], right, np.array([1.5, 2.5]), TypeError),
        ([0.5], right, 1, TypeError),
        ([0, 1, 2], [0, 0], 1, ValueError),
        (0, right, 1.5, TypeError),
        (4, right, 1, IndexError),
    ]:
        with pytest.raises(error):
            sl.add(array, value, pe=pe, index=index)
    for pe in (sl.size(), -1, 2**32):
        for update in (sl.add, sl.fetch_add):
            with pytest.raises(sl.Error) as caught:
                update(array, 1, pe=pe)
            assert caught.value.status == sl.Status.RANK
    sl.barrier()
    assert not array.any()


def test_types_without_atomics_are_refused(right):
    for dtype in ("i2", "f4", "?", ">i8", "c8"):
        with pytest.raises(TypeError, match="integers"):
            sl.fetch_add(sl.zeros(1, dtype=dtype), 1, right)
    with pytest.raises(TypeError, match="16 bytes"):
        sl.swap(sl.zeros(1, dtype="c8"), 1, right)
    with pytest.raises(sl.Error) as caught:
        sl.fetch_add(sl.zeros(16, dtype="u1")[1:9].view("i8"), 1, right)
    assert caught.value.status == sl.Status.ALIGNMENT
