# SPDX-License-Identifier: BSD-3-Clause
"""check_picture.py [--texts] <file.svg>...

A picture of ours shows all its words: each text is inside the picture and none lies on another one; no two charts have one
title; and each entry of a legend is of a series that is drawn and looks like no other of its chart. Widths are those of
DejaVu Sans, which is wider than most fonts that a browser may take. --texts prints all texts, one a line, in order.
"""
import re
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
TURNED = re.compile(r"rotate\((-?[0-9.]+)\)")
PLACE = re.compile(r"translate\((-?[0-9.]+),(-?[0-9.]+)\)")


def texts_of(root):
    """gnuplot puts each text into a group, which has its place and its font."""
    for group in root.iter(SVG + "g"):
        text = group.find(SVG + "text")
        if text is not None:
            yield group, "".join(text.itertext())


def box_of(group, words):
    size = float(group.get("font-size"))
    width = size * len(words) * (0.65 if group.get("font-weight") else 0.58)
    x, y = map(float, PLACE.search(group.get("transform")).groups())
    start = {"start": 0, "middle": -width / 2, "end": -width}[group.get("text-anchor")]
    if TURNED.search(group.get("transform")):
        return x - size * 0.8, y - width / 2, x + size * 0.2, y + width / 2
    return x + start, y - size * 0.8, x + start + width, y + size * 0.2


def overlap(a, b):
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1


def plots_of(root):
    """The series that have an entry in a legend, chart by chart: gnuplot numbers them in each one anew."""
    charts = []
    for group in root.iter(SVG + "g"):
        number = re.fullmatch(r"gnuplot_plot_([0-9]+)", group.get("id") or "")
        if not number:
            continue
        if number.group(1) == "1":
            charts.append([])
        if (group.findtext(SVG + "title") or "").strip():
            charts[-1].append(group)
    return charts


def look_of(plot):
    """Colours, points and dashes."""
    marks = {(mark.get("color"), mark.get(LINK)) for mark in plot.iter(SVG + "use")}
    lines = {(line.get("stroke"), line.get("stroke-dasharray"), line.get("fill")) for name in ("path", "polygon")
             for line in plot.iter(SVG + name)}
    return frozenset(marks | lines)


def complaints(root):
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [(words, box_of(group, words)) for group, words in texts_of(root) if words.strip()]
    for i, (words, box) in enumerate(boxes):
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            yield f"'{words}' is cut off: {box} in {width} x {height}"
        for other, other_box in boxes[i + 1:]:
            if overlap(box, other_box):
                yield f"'{words}' and '{other}' lie on each other"
    titles = [words for group, words in texts_of(root) if group.get("font-weight")]
    if not titles:
        yield "no chart has a title"
    if len(set(titles)) != len(titles):
        yield f"charts have one title: {titles}"
    for chart in plots_of(root):
        looks = [look_of(plot) for plot in chart]
        names = [plot.findtext(SVG + "title").strip() for plot in chart]
        if not all(looks):
            yield f"a series has an entry in the legend and nothing in the chart: {names}"
        if len(set(looks)) != len(looks) or len(set(names)) != len(names):
            yield f"series cannot be told apart: {names}"


failed = False
list_texts = "--texts" in sys.argv
for file in [argument for argument in sys.argv[1:] if argument != "--texts"]:
    picture = xml.etree.ElementTree.parse(file).getroot()
    if list_texts:
        print("\n".join(words for _, words in texts_of(picture)))
    for complaint in complaints(picture):
        print(f"{file}: {complaint}", file=sys.stderr)
        failed = True
sys.exit(failed)
