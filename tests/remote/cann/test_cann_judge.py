"""The toolchain `cann` end to end: plan, build, package, aclnn call, comparison, timing, diagnosis.

CANN itself is the stand-in of `tests.remote.cann_stand_in`. What it cannot show is what hardware does; that
list is in `docs/ascend.md`.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.agent.reply.protocol import read_reply
from core.evaluation.records import (
    Candidate,
    DiagnosticResult,
    Evaluation,
    LatencyOrigin,
    VerdictClass,
)
from core.models.port import Purpose
from core.operators.spec import OperatorSpec
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.doctor import Diagnosis, examine
from remote.hosts.registry import HostRegistry
from remote.hosts.soc import soc_script
from remote.toolchains.cann import CannToolchain
from sage_desktop.cli import main
from tests.commands.test_scripted_session import replies_of
from tests.remote.cann_stand_in import DEVICE, VERSION
from tests.remote.helpers import KERNEL, KERNELS, candidate, edited, operator
from tests.remote.sshd import ALIAS, Sshd

MORE = ("Lerp", "MseLoss", "RmsNorm", "SwiGlu", "Tril")


@pytest.mark.slow
def test_the_second_time_neither_build_nor_reference_is_repeated(
    judged: Callable[..., Evaluation], toolchain: CannToolchain
) -> None:
    first = judged(candidate())
    kept = sorted((toolchain.cache_dir / "reference-latency").glob("*.json"))
    provenance = json.loads(kept[0].read_text())
    assert (provenance["operator"], provenance["cann"], provenance["device"]) == (
        "AbsMath",
        VERSION,
        "Ascend910B1",
    )
    stamps = [path.stat().st_mtime_ns for path in kept]
    second = judged(candidate())
    assert second.build.cached
    assert [path.stat().st_mtime_ns for path in kept] == stamps
    assert second.cases[0].reference == first.cases[0].reference


@pytest.mark.system
def test_a_kernel_that_does_not_compile_says_where(
    judged: Callable[..., Evaluation],
) -> None:
    evaluation = judged(edited((KERNEL, "        Abs(y", "        Absolute(y")))
    assert evaluation.verdict is VerdictClass.FAIL_BUILD
    assert evaluation.build.stage == "kernel"
    assert "Absolute" in evaluation.cause
    assert evaluation.build.messages[0].file == KERNEL
    assert "CPack" not in evaluation.cause


@pytest.mark.slow
def test_a_wrong_result_is_no_fault_of_the_run(
    judged: Callable[..., Evaluation],
) -> None:
    evaluation = judged(edited((KERNEL, "        Abs(y", "        Relu(y")))
    assert evaluation.verdict is VerdictClass.FAIL_RESULT
    assert evaluation.cases[0].status == "wrong-result"
    assert evaluation.cases[0].statistics[0].mismatched > 0
    assert evaluation.latency is None


@pytest.mark.system
def test_an_exception_of_the_device_is_the_cause_and_the_next_case_gets_a_new_process(
    judged: Callable[..., Evaluation],
) -> None:
    evaluation = judged(
        edited((KERNEL, "xGm[offset], params", "xGm[offset + (1 << 28)], params"))
    )
    assert evaluation.verdict is VerdictClass.FAIL_RUN
    assert "ub address out of bounds" in evaluation.cause
    assert [case.status for case in evaluation.cases].count("run-error") > 1
    assert evaluation.findings[0].severity == "error"


@pytest.mark.slow
def test_an_opdef_that_differs_from_the_interface_fails_the_build(
    judged: Callable[..., Evaluation], toolchain: CannToolchain
) -> None:
    plan = dict(toolchain.request(operator(), candidate()).payload["plan"])
    rename = "find opp -name 'aclnn_*.h' -exec sed -i 's/const aclTensor \\*x,/int64_t x,/' {} +"
    steps = [
        *plan["steps"],
        {"name": "another header", "stage": "package", "command": rename, "limit_s": 9},
    ]
    evaluation = judged(candidate(), plan={**plan, "steps": steps})
    assert evaluation.verdict is VerdictClass.FAIL_BUILD
    assert "the operator's interface is (tensor x, tensor y)" in evaluation.build.log


@pytest.mark.system
@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ('echo "set_env.sh: No such file" >&2; exit 1', "No such file"),
        ("true", "ASCEND_HOME_PATH"),
    ],
)
def test_a_host_without_cann_is_void(
    judged: Callable[..., Evaluation], environment: str, said: str
) -> None:
    evaluation = judged(candidate(), environment=environment)
    assert evaluation.verdict is VerdictClass.VOID
    assert said in evaluation.cause


@pytest.mark.slow  # quicker: `test_a_host_without_cann_is_void`
def test_a_host_without_torch_npu_is_void(
    judged: Callable[..., Evaluation], set_env: Path
) -> None:
    without = f"source {set_env}\n{soc_script(DEVICE)}\nexport PYTHONPATH="
    evaluation = judged(candidate(), environment=without)
    assert evaluation.verdict is VerdictClass.VOID
    assert "torch_npu" in evaluation.cause


@pytest.fixture
def asked(toolchain: CannToolchain) -> Callable[..., DiagnosticResult]:
    """Asks a tool about a candidate for AbsMath."""

    def ask(tool: str, kernel: Candidate) -> DiagnosticResult:
        async def work() -> DiagnosticResult:
            evaluator = HostEvaluator(LocalHost(1), toolchain)
            try:
                return await evaluator.diagnose(
                    operator(), kernel, tool, "", lambda _text: None
                )
            finally:
                await evaluator.close()

        return asyncio.run(work())

    return ask


@pytest.mark.system
def test_the_profiler_of_the_device_answers_by_pipes(
    asked: Callable[..., DiagnosticResult],
) -> None:
    answer = asked("profile", candidate())
    assert answer.ok, answer
    assert answer.profile is not None
    assert (answer.profile.bound, answer.profile.origin) == (
        "mte2",
        LatencyOrigin.MEASURED,
    )
    assert "6.25 us measured on 2 blocks" in answer.summary


@pytest.mark.system
def test_the_command_line_asks_the_twin_by_the_same_names() -> None:
    command = [
        "diagnose",
        "--operator",
        "AbsMath",
        "--candidate",
        str(KERNELS / "AbsMath"),
    ]
    listed = CliRunner().invoke(main, command)
    names = [line.split()[0] for line in listed.output.splitlines()]
    assert names == ["build", "sanitizer", "profile", "output"]
    answer = CliRunner().invoke(main, [*command[:1], "profile", *command[1:], "--json"])
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.output)["profile"]["origin"] == "modelled"


@pytest.mark.slow
def test_the_sanitizer_of_the_device_names_the_line(
    asked: Callable[..., DiagnosticResult],
) -> None:
    assert asked("sanitizer", candidate()).ok
    answer = asked(
        "sanitizer",
        edited((KERNEL, "xGm[offset], params", "xGm[offset + (1 << 28)], params")),
    )
    assert not answer.ok
    assert (answer.findings[0].file, answer.findings[0].line) == (KERNEL, 36)
    assert "illegal read" in answer.log


@pytest.mark.slow
def test_the_trace_shows_which_kernels_ran(
    asked: Callable[..., DiagnosticResult],
) -> None:
    answer = asked("trace", candidate())
    assert answer.ok, answer
    assert "1 of them the candidate's" in answer.summary


@pytest.mark.system
def test_a_tool_that_is_not_there_blames_nobody(
    asked: Callable[..., DiagnosticResult],
) -> None:
    answer = asked("debugger", candidate())
    assert not answer.ok
    assert "msdebug" in answer.summary


def test_the_command_line_shows_what_it_would_run(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "sage_desktop.cli",
        "evaluate",
        "--operator",
        "AbsMath",
        "--toolchain",
        "cann",
        "--candidate",
        str(KERNELS / "AbsMath"),
        "--soc",
        "Ascend910B3",
        "--dry-run",
    ]
    environment = {
        **os.environ,
        "SAGE_DATA_DIR": str(tmp_path),
        "SAGE_CACHE_DIR": str(tmp_path),
    }
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "msopgen gen -i interface.json -c ai_core-Ascend910B3" in done.stdout
    assert (
        subprocess.run(
            ["bash", "-n"], input=done.stdout, text=True, check=False
        ).returncode
        == 0
    )


@pytest.mark.system
def test_the_doctor_reports_cann_driver_and_devices(
    far: tuple[HostRegistry, Sshd], set_env: Path
) -> None:
    registry, _ = far

    report = asyncio.run(_examined(registry))
    said = {check.subject: check for check in report.checks}
    assert str(said["CANN"].found).startswith(f"{VERSION} in ")
    seen = registry.versions(ALIAS)
    assert (seen.cann, seen.soc) == (VERSION, DEVICE), (
        "the next run searches memory with it"
    )
    assert [npu.device for npu in report.npus.devices] == [0, 1]
    works, not_works = (
        check for check in report.checks if check.subject == "toolchains"
    )
    assert str(works.found) == "twin"
    assert str(not_works.found) == "cann cannot be used: no torch_npu"
    assert sys.executable in str(not_works.fix)


@pytest.mark.slow  # quicker: `test_the_doctor_reports_cann_driver_and_devices`
def test_the_doctor_tells_of_a_set_up_that_fails(
    far: tuple[HostRegistry, Sshd],
) -> None:
    registry, _ = far
    registry.change(ALIAS, setup="source /nowhere/set_env.sh")
    report = asyncio.run(_examined(registry))
    assert report.works, "for the twin"
    said = {check.subject: check for check in report.checks}
    assert "/nowhere/set_env.sh: No such file" in str(said["set-up"].found)
    assert f"sage host add {ALIAS} --setup" in str(said["set-up"].fix)
    assert str(said["toolchains"].found).endswith("no CANN, no torch_npu")
    for rest, problem in (("exit 3", "ends the shell"), ("echo Hello.; true", "")):
        registry.change(ALIAS, setup=rest)
        checks = asyncio.run(_examined(registry)).checks
        found = [str(check.found) for check in checks if check.subject == "set-up"]
        assert (problem in found[0]) if problem else not found


async def _examined(registry: HostRegistry) -> Diagnosis:
    host = registry.host(ALIAS)
    try:
        return await examine(host, {})
    finally:
        await host.close()


def _best(name: str) -> Candidate:
    """The kernel the demonstration ends with for an operator."""
    files: dict[str, str] = {}
    for purpose in (Purpose.CANDIDATE, Purpose.REPAIR):
        for reply in replies_of(purpose):
            if reply.subject == name:
                files.update(read_reply(reply.text).files)
    return Candidate(files)


@pytest.fixture
def far_judged(
    far: tuple[HostRegistry, Sshd], toolchain: CannToolchain
) -> Callable[..., tuple[Evaluation, list[str]]]:
    """Judges over SSH, on a leased device: the evaluation, and what was told meanwhile."""

    def judge(
        spec: OperatorSpec, kernel: Candidate, seeds: int
    ) -> tuple[Evaluation, list[str]]:
        told: list[str] = []

        async def work() -> Evaluation:
            host = far[0].host(ALIAS)
            evaluator = HostEvaluator(host, replace(toolchain, extra_seeds=seeds))
            try:
                return await evaluator.evaluate(spec, kernel, told.append)
            finally:
                await evaluator.close()

        return asyncio.run(work()), told

    return judge


@pytest.mark.system
def test_a_right_kernel_is_measured_beside_its_reference_over_ssh_on_a_leased_device(
    far_judged: Callable[..., tuple[Evaluation, list[str]]],
) -> None:
    spec = operator()
    visible = next(case for case in spec.cases if not case.hidden)
    hidden = next(case for case in spec.cases if case.hidden)
    few = replace(spec, cases=(replace(visible, timed=True), hidden))
    evaluation, told = far_judged(few, candidate(), 1)
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
        told,
    )
    assert evaluation.host == ALIAS
    assert "running on a device" in told
    timed = evaluation.cases[0]
    for latency in (evaluation.latency, timed.latency, timed.reference):
        assert latency is not None
        assert (latency.origin, latency.unit, latency.n) == (
            LatencyOrigin.MEASURED,
            "us",
            4,
        )
        assert latency.value > 0
        assert latency.spread is not None
        assert "Event" in latency.clock
    assert evaluation.reference_latency is not None
    assert evaluation.reference_latency.of == "torch.abs(x)", (
        "what a user would call, and T_torch times"
    )
    assert evaluation.facts["cann"] == VERSION
    assert "unverified with a device" in evaluation.facts["sandbox"]
    assert evaluation.facts["soc"] == "Ascend910B1", "told by npu-smi"
    assert evaluation.device == "Ascend910B1"
    assert evaluation.toolchain == "cann"
    seeds = [case.case for case in evaluation.cases if "(seed" in case.case]
    assert len(seeds) == 1
    assert all(case.latency is None for case in evaluation.cases[1:])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["AbsMath", *MORE])
def test_operators_of_the_demonstration_are_judged_over_ssh_on_a_leased_device(
    name: str, far_judged: Callable[..., tuple[Evaluation, list[str]]]
) -> None:
    """On all cases: each is a process of its own."""
    evaluation, told = far_judged(operator(name), _best(name), 0)
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
        told,
    )
    assert evaluation.latency is not None
    assert evaluation.latency.origin is LatencyOrigin.MEASURED
    assert (evaluation.host, "running on a device" in told) == (ALIAS, True)
