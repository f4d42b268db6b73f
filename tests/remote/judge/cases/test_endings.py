"""Ends of runs by which a kernel must not choose its verdict: it kills itself, sleeps or computes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.evaluation.records import Candidate
from remote.judge.judge import Judge
from remote.judge.processes.children import ChildGroup, Finished, Limits
from tests.remote.helpers import KERNEL, edited, job, judge_job, operator

SHORT = ["short-tail-float32", "aligned-float32"]
# A candidate has no functions of the system; what is left to it is to call the kernel by itself.
SYSTEM = """
#include <sys/syscall.h>
#include <cstdint>
static inline long system_call(long number, long a = 0, long b = 0, long c = 0) {
#if defined(__x86_64__)
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
#else
    register long x8 asm("x8") = number;
    register long x0 asm("x0") = a;
    register long x1 asm("x1") = b;
    register long x2 asm("x2") = c;
    asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#endif
}
"""
SIGNAL = (
    "system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), {});"
)


def kernel_that(does: str) -> Candidate:
    """The right AbsMath, which also does something in its entry."""
    kernel = edited((KERNEL, "op.Process();", f"op.Process();\n    {does}"))
    return Candidate({**kernel.files, KERNEL: SYSTEM + kernel.files[KERNEL]})


@pytest.mark.parametrize(
    ("does", "words"),
    [
        (SIGNAL.format(9), "was ended by SIGKILL (the kernel)"),
        (SIGNAL.format(15), "was ended by SIGTERM (the kernel)"),
        ("system_call(SYS_exit_group, 71);", "ended with exit code 71"),
        ("system_call(SYS_exit_group, 64);", "ended with exit code 64"),
    ],
)
def test_a_kernel_that_ends_its_own_process_fails(
    judge: Judge, build_cache: Path, does: str, words: str
) -> None:
    result = judge_job(judge, job(operator(), kernel_that(does), build_cache, SHORT))
    assert (result["verdict"], words in result["cause"]) == ("fail-run", True), result[
        "cause"
    ]


@pytest.mark.system
def test_a_kernel_that_draws_lots_whether_it_ends_fails(
    judge: Judge, build_cache: Path
) -> None:
    """One launch in three by the address of its stack, which is another in every process."""
    lots = "volatile char here = 0; const long drawn = (long)&here >> 12;"
    kernel = kernel_that(f"{lots} if (drawn % 3 == 0) system_call(SYS_exit_group, 70);")
    cases = [case.name for case in operator().cases if not case.big]
    result = judge_job(judge, job(operator(), kernel, build_cache, cases))
    assert result["verdict"] == "fail-run"
    assert "ended with exit code 70 (the kernel)" in result["cause"]


@pytest.mark.system
def test_a_kernel_that_holds_no_tensor_has_memory_for_its_cores_only(
    judge: Judge, build_cache: Path
) -> None:
    kernel = kernel_that(
        "const long end = system_call(SYS_brk);"
        'if (system_call(SYS_brk, end + (3l << 30)) > end) printf("it has 3 GiB more\\n");'
        'if (system_call(SYS_brk, end + (64l << 20)) > end) printf("it has 64 MiB more\\n");'
    )
    result = judge_job(judge, job(operator(), kernel, build_cache, SHORT[:1]))
    notes = "\n".join(result["notes"])
    assert "it has 64 MiB more" in notes
    assert "it has 3 GiB more" not in notes


def test_a_judge_and_what_it_starts_are_ended_before_other_programs() -> None:
    code = (
        "import subprocess\n"
        "from remote.judge.serving.guarded import yield_to_others\n"
        "yield_to_others()\n"
        "subprocess.run(['cat', '/proc/self/oom_score_adj'], check=True)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert int(said.stdout) == 500


@pytest.mark.system
def test_all_cases_together_have_so_much_cpu_time(
    judge: Judge, build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel that stays below the limit of each launch holds no judge for half an hour."""
    monkeypatch.setattr("remote.judge.running.account._SHARE", 1)
    clock = "system_call(SYS_clock_gettime, 3, (long)t)"  # CLOCK_THREAD_CPUTIME_ID
    does = f"long t[2]; do {clock}; while (t[1] < 700000000 && t[0] == 0);"
    kernel = kernel_that(f"if (GetBlockIdx() == 0) {{ {does} }}")
    cases = [case.name for case in operator().cases if not case.big]
    result = judge_job(
        judge, job(operator(), kernel, build_cache, cases, time_limit_s=1)
    )
    assert result["verdict"] == "fail-run"
    assert "s of CPU time; all together have 1 s" in result["cause"]
    statuses = [row["status"] for row in result["cases"]]
    assert statuses.count("skipped") > len(cases) / 2


def test_a_kernel_has_one_thread_and_cannot_sleep(
    judge: Judge, build_cache: Path
) -> None:
    """Sleep is no CPU time, and threads that wait for each other look as if they waited for a CPU."""
    calls = (
        "system_call(SYS_nanosleep, (long)moment)",
        "system_call(SYS_futex, (long)&word, 0, 0)",  # FUTEX_WAIT
        "system_call(SYS_clone, 0x10000)",  # CLONE_THREAD
    )
    tries = f'printf("%ld %ld %ld\\n", {", ".join(calls)});'
    kernel = kernel_that(f"long moment[2] = {{0, 1}}; int word = 1; {tries}")
    result = judge_job(judge, job(operator(), kernel, build_cache, SHORT[:1]))
    assert result["verdict"] == "pass", result["cause"]
    assert "-1 -1 -1\n" in result["notes"][0]


@pytest.mark.slow  # the grace a run has beyond the limit of its kernel
def test_a_kernel_that_waits_outside_the_simulation_makes_no_progress(
    judge: Judge, build_cache: Path
) -> None:
    started = time.monotonic()
    # Its simulator, which could say something there, waits for the kernel.
    kernel = kernel_that(
        "char order; for (;;) system_call(SYS_read, 4, (long)&order, 1);"
    )
    cases = [*SHORT, "one-element-float32"]
    result = judge_job(
        judge, job(operator(), kernel, build_cache, cases, time_limit_s=1)
    )
    assert result["verdict"] == "fail-run"
    for word in (
        "deadlock",
        "kernel abs_math",
        "slept for",
        "waits for something that does not come",
    ):
        assert word in result["cause"]
    assert "skipped" in [row["status"] for row in result["cases"]], (
        "the others would sleep as long"
    )
    assert time.monotonic() - started < 30


def test_a_flag_nobody_raises_is_a_deadlock_at_once(
    judge: Judge, build_cache: Path
) -> None:
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
    program = [
        sys.executable,
        "-c",
        "while True: pass",
    ]  # in sessions, each with a share of the CPU
    burners = [subprocess.Popen(program, start_new_session=True) for _ in range(others)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
        os.sched_setaffinity(0, before)


needs_affinity = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="needs one CPU for several"
)


@pytest.mark.system
@needs_affinity
def test_a_busy_machine_makes_no_kernel_slow(judge: Judge, build_cache: Path) -> None:
    """0.5 s of computing under a limit of 0.8 s pass, however long they take beside four others."""
    clock = "system_call(SYS_clock_gettime, 3, (long)t)"  # CLOCK_THREAD_CPUTIME_ID
    does = f"long t[2]; do {clock}; while (t[1] < 500000000 && t[0] == 0);"
    kernel = kernel_that(f"if (GetBlockIdx() == 0) {{ {does} }}")
    payload = job(
        operator(), kernel, build_cache, ["one-element-float32"], time_limit_s=0.8
    )
    judge_job(judge, {**payload, "build_only": True})
    with busy_cpu(4):
        result = judge_job(judge, payload)
    assert (result["verdict"], result["cause"]) == ("pass", "")
    assert result["cases"][0]["seconds"] > 0.8, "the machine was not busy"


@pytest.mark.system
@needs_affinity
def test_the_wall_clock_stands_while_a_child_waits_for_its_turn(tmp_path: Path) -> None:
    script = "import time\nwhile time.process_time() < 0.4: pass\n"
    with busy_cpu(3):
        finished = ChildGroup("j").run(
            [sys.executable, "-S", "-c", script], tmp_path, Limits(wall_s=0.6, cpu_s=5)
        )
    assert (finished.code, finished.timed_out) == (0, False)
    assert finished.seconds > 0.7, "the machine was not busy"


@pytest.mark.system
@needs_affinity
def test_a_child_is_not_asleep_while_who_it_waits_for_has_no_cpu(
    tmp_path: Path,
) -> None:
    works = "import time\nwhile time.process_time() < 0.5: pass\n"
    waits = "import time\ntime.sleep(1.2)\n"
    limits = Limits(wall_s=0.6, cpu_s=5, company=[])

    def ran(script: str) -> Finished:
        words = [sys.executable, "-S", "-c", script]
        return ChildGroup("j").run(words, tmp_path, limits)

    with busy_cpu(4), ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(ran, (works, waits)))
    assert [(one.code, one.timed_out) for one in ended] == [(0, False)] * 2
    assert not limits.company


@pytest.mark.system
def test_cpu_seconds_end_a_child_that_computes_and_wall_seconds_one_that_sleeps(
    tmp_path: Path,
) -> None:
    endless = [sys.executable, "-S", "-c", "while True: pass"]
    finished = ChildGroup("j").run(endless, tmp_path, Limits(wall_s=60, cpu_s=1))
    assert (finished.signal_name, finished.timed_out) == ("SIGXCPU", False)
    finished = ChildGroup("j").run(
        ["/bin/sleep", "60"], tmp_path, Limits(wall_s=0.4, cpu_s=5)
    )
    assert finished.used is not None
    assert finished.used.cpu_s < 0.2
    assert not finished.used.overloaded


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="prctl is Linux's")
def test_the_name_a_child_gives_itself_does_not_void_its_verdict(
    tmp_path: Path,
) -> None:
    named = "import ctypes, time\nctypes.CDLL(None).prctl(15, b'\\xff\\xfe', 0, 0, 0)\ntime.sleep(60)"
    finished = ChildGroup("j").run(
        [sys.executable, "-S", "-c", named], tmp_path, Limits(wall_s=0.6, cpu_s=5)
    )
    assert finished.timed_out
