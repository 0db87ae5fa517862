# SPDX-License-Identifier: BSD-3-Clause
"""ends.py <how>: PE 1 ends in that way while the others wait for it in a barrier."""
import os
import signal
import sys

import syncline as sl

sl.init()
if sl.rank() == 1:
    if sys.argv[1] == "exception":
        raise ValueError("PE 1 does not like it")
    if sys.argv[1] == "exit":
        sys.exit(3)
    if sys.argv[1] == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[1] == "abort":
        sl.abort(7)
word = sl.zeros(1, dtype="i8") if sys.argv[1] in ("finalize", "twice") else None
if sys.argv[1] == "twice":
    try:
        sl.init()
    except sl.Error as error:
        print("refused:", error, flush=True)
if word is not None:
    sl.finalize()
    try:
        sl.rank()
    except sl.Error as error:
        print("over:", error.status.name, flush=True)
    sys.exit(0)
try:
    sl.barrier()
except sl.PeerError as error:
    print(f"PE {sl.rank()}: {error.status.name}: {error}", flush=True)
    sys.exit(5)
