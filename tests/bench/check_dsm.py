# SPDX-License-Identifier: BSD-3-Clause
"""check_dsm.py <result>

The JSON of `syncline bench dsm` has every quantity of every protocol and number of nodes once, as a number, and every
ratio, with its limit where one is wanted and whether it was reached; ratios are those of the numbers.
"""
import itertools
import json
import sys

result = json.load(open(sys.argv[1]))
parameters = result["parameters"]
nodes, mtus, protocols, sizes = (parameters[name] for name in ("nodes", "mtu", "protocols", "sizes"))
applications = sorted({entry["subject"] for entry in result["series"] if entry["benchmark"] == "application"})
pages = [f"{turn}_{order}_{readers}" for turn in ("first", "again") for order in ("in_order", "scattered")
         for readers in ("contended", "alone")]
synchronisation = ["lock_alone", "lock_contended", "barrier", "barrier_writes",
                   "allocation_first", "allocation_many"]
parts = ["computing", "fault", "lock", "barrier", "page", "flush", "handler", "page faults"]

expected = set()
for count, mtu in itertools.product(nodes, mtus):
    expected |= {("page", "fetch_add_alone", "bare", count, mtu, None)}
    expected |= {("page", yardstick, "library", count, mtu, None) for yardstick in ("fetch_add_alone", "fetch_add_contended")}
    for protocol in protocols:
        expected |= {(kind, subject, protocol, count, mtu, None) for kind in ("page", "page CPU") for subject in pages}
        expected |= {("shared synchronisation", subject, protocol, count, mtu, None) for subject in synchronisation}
for application, size in itertools.product(applications, sizes):
    expected.add(("application", application, "sequential", 1, mtus[0], size))
    expected |= {(benchmark, application, protocol, count, mtus[0], size) for protocol in protocols for count in nodes
                 for benchmark in ["application", *(f"application {part}" for part in parts)]}


def key(entry):
    at = entry["at"]
    return entry["benchmark"], entry["subject"], entry["condition"], at["nodes"], at["mtu"], at.get("size")


found = [key(entry) for entry in result["series"]]
wrong = [f"{name} is missing" for name in sorted(expected - set(found), key=str)]
wrong += [f"{name} is not known, or twice" for name in found if name not in expected or found.count(name) > 1]
medians = {}
for entry in result["series"]:
    medians[key(entry)] = entry["medians"]
    is_application = entry["benchmark"].startswith("application")
    if len(entry["medians"]) != parameters["runs" if is_application else "repeats"]:
        wrong.append(f"{key(entry)} has {len(entry['medians'])} rounds")
    if entry["median"] <= 0 and not entry["benchmark"].startswith("application "):
        wrong.append(f"{key(entry)} is {entry['median']}")


def rounds_of(ratio):
    """The rounds that arithmetic gives, and the limit that is wanted."""
    at, subject, condition = ratio["at"], ratio["subject"], ratio["condition"]
    place = (at["nodes"], at["mtu"], at.get("size"))
    limit = {"page_over_fetch_add": 2.5, "page_flatness": 1.2, "page_cpu_flatness": 1.2}.get(ratio["ratio"])
    limit = limit if condition != "async" else None
    if ratio["ratio"] == "page_over_fetch_add":
        yardstick = "fetch_add_" + subject.rsplit("_", 1)[1]
        return medians["page", subject, condition, *place], medians["page", yardstick, "library", *place], limit
    if ratio["ratio"] in ("page_flatness", "page_cpu_flatness"):
        kind = "page" if ratio["ratio"] == "page_flatness" else "page CPU"
        return (medians[kind, subject, condition, *place],
                medians[kind, subject, condition, nodes[0], *place[1:]], limit)
    own = medians["application", subject, condition, *place]
    if ratio["ratio"] == "speed_up":
        return medians["application", subject, "sequential", 1, *place[1:]], own, None
    return medians["application", subject, "async", *place], own, None


names = set()
for ratio in result["ratios"]:
    names.add(ratio["ratio"])
    over, under, limit = rounds_of(ratio)
    if any(abs(a / b - got) > 1e-6 * got for a, b, got in zip(over, under, ratio["rounds"])):
        wrong.append(f"{ratio} is not what the numbers say")
    if ratio.get("wanted") != limit:
        wrong.append(f"{ratio}: {limit} is wanted")
    if "wanted" in ratio and ratio["reached"] != (ratio["got"] <= ratio["wanted"]):
        wrong.append(f"{ratio}: reached is wrong")
if names != {"page_over_fetch_add", "page_flatness", "page_cpu_flatness", "speed_up", "over_async"}:
    wrong.append(f"the ratios are {sorted(names)}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
