# SPDX-License-Identifier: BSD-3-Clause
"""check_picture.py <file.svg>...

A picture of ours shows all its words: each text is inside the picture, none lies on another one, and both axes of each
chart have a name. Widths are those of DejaVu Sans, which is wider than most fonts that a browser may take.
"""
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def box_of(text):
    size = float(text.get("font-size"))
    letters = "".join(text.itertext())
    width = size * len(letters) * (0.65 if text.get("font-weight") else 0.58)
    x, y = float(text.get("x")), float(text.get("y"))
    start = {"start": 0, "middle": -width / 2, "end": -width}[text.get("text-anchor")]
    if text.get("transform"):  # turned to the left
        return letters, (x - size * 0.8, y - width / 2, x + size * 0.2, y + width / 2)
    return letters, (x + start, y - size * 0.8, x + start + width, y + size * 0.2)


def overlap(a, b):
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1


def complaints(file):
    root = xml.etree.ElementTree.parse(file).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = [box_of(text) for text in root.iter(SVG + "text")]
    for i, (words, box) in enumerate(boxes):
        if not words:
            yield "a text is empty"
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            yield f"'{words}' is cut off: {box} in {width} x {height}"
        for other, other_box in boxes[i + 1:]:
            if overlap(box, other_box):
                yield f"'{words}' and '{other}' lie on each other"
    turned = sum(1 for text in root.iter(SVG + "text") if text.get("transform"))
    scales = sum(1 for words, _ in boxes if words.endswith("(logarithmic scale)"))
    titles = sum(1 for text in root.iter(SVG + "text") if text.get("font-size") == "16")
    if turned + scales != titles:
        yield f"{titles} charts have {turned + scales} scales with a name"


failed = False
for file in sys.argv[1:]:
    for complaint in complaints(file):
        print(f"{file}: {complaint}")
        failed = True
sys.exit(failed)
