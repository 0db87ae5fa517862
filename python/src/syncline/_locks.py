# SPDX-License-Identifier: BSD-3-Clause
"""The readers-writer lock, with its two sides as context managers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from . import _core


class RWLock(_core._RWLock):
    """RWLock(home=0): any number of readers, or one writer, among the PEs of the job. Creating it is collective.

    A PE has it once, as a reader or as a writer. Neither side starves. Otherwise as Lock.
    """

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """`with lock.reading():` has it as a reader."""
        self.acquire_read()
        try:
            yield
        finally:
            self.release()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """`with lock.writing():` has it as the only writer."""
        self.acquire_write()
        try:
            yield
        finally:
            self.release()
