"""What differs between hosts: projects, cards, SoC names, unhealthy devices. CANN itself is the stand-in."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.candidate_folder import read_candidate_for
from core.evaluation.records import Evaluation, VerdictClass
from core.operators.importers import import_benchmark
from core.operators.interface_json import interface_json
from core.operators.loader import load_operator
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.soc import soc_script
from remote.judge.result import void_answer
from remote.toolchains.cann import CannToolchain
from remote.toolchains.cann.project import CHECKOUT
from tests.remote.cann_stand_in import DEVICE
from tests.remote.helpers import KERNELS, candidate, operator

TASKS = KERNELS.parent / "importers" / "npukernelbench"


@pytest.mark.slow
def test_a_task_of_npukernelbench_is_judged_in_the_benchmarks_own_layout(
    toolchain: CannToolchain, set_env: Path, tmp_path: Path
) -> None:
    import_benchmark(TASKS, tmp_path / "operators", only=["HalveAdd"])
    task = load_operator(tmp_path / "operators" / "HalveAdd")
    project = tmp_path / "checkout" / "libs" / "common_include" / "msopgen"
    project.parent.mkdir(parents=True)
    (tmp_path / "interface.json").write_text(interface_json(task, task.name, {}))
    gen = f"msopgen gen -i {tmp_path}/interface.json -c ai_core-{DEVICE} -lan cpp -out {project}"
    subprocess.run(["bash", "-c", f"source {set_env}; {gen}"], check=True)
    wrapped = tmp_path / "set_env.sh"
    wrapped.write_text(f"source {set_env}\nexport {CHECKOUT}={tmp_path / 'checkout'}\n")
    answer = Path(
        shutil.copytree(KERNELS / "HalveAdd", tmp_path / "mine" / "answer" / "0")
    ).parents[1]

    async def work() -> Evaluation:
        own = replace(toolchain, set_env=str(wrapped), extra_seeds=0)
        evaluator = HostEvaluator(LocalHost(1), own)
        try:
            return await evaluator.evaluate(
                task, read_candidate_for(task, answer), lambda _text: None
            )
        finally:
            await evaluator.close()

    evaluation = asyncio.run(work())
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
    )
    assert evaluation.facts["project"] == "NPUKernelBench"
    assert {case.verdicts.deciding for case in evaluation.cases if case.verdicts} == {
        "benchmark"
    }
    assert evaluation.latency is not None


@pytest.mark.slow
def test_a_card_that_is_not_what_was_built_for_is_told(
    judged: Callable[..., Evaluation], set_env: Path
) -> None:
    evaluation = judged(
        candidate(), environment=f"source {set_env}\n{soc_script('Ascend910B4')}"
    )
    assert (
        "Built for Ascend910B4, but the device calls itself Ascend910B1."
        in evaluation.notes
    )
    assert not any(note.startswith("Built for") for note in judged(candidate()).notes)


@pytest.mark.slow
def test_a_device_that_fails_is_told_apart_from_the_kernel_and_the_evaluation_is_made_again(
    toolchain: CannToolchain, set_env: Path, tmp_path: Path
) -> None:
    sick = tmp_path / "sick"
    wrapped = tmp_path / "set_env.sh"
    # The card's state: the sandbox shows and gives it to what runs with the device.
    wrapped.write_text(
        f"source {set_env}\nexport STAND_IN_SICK={sick}\n"
        f"export SAGE_CANN_READ=$SAGE_CANN_READ:{sick} SAGE_CANN_WRITE=$SAGE_CANN_WRITE:{sick}\n"
    )
    said: list[str] = []

    async def judge(faults: str) -> Evaluation:
        sick.write_text(faults)
        one = replace(toolchain, set_env=str(wrapped), extra_seeds=0, repeats=1)
        evaluator = HostEvaluator(LocalHost(1), one)
        try:
            return await evaluator.evaluate(operator(), candidate(), said.append)
        finally:
            await evaluator.close()

    assert asyncio.run(judge("507899")).verdict is VerdictClass.PASS
    (again,) = [line for line in said if "It will run again." in line]
    assert "The device of this computer failed" in again
    assert "507899" in again
    never = asyncio.run(judge("507899\n507899\n507899\n507899"))
    assert never.verdict is VerdictClass.VOID, "three attempts are the most"
    assert sick.read_text() == "507899"


@pytest.mark.parametrize(
    ("log", "fault"),
    [
        (
            "[ERROR] NPU function error: AclrtSynchronizeStream, error code is 507054",
            "507054",
        ),
        (
            "EZ9999: Inner Error!\n errorStr: VEC instruction error: the ub address out of bounds.",
            "",
        ),
        ("", ""),
    ],
)
def test_a_card_is_blamed_only_for_what_a_kernel_cannot_do(
    toolchain: CannToolchain, log: str, fault: str
) -> None:
    answer = replace(void_answer("AbsMath", ""), logs={"run": log})
    told = toolchain.device_fault(answer)
    assert fault in told
    assert bool(told) == bool(fault)


@pytest.mark.slow
def test_a_host_without_msopgen_builds_in_our_own_project(
    judged: Callable[..., Evaluation], set_env: Path, tmp_path: Path
) -> None:
    for program in (set_env.parent / "bin").iterdir():
        if program.name != "msopgen":
            (tmp_path / program.name).symlink_to(program)
    without = (
        f'source {set_env}\n{soc_script(DEVICE)}\nexport PATH="{tmp_path}:${{PATH#*:}}"'
    )
    evaluation = judged(candidate(), environment=without, work_dir=str(tmp_path / "w"))
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
    )
    assert evaluation.facts["project"] == "ours"
    assert judged(candidate()).facts["project"] == "msopgen"
