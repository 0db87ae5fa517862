# SPDX-License-Identifier: BSD-3-Clause
"""Method: a word that others write ends a wait for it, with every comparison and for negative numbers; data put in front of a
signal is complete; a wait without a writer gives up at its time."""
import operator
import threading
import time

import numpy as np
import pytest

import syncline as sl

COMPARISONS = {"==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


@pytest.mark.parametrize("comparison", COMPARISONS)
@pytest.mark.parametrize("dtype", ["i8", "f8"])
def test_comparisons(comparison, dtype, right):
    word = sl.full(2, 5, dtype)
    holds = COMPARISONS[comparison]
    for value in (4, 5, 6):
        assert sl.wait_until(word, comparison, value, index=1, timeout=0) == holds(5, value)
    sl.barrier()
    written = next(number for number in (6, 4, 5) if holds(number, 5))
    sl.swap(word, written, right)
    assert sl.wait_until(word, comparison, 5)


def test_negative_numbers_are_less(right):
    word = sl.full(1, -5, "i8")
    assert not sl.wait_until(word, ">", 0, timeout=0.01)
    assert sl.wait_until(word, "<", 0, timeout=0)
    sl.barrier()
    sl.fetch_add(word, 6, right)
    assert sl.wait_until(word, ">", 0)


def test_time_passes():
    word = sl.zeros(1, dtype="u8")
    before = time.monotonic()
    assert not sl.wait_until(word, "!=", 0, timeout=0.05)
    assert 0.05 <= time.monotonic() - before < 5
    with pytest.raises(ValueError, match="comparison"):
        sl.wait_until(word, "=", 0)
    with pytest.raises(TypeError, match="8 bytes"):
        sl.wait_until(sl.zeros(1, dtype="i4"), "==", 0)
    with pytest.raises(sl.Error, match="symmetric"):
        sl.wait_until(np.zeros(1, "i8"), "==", 0)


def test_a_signal_follows_its_data(right, left):
    data, signal = sl.zeros(3000, dtype="i8"), sl.zeros(1, dtype="u8")
    for turn in range(1, 20):
        sl.put_signal(data, turn * 100 + sl.rank(), right, signal, turn)
        assert sl.wait_until(signal, ">=", turn)
        assert (data == turn * 100 + left).all()
        sl.barrier()


def test_other_threads_run_while_one_waits(right):
    """The waiting thread has let go of the GIL, or the timer would never write."""
    word = sl.zeros(1, dtype="i8")
    for waiter in ("main", "thread"):
        word[0] = 0
        sl.barrier()
        seen = []
        wait = lambda: seen.append(sl.wait_until(word, "==", 7, timeout=60))  # noqa: E731
        other = threading.Thread(target=(lambda: sl.swap(word, 7, sl.rank())) if waiter == "main" else wait)
        other.start()
        if waiter == "main":
            wait()
        else:
            sl.swap(word, 7, sl.rank())
        other.join()
        assert seen == [True]
        sl.barrier()


def test_threads_make_operations_at_once(right):
    """Any thread may put, get and count; here four do, on one array."""
    array = sl.zeros(8, dtype="i8")
    errors = []

    def work(number):
        try:
            for turn in range(50):
                sl.fetch_add(array, 1, right, number)
                sl.put(array[4 + number : 5 + number], turn, right)
                assert sl.get(array, right, index=4 + number) == turn
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    sl.barrier()
    assert list(array) == [50] * 4 + [49] * 4


def test_one_thread_at_a_time_is_in_a_collective():
    """The others come to the barrier when a second thread of PE 0 has been refused, so the first one is inside."""
    gate = sl.zeros(1, dtype="i8")
    if sl.rank() == 0 and sl.size() > 1:
        first = threading.Thread(target=sl.barrier)
        first.start()
        time.sleep(0.2)
        with pytest.raises(sl.Error, match="another thread"):
            sl.barrier()
        for pe in range(1, sl.size()):
            sl.put(gate, 1, pe)
        first.join()
    elif sl.size() > 1:
        sl.wait_until(gate, "==", 1)
        sl.barrier()
