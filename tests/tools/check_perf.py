# SPDX-License-Identifier: BSD-3-Clause
"""check_perf.py <result> <transport> <repeats> <PEs> <nodes> <subject>[:<bytes>,...][+rate] ...

The JSON of `syncline perf` is in the form of all benchmarks: it has each subject at each size once, with a rate and a
bandwidth where one is asked for, as numbers above 0 whose percentiles are in order, and nothing else. The pair is of two
PEs, and the places have every PE once.
"""
import collections
import json
import sys

file, transport, repeats, pes, nodes = sys.argv[1:6]
result = json.load(open(file))
wrong = []


def demand(holds, sentence):
    if not holds:
        wrong.append(sentence)


expected = set()
for word in sys.argv[6:]:
    word, _, rate = word.partition("+")
    subject, _, sizes = word.partition(":")
    for size in map(int, (sizes or "0").split(",")):
        expected.add(("perf time", subject, size))
        if rate:
            expected |= {("perf rate", subject, size), ("perf bandwidth", subject, size)}

parameters = result["parameters"]
demand(result["format"] == 1 and result["command"] == "syncline perf", "it is no result of `syncline perf`")
demand({"cpu", "cores", "kernel", "compiler"} <= set(result["machine"]), "the machine is not there")
demand(parameters["repeats"] == int(repeats), f"there are {parameters['repeats']} batches")
demand((parameters["pes"], parameters["nodes"]) == (int(pes), int(nodes)), f"the job is {parameters}")
placed = sorted(pe for place in parameters["places"] for pe in place["pes"])
demand(placed == list(range(int(pes))), f"the places have the PEs {placed}")
demand(all(place["host"] for place in parameters["places"]), "a host has no name")

found = collections.Counter()
for entry in result["series"]:
    at = entry["at"]
    found[entry["benchmark"], entry["subject"], at.get("bytes", 0)] += 1
    demand(entry["condition"] == transport, f"{entry} is not over {transport}")
    demand(entry["median"] > 0 and len(entry["medians"]) == int(repeats) and min(entry["medians"]) > 0, f"{entry} has no number")
    if entry["subject"] == "barrier":
        demand(at == {"pes": int(pes)}, f"a barrier of {at}")
    else:
        demand(at["from"] != at["to"] and max(at["from"], at["to"]) < int(pes), f"no pair: {at}")
    if entry["benchmark"] == "perf time":
        demand((entry["unit"], entry["better"]) == ("ns", "lower"), f"{entry} is no time")
        demand(0 < entry["min"] <= entry["median"] <= entry["max"] and entry["min"] <= entry["p90"] <= entry["p99"] <= entry["max"],
               f"the percentiles are not in order: {entry}")
    else:
        demand(entry["better"] == "higher", f"{entry} is no rate")
rates = {(entry["subject"], entry["at"].get("bytes")): entry["median"] for entry in result["series"] if entry["benchmark"] == "perf rate"}
for entry in result["series"]:
    if entry["benchmark"] == "perf bandwidth":
        bytes_per_s = rates[entry["subject"], entry["at"]["bytes"]] * entry["at"]["bytes"]
        demand(abs(entry["median"] / bytes_per_s - 1) < 1e-6, f"{entry} is not the rate's bandwidth")
demand(set(found) == expected, f"missing: {sorted(expected - set(found))}, unknown: {sorted(set(found) - expected)}")
demand(set(found.values()) == {1}, f"more than one entry: {[name for name, count in found.items() if count != 1]}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
