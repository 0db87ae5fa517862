# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of bench/results: what was measured, on which machine, with which version of Syncline.

A number has the spread of its measurement beside it, from the least to the largest of the rounds. Series take turns while
they are measured, so each round gives a ratio of its own: a ratio is that of the medians, as `syncline bench` prints it,
and its spread is that of the rounds' ratios.
"""
import json
import re


class Series:
    """The rounds of one quantity under one condition."""

    def __init__(self, entry):
        self.medians = entry["medians"]
        self.unit = entry["unit"]
        self.p99 = entry.get("p99")
        self.higher_is_better = entry["better"] == "higher"

    @property
    def median(self):
        return quantile(self.medians, 0.5)


class Result:
    """One file: series by benchmark, subject, condition and the values that vary."""

    def __init__(self, path):
        self.path = path
        file = json.loads(path.read_text())
        self.parameters = file["parameters"]
        self.machine = file["machine"]
        self.date = file["date"][:10]
        self.version = file.get("version", "")
        self.command = file["command"]
        self.entries = file["series"]
        self.ratios = file.get("ratios", [])

    def commit(self):
        """Returns the commit that the version names; None if it names none."""
        found = re.search(r"\((?:.*-g)?([0-9a-f]{7,40})(-dirty)?\)", self.version)
        return found[1] if found else None

    def find(self, benchmark, condition, subject=None, **at):
        for entry in self.entries:
            if (entry["benchmark"] == benchmark and entry["condition"] == condition
                    and entry.get("subject") == subject
                    and all(entry.get("at", {}).get(name) == value for name, value in at.items())):
                return Series(entry)
        return None

    def values(self, benchmark, field):
        """Returns the different values of a field, or of the entry of `at` with that name, in the order of the file."""
        found = {}
        for entry in self.entries:
            if entry["benchmark"] == benchmark:
                found.setdefault(entry[field] if field in entry else entry.get("at", {}).get(field))
        return [value for value in found if value is not None]

    def origin(self):
        kernel = re.match(r"Linux [0-9]+\.[0-9]+", self.machine["kernel"])
        words = [self.machine["cpu"], f"{self.machine['cores']} cores", kernel[0] if kernel else self.machine["kernel"],
                 self.date, f"Syncline {self.version}" if self.version else "a version that the file does not name"]
        return ", ".join(words)


def read_results(folder):
    """Returns the results of a folder, by the names of their files."""
    return {path.stem: Result(path) for path in sorted(folder.glob("*.json"))}


def quantile(values, fraction):
    ordered = sorted(values)
    return ordered[int(fraction * (len(ordered) - 1) + 0.5)]


def ratios_of_rounds(own, peer):
    """Returns how many times better `own` is than `peer`, in each round."""
    pairs = zip(own.medians, peer.medians)
    return [a / b for a, b in pairs] if own.higher_is_better else [b / a for a, b in pairs]


def ratio_of_medians(own, peer):
    return own.median / peer.median if own.higher_is_better else peer.median / own.median
