# SPDX-License-Identifier: BSD-3-Clause
"""README's table: a dozen ratios of all benchmarks, also some that the peer wins."""
from bench.tables import text
from bench.tables.peers import own_and_peer


def of_peer(kind, benchmark, subject, **at):
    """Returns Syncline's series and the peer's, of a benchmark that has both."""
    def pick(results):
        result = results[kind]
        return [result.find(benchmark, name, subject, **at) for name in own_and_peer(result, benchmark)]
    return pick


def of_two(kind, benchmark, own, peer, subject=None, **at):
    def pick(results):
        return [results[kind].find(benchmark, condition, subject, **at) for condition in (own, peer)]
    return pick


MPI_NODE, MPI = "Open MPI's OpenSHMEM", "Open MPI's OpenSHMEM over TCP"
HEADLINES = [
    ("fetch_add, 2 nodes", MPI, of_peer("shmem-2nodes-no-auth", "shmem", "fetch_add")),
    ("fetch_add to a PE that computes, 2 nodes", MPI, of_peer("shmem-2nodes-no-auth", "shmem", "fetch_add_computing")),
    ("fetch_add, one node", MPI_NODE, of_peer("shmem-1node", "shmem", "fetch_add")),
    ("contended lock, 8 nodes", MPI, of_peer("shmem-8nodes-no-auth", "shmem", "contended_lock")),
    ("put 1 MiB + quiet, 2 nodes", MPI, of_peer("shmem-2nodes-no-auth", "shmem", "put_1m_quiet")),
    ("put 1 MiB + quiet, one node", MPI_NODE, of_peer("shmem-1node", "shmem", "put_1m_quiet")),
    ("barrier_all, 8 nodes", MPI, of_peer("shmem-8nodes-no-auth", "shmem", "barrier_all")),
    ("broadcast 4 KiB, 8 nodes", MPI, of_peer("shmem-8nodes-no-auth", "shmem", "broadcast_4k")),
    ("sum of 4 KiB, 8 nodes", MPI, of_peer("shmem-8nodes-no-auth", "shmem", "reduce_4k")),
    ("accumulate of 4096 doubles to a process that computes, 2 nodes", "ARMCI-MPI over TCP",
     of_peer("armci-2nodes", "armci", "acc_4096_fence_computing")),
    ("accumulate of 4096 doubles to a process that waits, 2 nodes", "ARMCI-MPI over TCP",
     of_peer("armci-2nodes", "armci", "acc_4096")),
    ("RandomAccess, 2 nodes", "hpcc over Open MPI", of_peer("random-access", "random access", None, nodes=2)),
    ("fetch&add by the NIC, 2 nodes", "a host agent that polls on a CPU of its own",
     of_two("atomics", "latency", "xdp", "udp-poll", "fetch&add")),
    ("barrier by the NICs, 2 nodes", "the best barrier by the hosts",
     of_two("barrier", "barrier", "nic auto", "host auto", nodes=2)),
    ("barrier by the NICs, 16 nodes", "the best barrier by the hosts",
     of_two("barrier", "barrier", "nic auto", "host auto", nodes=16)),
    ("Radix Sort on shared memory, 4 nodes", "the protocol with a handler thread",
     of_two("dsm", "application", "nic", "async", "radix", nodes=4, size="large")),
]


def headlines(results):
    rows = [["", "against", "times better", "Syncline"]]
    for words, peer, pick in HEADLINES:
        own, other = pick(results)
        rows.append([words, peer, text.times(own, other), text.median(own)])
    return text.table(*rows)
