# SPDX-License-Identifier: BSD-3-Clause
"""loaded_later.py <libsyncline.so>

Method: an interpreter loads the library by dlopen(), so that calls about signals do not come by way of it; behind init it
installs handlers of its own, which know nothing of shared memory, and blocks all signals. Shared memory goes on from the next
call of the library's; a child's end is its own.
"""
import ctypes
import faulthandler
import os
import signal
import sys

library = ctypes.CDLL(sys.argv[1])
library.syncline_dsm_alloc.restype = ctypes.c_void_p
library.syncline_dsm_alloc.argtypes = [ctypes.c_size_t, ctypes.c_int]
library.syncline_last_error.restype = ctypes.c_char_p


def call(name, *arguments):
    if getattr(library, name)(*arguments) != 0:
        sys.exit(f"{name}: {library.syncline_last_error().decode()}")


call("syncline_dsm_init", None)
me, processes = library.syncline_dsm_process(), library.syncline_dsm_processes()
words = 8192
memory = (ctypes.c_int64 * words).from_address(library.syncline_dsm_alloc(8 * words, 0))


def share(number):
    for i in range(me, words, processes):
        memory[i] = number * i
    call("syncline_dsm_barrier")
    assert all(memory[i] == number * i for i in range(words)), number
    call("syncline_dsm_barrier")


share(1)
faulthandler.enable()
call("syncline_dsm_barrier")
share(2)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
call("syncline_dsm_barrier")
share(3)
child = os.fork()
if child == 0:
    sys.exit(5)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
share(4)
call("syncline_dsm_finalize")
