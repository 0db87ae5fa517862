# SPDX-License-Identifier: BSD-3-Clause
"""`syncline bench barrier`, `fence` and `lock`."""
from bench.tables import text


def best_tree(result, executor, nodes):
    """Returns the name and the series of the quickest tree."""
    trees = [name for name in result.values("barrier", "condition") if name.startswith(executor + " tree ")]
    found = [(name, result.find("barrier", name, nodes=nodes)) for name in trees]
    return min(((name, series) for name, series in found if series), key=lambda item: item[1].median, default=("", None))


def barrier(results):
    result = results["barrier"]
    counts = result.values("barrier", "nodes")
    rows = [["nodes", *counts]]
    ways = {"as Syncline chooses": lambda executor, nodes: result.find("barrier", executor + " auto", nodes=nodes),
            "pairwise exchange": lambda executor, nodes: result.find("barrier", executor + " exchange", nodes=nodes),
            "the best tree": lambda executor, nodes: best_tree(result, executor, nodes)[1]}
    for words, find in ways.items():
        pairs = [(find("nic", nodes), find("host", nodes)) for nodes in counts]
        rows.append([f"{words}: NICs against hosts", *(text.times(nic, host) for nic, host in pairs)])
        rows.append([f"{words}: time by the NICs", *(text.median(nic) for nic, _ in pairs)])
        rows.append([f"{words}: time by the hosts", *(text.median(host) for _, host in pairs)])
    every = [["nodes", *counts]]
    for condition in sorted(result.values("barrier", "condition"), key=natural):
        every.append([condition, *(text.median(result.find("barrier", condition, nodes=nodes)) for nodes in counts)])
    return [*text.table(*rows), *text.folded("Every algorithm", text.table(*every))]


def natural(name):
    return [int(word) if word.isdigit() else 0 for word in name.split()], name


WAYS_OF_FENCE = {"acknowledged": "one exchange, acknowledged", "counts": "by counts",
                 "linear": "one process after the other, then a barrier"}


def fence(results):
    result = results["fence"]
    all_nodes = result.values("fence after writes to all", "nodes")

    def of_all(condition, nodes):
        return result.find("fence after writes to all", condition, nodes=nodes)

    rows = [["nodes, each has written to all others", *all_nodes]]
    for peer, words in {"xdp": "over xdp", "udp-block": "over a host agent that blocks"}.items():
        rows.append([f"fence and barrier in one, over xdp, against asking one process after the other, {words}",
                     *(text.times(of_all("xdp acknowledged", nodes), of_all(peer + " linear", nodes))
                       for nodes in all_nodes)])
    for condition in result.values("fence after writes to all", "condition"):
        transport, way = condition.split(" ", 1)
        rows.append([f"{transport}: {WAYS_OF_FENCE.get(way, way)}",
                     *(text.median(of_all(condition, nodes)) for nodes in all_nodes)])
    some = "fence after writes to some"
    targets, nodes = sorted(result.values(some, "targets")), result.values(some, "nodes")
    few = [[f"{nodes[-1]} nodes, each has written to so many others", *targets]]
    for condition in result.values(some, "condition"):
        transport, way = condition.split(" ", 1)
        few.append([f"{transport}: {WAYS_OF_FENCE.get(way, way)}",
                    *(text.median(result.find(some, condition, targets=count)) for count in targets)])
    return [*text.table(*rows), "", *text.table(*few)]


def lock(results):
    result = results["lock"]
    counts = result.values("acquire and release", "contenders")
    conditions = result.values("acquire and release", "condition")

    def rows_of(benchmark, show):
        return [[condition, *(show(result.find(benchmark, condition, contenders=count)) for count in counts)]
                for condition in conditions]

    def of_both(condition, count):
        return result.find("acquire and release", condition, contenders=count)

    ratios = [[f"MCS lock: NIC against a host agent that {words}",
               *(text.times(of_both("xdp mcs", count), of_both(peer, count)) for count in counts)]
              for peer, words in {"udp-poll mcs": "polls", "udp-block mcs": "blocks"}.items()]
    head = ["contenders", *counts]
    lines = text.table(head, *ratios, *rows_of("acquire and release", text.median_and_p99))
    for benchmark, words in {"acquire": "Acquire", "release": "Release", "requests": "Requests to other PEs of a section",
                             "unfairness": "Mean acquire of the slowest contender over that of the quickest"}.items():
        lines += text.folded(words, text.table(head, *rows_of(benchmark, text.median)))
    return lines
