# SPDX-License-Identifier: BSD-3-Clause
"""Method: critical sections that read, wait and write lose no update, whatever the kind of lock; readers are inside together and
no writer with them; units are never more than there are. Timeouts and tries give up while another PE has the lock."""
import time

import pytest

import syncline as sl

KINDS = ["mcs", "local-release", "ticket", "hybrid"]


@pytest.mark.parametrize("kind", KINDS)
def test_sections_exclude_each_other(kind):
    lock = sl.Lock(home=sl.size() - 1, kind=kind)
    shared = sl.zeros(1, dtype="i8")
    for _ in range(30):
        with lock:
            sl.put(shared, sl.get(shared, 0, index=0) + 1, 0, index=0)
    sl.barrier()
    assert sl.get(shared, 0, index=0) == 30 * sl.size()
    assert lock.counts()["acquired"] == 30
    lock.destroy()
    with pytest.raises(sl.Error, match="destroyed"):
        lock.acquire()


@pytest.mark.parametrize("kind", KINDS)
def test_a_lock_that_is_taken(kind):
    lock = sl.Lock(kind=kind)
    if sl.rank() == 0:
        assert lock.acquire(blocking=False)
    sl.barrier()
    if sl.rank() != 0:
        assert not lock.acquire(blocking=False)
        before = time.monotonic()
        assert not lock.acquire(timeout=0.02)
        assert 0.02 <= time.monotonic() - before < 5
    sl.barrier()
    if sl.rank() == 0:
        lock.release()
    with lock:
        pass
    sl.barrier()


def test_what_cannot_be_done_with_a_lock():
    lock = sl.Lock()
    with pytest.raises(sl.Error) as caught:
        lock.release()
    assert caught.value.status == sl.Status.INVALID
    with pytest.raises(ValueError, match="kind"):
        sl.Lock(kind="spin")
    with pytest.raises(ValueError, match="timeout"):
        lock.acquire(timeout=-1)
    with pytest.raises(sl.Error) as caught:
        sl.Lock(home=sl.size())
    assert caught.value.status == sl.Status.RANK


def test_readers_and_writers():
    lock = sl.RWLock()
    inside = sl.zeros(2, dtype="i8")  # at PE 0: readers, writers
    for turn in range(10):
        if (turn + sl.rank()) % 3 == 0:
            with lock.writing():
                assert sl.fetch_add(inside, 1, 0, 1) == 0 and sl.get(inside, 0, index=0) == 0
                sl.fetch_add(inside, -1, 0, 1)
        else:
            with lock.reading():
                sl.fetch_add(inside, 1, 0, 0)
                assert sl.get(inside, 0, index=1) == 0
                sl.fetch_add(inside, -1, 0, 0)
    sl.barrier()
    assert lock.acquire_read(timeout=5)
    sl.barrier()  # all are inside
    lock.release()
    sl.barrier()
    lock.destroy()


def test_a_writer_gives_up_while_there_are_readers():
    lock = sl.RWLock(home=sl.size() - 1)
    if sl.rank() == 0:
        lock.acquire_read()
    sl.barrier()
    if sl.rank() == sl.size() - 1:
        assert not lock.acquire_write(blocking=False)
        assert not lock.acquire_write(timeout=0.02)
        assert lock.acquire_read(timeout=5)
        lock.release()
    sl.barrier()
    if sl.rank() == 0:
        lock.release()
    sl.barrier()


def test_a_semaphore_has_so_many_units():
    semaphore = sl.Semaphore(units=2)
    inside = sl.zeros(1, dtype="i8")
    for _ in range(10):
        with semaphore:
            assert sl.fetch_add(inside, 1, 0) < 2
            sl.fetch_add(inside, -1, 0)
    sl.barrier()
    if sl.rank() == 0:
        assert semaphore.acquire() and semaphore.acquire(timeout=1)
        assert not semaphore.acquire(blocking=False) and not semaphore.acquire(timeout=0.02)
        semaphore.release(2)
        assert semaphore.acquire(blocking=False)
        semaphore.release()
    sl.barrier()
    semaphore.destroy()
