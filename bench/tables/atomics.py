# SPDX-License-Identifier: BSD-3-Clause
"""`syncline bench atomics`."""
from bench.tables import text

HOSTS = {"udp-poll": "host agent that polls on a CPU of its own", "udp-spin-block": "host agent that spins, then blocks",
         "udp-block": "host agent that blocks"}
EXECUTORS = {"xdp": "NIC", "xdp+auth": "NIC, SipHash tags", **HOSTS}


def latency(results):
    result = results["atomics"]
    subjects = result.values("latency", "subject")

    def cells(show, *conditions):
        return [show(*(result.find("latency", condition, subject) for condition in conditions)) for subject in subjects]

    return text.table(
        ["", *subjects],
        *([f"NIC against a {words}", *cells(text.times, "xdp", host)] for host, words in HOSTS.items()),
        *([f"{words}: median, p99", *cells(text.median_and_p99, condition)] for condition, words in EXECUTORS.items()))


def same_node(results):
    result = results["atomics"]
    rows = []
    for subject, words in {"uncontended": "alone", "contended": "while another PE adds to the word"}.items():
        library, cpu = (result.find("same node", condition, subject) for condition in ("library", "cpu"))
        rows.append([f"fetch&add on one node, {words}", text.median_and_p99(library), text.median_and_p99(cpu)])
    computing = [["", "shm, one node", "xdp, two nodes"]]
    for subject, words in {"idle": "waits in the library", "computing": "computes"}.items():
        cells = [text.median_and_p99(result.find("computing target", condition, subject)) for condition in ("shm", "xdp")]
        computing.append([f"fetch&add to a target that {words}", *cells])
    return [*text.table(["", "the library", "the CPU's instruction"], *rows), "", *text.table(*computing)]


def rate(results):
    result = results["atomics"]
    conditions = {"xdp": "NIC", "xdp+auth": "NIC, SipHash tags", "udp-poll": "agent that polls"}
    rows = [["", "NIC against the agent", *conditions.values()]]
    for subject in result.values("rate", "subject"):
        own, peer = (result.find("rate", condition, subject) for condition in ("xdp", "udp-poll"))
        rows.append([subject, text.times(own, peer),
                     *(text.median(result.find("rate", condition, subject)) for condition in conditions)])
    return text.table(*rows)


def left_to_the_target(results):
    """Returns the share that another node's fetch&adds leave to a target, by their rate."""
    result = results["atomics"]
    names = {"xdp": "NIC, on the initiator's CPU", "xdp-on-target-cpu": "NIC, on the target's CPU",
             "udp-block": "agent that blocks"}

    def points(benchmark, condition):
        found = [(entry["at"]["offered_per_s"], entry["median"]) for entry in result.entries
                 if entry["benchmark"] == benchmark and entry["condition"] == condition]
        return sorted(found)

    rows = []
    for condition, words in names.items():
        for benchmark, work in {"counter": "a counter loop", "bandwidth": "a TCP stream"}.items():
            found = points(benchmark, condition)
            if not found or not found[0][1]:
                continue
            alone = found[0][1]
            cells = [f"{value / alone * 100:.0f} % at {text.rounded(offered / 1000)}" for offered, value in found[1:]]
            rows.append([words, work, ", ".join(cells)])
    return text.table(["executed by", "at the target", "left of it, at thousands of fetch&adds a second"], *rows)
