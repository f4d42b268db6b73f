"""The evaluator on this computer: port, progress, cancellation, concurrency, faults of the environment."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import pytest

from core.errors import InvalidInput
from core.evaluation.candidate_folder import read_candidate
from core.evaluation.port import Evaluator
from core.evaluation.records import Candidate, Evaluation, LatencyOrigin, VerdictClass
from core.operators.spec import OperatorSpec
from core.records_json import from_json, to_json
from remote.evaluator import HostEvaluator, local_twin_evaluator
from remote.hosts import JobRequest, JobState, LocalHost
from remote.judge.json_records import plain
from remote.judge.processes.patience import descendants, parents
from remote.judge.result import void_answer
from remote.toolchains.port import read_answer
from remote.toolchains.twin import TwinToolchain
from sage_desktop.commands.evaluate import render_evaluation
from tests.remote.helpers import KERNEL, KERNELS, TWIN, candidate, edited, operator


def few(*names: str) -> OperatorSpec:
    """AbsMath with some of its cases."""
    spec = operator()
    return replace(spec, cases=tuple(case for case in spec.cases if case.name in names))


Result = TypeVar("Result")
SHORT = few("short-tail-float32", "one-element-float32")


def quiet(_line: str) -> None:
    """Progress nobody reads."""


def using(evaluator: Evaluator, work: Callable[[], Awaitable[Result]]) -> Result:
    """Run `work` in a loop of its own and close the evaluator."""

    async def run() -> Result:
        try:
            return await work()
        finally:
            await evaluator.close()

    return asyncio.run(run())


def evaluate(evaluator: Evaluator, spec: OperatorSpec, kernel: Candidate) -> Evaluation:
    return using(evaluator, lambda: evaluator.evaluate(spec, kernel, quiet))


@pytest.mark.system
def test_an_evaluation_says_who_measured_what(build_cache: Path) -> None:
    evaluator, lines = local_twin_evaluator(build_cache), []
    spec = few("feature-map-float32", "short-tail-float16")
    found = using(
        evaluator, lambda: evaluator.evaluate(spec, candidate(), lines.append)
    )
    assert found.verdict is VerdictClass.PASS
    assert found.candidate == candidate().digest
    assert (found.host, found.toolchain, found.device) == (
        "local",
        "twin",
        "Ascend910B1 model",
    )
    assert evaluator.label == "this computer · CPU twin (modelled Ascend910B1)"
    assert found.latency is not None
    assert found.latency.origin is LatencyOrigin.MODELLED
    assert found.latency.device == "Ascend910B1 model"
    assert found.profile is not None
    assert found.profile.cores[0].total_cycles > 0
    assert any(line.startswith("case 2 of 2") for line in lines)
    assert from_json(to_json(found), Evaluation, "test") == found
    assert f"\nsandbox: {found.facts['sandbox']}\n" in render_evaluation(found)
    loose = replace(found, facts={"sandbox": "unconfined"})
    assert "\nsandbox: unconfined: no credit, no rank" in render_evaluation(loose)


@pytest.mark.system
def test_a_kernel_that_does_nothing_finds_no_answer_of_the_right_one_before_it(
    build_cache: Path,
) -> None:
    evaluator = local_twin_evaluator(build_cache)
    idle = edited((KERNEL, "op.Process();", ""))

    async def one_after_another() -> list[
        Evaluation
    ]:  # by one warm judge, with one cache
        return [
            await evaluator.evaluate(SHORT, kernel, quiet)
            for kernel in (candidate(), idle, candidate())
        ]

    before, ghost, after = using(evaluator, one_after_another)
    assert (before.verdict, after.verdict) == (VerdictClass.PASS, VerdictClass.PASS)
    assert ghost.verdict is VerdictClass.FAIL_RESULT
    assert {case.status for case in ghost.cases} == {"wrong-result"}, (
        "no case is spared"
    )
    assert "gm-unwritten" in {finding.rule for finding in ghost.findings}
    assert ghost.latency is None


def test_another_processor_is_modelled_when_asked(build_cache: Path) -> None:
    spec = few("feature-map-float32")
    many = evaluate(local_twin_evaluator(build_cache, "Ascend910B1"), spec, candidate())
    fewer = evaluate(
        local_twin_evaluator(build_cache, "Ascend910B4"), spec, candidate()
    )
    assert many.profile is not None
    assert fewer.profile is not None
    assert (len(many.profile.cores), len(fewer.profile.cores)) == (48, 40)
    assert fewer.device == "Ascend910B4 model"


@pytest.mark.system
def test_evaluations_run_side_by_side_without_mixing(build_cache: Path) -> None:
    wrong = edited((KERNEL, "Abs(y, x, count);", "Muls(y, x, (DTYPE_X)2, count);"))
    evaluator = local_twin_evaluator(build_cache, slots=2)

    async def work() -> list[Evaluation]:
        try:
            kernels = [candidate(), wrong, candidate(), wrong]
            return list(
                await asyncio.gather(
                    *(evaluator.evaluate(SHORT, kernel, quiet) for kernel in kernels)
                )
            )
        finally:
            await evaluator.close()

    verdicts = [found.verdict for found in asyncio.run(work())]
    assert verdicts == [VerdictClass.PASS, VerdictClass.FAIL_RESULT] * 2


def endless() -> Candidate:
    return edited(
        (
            KERNEL,
            "op.Process();",
            "volatile int turns = 0;\n    while (true) turns = 1;",
        )
    )


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory by which the judges of a test are known: forks of a keeper are not below it."""
    monkeypatch.chdir(tmp_path)


def judge_pids() -> list[int]:
    """Judge processes that work for this test, and everything they started."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            pid = int(entry.name) if entry.name.isdigit() else 0
            if (
                pid
                and b"remote.judge" in command_line(pid)
                and (entry / "cwd").readlink() == Path.cwd()
            ):
                found += [pid, *descendants(pid, parents())]
    return found


def wait_for_program() -> None:
    """Return when a candidate's program runs below a judge."""
    while not any(b"/program" in command_line(pid) for pid in judge_pids()):
        threading.Event().wait(0.02)


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="looks at processes through /proc"
)
def test_cancelling_ends_the_kernel_within_a_second_and_the_judge_stays_usable(
    build_cache: Path,
) -> None:
    evaluator = local_twin_evaluator(build_cache, slots=1)

    async def work() -> Evaluation:
        try:
            task = asyncio.create_task(evaluator.evaluate(SHORT, endless(), quiet))
            await asyncio.wait_for(asyncio.to_thread(wait_for_program), 60)
            asked = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - asked < 1
            assert not any(b"/program" in command_line(pid) for pid in judge_pids())
            return await evaluator.evaluate(SHORT, candidate(), quiet)
        finally:
            await evaluator.close()

    assert asyncio.run(work()).verdict is VerdictClass.PASS
    assert not any(b"remote.judge" in command_line(pid) for pid in judge_pids())


def kill_judge() -> None:
    """kill -9 the judge below this test."""
    victim = next(pid for pid in judge_pids() if b"remote.judge" in command_line(pid))
    os.kill(victim, signal.SIGKILL)


@pytest.mark.system
@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="looks at processes through /proc"
)
def test_a_killed_judge_takes_its_children_along_and_its_job_is_run_again(
    build_cache: Path,
) -> None:
    evaluator = HostEvaluator(
        LocalHost(1), TwinToolchain(build_cache, TWIN, kernel_time_limit_s=1)
    )
    lines: list[str] = []

    async def work() -> Evaluation:
        try:
            task = asyncio.create_task(
                evaluator.evaluate(SHORT, endless(), lines.append)
            )
            await asyncio.wait_for(asyncio.to_thread(wait_for_program), 60)
            orphans = [pid for pid in judge_pids() if b"/program" in command_line(pid)]
            kill_judge()
            found = await task
            assert not any(b"/program" in command_line(pid) for pid in orphans)
            return found
        finally:
            await evaluator.close()

    found = asyncio.run(work())
    assert found.verdict is VerdictClass.FAIL_RUN, (
        "the second judge saw what the kernel does"
    )
    (again,) = [line for line in lines if "It will run again." in line]
    assert "killed by signal 9" in again


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="looks at processes through /proc"
)
@pytest.mark.parametrize(
    ("kills", "verdict"), [(1, VerdictClass.PASS), (2, VerdictClass.VOID)]
)
def test_a_judge_that_is_killed_twice_is_void_and_once_is_not(
    build_cache: Path, kills: int, verdict: VerdictClass
) -> None:
    evaluator = local_twin_evaluator(build_cache, slots=1)
    name = "using namespace AscendC;"
    # Built by nobody before: its judge cannot be done before it is killed.
    new = edited((KERNEL, name, f"{name}\nconstexpr int kUnused{token_hex(8)} = 0;"))
    killed: list[str] = []

    def kill(line: str) -> None:
        if line.startswith("compiling") and len(killed) < kills:
            killed.append(line)
            kill_judge()

    async def work() -> tuple[Evaluation, Evaluation]:
        first = await evaluator.evaluate(SHORT, new, kill)
        return first, await evaluator.evaluate(SHORT, candidate(), quiet)

    found, next_one = using(evaluator, work)
    assert len(killed) == kills
    assert found.verdict is verdict
    assert ("killed by signal 9" in found.cause) == (kills == 2)
    assert next_one.verdict is VerdictClass.PASS


@pytest.mark.system
@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="looks at processes through /proc"
)
def test_the_judge_of_this_computer_gets_no_key_of_the_application(
    build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"SAGE_CXX": "", "LC_ALL": "C.UTF-8"}
    secrets = (
        "SAGE_API_KEY",
        "SAGE_ENDPOINT",
        "MY_MODEL",
        "https_proxy",
        "SSH_AUTH_SOCK",
        "AWS_SECRET_KEY",
    )
    for name, value in {**kept, **dict.fromkeys(secrets, "sk-1234567890")}.items():
        monkeypatch.setenv(name, value)
    seen: list[bytes] = []

    def look(_line: str) -> None:
        for pid in judge_pids():
            with contextlib.suppress(OSError):
                seen.append(Path(f"/proc/{pid}/environ").read_bytes())

    evaluator = local_twin_evaluator(build_cache, slots=1)
    assert using(
        evaluator, lambda: evaluator.evaluate(SHORT, candidate(), look)
    ).correct
    assert any(
        b"SAGE_CXX=" in environment and b"PATH=" in environment for environment in seen
    )
    assert not any(b"sk-1234567890" in environment for environment in seen)


def test_without_a_compiler_the_evaluation_is_void(
    build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_CXX", "no-such-compiler")
    found = evaluate(local_twin_evaluator(build_cache), SHORT, candidate())
    assert found.verdict is VerdictClass.VOID
    assert "No C++ compiler" in found.cause
    assert "apt install g++" in found.cause


@pytest.mark.system
def test_a_cache_that_cannot_be_written_makes_the_evaluation_void(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    found = evaluate(
        local_twin_evaluator(tmp_path / "file" / "cache"), SHORT, candidate()
    )
    assert found.verdict is VerdictClass.VOID
    assert "file" in found.cause


def test_a_full_disk_makes_the_evaluation_void() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    from remote.judge.faults import fault_of

    with (
        pytest.raises(OSError, match="No space left") as error,
        full.open("wb", buffering=0) as file,
    ):
        file.write(b"x")
    assert "The disk is full" in str(fault_of(error.value))


def test_an_operator_without_reference_makes_the_evaluation_void(
    build_cache: Path, tmp_path: Path
) -> None:
    found = evaluate(
        local_twin_evaluator(build_cache), replace(SHORT, folder=tmp_path), candidate()
    )
    assert found.verdict is VerdictClass.VOID
    assert "reference.py" in found.cause


def test_a_python_that_cannot_judge_makes_the_evaluation_void(
    build_cache: Path,
) -> None:
    for python, words in (
        ("/bin/false", "exit code 1"),
        ("/no/such/python", "cannot be started"),
    ):
        evaluator = HostEvaluator(
            LocalHost(python=python), TwinToolchain(build_cache, TWIN)
        )
        found = evaluate(evaluator, SHORT, candidate())
        assert found.verdict is VerdictClass.VOID
        assert words in found.cause


def test_big_cases_are_skipped_on_the_twin_unless_asked(build_cache: Path) -> None:
    spec = replace(SHORT, cases=(SHORT.cases[0], replace(SHORT.cases[1], big=True)))
    found = evaluate(local_twin_evaluator(build_cache), spec, candidate())
    assert found.verdict is VerdictClass.PASS
    assert [(case.status, case.detail) for case in found.cases][1] == (
        "skipped",
        "too large for the CPU twin",
    )
    asked = HostEvaluator(LocalHost(), TwinToolchain(build_cache, TWIN, run_big=True))
    assert (local_twin_evaluator(build_cache).runs_big, asked.runs_big) == (False, True)
    assert [case.status for case in evaluate(asked, spec, candidate()).cases] == [
        "pass",
        "pass",
    ]


@pytest.mark.system
def test_a_job_that_takes_too_long_is_ended(build_cache: Path) -> None:
    toolchain = TwinToolchain(
        build_cache, TWIN, kernel_time_limit_s=60, job_time_limit_s=1
    )
    started = time.monotonic()
    found = evaluate(HostEvaluator(LocalHost(slots=1), toolchain), SHORT, endless())
    assert found.verdict is VerdictClass.VOID
    assert "did not finish within 1 s" in found.cause
    assert time.monotonic() - started < 30


def test_starting_a_job_twice_runs_it_once_and_following_may_be_repeated(
    build_cache: Path,
) -> None:
    request = TwinToolchain(build_cache, TWIN).request(SHORT, candidate())

    async def work() -> None:
        host = LocalHost(slots=1)
        try:
            await host.start(request)
            await host.start(request)
            position, lines = 0, []
            while not (
                update := await host.follow(request.job, position)
            ).state.is_final:
                lines += update.progress
                position = update.position
            lines += update.progress
            assert update.state is JobState.DONE
            assert (await host.follow(request.job, 0)).progress == tuple(lines)
            assert sum(line.startswith("compiling") for line in lines) == 1
            await host.forget(request.job)
            assert (await host.follow(request.job, 0)).state is JobState.ABSENT
        finally:
            await host.close()

    asyncio.run(work())


def test_a_queued_job_can_be_cancelled_before_it_runs(build_cache: Path) -> None:
    async def work() -> None:
        host = LocalHost(slots=1)
        toolchain = TwinToolchain(build_cache, TWIN)
        running, waiting = (
            toolchain.request(SHORT, candidate()),
            toolchain.request(SHORT, candidate()),
        )
        try:
            await host.start(running)
            await host.start(waiting)
            await host.cancel(waiting.job)
            assert (await host.follow(waiting.job, 0)).state is JobState.CANCELLED
            while not (await host.follow(running.job, 10_000)).state.is_final:
                pass
            assert (await host.follow(running.job, 0)).state is JobState.DONE
        finally:
            await host.close()

    asyncio.run(work())


def test_a_job_that_finds_no_descriptor_left_ends_lost_and_the_next_one_runs(
    build_cache: Path,
) -> None:
    toolchain = TwinToolchain(build_cache, TWIN)
    requests = [toolchain.request(SHORT, candidate()) for _ in range(3)]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def end_of(host: LocalHost, request: JobRequest) -> JobState:
        await host.start(request)
        while not (found := await host.follow(request.job, 10_000)).state.is_final:
            pass
        return found.state

    async def work() -> list[JobState]:
        host = LocalHost(slots=1)
        found = []
        try:
            for left in (0, 1):  # none for its output; none for the line to the judge
                free = os.dup(0)
                os.close(free)
                resource.setrlimit(resource.RLIMIT_NOFILE, (free + left, hard))
                found.append(await asyncio.wait_for(end_of(host, requests[left]), 60))
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            return [*found, await end_of(host, requests[-1])]
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            await host.close()

    assert asyncio.run(work()) == [JobState.LOST, JobState.LOST, JobState.DONE]


def test_an_unknown_job_is_absent() -> None:
    async def work() -> JobState:
        host = LocalHost()
        await host.cancel("nobody")
        await host.forget("nobody")
        return (await host.follow("nobody", 0)).state

    assert asyncio.run(work()) is JobState.ABSENT


def test_a_result_of_another_form_is_named(build_cache: Path) -> None:
    toolchain = TwinToolchain(build_cache, TWIN)
    answer = void_answer("AbsMath", "")
    result = plain(answer)
    for field, value in (("verdict", "perhaps"), ("facts", None), ("cases", [1])):
        changed = {**result["evaluation"], field: value}
        with pytest.raises(InvalidInput, match=rf"evaluation\.{field}"):
            read_answer({**result, "evaluation": changed})
    with pytest.raises(InvalidInput, match=r"devices\[0\]\.unit"):
        read_answer({**result, "devices": [{"unit": 3}]})
    # Whom an evaluation is of, and what the twin models, is never the host's to say.
    claimed = replace(
        answer.evaluation,
        candidate="another",
        host="another",
        facts={"device": "Ascend910B1"},
    )
    evaluation = toolchain.read(
        candidate(), "local", replace(answer, evaluation=claimed)
    )
    assert evaluation.candidate == candidate().digest
    assert evaluation.host == "local"
    assert evaluation.device == toolchain.device != "Ascend910B1"
    request = toolchain.request(SHORT, candidate())
    assert isinstance(request, JobRequest)
    assert request.job != toolchain.request(SHORT, candidate()).job


def test_a_candidate_folder_is_read_without_its_build_files(tmp_path: Path) -> None:
    assert set(read_candidate(KERNELS / "AbsMath").files) == {
        "op_host/abs_math.cpp",
        "op_host/abs_math_tiling.h",
        KERNEL,
    }
    with pytest.raises(InvalidInput, match="does not exist"):
        read_candidate(tmp_path / "none")
    (tmp_path / "op_host").mkdir()
    (tmp_path / "op_host" / "CMakeLists.txt").write_text("x")
    with pytest.raises(InvalidInput, match=r"op_host: candidate: holds no \.cpp"):
        read_candidate(tmp_path)
    (tmp_path / "op_host" / "a.cpp").write_bytes(b"caf\xe9")
    with pytest.raises(InvalidInput, match=r"a\.cpp: byte 3: is not UTF-8"):
        read_candidate(tmp_path)
