# SPDX-License-Identifier: BSD-3-Clause
"""Syncline: memory, atomics and locks of other processes, for NumPy.

    import syncline as sl

    sl.init()
    counter = sl.zeros(1, dtype="i8")             # every PE has one
    ticket = sl.fetch_add(counter, 1, pe=0)       # of PE 0, whose process takes no part
    sl.barrier()
    print(f"PE {sl.rank()} drew {ticket} of {sl.get(counter, pe=0, index=0)}")

    syncline run -n 8 -N 4 python ticket.py       # or mpirun, srun

A job is a set of processes, the PEs, numbered 0 to size() - 1. An array of zeros(), empty(), full() or array() is symmetric:
each PE has one of its own in the same place. A call with `pe` works on the one of that PE, without the help of its process.
docs/PYTHON.md has the rules in a page.

Completion.  A blocking call is complete at its target when it returns; add(), and_(), or_(), xor() and store() are at the next
             fence(), quiet() or barrier(); a Request is when it says so. Each operation is executed exactly once.
Ordering.    None between operations, but fence(), quiet() and barrier() order what is before them in front of the rest.
Threads.     Any thread may make any call between init() and finalize(), which one makes; collective calls of a group, and
             those on one lock, are one thread's at a time. Calls that may wait let other threads of Python run.
Ctrl-C.      KeyboardInterrupt ends calls that wait for other PEs. Each call says what it leaves.
Fork.        A child of os.fork() or multiprocessing is no PE: calls raise Error there, and it must not touch symmetric arrays.
Errors.      Error, with the library's sentence as text and `status`; PeerError where a PE is gone.
"""

from . import dsm
from ._collectives import barrier, broadcast, reduce
from ._core import (
    Group,
    Lock,
    Request,
    Semaphore,
    abort,
    accumulate,
    accumulate_nb,
    add,
    and_,
    compare_swap,
    compare_swap_nb,
    fence,
    fetch_add,
    fetch_add_nb,
    fetch_and,
    fetch_and_nb,
    fetch_or,
    fetch_or_nb,
    fetch_xor,
    fetch_xor_nb,
    finalize,
    free,
    get,
    get_nb,
    init,
    node_of,
    nodes,
    or_,
    put,
    put_nb,
    quiet,
    rank,
    size,
    store,
    swap,
    swap_nb,
    transport,
    wait_until,
    xor,
)
from ._errors import Error, PeerError, Status
from ._locks import RWLock
from ._memory import array, empty, full, put_signal, zeros

__version__ = "0.1.0"
__all__ = [
    "abort",
    "accumulate",
    "accumulate_nb",
    "add",
    "and_",
    "array",
    "barrier",
    "broadcast",
    "compare_swap",
    "compare_swap_nb",
    "dsm",
    "empty",
    "Error",
    "fence",
    "fetch_add",
    "fetch_add_nb",
    "fetch_and",
    "fetch_and_nb",
    "fetch_or",
    "fetch_or_nb",
    "fetch_xor",
    "fetch_xor_nb",
    "finalize",
    "free",
    "full",
    "get",
    "get_nb",
    "Group",
    "init",
    "Lock",
    "node_of",
    "nodes",
    "or_",
    "PeerError",
    "put",
    "put_nb",
    "put_signal",
    "quiet",
    "rank",
    "reduce",
    "Request",
    "RWLock",
    "Semaphore",
    "size",
    "Status",
    "store",
    "swap",
    "swap_nb",
    "transport",
    "wait_until",
    "xor",
    "zeros",
]
