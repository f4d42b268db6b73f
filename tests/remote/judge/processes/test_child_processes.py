"""Children of the judge: limits, trees that end whole, errors of the machine."""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from remote.hosts.process_tree import end_tree, marked
from remote.judge.faults import Cancelled, EnvironmentFault, fault_of
from remote.judge.processes.children import JOB_COOKIE, ChildGroup, Limits
from remote.judge.processes.patience import descendants, parents

QUICK = Limits(wall_s=10, cpu_s=10, memory_mb=1024)


def test_output_and_exit_code_of_a_child_are_kept(tmp_path: Path) -> None:
    finished = ChildGroup("j").run(
        ["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], tmp_path, QUICK
    )
    assert (finished.code, finished.timed_out) == (3, False)
    assert sorted(finished.output.split()) == ["err", "out"]


def test_a_child_that_exceeds_its_time_goes_with_its_children(tmp_path: Path) -> None:
    script = "sleep 60 & echo $! > pid; sleep 60"
    started = time.monotonic()
    finished = ChildGroup("j").run(
        ["/bin/sh", "-c", script], tmp_path, Limits(wall_s=0.5, cpu_s=5)
    )
    assert finished.timed_out
    assert time.monotonic() - started < 5
    assert is_gone(int((tmp_path / "pid").read_text()))


def is_gone(pid: int) -> bool:
    """Whether a process has ended, giving the kernel a moment to reap it."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            if (
                Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                == "Z"
            ):
                return True
            os.kill(pid, 0)
        except (OSError, IndexError):
            return True
        threading.Event().wait(0.01)
    return False


def test_memory_and_file_size_are_limited(tmp_path: Path) -> None:
    greedy = ["python3", "-c", "bytearray(3 << 30)"]
    assert (
        ChildGroup("j")
        .run(greedy, tmp_path, Limits(wall_s=20, cpu_s=20, memory_mb=1024))
        .code
        != 0
    )
    big = ["/bin/sh", "-c", "head -c 3000000 /dev/zero > big"]
    assert (
        ChildGroup("j").run(big, tmp_path, Limits(wall_s=20, cpu_s=20, file_mb=1)).code
        != 0
    )
    assert (tmp_path / "big").stat().st_size <= 1 << 20


def test_a_flood_of_output_keeps_its_two_ends(tmp_path: Path) -> None:
    script = "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last"
    output = ChildGroup("j").run(["/bin/sh", "-c", script], tmp_path, QUICK).output
    assert output.startswith("first")
    assert output.rstrip().endswith("last")
    assert len(output) < 1.1 * (1 << 20)


def test_cancelling_ends_running_children_and_refuses_new_ones(tmp_path: Path) -> None:
    group = ChildGroup("j")
    timer = threading.Timer(0.3, group.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        group.run(["/bin/sleep", "30"], tmp_path, Limits(wall_s=30, cpu_s=5))
    assert time.monotonic() - started < 3
    with pytest.raises(Cancelled):
        group.run(["/bin/true"], tmp_path, QUICK)


def test_a_command_that_is_not_there_is_no_fault_of_a_candidate(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cannot be started"):
        ChildGroup("j").run(["/bin/true"], tmp_path / "missing", QUICK)


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="needs /proc to see environments"
)
def test_a_tree_ends_even_where_a_child_left_its_group(tmp_path: Path) -> None:
    import subprocess

    # The child in between is waited for: until it is gone, the escaped one is its child.
    script = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
else:
    os.wait()
os.write(1, b"%d\\n" % os.getpid())
time.sleep(60)
"""
    cookie = f"{JOB_COOKIE}=test-{os.getpid()}"
    child = subprocess.Popen(
        ["python3", "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, JOB_COOKIE: cookie.partition("=")[2]},
    )
    assert child.stdout is not None
    pids = [int(child.stdout.readline()), int(child.stdout.readline())]
    assert set(pids) <= set(marked(cookie))
    assert not set(pids) <= set(descendants(child.pid, parents())) | {
        child.pid
    }  # the escaped one is no descendant any more
    end_tree(child.pid, cookie)
    assert child.wait(5) == -signal.SIGKILL
    assert all(is_gone(pid) for pid in pids)
    child.stdout.close()


def test_errors_of_the_machine_say_what_to_do() -> None:
    assert "disk is full" in str(
        fault_of(OSError(errno.ENOSPC, "No space left on device", "/cache/x"))
    )
    assert "/cache/x" in str(
        fault_of(OSError(errno.EACCES, "Permission denied", "/cache/x"))
    )
