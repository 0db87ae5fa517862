# SPDX-License-Identifier: BSD-3-Clause
"""Lists the tables, each with its results and with the folders whose changes make it stale."""
from dataclasses import dataclass
from typing import Callable

from bench.tables import atomics, headlines, peers, shared_memory, synchronisation

RUNTIME = ("src/runtime/ground", "src/runtime/operations", "src/runtime/endpoint", "src/runtime/process")
PACKETS = ("src/firmware", "src/fabric", *RUNTIME, "src/daemon")
MEMORY = ("src/fabric/memory", "src/runtime/memory", *RUNTIME)
MEASURING = ("bench/measure", "bench/pe", "bench/timing")


@dataclass(frozen=True)
class Table:
    name: str
    kinds: tuple[str, ...]  # the table's results, as read_results() names them
    folders: tuple[str, ...]
    lines: Callable[[dict], list[str]]
    page: str = "docs/PERFORMANCE.md"
    pictures: tuple[str, ...] = ()  # of these results, below the table


def of_nodes(*counts, suffix=""):
    return tuple(f"shmem-{count}nodes{suffix}" for count in counts)


SHMEM_NODE = ("shmem-1node", "shmem-3pes", "shmem-4pes", "shmem-8pes")
SHMEM_NODES = (*of_nodes(2, 4, 8, 16, suffix="-no-auth"), "shmem-2nodes")
ARMCI = ("armci-1node", "armci-2nodes", "armci-2nodes-mtu9000", "armci-4nodes", "armci-8nodes", "armci-16nodes")
ATOMICS = (*PACKETS, *MEASURING, "bench/atomics")
SHMEM = ("src/api/shmem", "src/runtime/collective", "src/runtime/symmetric", "src/runtime/lock", "bench/programs",
         *MEASURING)

TABLES = [
    Table("atomics-latency", ("atomics",), ATOMICS, atomics.latency),
    Table("atomics-node", ("atomics",), (*ATOMICS, *MEMORY), atomics.same_node),
    Table("atomics-rate", ("atomics",), ATOMICS, atomics.rate),
    Table("atomics-target", ("atomics",), ATOMICS, atomics.left_to_the_target, pictures=("atomics",)),
    Table("barrier", ("barrier",), (*PACKETS, *MEASURING, "src/runtime/collective"), synchronisation.barrier, pictures=("barrier",)),
    Table("fence", ("fence",), (*PACKETS, *MEASURING, "src/runtime/collective"), synchronisation.fence, pictures=("fence",)),
    Table("lock", ("lock",), (*PACKETS, *MEASURING, "src/runtime/lock"), synchronisation.lock, pictures=("lock",)),
    Table("shmem-node", SHMEM_NODE, (*MEMORY, *SHMEM), peers.shmem_one_node, pictures=("shmem-1node",)),
    Table("shmem-nodes", SHMEM_NODES, (*PACKETS, *SHMEM), peers.shmem_nodes, pictures=("shmem-2nodes-no-auth",)),
    Table("random-access", ("random-access",), (*PACKETS, *MEMORY, *SHMEM), peers.random_access, pictures=("random-access",)),
    Table("bulk", ("bulk",), (*PACKETS, *MEASURING, "bench/bulk", "bench/programs"), peers.bulk, pictures=("bulk",)),
    Table("bulk-pieces", ("bulk",), (*PACKETS, *MEASURING, "bench/bulk"), peers.bulk_pieces),
    Table("armci", ARMCI, (*PACKETS, *MEMORY, "src/api/armci", "src/runtime/lock", "bench/armci", "bench/programs"),
          peers.armci, pictures=("armci-2nodes",)),
    Table("armci-barrier", ARMCI, (*PACKETS, "src/api/armci", "src/runtime/collective", "bench/armci"),
          peers.armci_barrier),
    Table("dsm-pages", ("dsm",), (*PACKETS, "src/dsm", "bench/dsm"), shared_memory.pages),
    Table("dsm-fetch-adds", ("dsm",), (*PACKETS, "src/dsm", "bench/dsm"), shared_memory.pages_in_fetch_adds),
    Table("dsm-synchronisation", ("dsm",), (*PACKETS, "src/dsm", "src/runtime/lock", "src/runtime/collective", "bench/dsm"),
          shared_memory.synchronisation),
    Table("dsm-applications", ("dsm",), (*PACKETS, "src/dsm", "examples/dsm", "bench/dsm"), shared_memory.applications,
          pictures=("dsm",)),
    Table("headlines", ("shmem-2nodes-no-auth", "shmem-8nodes-no-auth", "shmem-1node", "armci-2nodes", "random-access",
                        "atomics", "barrier", "dsm"),
          (*PACKETS, *MEMORY, *SHMEM, "src/api/armci", "src/dsm"), headlines.headlines, page="README.md"),
]
