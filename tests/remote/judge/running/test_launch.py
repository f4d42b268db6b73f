"""How the end of a run is read: what the candidate did, and what only the machine can have done."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.operators.spec import TestCase
from remote.judge.building.built_program import Programs
from remote.judge.building.processors import processors
from remote.judge.faults import EnvironmentFault, UnavailableCase, UnexplainedEnd
from remote.judge.inputs.case_data import CaseData, TensorFile
from remote.judge.inputs.memory_needs import available_bytes, run_mb
from remote.judge.json_records import plain
from remote.judge.machine.machine_faults import MachineState, oom_kills
from remote.judge.processes.children import ChildGroup
from remote.judge.processes.launcher import Launcher
from remote.judge.running.account import Account
from remote.judge.running.launch import RunSettings, launch
from tests.remote.helpers import TWIN, toy_operator

OPERATOR = toy_operator(attributes=[{"name": "dim", "type": "int"}])
TILED: dict[str, Any] = {
    "phase": "done",
    "log": "tiled",
    "block_dim": 1,
    "tiling_key": "0",
    "tiling": "",
    "workspaces": [],
    "inputs": [],
    "outputs": [],
    "made": [],
    "inferred": [],
    "findings": [],
}
LINE = {
    "file": "op_kernel/k.cpp",
    "line": 3,
    "call": "Abs",
    "pipe": "vector",
    "calls": 2,
    "cycles": 50.0,
    "bytes": 0.0,
    "lanes": 128.0,
    "idle": 30.0,
    "held": 20.0,
    "blocked": 0.0,
}
CORE = {
    "core": 0,
    "unit": "aiv",
    "total_cycles": 11_000.0,
    "scalar": 100.0,
    "vector": 9_000.0,
    "mte1": 0,
    "mte2": 900.0,
    "mte3": 900.0,
    "cube": 0,
    "fixpipe": 0,
    "gm_read": 4096.0,
    "gm_written": 4096.0,
    "vector_ops": 1024.0,
    "cube_ops": 0,
    "gm_rate": 40.0,
    "lines": [],
}
PROCESSOR = processors(TWIN / "processors.toml").modelled["Ascend910B1"]
RAN: dict[str, Any] = {
    "findings": [],
    "launch": {
        "completed": True,
        "unmodelled": False,
        "together": False,
        "unordered": False,
        "bound": "",
        "printed": "",
        "cores": [CORE],
        "clock_mhz": 1850,
        "launch_us": 0.51,
        "modelled_us": 6.5,
        "own_work_s": 0.0,
        "starts_again": [],
        "unread": [],
        "ran": {},
    },
}


LAUNCHER = Launcher(ChildGroup("j"))


def settings(folder: Path, *, is_short_of_memory: bool = False) -> RunSettings:
    return RunSettings(
        "Ascend910B1",
        0.2,
        1024,
        strict=False,
        scratch=folder,
        processor=PROCESSOR,
        is_short_of_memory=is_short_of_memory,
    )


def answers(answer: dict[str, Any]) -> str:
    """A script that gives `answer` as the programs do: through the pipe that is its third argument."""
    return f"printf '%s' '{json.dumps(answer)}' >&\"$3\""


def run(
    folder: Path,
    script: str,
    kernel: str = "exit 0",
    simulator: str = "",
    *,
    is_short_of_memory: bool = False,
    account: Account | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """The report of a run in which scripts stand for op_host, the kernel and its simulator."""
    programs = Programs(folder / "tiling", folder / "kernel", folder / "simulator")
    scripts = (script, kernel, simulator or answers(RAN))
    paths = (programs.tiling, programs.kernel, programs.simulator)
    for program, text in zip(paths, scripts, strict=True):
        program.write_text(f"#!/bin/bash\n{text}\n")
        program.chmod(0o755)
    empty: dict[str, Any] = {
        "inputs": {},
        "outputs": (),
        "expected": (),
        "attributes": {},
        "returned": (),
    }
    data = CaseData(**{**empty, **changed})
    case = TestCase("c", {}, data.attributes)
    made = settings(folder, is_short_of_memory=is_short_of_memory)
    made = replace(made, account=account or Account())
    report, _ = launch(OPERATOR, case, data, programs, made, folder, LAUNCHER)
    values: dict[str, Any] = plain(report)
    return values


BREAKS = [
    ("kill -SEGV $$", "crash", "kernel toy crashed with SIGSEGV"),
    (
        "echo last words; exit 3",
        "crash",
        "kernel toy ended with exit code 3: last words",
    ),
    ("exit 71", "crash", "kernel toy ended with exit code 71"),
    (
        "echo 'what(): std::bad_alloc' >&2; kill -ABRT $$",
        "memory-limit",
        "more than 1024 MiB of memory",
    ),
    ("kill -XCPU $$", "time-limit", "did not end within 0.2 s"),
]


@pytest.mark.parametrize(("script", "rule", "words"), BREAKS)
def test_a_run_that_breaks_is_a_finding_about_the_kernel(
    tmp_path: Path, script: str, rule: str, words: str
) -> None:
    for report in (
        run(tmp_path, script),
        run(tmp_path, answers(TILED), kernel=script),
        run(tmp_path, answers(TILED), simulator=script),
    ):
        assert report["launch"] is None
        (finding,) = report["findings"]
        assert (finding["rule"], finding["severity"]) == (rule, "error")
        assert words in finding["message"]


FORGED = [
    {**RAN, "launch": {**RAN["launch"], "modelled_us": -5.0}},
    {**RAN, "launch": {**RAN["launch"], "modelled_us": 0.01}},
    {**RAN, "launch": {**RAN["launch"], "launch_us": 1e300 * 1e10}},
    {**RAN, "launch": {**RAN["launch"], "cores": "many"}},
    {**RAN, "launch": {**RAN["launch"], "cores": [{**CORE, "lines": [{}]}]}},
    {**RAN, "launch": {**RAN["launch"], "cores": [{**CORE, "lines": [LINE] * 17}]}},
    {**RAN, "launch": None},
    {**RAN, "findings": [{"rule": 3}]},
    {"findings": []},
]


@pytest.mark.parametrize("forged", FORGED)
def test_an_answer_that_no_program_of_ours_writes_fails_the_kernel(
    tmp_path: Path, forged: dict[str, Any]
) -> None:
    report = run(tmp_path, answers(TILED), simulator=answers(forged))
    assert report["launch"] is None
    assert [finding["severity"] for finding in report["findings"]] == ["error"]


FINDING = {
    **dict.fromkeys(("message", "file", "call", "tensor", "limit", "link"), ""),
    "rule": "host-work",
    "severity": "warning",
    "line": 0,
    "core": -1,
    "count": 1,
}


@pytest.mark.parametrize(
    "forged", [{"rule": "hidden-shape-2310"}, {"file": "op_kernel/2310"}]
)
def test_op_host_cannot_spell_a_shape_in_a_finding(
    tmp_path: Path, forged: dict[str, Any]
) -> None:
    told = run(tmp_path, answers({**TILED, "findings": [FINDING]}))
    assert [finding["rule"] for finding in told["findings"]] == ["host-work"]
    report = run(tmp_path, answers({**TILED, "findings": [{**FINDING, **forged}]}))
    assert [finding["rule"] for finding in report["findings"]] == ["crash"]


def test_what_lies_before_the_true_answer_is_none(tmp_path: Path) -> None:
    """op_host may write into the pipe itself, and fill it so that its program's answer is not read."""
    filled = f"{answers(TILED)}; head -c 17M /dev/zero | tr '\\0' ' ' >&\"$3\""
    (finding,) = run(tmp_path, filled)["findings"]
    assert (finding["rule"], finding["severity"]) == ("crash", "error")


@pytest.mark.parametrize(
    "much",
    [
        {"findings": [FINDING] * 65},
        {"inferred": [{"has_shape": True, "shape": [1] * 65, "dtype": "float32"}]},
    ],
)
def test_an_answer_with_more_than_there_can_be_is_none(
    tmp_path: Path, much: dict[str, Any]
) -> None:
    (finding,) = run(tmp_path, answers({**TILED, **much}))["findings"]
    assert (finding["rule"], finding["severity"]) == ("crash", "error")


def test_a_finding_is_no_book(tmp_path: Path) -> None:
    long = {**FINDING, "message": "m" * 100_000, "limit": "l" * 100_000}
    (finding,) = run(tmp_path, answers({**TILED, "findings": [long]}))["findings"]
    assert len(str(finding)) < 10_000


def test_half_a_character_of_an_answer_can_be_stored(tmp_path: Path) -> None:
    report = run(tmp_path, answers({**TILED, "log": "\ud800"}))
    assert report["log"] == "?"


@pytest.mark.parametrize(
    ("asked", "rule", "words"),
    [
        ({"workspaces": [900 << 30]}, "memory-limit", "900 GiB, more than the 64 GiB"),
        ({"workspaces": [20 << 30]}, "memory-limit", "more than 1024 MiB"),
        ({"block_dim": 65_536}, "block-dim", "at most 65535 blocks"),
    ],
)
def test_what_no_card_can_give_is_refused(
    tmp_path: Path, asked: dict[str, Any], rule: str, words: str
) -> None:
    report = run(tmp_path, answers({**TILED, **asked}))
    (finding,) = report["findings"]
    assert finding["rule"] == rule
    assert words in finding["message"]


@pytest.mark.parametrize("who", ["op_host", "workspace", "kernel"])
def test_a_machine_with_too_little_memory_fails_no_kernel(
    tmp_path: Path, who: str
) -> None:
    script = "echo 'what(): std::bad_alloc' >&2; kill -ABRT $$"
    asked = {**TILED, "workspaces": [20 << 30 if who == "workspace" else 0]}
    with pytest.raises(EnvironmentFault, match="all that this machine has for a run"):
        run(
            tmp_path,
            script if who == "op_host" else answers(asked),
            kernel=script,
            is_short_of_memory=True,
        )


def test_runs_share_the_memory_of_the_machine() -> None:
    free_mb = available_bytes() >> 20
    assert run_mb(2048, 1) == 2048, "as the job allows"
    assert run_mb(1 << 40, 1) <= max(3072, free_mb)
    assert run_mb(1 << 40, 1 << 20) == 3072, "what the twin itself needs"


ENDS = [
    ("kill -KILL $$", "was ended by SIGKILL"),
    ("kill -TERM $$", "was ended by SIGTERM"),
    (
        "echo 'tiling: not the description of a call' >&2; exit 64",
        "ended with exit code 64",
    ),
]


@pytest.mark.parametrize(("script", "how"), ENDS)
def test_an_end_that_both_can_have_caused_is_the_kernels_the_second_time(
    tmp_path: Path, script: str, how: str
) -> None:
    """Also where another run ends so, or in another way: a kernel may draw lots."""
    account = Account()
    with pytest.raises(UnexplainedEnd) as first:
        run(tmp_path, answers(TILED), kernel=script, account=account)
    assert first.value.how == f"{how} (the kernel)"
    well = run(tmp_path, answers(TILED), account=account)
    assert well["findings"] == [], "repeated, it counts"
    for again in (script, "kill -TERM $$"):
        report = run(tmp_path, answers(TILED), kernel=again, account=account)
        (finding,) = report["findings"]
        assert (finding["rule"], finding["severity"]) == ("crash", "error")


def test_an_answer_of_a_program_that_ended_like_this_does_not_count(
    tmp_path: Path,
) -> None:
    """Whoever was killed may have written anything."""
    with pytest.raises(UnexplainedEnd):
        run(tmp_path, answers(TILED), kernel="kill -KILL $$")


def test_what_the_machine_did_is_no_fault_of_the_kernel(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="cache folder emptied"):
        launch(
            OPERATOR,
            TestCase("c", {}),
            CaseData({}, (), (), {}, ()),
            Programs(*[tmp_path / "gone"] * 3),
            settings(tmp_path),
            tmp_path,
            LAUNCHER,
        )
    counted = oom_kills()
    assert counted is not None
    assert MachineState(counted).cause_of_end(tmp_path, was_killed=True) == ""
    assert "out of memory" in MachineState(counted - 1).cause_of_end(
        tmp_path, was_killed=True
    )
    assert MachineState(counted - 1).cause_of_end(tmp_path, was_killed=False) == ""


@pytest.mark.slow
def test_outputs_of_more_than_two_gibibytes_may_be_written(tmp_path: Path) -> None:
    size = (2 << 30) + 4096
    huge = TensorFile("y", "int8", (size,), (), tmp_path / "y", size)
    tiled = {
        **TILED,
        "outputs": [
            {"is_list": False, "is_contiguous": False, "shape_by_kernel": False}
        ],
        "made": [{"room": size, "initial": ""}],
        "inferred": [{"has_shape": False, "shape": [], "dtype": ""}],
    }
    slow = {**RAN, "launch": {**RAN["launch"], "modelled_us": 1e6}}
    report = run(
        tmp_path,
        answers(tiled),
        simulator=answers(slow),
        outputs=(huge,),
        expected=(None,),
    )
    assert report["findings"] == []
    assert [len(output) for output in report["outputs"]] == [size]


def test_an_attribute_that_is_none_is_left_out_and_other_values_spoil_one_case_only(
    tmp_path: Path,
) -> None:
    run(tmp_path, f"cat <&$1 > {tmp_path}/copy; exit 3", attributes={"dim": None})
    assert "attribute\tdim\tnone\t\n" in (tmp_path / "copy").read_text()
    for value in ([1, None], {"a": 1}, b"x"):
        with pytest.raises(UnavailableCase, match="the attribute dim is"):
            run(tmp_path, "exit 3", attributes={"dim": value})


def test_bytes_that_are_no_text_do_not_hide_an_answer(tmp_path: Path) -> None:
    body = json.dumps({**TILED, "log": "caf@", "phase": "tiling"}).replace("@", "\\351")
    assert run(tmp_path, f"printf '{body}' >&\"$3\"")["log"] == "caf\ufffd"
