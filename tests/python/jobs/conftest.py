# SPDX-License-Identifier: BSD-3-Clause
"""Tests that start jobs. BUILD_FOLDER is the build folder, whose launcher starts them."""
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent.parent
TOP = HERE.parent.parent


class Ended:
    def __init__(self, code, text):
        self.code = code
        self.text = text


def run(*command, seconds=60, **environment):
    """The exit code of a command, and what it says."""
    ended = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                           text=True, timeout=seconds, env={**os.environ, **environment})
    return Ended(ended.returncode, ended.stdout)


@pytest.fixture
def start():
    """start(options, program, arguments...) has `syncline run` start a program of tests/python/programs."""
    syncline = pathlib.Path(os.environ["BUILD_FOLDER"]) / "tools" / "syncline"

    def start(options, program, *arguments, **environment):
        path = HERE / "programs" / program if (HERE / "programs" / program).exists() else TOP / program
        ended = run(syncline, "run", "-q", *options.split(), "--", sys.executable, path, *arguments, **environment)
        print(ended.text)  # pytest shows it where the test fails
        return ended

    return start
