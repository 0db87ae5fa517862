# SPDX-License-Identifier: BSD-3-Clause
"""Reads --help, as CLI11 and oshrun write it. A line that begins with two spaces has an option, an argument or a subcommand; two
spaces more end its name. Its text goes on in lines that are indented further.
"""
import re
import subprocess


class Help:
    """The parts of a --help; each item is its name and its text."""

    def __init__(self, text):
        self.usage, self.items, description, item = "", {"Positionals": [], "Options": [], "Subcommands": []}, [], None
        part = "Options"
        for line in text.splitlines():
            if line.lower().startswith("usage: "):
                self.usage = line[len("usage: "):]
            elif heading := re.match("(Positionals|Options|Subcommands):", line):
                part = heading[1]
            elif re.match("  [^ ]", line):
                item = (re.split("  +", line[2:], maxsplit=1) + [""])[:2]
                self.items[part].append(item)
            elif line.startswith("   ") and item:
                item[1] = f"{item[1]} {line.lstrip()}".lstrip()
            elif not line:
                item = None
            else:
                description.append(line)
        self.description = " ".join(description)
        # A text that has room in the line of its name begins in column 30.
        for item in sum(self.items.values(), []):
            if not item[1] and item[0][27:28] == " ":
                item[:] = item[0][:27], item[0][28:]

    def subcommands(self):
        return [name for name, _ in self.items["Subcommands"]]


def output(folder, *command, **options):
    """Returns what a command of the folder prints."""
    return subprocess.run([folder / command[0], *command[1:]], check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def tree(folder, *command):
    """Yields a command, its subcommands and theirs, each with its --help."""
    help_of = Help(output(folder, *command, "--help"))
    yield command, help_of
    for name in help_of.subcommands():
        yield from tree(folder, *command, name)
