# SPDX-License-Identifier: BSD-3-Clause
"""A whole node in Python, without a daemon: its own memory, slots, completions and barriers, behind two UDP sockets.

Method: this program launches a job of two nodes. Node 0 is a real daemon with the library's PEs (partner.cpp); node 1
is this process, which executes their requests, starts its own, and takes part in all barriers. Faults are injected in
everything that it sends and receives, and by the PEs in what they do.

standalone.py <synclined> <partner> [<faults>] [--no-auth]
"""

import os
import random
import secrets
import signal
import socket
import subprocess
import sys

import barriers
import daemon
import exchange
import requester
import wire
from attached import config_of
from faults import Faults, Rates
from nic import ProcessTarget, Segment
from pe import Pe
from words import Memory

ADDRESSES = "127.0.0.1", "127.0.0.2"
PARTNERS, WINDOW, HEAP = [2, 0], 8, 512 * 1024
PACKET_MAX, OWN_PACKET_MAX = wire.PACKET_MAX, 4000  # as if node 1 had another link
IP_MTU_DISCOVER, IP_PMTUDISC_PROBE = 10, 3


class Standalone:
    """Node 1, whose only PE has a rank between those of node 0."""

    def __init__(self, spec, nodes, rates):
        self.spec, self.config = spec, config_of(spec, nodes[1].ranks)
        self.heap = Memory(HEAP)
        completions = requester.Completions(self.config)
        the_barriers = barriers.Barriers(self.config, lambda node, packet: self.send(self.server, node, packet))
        self.nic = ProcessTarget(self.config, {(0, 0): Segment(self.heap)}, {0: completions}, the_barriers)
        self.faults_out, self.faults_in = Faults(rates, 1), Faults(rates, 2)
        # Requests come to the job's UDP port; this node's own leave from another socket, as a PE's do.
        self.server = self._socket(spec.udp_port)
        self.client = self._socket(0)
        requests = requester.Requester(self.config, 0, completions, requester.Images(self.config, completions.buffers),
                                       lambda node, packet: self.send(self.client, node, packet), 0.002,
                                       spec.peer_timeout_ms / 1000, pads=False)
        self.pe = Pe(self.config, nodes, nodes[1].ranks[0], {0: self.heap}, requests, the_barriers, self.turn)

    def _socket(self, port):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)  # Don't Fragment
        made.bind((ADDRESSES[1], port))
        made.setblocking(False)
        return made

    def send(self, made, node, packet):
        self.leave(made, packet, (ADDRESSES[node], self.spec.udp_port))

    def leave(self, made, packet, to):
        def now(damaged):
            try:
                made.sendto(damaged, to)
            except OSError:
                pass  # a packet that was lost

        self.faults_out.put(packet, now)

    def turn(self):
        self.faults_out.release()
        self.faults_in.release()
        for made in (self.server, self.client):
            while True:
                try:
                    packet, source = made.recvfrom(wire.DATAGRAM_MAX)
                except OSError:
                    break
                self.faults_in.put(packet, lambda damaged, made=made, source=source: self.take(made, damaged, source))

    def take(self, made, packet, source):
        answer = self.nic.input(packet)
        if answer:
            self.leave(made, answer, source)


def start_daemon(program, name):
    reader, writer = os.pipe()
    started = subprocess.Popen([program, "--private", "--socket", name, "--ready-fd", str(writer)], pass_fds=[writer])
    os.close(writer)
    ready = os.read(reader, 1)
    os.close(reader)
    if ready != b"r":
        raise RuntimeError("the daemon did not start")
    return started


def describe(rates, authenticate):
    """The job as node 0 and as node 1 have it, and its nodes."""
    nodes = [daemon.Node(PARTNERS, ADDRESSES[0]), daemon.Node([1], ADDRESSES[1])]
    key = secrets.randbits(64), secrets.randbits(64)
    spec = daemon.Spec(job=secrets.randbits(32) or 1, authenticate=int(authenticate), key0=key[0], key1=key[1], node=0,
                       nodes=2, ranks=len(PARTNERS) + 1, ports=len(PARTNERS), window=WINDOW,
                       udp_port=10000 + random.randrange(20000), packet_max=PACKET_MAX, token=secrets.randbits(64),
                       heap_bytes=HEAP, owner_uid=os.geteuid(), loss=rates.loss, duplicate=rates.duplicate,
                       reorder=rates.reorder, corrupt=rates.corrupt, seed=rates.seed)
    return spec, spec._replace(node=1, ports=1, packet_max=OWN_PACKET_MAX), nodes


def start_partner(program, spec, name, rank):
    environment = dict(os.environ, SYNCLINE_SOCKET=name, SYNCLINE_RANK=str(rank), SYNCLINE_JOB="%x" % spec.job,
                       SYNCLINE_TOKEN="%x" % spec.token)
    return subprocess.Popen([program, "exchange"], env=environment)


def run(synclined, partner, rates, authenticate):
    spec, own, nodes = describe(rates, authenticate)
    name = "@syncline-protocol/%08x" % spec.job
    processes = [start_daemon(synclined, name)]
    try:
        launcher = daemon.Daemon(name)
        launcher.create_job(spec, nodes)
        node = Standalone(own, nodes, rates)
        processes += [start_partner(partner, spec, name, rank) for rank in PARTNERS]
        exchange.run(node.pe, "exchange")
        node.pe.barrier()  # of their syncline_finalize()
        node.pe.part()
        # Their last answers may have got lost: it goes on answering until they are gone.
        node.pe.wait(lambda: all(process.poll() is not None for process in processes[1:]))
        codes = [process.returncode for process in processes[1:]]
        counters = node.nic.counters
        print("counters:", dict(counters), "faults:", node.faults_in.injected + node.faults_out.injected)
        exchange.expect("exit codes", codes, [0] * len(PARTNERS))
        if rates.loss:
            for name in ("duplicates", "rejected_tag", "rejected_late"):
                assert counters[name] > 0, name + " never happened"
    finally:
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.wait()


if __name__ == "__main__":
    options = [option for option in sys.argv[3:] if option != "--no-auth"]
    run(sys.argv[1], sys.argv[2], Rates.parse(options[0] if options else ""), "--no-auth" not in sys.argv)
