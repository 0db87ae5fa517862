# SPDX-License-Identifier: BSD-3-Clause
"""Method: whole jobs of small programs, and what their users see: how they end in good order and otherwise, what Ctrl-C leaves,
children, and each way to start a process."""
import os
import pathlib
import sys

import pytest

from conftest import HERE, TOP, run

TRANSPORTS = ["-n 3 -t shm", "-n 3 -N 3 -t udp", "-n 3 -N 3 -t xdp"]


@pytest.mark.parametrize("options", TRANSPORTS)
def test_a_program_needs_no_finalize(start, options):
    ended = start(options, "ticket.py")
    tickets = sorted(line.split()[4] for line in ended.text.splitlines() if " of 3" in line)
    assert ended.code == 0 and tickets == ["0", "1", "2"]


def test_a_process_alone_is_a_job():
    ended = run(sys.executable, HERE / "programs" / "ticket.py")
    assert (ended.code, ended.text) == (0, "PE 0 drew ticket 0 of 1\n")


@pytest.mark.parametrize("program", ["histogram.py", "task_queue.py"])
@pytest.mark.parametrize("options", TRANSPORTS)
def test_examples(start, options, program):
    ended = start(options, f"python/examples/{program}")
    assert ended.code == 0 and "right" in ended.text


def test_finalize_ends_the_job(start):
    ended = start("-n 2", "ends.py", "finalize")
    assert ended.code == 0 and ended.text.count("over: NOT_INITIALIZED") == 2


def test_a_second_init_is_refused(start):
    ended = start("-n 2", "ends.py", "twice")
    assert ended.code == 0 and "second time" in ended.text


@pytest.mark.parametrize(("how", "code", "text"), [
    ("exception", 1, "ValueError: PE 1 does not like it"),
    ("exit", 3, "PE 1"),
    ("abort", 7, ""),
    ("kill", 137, "PE 0: PEER"),
    ("interrupt", 130, "KeyboardInterrupt"),
])
def test_an_end_that_is_none_in_good_order_ends_the_others(start, how, code, text):
    ended = start("-n 2 -N 2 -t udp", "ends.py", how)
    assert ended.code == code and text in ended.text


@pytest.mark.parametrize("options", ["-n 2 -t shm", "-n 2 -N 2 -t udp"])
@pytest.mark.parametrize("wait", ["poll", "block"])
def test_ctrl_c_leaves_locks_and_waits(start, options, wait):
    ended = start(options, "interrupted.py", "locks", SYNCLINE_WAIT=wait)
    assert ended.code == 0 and ended.text.count("went on") == 2


@pytest.mark.parametrize("call", ["barrier", "reduce", "empty", "broadcast", "finalize", "group"])
def test_ctrl_c_leaves_a_collective_call(start, call):
    ended = start("-n 2 -N 2 -t udp", "interrupted.py", call)
    assert ended.code == 3 and "half done" in ended.text


@pytest.mark.parametrize("call", ["dsm.barrier", "dsm.lock", "dsm.flag", "dsm.condition"])
def test_ctrl_c_leaves_shared_memory(start, call):
    ended = start("-n 2 -N 2 -t udp", "interrupted.py", call)
    assert ended.code == 3 and "shared memory is over" in ended.text


@pytest.mark.parametrize(("options", "wait"), [("-t udp", "poll"), ("-t udp", "block"), ("-t xdp", "block")])
def test_ctrl_c_leaves_operations_without_an_answer(start, options, wait):
    ended = start(f"-n 2 -N 2 --peer-timeout 60000 {options}", "silent.py", SYNCLINE_WAIT=wait)
    assert ended.code == 0 and ended.text.count("went on") == 2


@pytest.mark.parametrize("options", ["-n 2 -t shm", "-n 2 -N 2 -t udp"])
def test_children_leave_their_pe_alone(start, options):
    ended = start(options, "children.py")
    assert ended.code == 0 and ended.text.count("went on") == 2


@pytest.fixture
def daemon(tmp_path):
    """A daemon of this machine, as a cluster has one on each."""
    import subprocess
    import time

    socket = tmp_path / "daemon"
    synclined = pathlib.Path(os.environ["BUILD_FOLDER"]) / "tools" / "synclined"
    process = subprocess.Popen([synclined, "--socket", socket, "--users", "--interface", "lo"])
    for _ in range(200):
        if socket.exists():
            break
        time.sleep(0.05)
    yield socket
    process.terminate()
    process.wait(timeout=20)


def test_the_benchmark_of_calls_measures_each(start):
    ended = start("-n 2", "python/bench/scalar_calls.py", "--rounds", "1")
    assert ended.code == 0, ended.text
    assert len([line for line in ended.text.splitlines() if "pe" in line and line[-1].isdigit()]) >= 17, ended.text


def test_mpirun_starts_pes(daemon):
    ended = run("mpirun", "--oversubscribe", "-np", "3", sys.executable, HERE / "programs" / "ticket.py", SYNCLINE_DAEMON=str(daemon),
                OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    print(ended.text)
    assert ended.code == 0 and ended.text.count(" of 3") == 3


def test_the_page_says_what_runs(start, tmp_path):
    """Each program of docs/PYTHON.md that is marked so runs as it stands there."""
    page = (TOP / "docs" / "PYTHON.md").read_text()
    programs = [part.split("```")[0] for part in page.split("```python\n")[1:] if "sl.init()" in part.split("```")[0]]
    assert programs
    for number, text in enumerate(programs):
        program = tmp_path / f"{number}.py"
        program.write_text(text)
        ended = start("-n 2", program)
        assert ended.code == 0, text
