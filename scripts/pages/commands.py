# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages of the commands: one for `syncline`, each of its subcommands and theirs, `oshrun` and `synclined`. Options,
arguments and subcommands come from --help. A file <page>.man among the notes has sections that --help lacks, in troff; its line
`.\\" VARIABLES` stands for the list of `syncline info --settings`, and its line `.\\" NAME: ` replaces what the page says that the
command does. A page that is among the notes as a whole (oshcc.1) stays as it is. A note without a command is an error.
"""
import os
import re
import sys

import roff
from helptext import output, tree

SECTIONS = {"syncline": 1, "oshrun": 1, "synclined": 8}
LISTS = {"Positionals": "ARGUMENTS", "Options": "OPTIONS", "Subcommands": "COMMANDS"}


def escaped(text):
    return re.sub("`([^`]*)`", r"\\fB\1\\fR", roff.escaped(text)).replace("'", "\\(cq")


def emphasised(item):
    """The names of an option, or of an argument, in bold."""
    first, *others = item.replace(",-", ", -").replace("{false}", "").split()
    return " ".join([bold(first)] + [bold(word) if word.startswith("-") else escaped(word) for word in others])


def bold(word):
    name = re.match(r"[^,=\[<]*", word)[0]
    return f"\\fB{escaped(name)}\\fR{escaped(word[len(name):])}"


def synopsis(usage, command):
    """The call, without the place of the program and the words of the command."""
    usage = re.sub("^[^ ]*/", "", usage)
    for word in command:
        usage = re.sub(rf"^{word}( |$)", "", usage)
    return " " + usage if usage else ""


def variables(settings):
    """A list of the lines `  NAME = DEFAULT  [default...]`, each with its meaning in the next line."""
    found = re.findall(r"^  ([A-Z_]+) = \(?(.*?)\)?(?:  \[.*)?\n +(.*)$", settings, re.M)
    return "".join(f".TP\n\\fB{name}\\fR\n{escaped(text[:1].upper() + text[1:])}. Default: {escaped(preset)}.\n"
                   for name, preset, text in found)


def written(title, page, section, items):
    """A list of options, arguments or subcommands."""
    result = f".SH {title}\n"
    for name, text in items:
        if title == "COMMANDS":
            full = escaped(text) + ("" if text.endswith(".") else ".")
            result += f".TP\n\\fB{escaped(name)}\\fR\n{full} See\n\\fB{escaped(f'{page}-{name}')}\\fR({section}).\n"
        else:
            result += f".TP\n{emphasised(name)}\n{escaped(text)}\n"
    return result


def page_of(command, help_of, version, note="", settings=""):
    """The text of a command's page."""
    words, page, section = " ".join(command), "-".join(command), SECTIONS[command[0]]
    about = re.sub(r"(: |\. |\.$).*", "", help_of.description, count=1)
    about = about[:1].lower() + about[1:]
    sections = ""
    for line in note.splitlines():
        if line.startswith('.\\" NAME: '):
            about = line[len('.\\" NAME: '):]
        else:
            sections += variables(settings) if line == '.\\" VARIABLES' else line + "\n"
    if not about or not help_of.items["Options"]:
        sys.exit(f"pages: {words} --help has neither a description nor an option")
    lists = "".join(written(title, page, section, help_of.items[part]) for part, title in LISTS.items() if help_of.items[part])
    above = f'.SH "SEE ALSO"\n\\fB{escaped("-".join(command[:-1]))}\\fR({section})\n' if command[1:] else ""
    return (roff.head(f"`{words} --help`", f"{page} {section}", f'"{version}"', "Syncline", escaped(page), escaped(about)) +
            f"\\fB{escaped(words)}\\fR{escaped(synopsis(help_of.usage, command))}\n"
            f".SH DESCRIPTION\n{escaped(help_of.description)}\n{lists}{sections}{above}")


def pages(folder, notes_folders):
    """The pages by section and name."""
    notes = {path.name: path.read_text() for notes in notes_folders for path in notes.iterdir()}
    # The pages show defaults.
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("SYNCLINE_", "SHMEM_", "SMA_"))}
    settings = output(folder, "syncline", "info", "--settings", env=ours)
    version = output(folder, "syncline", "--version").split(" (")[0].strip().capitalize()
    result = {1: {}, 8: {}}
    for program, section in SECTIONS.items():
        for command, help_of in tree(folder, program):
            page = "-".join(command)
            result[section][f"{page}.{section}"] = page_of(command, help_of, version, notes.pop(f"{page}.man", ""), settings)
    for name, text in notes.items():
        if not name.endswith(".1"):
            sys.exit(f"pages: {name} is of no command")
        result[1][name] = text.replace("@VERSION@", version)
    return result
