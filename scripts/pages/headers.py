# SPDX-License-Identifier: BSD-3-Clause
"""Reads a header: its titles (/* ---- Title ---- */), and its comments with the code below them."""
import re
import subprocess
import sys


class Group:
    """A title; or a comment and the code below it, up to an empty line that is not within a type, or to the next comment."""

    def __init__(self, path, line):
        self.path, self.line, self.title, self.comment, self.code = path, line, "", [], []

    def refuse(self, text):
        sys.exit(f"pages: {self.path}:{self.line}: {text}")

    def is_within_type(self):
        return self.code and re.match(r"(typedef|enum).*\{$", self.code[0]) and not self.code[-1].startswith("}")


def lines_into_groups(path, lines):
    group, is_comment = Group(path, 1), False
    for number, line in enumerate(lines, 1):
        if title := re.fullmatch(r"/\* ---- (.*?) -+ \*/", line):
            yield group
            group = Group(path, number)
            group.title = title[1]
        elif is_comment:
            is_comment = not line.endswith("*/")
            if is_comment:
                group.comment.append(line[3:].rstrip())
            elif line.strip() != "*/":
                group.refuse("the last line of the comment has text")
        elif line.startswith("/*"):
            yield group
            group, is_comment = Group(path, number), not line.endswith("*/")
            text = line[3:] if is_comment else line[3:-3]
            group.comment = [text] if text and not text.startswith("SPDX") else []
        elif line or group.is_within_type():
            group.code.append(line)
        else:
            yield group
            group = Group(path, number + 1)
    if is_comment:
        group.refuse("the comment does not end")
    yield group


def read(path, is_part=False):
    """Yields the groups of a header. A header that is a part of another one opens with words for the project itself."""
    lines = path.read_text().splitlines()
    if is_part:
        start = lines.index('extern "C" {') + 1
        lines = [""] * start + lines[start:]
    return (group for group in lines_into_groups(path, lines) if group.title or group.comment or group.code)


def preprocessed(compiler, source, *options):
    return subprocess.run([compiler, "-E", "-x", "c", *options, "-"], input=source, check=True, stdout=subprocess.PIPE,
                          text=True).stdout
