# SPDX-License-Identifier: BSD-3-Clause
"""interrupted.py <call>: PE 1 waits in that call, which PE 0 does not let end, and has SIGINT from a thread of its own, which runs
because the call has let go of the GIL. PE 1 says how it went, and what it can do afterwards."""
import os
import signal
import sys
import threading
import time

import syncline as sl


def interrupt(call):
    """Has the call interrupted; it must end within 2 s."""
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    before = time.monotonic()
    try:
        call()
    except KeyboardInterrupt:
        assert time.monotonic() - before < 2, "it took too long"
        return
    raise AssertionError("the call was not interrupted")


def calls_that_leave_nothing():
    """Locks and waits for a word: PE 1 has not got it, and has it when PE 0 lets go."""
    lock, rwlock, semaphore = sl.Lock(), sl.RWLock(), sl.Semaphore()
    word = sl.zeros(1, dtype="i8")
    # The calls that take it at PE 0 and at PE 1, and the one that gives it back.
    calls = [(lock.acquire, lock.acquire, lock.release), (rwlock.acquire_read, rwlock.acquire_write, rwlock.release),
             (rwlock.acquire_write, rwlock.acquire_read, rwlock.release),
             (semaphore.acquire, semaphore.acquire, semaphore.release)]
    for hold, acquire, release in calls:
        if sl.rank() == 0:
            hold()
        sl.barrier()
        if sl.rank() == 1:
            interrupt(acquire)
        sl.barrier()
        if sl.rank() == 0:
            release()
        else:
            acquire()
            release()
        sl.barrier()
    if sl.rank() == 1:
        interrupt(lambda: sl.wait_until(word, "==", 1))
        sl.swap(word, 1, 1)
        assert sl.wait_until(word, "==", 1)
    sl.barrier()
    print(f"PE {sl.rank()} went on", flush=True)


def calls_of_all(name):
    """The group is of no use to PE 1 any more; operations are."""
    word = sl.zeros(1, dtype="i8")
    group = sl.Group([0, 1])
    calls = {"barrier": sl.barrier, "reduce": lambda: sl.reduce(1), "empty": lambda: sl.empty(1), "broadcast": lambda: sl.broadcast(1),
             "finalize": sl.finalize, "group": lambda: sl.barrier(group)}
    if sl.rank() == 1:
        interrupt(calls[name])
        assert sl.fetch_add(word, 1, 0) == 0
        try:
            calls[name]()
        except sl.Error as error:
            print("afterwards:", error, flush=True)
        sys.exit(3)
    sl.wait_until(word, "==", 1)
    time.sleep(60)


def shared_memory(name):
    sl.dsm.init(1 << 20)
    word = sl.zeros(1, dtype="i8")
    lock, flag = sl.dsm.Lock(), sl.dsm.Flag()
    condition = sl.dsm.Condition(lock)
    if sl.rank() == 0 and name == "dsm.lock":
        lock.acquire()
    sl.dsm.barrier()
    if sl.rank() == 1:
        calls = {"dsm.barrier": sl.dsm.barrier, "dsm.lock": lock.acquire, "dsm.flag": flag.wait}
        if name == "dsm.condition":
            with lock:
                interrupt(condition.wait)
        else:
            interrupt(calls[name])
        try:
            sl.dsm.barrier()
        except sl.Error as error:
            print("afterwards:", error, flush=True)
        assert sl.fetch_add(word, 1, 0) == 0
        sys.exit(3)
    sl.wait_until(word, "==", 1)
    time.sleep(60)


if __name__ == "__main__":
    sl.init()
    if sys.argv[1] == "locks":
        calls_that_leave_nothing()
    elif sys.argv[1].startswith("dsm."):
        shared_memory(sys.argv[1])
    else:
        calls_of_all(sys.argv[1])
