# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks that run one program by turns over Syncline and over a peer: `shmem`, `random-access`, `bulk`, `armci`."""
from bench.tables import text

SHMEM = {
    "fetch_add": "fetch_add", "compare_swap": "compare_swap", "p": "p, 8 bytes", "g": "g, 8 bytes", "get_8": "get 8 bytes",
    "get_4k": "get 4 KiB", "put_8_quiet": "put 8 bytes + quiet", "put_1m_quiet": "put 1 MiB + quiet",
    "barrier_all": "barrier_all", "random_xor": "random xor, rate", "contended_lock": "contended lock, a section",
    "fetch_add_computing": "fetch_add, target computes",
    **{f"{call}_{size}": f"{call} {words}" for call in ("broadcast", "reduce", "collect", "fcollect")
       for size, words in {"8": "8 bytes", "4k": "4 KiB", "1m": "1 MiB"}.items()}}

BULK = {
    "fetch_add": "fetch&add", "get_8": "get 8 bytes", "get_4k": "get 4 KiB", "get_64k": "get 64 KiB", "get_1m": "get 1 MiB",
    "put_8": "put 8 bytes + quiet", "put_4k": "put 4 KiB + quiet", "put_64k": "put 64 KiB + quiet",
    "put_1m": "put 1 MiB + quiet", "accumulate_computing": "accumulate of 4096 doubles, target computes for 20 ms",
    "accumulate_waiting": "accumulate of 4096 doubles, target waits in MPI"}


def own_and_peer(result, benchmark):
    """Returns the names of Syncline's series and of the peer's."""
    conditions = result.values(benchmark, "condition")
    own = next(name for name in conditions if name.startswith("syncline"))
    peer = next((name for name in conditions if name.split(" ")[0] in ("openmpi", "armci-mpi", "hpcc")), None)
    return own, peer


def of_layouts(results, benchmark, layouts, titles):
    """Makes a table of ratios with a column for each layout, and a table of all times. `titles` of subjects, in order."""
    layouts = {kind: words for kind, words in layouts.items() if kind in results}
    names = {kind: own_and_peer(results[kind], benchmark) for kind in layouts}
    measured = {subject for kind in layouts for subject in results[kind].values(benchmark, "subject")}

    def cells(show, side):
        return [show(results[kind].find(benchmark, names[kind][side], subject)) for kind in layouts]

    ratios, times = [["", *layouts.values()]], [["", *layouts.values()]]
    for subject, title in titles.items():
        if subject not in measured:
            continue
        ratios.append([title, *(
            text.times_and_median(*(results[kind].find(benchmark, name, subject) for name in names[kind]))
            for kind in layouts)])
        times.append([f"{title}, Syncline", *cells(text.median_and_p99, 0)])
        times.append([f"{title}, the peer", *cells(text.median_and_p99, 1)])
    return [*text.table(*ratios), *text.folded("Times of both: median, 99th percentile", text.table(*times))]


def shmem_one_node(results):
    return of_layouts(results, "shmem", {"shmem-1node": "2 PEs", "shmem-3pes": "3 PEs", "shmem-4pes": "4 PEs",
                                         "shmem-8pes": "8 PEs", "shmem-16pes": "16 PEs"}, SHMEM)


def shmem_nodes(results):
    return of_layouts(results, "shmem", {
        "shmem-2nodes-no-auth": "2 nodes", "shmem-4nodes-no-auth": "4 nodes", "shmem-8nodes-no-auth": "8 nodes",
        "shmem-16nodes-no-auth": "16 nodes", "shmem-2nodes": "2 nodes, authenticated"}, SHMEM)


def armci(results):
    layouts = {"armci-1node": "one node, 2 processes", "armci-2nodes": "2 nodes", "armci-2nodes-mtu9000": "2 nodes, MTU 9000",
               "armci-4nodes": "4 nodes", "armci-8nodes": "8 nodes", "armci-16nodes": "16 nodes"}
    titles = {ratio["ratio"]: ratio["title"] for kind in layouts if kind in results for ratio in results[kind].ratios}
    return of_layouts(results, "armci", layouts, titles)


def armci_barrier(results):
    """Compares Syncline's fence and barrier with ARMCI's original one."""
    rows = [["", "barrier after puts to all, against the original", "the original"]]
    for kind, words in {"armci-2nodes": "2 nodes", "armci-4nodes": "4 nodes", "armci-8nodes": "8 nodes",
                        "armci-16nodes": "16 nodes"}.items():
        if kind in results:
            own = results[kind].find("armci", own_and_peer(results[kind], "armci")[0], "sync_after_puts")
            original = results[kind].find("armci", "original GA_Sync", "sync_after_puts")
            rows.append([words, text.times_and_median(own, original), text.median(original)])
    return text.table(*rows)


def random_access(results):
    result = results["random-access"]
    counts = result.values("random access", "nodes")

    def found(condition):
        return [result.find("random access", condition, nodes=nodes) for nodes in counts]

    own, peer = found("syncline"), found("hpcc")
    return text.table(["", *("1 node, 2 PEs" if nodes == 1 else f"{nodes} nodes" for nodes in counts)],
                      ["RandomAccess, against hpcc over Open MPI", *map(text.times, own, peer)],
                      ["updates, Syncline", *map(text.median, own)], ["updates, hpcc", *map(text.median, peer)])


def bulk(results):
    result = results["bulk"]
    mtus = sorted(result.values("bulk", "mtu"), reverse=True)

    def find(subject, condition, mtu):
        return result.find("bulk", condition, subject, mtu=mtu)

    rows = [["", *(f"MTU {mtu}, against Open MPI" for mtu in mtus)]]
    times = [["", *(f"MTU {mtu}" for mtu in mtus)]]
    for subject, words in BULK.items():
        rows.append([words, *(text.times_and_median(find(subject, "xdp", mtu), find(subject, "openmpi tcp", mtu))
                              for mtu in mtus)])
        for condition, name in {"xdp": "Syncline", "xdp+auth": "Syncline, authenticated", "openmpi tcp": "Open MPI",
                                "bare": "bare frames"}.items():
            if any(find(subject, condition, mtu) for mtu in mtus):
                times.append([f"{words}, {name}", *(text.median_and_p99(find(subject, condition, mtu)) for mtu in mtus)])
    times += [[f"rate of {words}, {name}", *(text.median(result.find("rate", condition, subject, mtu=mtu)) for mtu in mtus)]
              for subject, words in {"xor_128k": "packed xor, 128 KiB", "xor_16m": "packed xor, 16 MiB"}.items()
              for condition, name in {"xdp": "Syncline", "xdp+auth": "Syncline, authenticated"}.items()]
    return [*text.table(*rows), *text.folded("Times: median, 99th percentile", text.table(*times))]


def bulk_pieces(results):
    result = results["bulk"]
    mtus = sorted(result.values("pieces", "mtu"), reverse=True)
    rows = [["", *(f"MTU {mtu}, against a call for each" for mtu in mtus)]]
    for subject in result.values("pieces", "subject"):
        call, sizes = subject.split("_")
        count, size = sizes.split("x")
        rows.append([f"{call} of {count} pieces of {size} bytes", *(
            text.times_and_median(*(result.find("pieces", condition, subject, mtu=mtu) for condition in ("pieces", "each")))
            for mtu in mtus)])

    def more(subject, mtu):
        tagged, plain = (result.find("bulk", condition, subject, mtu=mtu) for condition in ("xdp+auth", "xdp"))
        return f"+{(tagged.median / plain.median - 1) * 100:.0f} %"

    rows += [[f"an authenticated {BULK[subject]} takes", *(more(subject, mtu) for mtu in mtus)]
             for subject in ("fetch_add", "get_4k", "put_1m")]
    return text.table(*rows)
