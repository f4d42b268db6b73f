"""Kernels without a package: direct launch, CANN's CPU mode and its simulator, with a stand-in for CANN.

Sources, tiling, launch, files and comparison are the real ones; compiler and runtime are the stand-in's.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.records import Candidate, Evaluation, LatencyOrigin, VerdictClass
from core.operators.spec import OperatorSpec
from remote.evaluator import HostEvaluator
from remote.hosts import LocalHost
from remote.hosts.registry import HostRegistry
from remote.judge.cann.launched import SIMULATOR_CLOCK, list_head, simulated_latency
from remote.toolchains.cann import CannToolchain
from remote.toolchains.cann.direct import Mode, plan_launch
from remote.toolchains.cann.project import dry_run
from sage_desktop.services.host_choice import TOOLCHAINS, cann_toolchain
from tests.remote.helpers import HOST, KERNEL, candidate, edited, operator
from tests.remote.sshd import ALIAS, Sshd

SOC = "Ascend910B1"
needs_cmake = pytest.mark.skipif(
    shutil.which("cmake") is None, reason="CANN's own builds need cmake"
)


def plan(
    mode: Mode = Mode.NPU, options: str = "", name: str = "AbsMath"
) -> Callable[[str], str]:
    """Files of a plan by name; `script` is its dry run."""
    made = plan_launch(
        operator(name), candidate(name), SOC, "/w", mode, "/cann/set_env.sh", options
    )
    texts = {**made.build.files, "script": dry_run(made.build)}
    return lambda file: texts[file]


def test_the_kernel_is_launched_as_it_is_once_for_each_signature() -> None:
    made = plan_launch(operator(), candidate(), SOC, "/w", Mode.NPU)
    assert made.call.pointers == ("input:x", "output:y")
    assert made.call.signatures == (("float32", "float32"), ("float16", "float16"))
    second = made.build.files["direct/launch_1.asc"]
    assert "#define DTYPE_X half\n" in second
    assert f'#include "{KERNEL}"' in second
    given = "pointers[0], pointers[1], pointers[2], pointers[3]"
    assert f"abs_math<<<blocks, nullptr, stream>>>({given});" in second
    assert made.build.files[f"candidate/{KERNEL}"] == candidate().files[KERNEL]
    assert "twin" not in second.lower()


@pytest.mark.parametrize("mode", Mode)
def test_the_dry_run_says_where_the_kernel_will_run(mode: Mode) -> None:
    script = plan(mode, "-g -O0")("script")
    assert f"-DCMAKE_ASC_RUN_MODE={mode} -DCMAKE_ASC_ARCHITECTURES=dav-2201" in script
    assert '"-DSAGE_KERNEL_OPTIONS=-g;-O0"' in script
    assert "ASCEND_CUSTOM_OPP_PATH" not in script, "there is no package"
    assert ("msprof op simulator" in script) is (mode is Mode.SIMULATOR)
    assert (
        subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode
        == 0
    )


def test_values_that_the_tiling_function_reads_are_given_to_it() -> None:
    made = plan_launch(operator("GatherV3"), candidate("GatherV3"), SOC, "/w", Mode.CPU)
    assert made.call.on_host == ("axis",)
    assert plan_launch(operator(), candidate(), SOC, "/w", Mode.CPU).call.on_host == ()


def test_a_list_of_tensors_is_one_pointer_of_the_launch() -> None:
    made = plan_launch(
        operator("ForeachAddList"),
        candidate("ForeachAddList"),
        SOC,
        "/w",
        Mode.SIMULATOR,
    )
    assert made.call.pointers == ("input:x1", "input:x2", "input:alpha", "output:y")
    source = made.build.files["direct/launch_0.asc"]
    given = ", ".join(f"pointers[{place}]" for place in range(6))
    assert f"foreach_add_list<<<blocks, nullptr, stream>>>({given});" in source


def test_the_descriptor_of_a_list_is_laid_out_as_documented() -> None:
    """The example of the guide: shapes (1, 2, 3) and (3, 4, 5), the table of addresses after 9 words."""
    words = list_head([(1, 2, 3), (3, 4, 5)])
    assert words == [72, 3, 1, 2, 3, 1 << 32 | 3, 3, 4, 5]
    assert list_head([]) == [8]
    assert list_head([()]) == [16, 0], "a scalar has no dimensions"


def test_every_way_to_judge_is_named_as_what_it_is(tmp_path: Path) -> None:
    made = {
        name: cann_toolchain(tmp_path, SOC, name)
        for name in TOOLCHAINS
        if name.startswith("cann")
    }
    assert [toolchain.name for toolchain in made.values()] == list(made)
    assert len({toolchain.label for toolchain in made.values()}) == len(made), (
        "results never mix"
    )
    assert {name for name, toolchain in made.items() if toolchain.needs_device} == {
        "cann",
        "cann-direct",
    }
    requests = {
        name: each.request(operator(), candidate()) for name, each in made.items()
    }
    assert {name for name, request in requests.items() if request.needs_device} == {
        "cann",
        "cann-direct",
    }
    assert "not measured" in made["cann-sim"].label
    assert "no device" in made["cann-cpu"].label
    assert list(made["cann-cpu"].diagnostics) == ["build"]


@pytest.mark.parametrize(
    ("trace", "value"),
    [
        (
            '{"traceEvents": [{"ph": "X", "ts": 2, "dur": 3}, {}, {"ph": "X", "ts": 1, "dur": 0}]}',
            4.0,
        ),
        ('[{"ph": "X", "ts": 0, "dur": 7}]', 7.0),
        ('{"traceEvents": [{"ph": "X"}]}', None),
        ("[1", None),
        ("{}", None),
    ],
)
def test_a_simulated_latency_is_modelled_and_read_from_the_trace(
    tmp_path: Path, trace: str, value: float | None
) -> None:
    place = tmp_path / "OPPROF_1" / "simulator"
    place.mkdir(parents=True)
    (place / "trace.json").write_text(trace)
    found = simulated_latency(tmp_path, "a simulator")
    assert (found and found.value) == value
    assert found is None or (found.origin, found.n, found.device) == (
        "modelled",
        0,
        "a simulator",
    )


@pytest.fixture
def launched(tmp_path: Path, set_env: Path) -> Callable[..., Evaluation]:
    """Judges a candidate, by default on the first two cases of AbsMath and a hidden one."""
    cases = operator().cases
    chosen = (replace(cases[0], timed=True), replace(cases[1], timed=False))
    hidden = next(case for case in cases if case.hidden)
    short = replace(operator(), cases=(*chosen, hidden))

    def judge(kernel: Candidate, mode: Mode, spec: OperatorSpec = short) -> Evaluation:
        toolchain = CannToolchain(
            tmp_path,
            set_env=str(set_env),
            work_dir=str(tmp_path / "w"),
            warmups=1,
            repeats=4,
            extra_seeds=0,
            mode=mode,
        )

        async def work() -> Evaluation:
            evaluator = HostEvaluator(LocalHost(1), toolchain)
            try:
                return await evaluator.evaluate(spec, kernel, lambda _text: None)
            finally:
                await evaluator.close()

        return asyncio.run(work())

    return judge


@needs_cmake
@pytest.mark.slow
def test_a_kernel_launched_directly_is_measured_like_a_package(
    launched: Callable[..., Evaluation],
) -> None:
    evaluation = launched(candidate(), Mode.NPU)
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
    )
    assert (evaluation.toolchain, evaluation.device) == ("cann-direct", SOC)
    assert evaluation.latency is not None
    assert (evaluation.latency.origin, evaluation.latency.n) == (
        LatencyOrigin.MEASURED,
        4,
    )
    assert evaluation.reference_latency is not None


@needs_cmake
@pytest.mark.slow
def test_the_cpu_mode_judges_and_times_nothing(
    launched: Callable[..., Evaluation],
) -> None:
    evaluation = launched(candidate(), Mode.CPU)
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
    )
    assert (evaluation.toolchain, evaluation.device) == ("cann-cpu", "CPU mode of CANN")
    assert (evaluation.latency, evaluation.reference_latency) == (None, None)
    wrong = launched(edited((KERNEL, "        Abs(y", "        Relu(y")), Mode.CPU)
    assert wrong.verdict is VerdictClass.FAIL_RESULT
    assert wrong.cases[0].statistics[0].mismatched > 0
    far = launched(
        edited((KERNEL, "xGm[offset], params", "xGm[offset + (1 << 28)], params")),
        Mode.CPU,
    )
    assert far.verdict is VerdictClass.FAIL_RUN
    assert "ub address out of bounds" in far.cause
    refusing = edited(
        (HOST, "    return ge::GRAPH_SUCCESS;", "    return ge::GRAPH_FAILED;")
    )
    refused = launched(refusing, Mode.CPU)
    assert refused.verdict is VerdictClass.FAIL_RUN
    assert "do tiling failed" in refused.cause


@needs_cmake
@pytest.mark.slow
def test_the_simulator_gives_a_latency_that_is_never_measured(
    launched: Callable[..., Evaluation],
) -> None:
    evaluation = launched(candidate(), Mode.SIMULATOR)
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
    )
    latency = evaluation.latency
    assert latency is not None
    assert (latency.origin, latency.clock, latency.value) == (
        LatencyOrigin.MODELLED,
        SIMULATOR_CLOCK,
        6.0,
    )
    assert latency.device == f"{SOC} simulator of CANN"
    assert evaluation.reference_latency is None, "so it has no part in Fast 1.0"


def with_longer_lists(name: str) -> OperatorSpec:
    """An operator on lists with some cases that have several tensors, the first of them timed."""
    several = [
        case
        for case in operator(name).cases
        if not case.big
        and any(max(x.count, len(x.shapes)) > 1 for x in case.inputs.values())
    ]
    return replace(
        operator(name), cases=(replace(several[0], timed=True), *several[1:3])
    )


@needs_cmake
@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "name"),
    [
        *((mode, "ForeachAddList") for mode in Mode),
        (Mode.CPU, "ForeachZeroInplace"),
        (Mode.NPU, "ForeachZeroInplace"),
    ],
)
def test_lists_of_tensors_are_judged_over_ssh(
    mode: Mode, name: str, tmp_path: Path, far: tuple[HostRegistry, Sshd]
) -> None:
    spec = with_longer_lists(name)
    toolchain = CannToolchain(
        tmp_path,
        work_dir=str(tmp_path / "w"),
        warmups=1,
        repeats=4,
        extra_seeds=0,
        mode=mode,
    )

    async def judge(kernel: Candidate) -> Evaluation:
        evaluator = HostEvaluator(far[0].host(ALIAS), toolchain)
        try:
            return await evaluator.evaluate(spec, kernel, lambda _text: None)
        finally:
            await evaluator.close()

    evaluation = asyncio.run(judge(candidate(name)))
    assert evaluation.verdict is VerdictClass.PASS, (
        evaluation.cause,
        evaluation.build.log,
    )
    assert evaluation.host == ALIAS
    assert (evaluation.latency is None) is (mode is Mode.CPU)


@needs_cmake
@pytest.mark.slow
def test_the_tensor_of_a_list_that_is_wrong_is_named(
    launched: Callable[..., Evaluation],
) -> None:
    files = dict(candidate("ForeachAddList").files)
    path, counted = "op_host/foreach_host.h", "set_tensorCount(count)"
    assert counted in files[path]
    short = Candidate(
        {**files, path: files[path].replace(counted, "set_tensorCount(count - 1)")}
    )
    evaluation = launched(short, Mode.CPU, with_longer_lists("ForeachAddList"))
    assert evaluation.verdict is VerdictClass.FAIL_RESULT
    assert "y[" in evaluation.cause


@needs_cmake
@pytest.mark.slow
def test_a_kernel_that_does_not_compile_says_where(
    launched: Callable[..., Evaluation],
) -> None:
    evaluation = launched(
        edited((KERNEL, "        Abs(y", "        Absolute(y")), Mode.CPU
    )
    assert evaluation.verdict is VerdictClass.FAIL_BUILD
    assert "Absolute" in evaluation.cause
    assert evaluation.build.messages[0].file == KERNEL
