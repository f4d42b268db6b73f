"""How the end of a run is read: what the candidate did, and what only the machine can have done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remote.judge.faults import EnvironmentFault, UnavailableCase, UnexplainedEnd
from remote.judge.launch_run import RunSettings, launch
from remote.judge.machine_faults import MachineState, oom_kills
from remote.judge.reference import CaseData, TensorFile
from remote.judge.run import ChildGroup

OPERATOR = {"name": "Toy", "snake": "toy", "inputs": [], "outputs": [], "attributes": []}


def run(folder: Path, script: str, seen: str = "", **changed: Any) -> dict[str, Any]:
    """The report of a run in which `script` stands for the candidate's program."""
    program = folder / "built"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    settings = RunSettings("Ascend910B1", 0.2, 1024, strict=False, rule="catalogue", scratch=folder)
    empty: dict[str, Any] = {"inputs": {}, "outputs": (), "expected": (), "attributes": {}, "returned": ()}
    data = CaseData(**{**empty, **changed})
    operator = {**OPERATOR, "attributes": [{"name": "dim", "type": "int"}]}
    case = {"attributes": dict(data.attributes)}
    report, _ = launch(operator, case, data, program, settings, folder, ChildGroup("j"), seen)
    (folder / "program").unlink(missing_ok=True)
    return report


@pytest.mark.parametrize(
    ("script", "rule", "words"),
    [
        ("kill -SEGV $$", "crash", "kernel toy crashed with SIGSEGV"),
        ("exit 0", "crash", "kernel toy ended with exit code 0"),  # a kernel that calls exit()
        ("echo last words; exit 3", "crash", "kernel toy ended with exit code 3: last words"),
        ("echo 'what(): std::bad_alloc' >&2; kill -ABRT $$", "memory-limit", "more than 1024 MiB of memory"),
        ("kill -XCPU $$", "time-limit", "did not end within 0.2 s"),
    ],
)
def test_a_run_that_breaks_is_a_finding_about_the_kernel(
    tmp_path: Path, script: str, rule: str, words: str
) -> None:
    report = run(tmp_path, script)
    assert report["launch"] is None
    (finding,) = report["findings"]
    assert (finding["rule"], finding["severity"]) == (rule, "error")
    assert words in finding["message"]


ENDS = [
    ("kill -KILL $$", "was ended by SIGKILL"),
    ("kill -TERM $$", "was ended by SIGTERM"),
    ("echo 'runner: cannot write /x' >&2; exit 64", "ended with exit code 64"),
    ("exit 71", "ended with exit code 71"),
]


@pytest.mark.parametrize(("script", "how"), ENDS)
def test_an_end_that_both_can_have_caused_is_the_kernels_when_it_comes_again(
    tmp_path: Path, script: str, how: str
) -> None:
    with pytest.raises(UnexplainedEnd) as first:
        run(tmp_path, script)
    assert first.value.how == how
    (tmp_path / "program").unlink()
    (finding,) = run(tmp_path, f"echo '{{}}' > report.json; {script}", seen=how)["findings"]
    assert (finding["rule"], finding["severity"]) == ("crash", "error")
    for other in ("exit 3", "kill -HUP $$", "true"):
        (tmp_path / "program").unlink(missing_ok=True)
        with pytest.raises(EnvironmentFault, match=f"A run {how}; when it was repeated alone it"):
            run(tmp_path, other, seen=how)


def test_what_the_machine_did_is_no_fault_of_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(EnvironmentFault, match="cache folder emptied"):
        launch(
            OPERATOR, {}, CaseData({}, (), (), {}, ()), tmp_path / "gone",
            RunSettings("Ascend910B1", 0.2, 1024, strict=False, rule="catalogue", scratch=tmp_path),
            tmp_path, ChildGroup("j"),
        )  # fmt: skip
    counted = oom_kills()
    assert counted is not None
    assert MachineState(counted).cause_of_end(tmp_path, was_killed=True) == ""
    assert "out of memory" in MachineState(counted - 1).cause_of_end(tmp_path, was_killed=True)
    assert MachineState(counted - 1).cause_of_end(tmp_path, was_killed=False) == ""


def test_outputs_of_more_than_two_gibibytes_may_be_written(tmp_path: Path) -> None:
    huge = TensorFile("y", "int8", (3 << 30,), (), tmp_path / "y", 3 << 30)
    body = '{"findings": [], "launch": null, "log": "written"}'
    script = f"truncate -s 3G out-0.bin && printf '{body}' > report.json"
    assert run(tmp_path, script, outputs=(huge,), expected=(None,))["log"] == "written"


def test_an_attribute_that_is_none_is_left_out_and_other_values_spoil_one_case_only(tmp_path: Path) -> None:
    run(tmp_path, "cat launch.tsv > copy; exit 3", attributes={"dim": None})
    assert "attribute\tdim\tnone\t\n" in (tmp_path / "copy").read_text()
    for value in ([1, None], {"a": 1}, b"x"):
        with pytest.raises(UnavailableCase, match="the attribute dim is"):
            run(tmp_path, "exit 3", attributes={"dim": value})


def test_bytes_that_are_no_text_do_not_hide_a_report(tmp_path: Path) -> None:
    body = '{"findings": [], "launch": null, "log": "caf\\351"}'
    report = run(tmp_path, f"printf '{body}' > report.json")
    assert report["log"] == "caf\ufffd"
