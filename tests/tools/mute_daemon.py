# SPDX-License-Identifier: BSD-3-Clause
"""A synclined that dies when it is asked to make a job, as one does that has a bug: tests/tools/dead-daemon puts it in the
place of the real one. It greets, and ends by SIGKILL. Each start leaves a line in the file that STARTS names."""
import os
import signal
import socket
import sys

with open(os.environ["STARTS"], "a", encoding="ascii") as starts:
    starts.write("started\n")
arguments = sys.argv[1:]
name = arguments[arguments.index("--socket") + 1]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind("\0" + name[1:])
listener.listen()
os.write(int(arguments[arguments.index("--ready-fd") + 1]), b"r")
channel, _ = listener.accept()
channel.send(channel.recv(1 << 17))  # the answer to a greeting is as the greeting
channel.recv(1 << 17)
os.kill(os.getpid(), signal.SIGKILL)
