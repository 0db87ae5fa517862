# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of OpenSHMEM's calls: one for each family, from a comment in the headers, and one for each name, which refers
to its family's. Such a comment is

  NAME(3): its subject
  pattern of names, as shmem_{,ctx_}TYPENAME_put ...

  Text. A paragraph that begins with "Word:" or "Two words:" is a section.

The declarations come from SHMEM_FUNCTIONS_ and SHMEMX_ATOMICS_, expanded by the C preprocessor, with TYPENAME or SIZE in place of
the types and sizes of a list, and from the lines that begin with SHMEM_API. A function without a page, or a pattern without a
function, is an error.
"""
import re
import sys

import headers
import roff

CALLS = re.compile(r"(shmemx?_[a-zA-Z_]+|shmem|start_pes|_my_pe|_num_pes|shmalloc|shmemalign|shrealloc|shfree)(\(\)|\(3\))")
EXPANDED = """#include "shmemx.h"
#define shmem_complexf_ float _Complex
#define shmem_complexd_ double _Complex
#define ROW(LIST, NAME, TYPE) @@ row @ LIST @ NAME @ TYPE
#define FUNCTION(RESULT, NAME, ARGUMENTS) @@ RESULT @ shmem_##NAME @ ARGUMENTS
#define EXTENSION(RESULT, NAME, ARGUMENTS) @@ RESULT @ shmemx_##NAME @ ARGUMENTS
"""


class Calls:
    """The declarations by name; the list of the types, or sizes, of a name that has one; the rows of the lists, as names and
    types; the generic calls.
    """

    def __init__(self):
        self.declared, self.list_of, self.rows, self.generic = {}, {}, {}, set()

    def declare(self, result, name, arguments):
        if found := re.search("of([A-Z_]+)end", name):
            name = name.replace(found[0], "")
            self.list_of[name] = found[1]
        arguments = re.sub(" +", " ", re.sub(r" +\*", "*", arguments))
        self.declared[name] = f"{result}{'' if result.endswith('*') else ' '}{name}{arguments};"

    def take_expanded(self, text):
        """Fields with @ between them, behind @@: a row of a list, or a declaration, whose name contains its list."""
        for line in " ".join(text.splitlines()).split("@@ ")[1:]:
            first, *others = (field.strip() for field in line.split("@"))
            if first == "row":
                self.rows.setdefault(others[0], []).append(others[1:])
            else:
                self.declare(first, *others)

    def take_header(self, text):
        for line in re.findall("^SHMEM_API (.*?)(?: __attribute__.*|;.*)$", text, re.M):
            self.declare(*re.match(r"(.*?)(_?[a-z_]+)(\(.*)", line).groups())
        self.generic |= set(re.findall(r"^#define (shmem_[a-z_]+)\(\.\.\.\)", text, re.M))


def expanded(compiler, include):
    """Each list's rows, and each function once for a list."""
    lists = re.findall(r"^#define SHMEM_([A-Z_]*)_\(X, F\)", (include / "shmem/types.h").read_text(), re.M)
    rows = "".join(f"SHMEM_{name}_(ROW, {name})\n" for name in lists)
    once = "".join(f"#undef SHMEM_{name}_\n#define SHMEM_{name}_(X, F) X(F, {kind_of(name)}of{name}end, TYPE)\n"
                   for name in lists)
    return headers.preprocessed(compiler, f"{EXPANDED}{rows}{once}SHMEM_FUNCTIONS_(FUNCTION) SHMEMX_ATOMICS_(EXTENSION)\n", "-P",
                                f"-I{include}")


def kind_of(name):
    return "SIZE" if name == "SIZES" else "TYPENAME"


def names_of(pattern):
    """Names of a pattern: a{b,c}d is abd and acd."""
    if found := re.match(r"([^{]*)\{([^}]*)\}(.*)", pattern):
        return [name for choice in found[2].split(",") for name in names_of(found[1] + choice + found[3])]
    return [pattern]


def emphasised(text):
    return CALLS.sub(lambda call: rf"\fB{call[1]}" + (r"()\fR" if call[2] == "()" else r"\fR(3)"), roff.escaped(text))


class Family:
    """A comment with a page: its name and subject, its calls, and its paragraphs."""

    def __init__(self, group):
        self.group = group
        paragraphs = "\n".join(group.comment).split("\n\n")
        (first, *names), *self.paragraphs = (paragraph.split("\n") for paragraph in paragraphs)
        self.name, self.subject = first.split("(3): ", 1)
        self.names = sum(map(names_of, " ".join(names).split()), [])

    def pages(self, calls, documented):
        """The page and those that refer to it, by name. Takes the names from the generic calls, and into the documented ones."""
        names, generic, users = [], [], {}
        for name in self.names:
            if name not in calls.declared:
                self.group.refuse(f"{self.name}(3) is of {name}, which there is not")
            if name in documented:
                self.group.refuse(f"{name} is in two pages")
            documented.add(name)
            plain = name.replace("TYPENAME_", "")
            if name in calls.list_of:
                typed = calls.list_of[name]
                users.setdefault(typed, []).extend([] if "_ctx_" in name else [name])
                names += [name.replace(kind_of(typed), row, 1) for row, _ in calls.rows[typed]]
            else:
                names.append(name)
            if plain in calls.generic:
                calls.generic.remove(plain)
                generic.append(plain)
        pages = {f"{name}.3": roff.alias(self.name) for name in names + generic}
        return pages | {f"{self.name}.3": self.page(calls, generic, users)}

    def page(self, calls, generic, users):
        header = "shmemx.h" if self.group.path.name == "shmemx.h" else "shmem.h"
        text = roff.head("the comments in the headers", f"{self.name} 3", "Syncline", "OpenSHMEM",
                         ", ".join(self.names) or self.name, roff.escaped(self.subject)) + f".B #include <{header}>\n"
        if self.names:
            text += roff.declared(calls.declared[name] for name in self.names)
        if generic:
            text += f".PP\nGeneric in C11, with or without a context in front where there is one: {', '.join(generic)}.\n"
        text += ".SH DESCRIPTION\n"
        types = "".join(types_of(typed, calls.rows[typed], names) for typed, names in users.items())
        for number, paragraph in enumerate(map(" ".join, self.paragraphs)):
            if section := re.match("([A-Z][a-z]+(?: [a-z]+)?): ", paragraph):
                text += f"{types}.SH {section[1].upper()}\n"
                types, paragraph = "", paragraph[section.end():]
                if not paragraph.startswith("shmem"):
                    paragraph = paragraph[:1].upper() + paragraph[1:]
            elif number:
                text += ".PP\n"
            text += emphasised(paragraph) + "\n"
        return text


def types_of(typed, rows, names):
    """A paragraph: the rows of a list that these names have."""
    size = kind_of(typed) == "SIZE"
    listed = ", ".join(row if size or row == kind else f"{row} ({kind})" for row, kind in rows)
    what = "SIZE, in bits, in" if size else "TYPENAME, and TYPE if that differs, in"
    return ".PP\n" + roff.escaped(f"{what} {', '.join(names)}: {listed}.") + "\n"


def pages_of(groups, calls):
    """The pages by name. They have every call."""
    result, documented = {}, set()
    for group in groups:
        if group.comment and re.match(r"[a-z_]+\(3\): ", group.comment[0]):
            result |= Family(group).pages(calls, documented)
    for name in sorted((calls.declared.keys() | calls.generic) - documented):
        sys.exit(f"pages: no page has {name}")
    return result


def pages(compiler, include):
    calls, groups = Calls(), []
    calls.take_expanded(expanded(compiler, include))
    for path in [include / "shmem.h", *sorted((include / "shmem").glob("*.h")), include / "shmemx.h"]:
        calls.take_header(path.read_text())
        groups += headers.read(path)
    return pages_of(groups, calls)
