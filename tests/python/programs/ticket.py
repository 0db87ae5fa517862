# SPDX-License-Identifier: BSD-3-Clause
"""The program of docs/PYTHON.md's first screen; it ends without finalize()."""
import syncline as sl

sl.init()
counter = sl.zeros(1, dtype="i8")
ticket = sl.fetch_add(counter, 1, pe=0)
sl.barrier()
print(f"PE {sl.rank()} drew ticket {ticket} of {sl.get(counter, pe=0, index=0)}", flush=True)
