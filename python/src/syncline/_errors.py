# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of the package. Each has the status of the C API, and as its text that of syncline_last_error()."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """Why a call failed: the statuses of include/syncline/types.h."""

    INVALID = -1
    RANK = -2
    ADDRESS = -3
    ALIGNMENT = -4
    NO_MEMORY = -5
    PERMISSION = -6
    UNSUPPORTED = -7
    BUSY = -8
    PEER = -9
    NODE = -10
    SYSTEM = -11
    NOT_FOUND = -12
    NOT_INITIALIZED = -13
    PROTOCOL = -14
    TIMEOUT = -15
    BROKEN = -16
    INTERRUPTED = -17


class Error(RuntimeError):
    """A call failed. Its text names the call, the value and the remedy."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        known = status in Status._value2member_map_
        self.status: Status | int = Status(status) if known else status
        """The status of the C API; a number if the library is newer than this package and has a new one."""


class PeerError(Error):
    """A PE or a node that the call needs is gone (status PEER, NODE or BROKEN). The operation may have been executed or not."""


def error_of(status: int, message: str) -> Error:
    """The exception of a status."""
    is_peer = status in (Status.PEER, Status.NODE, Status.BROKEN)
    return (PeerError if is_peer else Error)(status, message)
