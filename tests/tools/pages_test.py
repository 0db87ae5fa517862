#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Method: scripts/pages makes pages and completion of small inputs, which are compared as a whole. If an input is broken, the program
says in one line what is wrong, for a header with file and line.
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "scripts/pages"
sys.path.insert(0, str(PROGRAM))
import commands
import completions
import headers
import native
import shmem
from helptext import Help

RUN = """Start a job. It's quick.
Usage: /build/tools/syncline run [OPTIONS] program...

Positionals:
  program TEXT ... REQUIRED   the `program`
  speed TEXT:{slow,fast}      its speed

Options:
  -q,--quiet                  print less
  -t,--transport TEXT:{shm,udp}=shm
                              the transport
                              between nodes
  --testbed TESTBED           run on it
  --heap TEXT=1M              size

Subcommands:
  again                       Do it again
  never                       Do nothing.
"""
OSHRUN = """usage: oshrun [<option>...] <program>

  -n, -np <PEs>         number
  -q, --quiet           print less
  -x <NAME>[=<value>]   sets it

All that is there,
    and no more.
"""
MANUAL = native.Manual("small.h", "syncline", "a subject", r"\fBother\fR(1)")
TOP = ".nr HY 0\n.nh\n.ds AD l\n.ad l\n.SH NAME\n"


class OfCommands(unittest.TestCase):
    maxDiff = None

    def test_options_arguments_and_subcommands(self):
        page = commands.page_of(("syncline", "run"), Help(RUN), "Syncline 1.0", '.\\" NAME: more\n.SH MORE\n.\\" VARIABLES\nend\n',
                                "Environment of jobs\n  SYNCLINE_WINDOW = (32)  [default]\n      packets in flight\n")
        self.assertEqual(page, r""".\" Made by scripts/pages from `syncline run --help`.
.TH SYNCLINE-RUN 1 "" "Syncline 1.0" Syncline
.nh
.ds AD l
.ad l
.SH NAME
syncline\-run \- more
.SH SYNOPSIS
\fBsyncline run\fR [OPTIONS] program...
.SH DESCRIPTION
Start a job. It\(cqs quick.
.SH ARGUMENTS
.TP
\fBprogram\fR TEXT \&... REQUIRED
the \fBprogram\fR
.TP
\fBspeed\fR TEXT:{slow,fast}
its speed
.SH OPTIONS
.TP
\fB\-q\fR, \fB\-\-quiet\fR
print less
.TP
\fB\-t\fR, \fB\-\-transport\fR TEXT:{shm,udp}=shm
the transport between nodes
.TP
\fB\-\-testbed\fR TESTBED
run on it
.TP
\fB\-\-heap\fR TEXT=1M
size
.SH COMMANDS
.TP
\fBagain\fR
Do it again. See
\fBsyncline\-run\-again\fR(1).
.TP
\fBnever\fR
Do nothing. See
\fBsyncline\-run\-never\fR(1).
.SH MORE
.TP
\fBSYNCLINE_WINDOW\fR
Packets in flight. Default: 32.
end
.SH "SEE ALSO"
\fBsyncline\fR(1)
""")

    def test_name_is_the_first_sentence(self):
        page = commands.page_of(("oshrun",), Help(OSHRUN), "Syncline 1.0")
        self.assertIn(".SH NAME\noshrun \\- all that is there,     and no more\n", page)
        self.assertIn("\\fBoshrun\\fR [<option>...] <program>\n", page)
        self.assertNotIn("SEE ALSO", page)

    def test_text_in_column_30(self):
        self.assertEqual(Help("  --" + "x" * 25 + " text").items["Options"], [["--" + "x" * 25, "text"]])

    def test_help_without_an_option(self):
        with self.assertRaisesRegex(SystemExit, "^pages: syncline --help has neither a description nor an option$"):
            commands.page_of(("syncline",), Help("It does much.\n"), "Syncline 1.0")


class OfShells(unittest.TestCase):
    maxDiff = None

    def test_branch(self):
        self.assertEqual(completions.branch("syncline run", Help(RUN)), """        "syncline run")
            syncline_commands="again never"
            syncline_arguments="slow fast"
            syncline_options="-q --quiet -t --transport --testbed --heap"
            syncline_valued="-t --transport --testbed --heap"
            case $2 in
                -t | --transport) syncline_values="shm udp" ;;
                --testbed) syncline_values="$(_syncline_testbeds)" ;;
            esac
            ;;
""")

    def test_presets(self):
        branch = completions.branch("syncline sim run", Help("Positionals:\n  name PRESET   its name\n"), "one two")
        self.assertIn('syncline_arguments="one two"\n', branch)
        self.assertNotIn("case", branch)

    def test_oshrun_has_the_options_of_run(self):
        branch = completions.branch("oshrun", completions.add_oshrun(Help(RUN), Help(OSHRUN)))
        self.assertIn('syncline_options="-q --quiet -t --transport --testbed --heap -n -np -x"\n', branch)
        self.assertIn('syncline_valued="-t --transport --testbed --heap -n -np -x"\n', branch)
        self.assertIn('syncline_arguments=""\n', branch)


class OfHeaders(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def header(self, text, name="small.h"):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        return path

    def native(self, text, **calls):
        return native.pages_of(MANUAL, [self.header(text)], calls)

    @contextlib.contextmanager
    def refused(self, line, text):
        with self.assertRaises(SystemExit) as refusal:
            yield
        self.assertEqual(refusal.exception.code, f"pages: {self.folder.name}/small.h:{line}: {text}")


class OfNativeCalls(OfHeaders):
    def test_pages(self):
        pages = self.native("""/* SPDX */
/*
 * Opening.
 *
 * Order.   None - at all,
 *          so far.
 */
#ifndef SMALL_H

/* ---- Puts ---- */

/* Types. */
enum kind {
    ONE,

    TWO
};

/*
 * Puts `data`:
 *
 *      syncline_put(1);
 *
 * syncline_put   waits
 * Errors: _RANK.
 */
SYNCLINE_API int syncline_put(int rank); /* once */
#define syncline_two(x) syncline_put(x)

#define SYNCLINE_MAKE_(name) int syncline_##name(void);
""", syncline_put="int syncline_put(int rank);", syncline_made="int syncline_made(void);")
        self.assertEqual(pages, {
            "syncline.3": r""".\" Made by scripts/pages from the comments in small.h.
.TH SYNCLINE 3 "" Syncline Syncline
""" + TOP + r"""syncline \- a subject
.SH SYNOPSIS
.B #include <small.h>
.PP
Link with \fB\-lsyncline\fR.
.SH DESCRIPTION
.PP
Opening.
.PP
.TP 4
\fBOrder.\fR
None \- at all,
so far.
.SH CALLS
.TP 4
\fBsyncline_put\fR(3)
Puts
.SH "SEE ALSO"
\fBother\fR(1)
""", "syncline_put.3": r""".\" Made by scripts/pages from the comments in small.h.
.TH SYNCLINE_PUT 3 "" Syncline Syncline
""" + TOP + r"""syncline_put, syncline_two, syncline_made \- puts
.SH SYNOPSIS
.B #include <small.h>
.PP
.in +4n
.ti -4n
.B int syncline_put(int rank);
.br
.ti -4n
.B syncline_two(x);
.br
.ti -4n
.B int syncline_made(void);
.in
.SH DESCRIPTION
.PP
Types.
.PP
.EX
enum kind {
    ONE,

    TWO
};
.EE
.SS syncline_put(), syncline_two()
Puts data:
.PP
.EX
syncline_put(1);
.EE
.PP
.TP 4
\fBsyncline_put\fR
waits
.PP
Errors: _RANK.
.TP 4
\fBsyncline_put\fR()
once

.SH "SEE ALSO"
\fBsyncline\fR(3)
""", "syncline_two.3": ".so man3/syncline_put.3\n", "syncline_made.3": ".so man3/syncline_put.3\n"})

    def test_statuses_are_in_full(self):
        reader = native.Reader(MANUAL._replace(header="syncline.h"), {})
        self.assertEqual(reader.escaped("Errors: _RANK, _PEER (_NODE) A_B"),
                         "Errors: SYNCLINE_ERR_RANK, SYNCLINE_ERR_PEER (SYNCLINE_ERR_NODE) A_B")

    def test_preprocessor_lists_the_calls(self):
        header = self.header("""#include <mpi.h>
#define MAKE(name) static inline int syncline_##name(int  a) { return syncline_put(a); }
#ifdef MSG_COMMS_MPI
extern void
syncline_get(void);
#endif
SYNCLINE_API int *syncline_put(int); int syncline_own_(int);
MAKE(made)
""")
        self.assertEqual(native.declarations("cc", header.parent, MANUAL),
                         {"syncline_get": "void syncline_get(void);", "syncline_put": "SYNCLINE_API int *syncline_put(int);",
                          "syncline_made": "int syncline_made(int a);"})

    def test_comment_without_an_end(self):
        with self.refused(3, "the comment does not end"):
            self.native("int x;\n\n/*\n * Puts.\nSYNCLINE_API int syncline_put(int rank);\n")

    def test_comment_whose_last_line_has_text(self):
        with self.refused(2, "the last line of the comment has text"):
            self.native("\n/*\n * Puts.\n * More. */\nSYNCLINE_API int syncline_put(int rank);\n")

    def test_call_without_a_comment(self):
        with self.refused(3, "syncline_put() has no comment"):
            self.native("/* ---- Puts ---- */\n\nSYNCLINE_API int syncline_put(int rank);\n", syncline_put="")

    def test_call_that_the_preprocessor_does_not_see(self):
        with self.refused(1, "the preprocessor does not see syncline_put"):
            self.native("/* Puts. */\nSYNCLINE_API int syncline_put(int rank);\n")

    def test_call_in_two_parts(self):
        with self.refused(4, "syncline_put is in two parts"):
            self.native("/* Puts. */\nSYNCLINE_API int syncline_put(int rank);\n\n" * 2, syncline_put="")

    def test_call_without_a_part(self):
        with self.refused(1, "syncline_put is in no part"):
            self.native("/* Opening. */\n", syncline_put="")

    def test_part_without_a_call(self):
        with self.refused(3, "the part 'Puts' has no call"):
            self.native("/* Opening. */\n\n/* ---- Puts ---- */\n")


class OfShmem(OfHeaders):
    PUT = """/*
 * shmem_put(3): copies
 * shmem_{,ctx_}TYPENAME_put
 * shmem_fence
 *
 * Puts - see shmem_get(3) and shmem_fence().
 *
 * More.
 *
 * Executed by: the NIC.
 *
 * See also: shmem_get(3)
 */
"""

    def calls(self):
        calls = shmem.Calls()
        calls.take_expanded("# @@ row @ TYPES @ int @ int @@ row @ TYPES @ long1 @ long\n"
                            "@@ void @ shmem_TYPENAMEofTYPESend_put @ (TYPE *  dest, int pe)\n"
                            "@@ void @ shmem_ctx_TYPENAMEofTYPESend_put @ (int ctx)\n")
        calls.take_header("SHMEM_API void shmem_fence(void);\n#define shmem_put(...) _Generic\n")
        return calls

    def pages(self, text, calls=None):
        return shmem.pages_of(headers.read(self.header(text)), calls or self.calls())

    def test_family(self):
        pages = self.pages(self.PUT)
        self.assertEqual(pages.pop("shmem_put.3"), r""".\" Made by scripts/pages from the comments in the headers.
.TH SHMEM_PUT 3 "" Syncline OpenSHMEM
.nh
.ds AD l
.ad l
.SH NAME
shmem_TYPENAME_put, shmem_ctx_TYPENAME_put, shmem_fence \- copies
.SH SYNOPSIS
.B #include <shmem.h>
.PP
.in +4n
.ti -4n
.B void shmem_TYPENAME_put(TYPE* dest, int pe);
.br
.ti -4n
.B void shmem_ctx_TYPENAME_put(int ctx);
.br
.ti -4n
.B void  shmem_fence(void);
.in
.PP
Generic in C11, with or without a context in front where there is one: shmem_put.
.SH DESCRIPTION
Puts \- see \fBshmem_get\fR(3) and \fBshmem_fence()\fR.
.PP
More.
.PP
TYPENAME, and TYPE if that differs, in shmem_TYPENAME_put: int, long1 (long).
.SH EXECUTED BY
The NIC.
.SH SEE ALSO
\fBshmem_get\fR(3)
""")
        aliases = [f"shmem_{context}{name}_put.3" for context in ("", "ctx_") for name in ("int", "long1")] + ["shmem_fence.3"]
        self.assertEqual(pages, dict.fromkeys(aliases, ".so man3/shmem_put.3\n"))

    def test_pattern_without_a_function(self):
        with self.refused(3, "shmem_put(3) is of shmem_fance, which there is not"):
            self.pages("\n\n" + self.PUT.replace("shmem_fence\n", "shmem_fance\n"))

    def test_pattern_without_an_end(self):
        with self.refused(1, "shmem_put(3) is of shmem_{,ctx_TYPENAME_put, which there is not"):
            self.pages(self.PUT.replace("{,ctx_}", "{,ctx_"))

    def test_function_with_two_pages(self):
        with self.refused(14, "shmem_TYPENAME_put is in two pages"):
            self.pages(self.PUT + self.PUT)

    def test_function_without_a_page(self):
        calls = self.calls()
        calls.take_header("SHMEM_API int shmem_lost(void);\n")
        with self.assertRaisesRegex(SystemExit, "^pages: no page has shmem_lost$"):
            self.pages(self.PUT, calls)


class OfTheProgram(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.top = pathlib.Path(self.folder.name)
        for name in ("out/man3", "out/man1", "notes"):
            (self.top / name).mkdir(parents=True)
        (self.top / "out/man1/old.1").touch()
        (self.top / "notes/oshcc.1").write_text(".TH @VERSION@\n")
        (self.top / "notes/syncline.man").write_text('.\\" VARIABLES\n')
        settings = '"info --settings") printf "  SYNCLINE_WINDOW = %s\\n      packets\\n" ${SYNCLINE_WINDOW:-32} ;;'
        self.command("syncline", f'--version) echo "syncline 1.2 (abc)" ;; {settings} '
                     '"run --help") printf "Run it.\\n  --help  help\\n" ;; '
                     '*) printf "Do it.\\n  --help  help\\nSubcommands:\\n  run  Run\\n" ;;')
        for name in ("oshrun", "synclined"):
            self.command(name, '*) printf "Serve.\\n  --help  help\\n" ;;')

    def command(self, name, branches):
        path = self.top / name
        path.write_text(f'#!/bin/sh\ncase "$*" in\n{branches}\nesac\n')
        path.chmod(0o755)

    def run_it(self, *words):
        return subprocess.run([sys.executable, "-B", PROGRAM, *map(str, words)], capture_output=True, text=True,
                              env=os.environ | {"SYNCLINE_WINDOW": "7"})

    def pages(self):
        return self.run_it("commands", self.top, self.top / "out", self.top / "notes")

    def test_commands(self):
        ended = self.pages()
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "", ""))
        self.assertEqual(sorted(str(path.relative_to(self.top / "out")) for path in self.top.glob("out/*/*")),
                         ["man1/oshcc.1", "man1/oshrun.1", "man1/syncline-run.1", "man1/syncline.1", "man8/synclined.8"])
        self.assertEqual((self.top / "out/man1/oshcc.1").read_text(), ".TH Syncline 1.2\n")
        self.assertIn("\nPackets. Default: 32.\n", (self.top / "out/man1/syncline.1").read_text())
        self.assertIn('.TH SYNCLINED 8 "" "Syncline 1.2" Syncline\n', (self.top / "out/man8/synclined.8").read_text())

    def test_completions(self):
        self.assertEqual(self.run_it("completions", self.top, self.top / "shells").stderr, "")
        bash, zsh, packages = ((self.top / "shells" / name).read_text() for name in ("bash", "zsh", "zsh-packages"))
        self.assertEqual(subprocess.run(["bash", "-n"], input=bash, text=True).returncode, 0)
        self.assertIn('        "syncline run")\n            syncline_commands=""\n', bash)
        self.assertTrue(zsh.startswith("#compdef syncline synclined oshrun\n"))
        self.assertEqual(packages, zsh.replace(" oshrun\n", " oshrun.syncline\n", 1))

    def refused(self, ended, text):
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (1, "", text + "\n"))

    def test_note_without_a_command(self):
        (self.top / "notes/syncline-walk.man").touch()
        self.refused(self.pages(), "pages: syncline-walk.man is of no command")

    def test_command_that_fails(self):
        self.command("oshrun", "*) exit 3 ;;")
        self.refused(self.pages(), f"pages: the command '{self.top.resolve()}/oshrun --help' failed")

    def test_wrong_words(self):
        for words in ([], ["calls"], ["completions", "a"], ["commands", "a", "b"], ["page", "a", "b", "c"]):
            ended = self.run_it(*words)
            self.assertEqual(ended.returncode, 1)
            self.assertIn("pages commands <folder of the commands>", ended.stderr)


if __name__ == "__main__":
    unittest.main()
