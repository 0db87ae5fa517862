# SPDX-License-Identifier: BSD-3-Clause
"""Method: processes write parts of one array and read those of all behind each kind of synchronisation; a lock loses no update.
This file is the last one in which shared memory is there, and its last test ends it."""
import tempfile

import numpy as np
import pytest

import syncline as sl


@pytest.fixture(scope="module", autouse=True)
def shared_memory(job):
    sl.dsm.init(16 << 20)
    yield
    sl.dsm.finalize()


@pytest.mark.parametrize("homes", ["first touch", "block", "cyclic", "mine"])
def test_each_sees_what_all_have_written(homes):
    array = sl.dsm.zeros((sl.size(), 3000), homes=homes)
    array[sl.rank()] = sl.rank() + 1
    sl.dsm.barrier()
    assert (array == np.arange(1, sl.size() + 1)[:, np.newaxis]).all()
    column = array[:, sl.rank()]  # words of one page by several
    sl.dsm.barrier()
    column += 100
    sl.dsm.barrier()
    assert (array[:, : sl.size()] == np.arange(101, sl.size() + 101)[:, np.newaxis]).all()
    sl.dsm.free(array)
    again = sl.dsm.zeros(sl.size() * 3000, homes=homes)
    assert not again.any()
    sl.dsm.free(again)


def test_a_lock_loses_no_update():
    counter = sl.dsm.zeros(2, dtype="i8")
    lock = sl.dsm.Lock()
    for _ in range(20):
        with lock:
            counter[0] += 1
    sl.dsm.barrier()
    assert counter[0] == 20 * sl.size()
    if sl.rank() == 0:
        assert lock.acquire(blocking=False)
    sl.dsm.barrier()
    if sl.rank() == 1:
        assert not lock.acquire(blocking=False)
    sl.dsm.barrier()
    if sl.rank() == 0:
        lock.release()
    else:
        with pytest.raises(sl.Error):
            lock.release()
    sl.dsm.barrier()


def test_flags_hand_data_on():
    data = sl.dsm.zeros(1000, dtype="i8")
    flags = [sl.dsm.Flag() for _ in range(sl.size())]
    sl.dsm.barrier()
    if sl.rank() > 0:
        assert flags[sl.rank() - 1].wait(2) == 2
        assert (data == sl.rank()).all()
    data += 1
    flags[sl.rank()].set(2)
    sl.dsm.barrier()
    assert (data == sl.size()).all()


def test_a_condition_wakes_its_waiters():
    ready = sl.dsm.zeros(1, dtype="i8")
    condition = sl.dsm.Condition(sl.dsm.Lock())
    with condition.lock:
        ready[0] += 1
        if ready[0] == sl.size():
            condition.notify_all()
        while ready[0] < sl.size():
            condition.wait()
        condition.notify()
    sl.dsm.barrier()
    assert ready[0] == sl.size()


def test_prefetch():
    array = sl.dsm.zeros(10_000)
    if sl.rank() == 0:
        array[:] = np.arange(10_000)
    sl.dsm.barrier()
    sl.dsm.prefetch(array)
    with tempfile.TemporaryFile() as file:
        array.tofile(file)
        file.seek(0)
        assert (np.fromfile(file) == np.arange(10_000)).all()
    with pytest.raises(ValueError, match="gaps"):
        sl.dsm.prefetch(array[::2])
    with pytest.raises(sl.Error):
        sl.dsm.prefetch(np.zeros(4))


def test_wrong_arguments():
    with pytest.raises(ValueError, match="homes"):
        sl.dsm.zeros(3, homes="here")
    with pytest.raises(ValueError, match="protocol"):
        sl.dsm.init(protocol="tcp")
    with pytest.raises(sl.Error, match="second time"):
        sl.dsm.init()
    with pytest.raises(sl.Error, match="number"):
        sl.dsm.Lock(10**6).acquire()
    with pytest.raises(sl.Error) as caught:
        sl.dsm.zeros(1 << 40, dtype="u1")
    assert caught.value.status == sl.Status.NO_MEMORY
