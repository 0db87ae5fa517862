# SPDX-License-Identifier: BSD-3-Clause
"""The requests that the pages have in common."""
import re


def escaped(text):
    """A minus sign is no hyphen, and no line is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if re.match("[.']", text) else text


def head(source, title, version, manual, names, about, more=""):
    """The top of a page, down to its synopsis. `title` is its name with its section, and `about` is for troff already."""
    return (f'.\\" Made by scripts/pages from {source}.\n.TH {title.upper()} "" {version} {manual}\n{more}.nh\n.ds AD l\n.ad l\n'
            f".SH NAME\n{names} \\- {about}\n.SH SYNOPSIS\n")


def described(comment, name, escape):
    """Paragraphs, code, which is indented by five and more, and items, as `Word.   text` and `name   text`."""
    state = "text"
    for line in comment:
        if state == "code" and not line.startswith("     "):
            state = "text"
            yield ".EE"
        if not line:
            state = "text"
            yield ".PP"
        elif item := re.match(rf"([A-Z][a-z]+\.|{name})  +(.*)", line):
            state = "item"
            yield f".TP 4\n\\fB{escape(item[1])}\\fR\n{escape(item[item.lastindex])}"
        elif line.startswith("     ") and state != "item":
            yield (".EX\n" if state == "text" else "") + escape(line[5:])
            state = "code"
        else:
            yield (".PP\n" if re.match("Errors( besides)?: ", line) else "") + escape(line.lstrip())
    if state == "code":
        yield ".EE"


def declared(declarations):
    """The declarations of a synopsis, each with its further lines indented."""
    return ".PP\n.in +4n\n" + ".br\n".join(f".ti -4n\n.B {escaped(text)}\n" for text in declarations) + ".in\n"


def alias(name):
    """A page that only refers to another."""
    return f".so man3/{name}.3\n"
