# SPDX-License-Identifier: BSD-3-Clause
"""pages commands <folder of the commands> <output folder> <folder of notes>...
pages calls <C compiler> <folder of headers> <output folder>
pages completions <folder of the commands> <output folder>

Makes the manual pages of the commands and of the calls, and the shell completion of the commands, from what commands say with
--help and from the comments in the headers; so these cannot differ. The comment at the top of each module says how.
"""
import pathlib
import shutil
import subprocess
import sys

import commands
import completions
import native
import shmem


def write(folder, pages):
    """Writes pages, texts by their names, into a folder of their own."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in pages.items():
        (folder / name).write_text(text)


def main(kind="", *words):
    paths = [pathlib.Path(word).resolve() for word in words]
    if kind == "commands" and len(words) > 2:
        for section, pages in commands.pages(paths[0], paths[2:]).items():
            write(paths[1] / f"man{section}", pages)
    elif kind == "calls" and len(words) == 3:
        write(paths[2], shmem.pages(words[0], paths[1]) | native.pages(words[0], paths[1]))
    elif kind == "completions" and len(words) == 2:
        write(paths[1], completions.files(paths[0]))
    else:
        sys.exit(__doc__.split("\n\n")[0])


try:
    main(*sys.argv[1:])
except subprocess.CalledProcessError as error:
    sys.exit(f"pages: the command '{' '.join(map(str, error.cmd))}' failed")
