# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of the calls of syncline.h, syncline/dsm.h, armci.h and message.h. The comment that opens a header makes the
page of all; each part of the header makes one page, named after the part's first call; each other call has a page that refers to
the part's. A comment belongs to the declaration below it or in front of it. The C preprocessor lists the calls, also those that
macros make, which belong to the part that defines the macros, and those that only MPI's users see. A macro with arguments is a
call if it has a call's name. A call without a part is an error.
"""
import pathlib
import re
import tempfile
import typing

import headers
import roff


class Manual(typing.NamedTuple):
    """A header, and its page of all."""
    header: str
    title: str
    subject: str
    see_also: str


MANUALS = (
    Manual("syncline.h", "syncline", "remote memory that the NIC serves", r"\fBsyncline\fR(1), \fBshmem\fR(3)"),
    Manual("syncline/dsm.h", "syncline_dsm", "distributed shared memory", r"\fBsyncline\fR(3), \fBsyncline-run\fR(1)"),
    Manual("armci.h", "armci", "ARMCI, remote memory that the NIC serves",
           r"\fBarmci_msg\fR(3), \fBsyncline\fR(3), \fBsyncline-run\fR(1)"),
    Manual("message.h", "armci_msg", "messages and collective calls of ARMCI", r"\fBarmci\fR(3)"))
NAME = r"((?:syncline|ARMCI|armci)_\w*[A-Za-z0-9])"
MACRO = re.compile(rf"#define {NAME}(\([^)]*\))")
DECLARED = re.compile(rf"(?:(?:SYNCLINE|ARMCI)_API|static inline) .*?\b{NAME}\(")


class Part:
    """A part of a header: its calls in order, and what its page says of them."""

    def __init__(self, group, title):
        self.group, self.title, self.calls, self.body = group, title, [], ""


def files_of(include, manual):
    """The header, and those that syncline.h consists of, in the order of their pages."""
    path = include / manual.header
    parts = re.findall('^#include "(.*)"$', path.read_text(), re.M) if manual.header == "syncline.h" else []
    return [path, *(include / part for part in parts)]


def declarations(compiler, include, manual):
    """The calls by name, as the preprocessor declares them. A line marker says whose the next lines are."""
    files = [f'"{path}"' for path in files_of(include, manual)]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "mpi.h").touch()
        text = headers.preprocessed(compiler, f"#include <{manual.header}>\n", f"-I{include}", f"-I{folder}", "-DMSG_COMMS_MPI")
    own, is_own = [], False
    for line in text.splitlines():
        if re.match("# [0-9]", line):
            is_own = line.split()[2] in files
        elif is_own:
            own.append(line)
    found = re.findall(rf"([A-Za-z][\w *]*[ *]){NAME}(\([^()\n]*\))(?: __attribute__| *[{{;])",
                       re.sub("[;{}]", "\\g<0>\n", " ".join(own)))
    return {name: re.sub("  +", " ", re.sub("^(extern|static inline) ", "", result + name + arguments)) + ";"
            for result, name, arguments in found if not result.startswith("return ")}


class Reader:
    """Takes the groups of a header into its parts."""

    def __init__(self, manual, calls):
        self.manual, self.calls, self.parts, self.macros, self.known = manual, calls, [Part(None, "")], None, set()

    def take(self, group):
        first = group.code[0] if group.code else ""
        if group.title:
            self.parts.append(Part(group, group.title))
        elif not first or first.startswith("#ifndef"):
            # A comment by itself opens the header or the part, or explains what macros make.
            self.add(*([".PP", *self.described(group.comment)] if group.comment else []))
        elif MACRO.match(first) or DECLARED.match(first) and (group.comment or not first.startswith("static")):
            self.take_calls(group)
        elif re.match(r"#define [A-Z_]+\(", first):
            self.macros = self.parts[-1]
        elif re.match("typedef|enum", first) or first.startswith("#define") and group.comment:
            self.add(".PP", *self.described(group.comment), ".PP", ".EX", *map(self.escaped, group.code), ".EE")

    def add(self, *lines):
        self.parts[-1].body += "".join(line + "\n" for line in lines)

    def escaped(self, text):
        """Statuses are in full."""
        if self.manual.header == "syncline.h":
            text = re.sub("(^|[ (])(_[A-Z][A-Z_]+)", r"\1SYNCLINE_ERR\2", text)
        return roff.escaped(text).replace("`", "")

    def described(self, comment):
        return roff.described(comment, NAME, self.escaped)

    def take_calls(self, group):
        """Their names, the comment above them, and those behind them."""
        names, behind = [], ""
        for line in group.code:
            found = MACRO.match(line) or DECLARED.match(line)
            if not found:
                continue
            name = found[1]
            if found.re is MACRO:
                self.calls[name] = f"{name}{found[2]};"
            self.enter(name, self.parts[-1], group)
            names.append(f"{name}()")
            if remark := re.search(r"/\* (.*) \*/$", line):
                behind += f".TP 4\n\\fB{name}\\fR()\n{self.escaped(remark[1])}\n"
        if not group.comment and not behind:
            group.refuse(f"{', '.join(names)} has no comment")
        self.add(f".SS {self.escaped(', '.join(names))}", *self.described(group.comment), *([behind] if behind else []))

    def enter(self, name, part, group):
        if name not in self.calls:
            group.refuse(f"the preprocessor does not see {name}")
        if name in self.known:
            group.refuse(f"{name} is in two parts")
        self.known.add(name)
        part.calls.append(name)

    def finish(self, path):
        """Enters the calls that macros make."""
        group = headers.Group(path, 1)
        for name in sorted(self.calls.keys() - self.known):
            if not self.macros:
                group.refuse(f"{name} is in no part")
            self.enter(name, self.macros, group)
        for part in self.parts[1:]:
            if not part.calls:
                part.group.refuse(f"the part '{part.title}' has no call")

    def page(self, name, names, about, text, see_also):
        head = roff.head(f"the comments in {self.manual.header}", f"{name} 3", "Syncline", "Syncline", names, roff.escaped(about),
                         ".nr HY 0\n")
        return f'{head}.B #include <{self.manual.header}>\n{text}.SH "SEE ALSO"\n{see_also}\n'

    def pages(self):
        """The texts by name."""
        result, title = {}, self.manual.title
        opening, *parts = self.parts
        index = "".join(f".TP 4\n\\fB{part.calls[0]}\\fR(3)\n{self.escaped(part.title)}\n" for part in parts)
        library = title.split("_")[0]
        text = f".PP\nLink with \\fB\\-l{library}\\fR.\n.SH DESCRIPTION\n{opening.body}.SH CALLS\n{index}"
        result[f"{title}.3"] = self.page(title, title, self.manual.subject, text, self.manual.see_also)
        for part in parts:
            first, about = part.calls[0], part.title[:1].lower() + part.title[1:]
            text = roff.declared(self.calls[name] for name in part.calls) + f".SH DESCRIPTION\n{part.body}"
            result |= {f"{name}.3": roff.alias(first) for name in part.calls}
            result[f"{first}.3"] = self.page(first, ", ".join(part.calls), about, text, f"\\fB{title}\\fR(3)")
        return result


def pages_of(manual, paths, calls):
    """The pages of one header, and of those that it consists of, with the calls that the preprocessor sees."""
    reader = Reader(manual, calls)
    for path in paths:
        for group in headers.read(path, path != paths[0]):
            reader.take(group)
    reader.finish(paths[0])
    return reader.pages()


def pages(compiler, include):
    result = {}
    for manual in MANUALS:
        result |= pages_of(manual, files_of(include, manual), declarations(compiler, include, manual))
    return result
