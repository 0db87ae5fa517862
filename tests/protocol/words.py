# SPDX-License-Identifier: BSD-3-Clause
"""Words that other processes and the NIC use at once: loads, stores and atomics on mapped memory.

Python has no atomics of its own. libatomic, which comes with every gcc, has them as functions.
"""

import ctypes
import mmap

_atomic = ctypes.CDLL("libatomic.so.1")
_SEQ_CST = 5
_TYPES = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}


def _function(name, width, arguments):
    function = getattr(_atomic, "__atomic_%s_%d" % (name, width))
    function.restype = ctypes.c_bool if name == "compare_exchange" else _TYPES[width]
    function.argtypes = arguments
    return function


_LOAD = {w: _function("load", w, [ctypes.c_void_p, ctypes.c_int]) for w in _TYPES}
_EXCHANGE = {w: _function("exchange", w, [ctypes.c_void_p, t, ctypes.c_int]) for w, t in _TYPES.items()}
_CAS = {w: _function("compare_exchange", w, [ctypes.c_void_p, ctypes.c_void_p, t, ctypes.c_int, ctypes.c_int])
        for w, t in _TYPES.items()}


class Memory:
    """Some bytes, of a descriptor or of this process alone."""

    def __init__(self, length, fd=-1, writable=True, offset=0):
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        flags = mmap.MAP_SHARED | (mmap.MAP_ANONYMOUS if fd < 0 else 0)
        self.length = length
        self.map = mmap.mmap(fd, length, flags=flags, prot=protection, offset=offset)
        self.bytes = memoryview(self.map)
        if writable:
            self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))

    def load(self, offset, width=8):
        self._check(offset, width)
        return _LOAD[width](self.address + offset, _SEQ_CST)

    def peek(self, offset, width=8):
        """Words in memory that is mapped read-only, for which there is no address."""
        return int.from_bytes(self.bytes[offset:offset + width], "little")

    def store(self, offset, value, width=8):
        self.exchange(offset, value, width)

    def exchange(self, offset, value, width=8):
        self._check(offset, width)
        return _EXCHANGE[width](self.address + offset, value, _SEQ_CST)

    def cas(self, offset, expected, desired, width=8):
        """True if `expected` was there and `desired` is now."""
        self._check(offset, width)
        word = _TYPES[width](expected)
        return _CAS[width](self.address + offset, ctypes.byref(word), desired, _SEQ_CST, _SEQ_CST)

    def update(self, offset, change, width=8):
        """Replaces a word by what `change` makes of it. Returns what was there."""
        while True:
            old = self.load(offset, width)
            if self.cas(offset, old, change(old) & ((1 << 8 * width) - 1), width):
                return old

    def add(self, offset, value, width=8):
        return self.update(offset, lambda old: old + value, width)

    def _check(self, offset, width):
        assert offset % width == 0 and 0 <= offset <= self.length - width
