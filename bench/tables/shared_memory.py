# SPDX-License-Identifier: BSD-3-Clause
"""`syncline bench dsm`."""
from bench.tables import text

PROTOCOLS = ("nic", "ardmar", "async")
PAGES = {f"{first}_{order}_{readers}": f"{words}, {way}, {who}"
         for first, words in {"first": "first use", "again": "changed since"}.items()
         for order, way in {"in_order": "in order", "scattered": "scattered"}.items()
         for readers, who in {"alone": "one reader", "contended": "all others at once"}.items()}
SYNCHRONISATION = {"lock_alone": "lock, increment, unlock by one process",
                   "lock_contended": "lock, increment, unlock by all at once", "barrier": "barrier",
                   "barrier_writes": "barrier, each has written a page", "allocation_first": "allocation, the first ones",
                   "allocation_many": "allocation, behind 10,000"}
APPLICATIONS = {"barnes": "Barnes", "radix": "Radix Sort", "is": "Integer Sort", "fft": "3D FFT", "water": "Water"}
SHARES = {"application computing": "computing", "application fault": "page faults", "application lock": "locks",
          "application barrier": "barriers"}


def pages(results):
    result = results["dsm"]
    lines = []
    for mtu in result.parameters["mtu"]:
        counts = result.parameters["nodes"]
        rows = [[f"MTU {mtu}", *(f"{count} nodes" for count in counts)]]
        for condition, words in {"library": "fetch&add, one process", "bare": "its frames, without any work"}.items():
            rows.append([words, *(text.median(result.find("page", condition, "fetch_add_alone", mtu=mtu, nodes=count))
                                  for count in counts)])
        for subject, words in PAGES.items():
            for protocol in PROTOCOLS:
                rows.append([f"page, {words}: {protocol}", *(
                    text.median(result.find("page", protocol, subject, mtu=mtu, nodes=count)) for count in counts)])
        rows += [[f"CPU time of a page, first use, in order, all at once: {protocol}", *(
            text.median(result.find("page CPU", protocol, "first_in_order_contended", mtu=mtu, nodes=count))
            for count in counts)] for protocol in PROTOCOLS]
        lines += ["", *text.table(*rows)]
    return lines[1:]


def pages_in_fetch_adds(results):
    """The least and the greatest number of fetch&adds that a page takes, among all numbers of nodes and readers."""
    result = results["dsm"]
    rows = [["a page, as a multiple of a fetch&add", *PROTOCOLS]]
    for mtu in result.parameters["mtu"]:
        for order, words in {"in_order": "in order", "scattered": "scattered"}.items():
            cells = []
            for protocol in PROTOCOLS:
                found = [entry["got"] for entry in result.ratios
                         if entry["ratio"] == "page_over_fetch_add" and entry["condition"] == protocol
                         and entry["at"]["mtu"] == mtu and entry["subject"].startswith(f"first_{order}")]
                cells.append(text.spread(found) if found else text.ABSENT)
            rows.append([f"first use, {words}, MTU {mtu}", *cells])
    return text.table(*rows)


def synchronisation(results):
    result = results["dsm"]
    mtu, counts = result.parameters["mtu"][0], result.parameters["nodes"]

    def find(subject, protocol, count):
        return result.find("shared synchronisation", protocol, subject, mtu=mtu, nodes=count)

    rows = [[f"MTU {mtu}", *(f"{count} nodes" for count in counts)]]
    for subject, words in SYNCHRONISATION.items():
        if any(find(subject, "nic", count) for count in counts):
            rows.append([f"{words}: nic against async", *(
                text.times_and_median(find(subject, "nic", count), find(subject, "async", count)) for count in counts)])
            rows += [[f"{words}: {protocol}", *(text.median(find(subject, protocol, count)) for count in counts)]
                     for protocol in PROTOCOLS[1:]]
    return text.table(*rows)


def published(result, application):
    """The ratio of ardmar to async on 16 nodes that Noronha 2004 states; None where the file has none."""
    return next((entry["published"] for entry in result.ratios
                 if "published" in entry and entry["subject"] == application), None)


def applications(results):
    result = results["dsm"]
    counts, size = result.parameters["nodes"], result.parameters["sizes"][0]

    def find(name, condition, count, benchmark="application"):
        return result.find(benchmark, condition, name, size=size, nodes=count)

    rows = [[f"{size} size", *(f"{count} nodes" for count in counts)]]
    shares = [[f"{size} size, {counts[-1]} nodes", *SHARES.values(), "faults of a process"]]
    for name, words in APPLICATIONS.items():
        for protocol in PROTOCOLS[:2]:
            rows.append([f"{words}: {protocol} against async", *(
                text.times_and_median(find(name, protocol, count), find(name, "async", count)) for count in counts)])
        stated = published(result, name)
        if stated:
            rows.append([f"{words}: ardmar against async, as the paper states it", *(
                f"{stated:.2f}×" if count == 16 else text.ABSENT for count in counts)])
        alone = find(name, "sequential", 1)
        rows.append([f"{words}: nic against its sequential program on one CPU, {text.median(alone)}", *(
            text.times(find(name, "nic", count), alone) for count in counts)])
        for protocol in PROTOCOLS:
            shares.append([f"{words}, {protocol}", *(text.median(find(name, protocol, counts[-1], share))
                                                     for share in [*SHARES, "application page faults"])])
    return [*text.table(*rows), *text.folded("Where the time of a process goes", text.table(*shares))]
