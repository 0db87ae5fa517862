# SPDX-License-Identifier: BSD-3-Clause
"""check_armci.py <result> <nodes> alone|peer

The JSON of `syncline bench armci` has every quantity, of each library, once and as a number above 0, and every ratio, with
its limit where one is wanted and whether it was reached.
"""
import json
import sys

result = json.load(open(sys.argv[1]))
nodes, has_peer = int(sys.argv[2]), sys.argv[3] == "peer"
ORIGINAL = "original GA_Sync"
own = "syncline" if nodes == 1 else "syncline xdp"
libraries = [own] + [f"armci-mpi {'shm' if nodes == 1 else 'tcp'}"] * has_peer
short = [f"{move}_{size}{end}" for size in (8, 64, 512, 4096) for move, end in (("put", ""), ("put", "_fence"), ("get", ""))]
long = [f"{move}_{size}{end}" for size in (32768, 1 << 20) for move, end in (("put", ""), ("put", "_fence"), ("get", ""))]
blocks = ["put_block", "put_block_fence", "get_block"]
sums = [f"acc_{size}{end}" for size in (8, 512, 4096) for end in ("", "_fence", "_computing", "_fence_computing")]
syncs = ["sync_after_puts", "puts_and_sync"]
subjects = [*short, *long, *blocks, *sums, "fetch_add", "mutex", *syncs]

if nodes == 1:
    wanted = {**dict.fromkeys(short + long, 1), "mutex": 5}
else:
    wanted = {**dict.fromkeys(short, 2), **dict.fromkeys(blocks, 3),
              **dict.fromkeys([*sums, "fetch_add", "mutex"], 5), **dict.fromkeys(syncs, 1)}
    if nodes == 16:
        wanted["sync_original"] = 9

expected = {(subject, library) for subject in subjects for library in libraries}
if nodes > 1:
    expected.add(("sync_after_puts", ORIGINAL))
found = [(entry["subject"], entry["condition"]) for entry in result["series"]]
wrong = [f"{name} is missing" for name in sorted(expected - set(found))]
wrong += [f"{name} is not known, or twice" for name in found if name not in expected or found.count(name) > 1]
wrong += [f"{entry} has no number" for entry in result["series"]
          if entry["median"] <= 0 or len(entry["medians"]) != result["parameters"]["repeats"]]

ratios = {ratio["ratio"]: ratio for ratio in result["ratios"]}
stated = (set(subjects) if has_peer else set()) | ({"sync_original"} if nodes > 1 else set())
wrong += [f"the ratios are {sorted(ratios)}"] * (set(ratios) != stated)
medians = {(entry["subject"], entry["condition"]): entry["medians"] for entry in result["series"]}
for name, ratio in ratios.items():
    if ratio.get("wanted") != wanted.get(name):
        wrong.append(f"{name}: {ratio.get('wanted')} is wanted")
    if "wanted" in ratio and ratio["reached"] != (ratio["got"] >= ratio["wanted"]):
        wrong.append(f"{name}: it says {ratio['reached']}")
    subject, base = ("sync_after_puts", ORIGINAL) if name == "sync_original" else (name, libraries[-1])
    rounds = [other / mine for other, mine in zip(medians[subject, base], medians[subject, own])]
    if any(abs(is_ - should) > 1e-6 * should for is_, should in zip(ratio["rounds"], rounds)):
        wrong.append(f"{name}: its rounds are {ratio['rounds']} instead of {rounds}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
