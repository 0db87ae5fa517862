# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and tables in Markdown."""
from bench.tables.results import ratio_of_medians, ratios_of_rounds

ABSENT = "–"


def rounded(value):
    """Returns the number with two digits, but with all digits before the point."""
    places = 0 if value >= 10 else 1 if value >= 1 else 2
    return f"{value:,.{places}f}"


def spread(values, text=rounded):
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"


def times(own, peer):
    """Says how many times better `own` is, as **3.4×** (2.7 to 4.7)."""
    if own is None or peer is None:
        return ABSENT
    return f"**{rounded(ratio_of_medians(own, peer))}×** ({spread(ratios_of_rounds(own, peer))})"


UNITS = {
    "ns": (("ns", 1), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)),
    "s": (("µs", 1e-6), ("ms", 1e-3), ("s", 1)),
    "operations/s": (("k/s", 1e3), ("M/s", 1e6)),
    "updates/s": (("k/s", 1e3), ("M/s", 1e6)),
    "bytes/s": (("MB/s", 1e6),),
}


def amount(value, unit):
    """Returns the value in the unit that gives a short number."""
    if value is None:
        return ABSENT
    if unit not in UNITS:
        return rounded(value)
    scales = UNITS[unit]
    name, size = next((scale for scale in reversed(scales) if value >= scale[1]), scales[0])
    places = 2 if value / size < 10 and name in ("µs", "ms", "s") else 1 if value / size < 100 else 0
    return f"{value / size:,.{places}f} {name}"


def median(series):
    return amount(series.median, series.unit) if series else ABSENT


def median_and_p99(series):
    if series is None:
        return ABSENT
    return median(series) + (f", {amount(series.p99, series.unit)}" if series.p99 is not None else "")


def times_and_median(own, peer):
    return f"{times(own, peer)} {median(own)}" if own and peer else ABSENT


def table(*rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def folded(title, lines):
    """Makes a part of a page that a reader can open."""
    return ["", "<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>"]
