# SPDX-License-Identifier: BSD-3-Clause
"""check_bulk.py <result> <MTU>,<MTU>... [peer]

The JSON of `syncline bench bulk` has every quantity, under each condition and at each MTU, once and as a number above 0,
and every ratio, with its limit where one is wanted.
"""
import json
import sys

PLAIN, TAGGED, BARE, PEER = "xdp", "xdp+auth", "bare", "openmpi tcp"
MOVES = ["get_8", "get_4k", "get_64k", "get_1m", "put_8", "put_4k", "put_64k", "put_1m", "accumulate_waiting",
         "accumulate_computing"]
LISTS = [f"{move}_64x{size}" for move in ("put", "get") for size in (8, 64, 512)]

result = json.load(open(sys.argv[1]))
mtus = [int(mtu) for mtu in sys.argv[2].split(",")]
peer = sys.argv[3:] == ["peer"]

expected = {("bulk", "fetch_add", BARE), *(("bulk", subject, condition) for subject in ["fetch_add", *MOVES]
                                            for condition in [PLAIN, TAGGED] + [PEER] * peer),
            *(("pieces", subject, condition) for subject in LISTS for condition in ("pieces", "each")),
            *(("undisturbed", "target_work", condition) for condition in ("alone", "accumulates arrive")),
            *(("rate", subject, condition) for subject in ("xor_128k", "xor_16m") for condition in (PLAIN, TAGGED))}
wanted = {"fetch_add_over_bare": 1.25, "auth_fetch_add": 15, "auth_get_4k": 40, "auth_put_1m": 40}
stated = {"get_4k_over_fetch_add", "undisturbed", *(f"{name}_each" for name in LISTS)}
if peer:
    wanted |= {"put_1m_peer": 1.3, "accumulate_computing_peer": 5}
    stated |= {"accumulate_waiting_peer"}
wanted_long = {**wanted, "get_4k_over_fetch_add": 2, **({"put_1m_peer": 2} if peer else {})}  # at an MTU of 9000
wrong = []
for mtu in mtus:
    found = [entry for entry in result["series"] if entry["at"]["mtu"] == mtu]
    names = [(entry["benchmark"], entry["subject"], entry["condition"]) for entry in found]
    wrong += [f"{name} at {mtu} is missing" for name in sorted(expected - set(names))]
    wrong += [f"{name} at {mtu} is not known, or twice" for name in sorted(set(names) - expected)]
    wrong += [f"{entry} has no number" for entry in found
              if entry["median"] <= 0 or len(entry["medians"]) != result["parameters"]["repeats"]]
    limits = wanted_long if mtu >= 9000 else wanted
    ratios = {ratio["ratio"]: ratio for ratio in result["ratios"] if ratio["at"]["mtu"] == mtu}
    wrong += [f"the ratios at {mtu} are {sorted(ratios)}"] * (set(ratios) != set(wanted) | stated)
    for name, ratio in ratios.items():
        if ratio.get("wanted") != limits.get(name):
            wrong.append(f"{name} at {mtu}: {ratio.get('wanted')} is wanted")
        if "wanted" in ratio and ratio["reached"] != (ratio["got"] <= ratio["wanted"] if ratio["limit"] == "at most" else
                                                      ratio["got"] >= ratio["wanted"]):
            wrong.append(f"{name} at {mtu}: it says {ratio['reached']}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
