# SPDX-License-Identifier: BSD-3-Clause
"""silent.py: PE 0 has SIGINT in calls towards PE 1 while node 1 answers nothing, which it would wait for until the peer timeout, a
minute. Each call must end at once. Then node 1 answers again: what was begun ends, no memory of an ended call changes, and the
job goes on."""
import os
import pathlib
import signal
import subprocess
import threading
import time

import numpy as np

import syncline as sl
from interrupted import interrupt


def stat(process):
    """The state of a process or thread, and its parent."""
    state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
    return state, int(parent)


def daemon_of_node_1():
    """The launcher's other processes are children of PE 0's grandparent."""
    launcher = stat(pathlib.Path(f"/proc/{os.getppid()}"))[1]
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if stat(process)[1] == launcher and b"/node-1\0" in (process / "cmdline").read_bytes():
                return process
        except OSError:
            pass  # it has ended
    raise AssertionError("node 1 has no daemon")


def silence(whether):
    """Over udp the daemon executes; over xdp the kernel does, so the link goes down."""
    if sl.transport() == "udp":
        daemon = daemon_of_node_1()
        os.kill(int(daemon.name), signal.SIGSTOP if whether else signal.SIGCONT)
        while any((stat(thread)[0] == "T") != whether for thread in (daemon / "task").iterdir()):
            time.sleep(0.01)
    else:
        subprocess.run(["ip", "link", "set", "eth0", "down" if whether else "up"], check=True)


sl.init()
large = sl.zeros(1_000_000, dtype="i8")  # more than is under way at a time
count, word, done = sl.zeros(1, dtype="i8"), sl.zeros(2, dtype="i8"), sl.zeros(1, dtype="i8")
out = np.full(large.size, 7, "i8")
few = np.full(3, 7, "i8")
later = np.full(large.size, 7, "i8")  # the library's until the operation is over
if sl.rank() == 0:
    sl.get(word, 1)  # the way is known
    request = None

    def wait():
        global request
        request = request or sl.fetch_add_nb(count, 1, 1)
        request.wait()

    silence(True)
    short = {
        "put": lambda: sl.put(word, 1, 1, 0), "get": lambda: sl.get(word, 1, 0), "get of an array": lambda: sl.get(large[:3], 1, out=few),
        "fetch_add": lambda: sl.fetch_add(count, 1, 1), "compare_swap": lambda: sl.compare_swap(word, 0, 0, 1, 1), "wait": wait,
        "wait again": wait, "fence": lambda: sl.fence(1), "quiet": sl.quiet, "barrier": sl.barrier,
    }
    # These wait for room.
    long = {
        "put of an array": lambda: sl.put(large, 1, 1), "get of a large array": lambda: sl.get(large, 1, out=out),
        "get of columns": lambda: sl.get(large.reshape(1000, 1000)[:, ::2], 1), "put_nb": lambda: sl.put_nb(large, 1, 1),
        "get_nb": lambda: sl.get_nb(large, 1, later), "accumulate": lambda: sl.accumulate(large, 1, 1),
        "add": lambda: sl.add(large, 0, 1, np.arange(large.size)), "fetch_add without room": lambda: sl.fetch_add(count, 1, 1),
    }
    for name, call in {**short, **long}.items():
        print(name, flush=True)
        interrupt(call)
    # A handler may make calls itself, and goes on to run behind them.
    handled = []
    signal.signal(signal.SIGUSR1, lambda number, frame: handled.append(sl.fence(0)))
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    interrupt(lambda: sl.put(large, 1, 1))
    assert len(handled) == 1
    assert not request.test()
    silence(False)
    assert 0 <= request.wait() <= 2
    sl.quiet()
    assert (few == 7).all() and (out == 7).all()
    assert sl.get(count, 1, 0) in (1, 2, 3) and sl.get(word, 1, 0) in (0, 1)
    sl.put(large, 5, 1)
    sl.put(done, 1, 1)
else:
    sl.wait_until(done, "==", 1, timeout=50)
    assert (large == 5).all()
sl.barrier()
print(f"PE {sl.rank()} went on", flush=True)
