"""Ends of runs by which a kernel must not choose its verdict: it kills itself, sleeps or computes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from remote.judge.judge import Judge
from remote.judge.run import ChildGroup, Limits
from tests.remote.helpers import KERNEL, edited, job, judge_job, operator

SHORT = ["short-tail-float32", "aligned-float32"]
SYSTEM = "#include <signal.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\n"


def kernel_that(does: str) -> Candidate:
    """The right AbsMath, which also does something in its entry."""
    source = "#include <cstdint>\n"
    kernel = edited((KERNEL, "op.Process();", f"op.Process();\n    {does}"))
    return Candidate({**kernel.files, KERNEL: SYSTEM + source + kernel.files[KERNEL]})


UNLINK = 'char p[4096]; p[readlink("/proc/self/exe", p, sizeof(p) - 1)] = 0; unlink(p);'


@pytest.mark.parametrize(
    ("does", "words"),
    [
        ("kill(getpid(), SIGKILL);", "ended itself with SIGKILL"),
        ("kill(getpid(), SIGTERM);", "ended itself with SIGTERM"),
        ("_Exit(71);", "ended with exit code 71"),
        ("_Exit(64);", "ended with exit code 64"),
        (f"{UNLINK} _Exit(3);", "ended with exit code 3"),
    ],
)
def test_a_kernel_that_ends_its_own_process_fails(
    judge: Judge, build_cache: Path, does: str, words: str
) -> None:
    result = judge_job(judge, job(operator(), kernel_that(does), build_cache, SHORT))
    assert (result["verdict"], words in result["cause"]) == ("fail-run", True), result["cause"]
    again = judge_job(judge, job(operator(), kernel_that(does), build_cache, SHORT))
    assert (again["verdict"], again["build"]["cached"]) == ("fail-run", True), "its program is still there"


def test_an_end_that_is_another_one_when_repeated_says_nothing(
    judge: Judge, build_cache: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "was-here"
    does = f'if (access("{mark}", F_OK) != 0) {{ fclose(fopen("{mark}", "w")); kill(getpid(), SIGKILL); }}'
    kernel = kernel_that(does)
    files = {**kernel.files, KERNEL: "#include <stdio.h>\n" + kernel.files[KERNEL]}
    result = judge_job(judge, job(operator(), Candidate(files), build_cache, SHORT[:1]))
    assert result["verdict"] == "void"
    assert "was ended by SIGKILL" in result["cause"]
    assert "repeated" in result["cause"]


def test_a_kernel_that_waits_outside_the_simulation_makes_no_progress(
    judge: Judge, build_cache: Path
) -> None:
    started = time.monotonic()
    kernel = kernel_that("for (;;) sleep(1000);")
    cases = [*SHORT, "one-element-float32"]
    result = judge_job(judge, job(operator(), kernel, build_cache, cases, time_limit_s=1))
    assert result["verdict"] == "fail-run"
    for word in ("deadlock", "kernel abs_math", "core 0", "makes no progress", "slept for 1 s"):
        assert word in result["cause"]
    assert "skipped" in [row["status"] for row in result["cases"]], "the others would sleep as long"
    assert time.monotonic() - started < 30


def test_a_flag_nobody_raises_is_a_deadlock_at_once(judge: Judge, build_cache: Path) -> None:
    kernel = kernel_that("WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);")
    result = judge_job(judge, job(operator(), kernel, build_cache, SHORT[:1]))
    assert result["verdict"] == "fail-run"
    assert "deadlock" in result["cause"]
    assert result["cases"][0]["seconds"] < 5


@contextlib.contextmanager
def busy_cpu(others: int) -> Iterator[None]:
    """One CPU for us and for `others` that never rest."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(others)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
        os.sched_setaffinity(0, before)


needs_affinity = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs one CPU for several")


@needs_affinity
def test_a_busy_machine_makes_no_kernel_slow(judge: Judge, build_cache: Path) -> None:
    """0.3 s of computing under a limit of 0.6 s pass, however long they take beside three others."""
    until = "while (t.tv_nsec < 300000000 && t.tv_sec == 0);"
    does = f"timespec t; do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); {until}"
    kernel = kernel_that(f"if (GetBlockIdx() == 0) {{ {does} }}")
    payload = job(operator(), kernel, build_cache, ["one-element-float32"], time_limit_s=0.6)
    judge_job(judge, {**payload, "build_only": True})
    with busy_cpu(3):
        result = judge_job(judge, payload)
    assert (result["verdict"], result["cause"]) == ("pass", "")
    assert result["cases"][0]["seconds"] > 0.7, "the machine was not busy"


@needs_affinity
def test_the_wall_clock_stands_while_a_child_waits_for_its_turn(tmp_path: Path) -> None:
    script = "import time\nwhile time.process_time() < 0.4: pass\n"
    with busy_cpu(3):
        finished = ChildGroup("j").run(
            [sys.executable, "-S", "-c", script], tmp_path, Limits(wall_s=0.6, cpu_s=5)
        )
    assert (finished.code, finished.timed_out) == (0, False)
    assert finished.seconds > 0.7, "the machine was not busy"


def test_cpu_seconds_end_a_child_that_computes_and_wall_seconds_one_that_sleeps(tmp_path: Path) -> None:
    endless = [sys.executable, "-S", "-c", "while True: pass"]
    finished = ChildGroup("j").run(endless, tmp_path, Limits(wall_s=60, cpu_s=1))
    assert (finished.signal_name, finished.timed_out) == ("SIGXCPU", False)
    finished = ChildGroup("j").run(["/bin/sleep", "60"], tmp_path, Limits(wall_s=0.4, cpu_s=5))
    assert finished.used is not None
    assert finished.used.cpu_s < 0.2
    assert not finished.used.overloaded
