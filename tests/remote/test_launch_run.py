"""How the end of a run is read: what the candidate did, and what only the machine can have done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remote.judge.case_data import CaseData
from remote.judge.faults import EnvironmentFault
from remote.judge.launch_run import RunSettings, launch
from remote.judge.run import ChildGroup

OPERATOR = {"name": "Toy", "snake": "toy", "inputs": [], "outputs": [], "attributes": []}


def run(folder: Path, script: str) -> dict[str, Any]:
    """The report of a run in which `script` stands for the candidate's program."""
    program = folder / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    settings = RunSettings("Ascend910B1", 0.2, 1024, strict=False, rule="catalogue", scratch=folder)
    report, _ = launch(OPERATOR, {}, CaseData({}, (), (), {}, ()), program, settings, folder, ChildGroup("j"))
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


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("kill -KILL $$", "killed by the system"),
        ('rm "$0"; exit 127', "cache folder emptied"),
        ("echo 'runner: cannot write /x' >&2; exit 64", "cannot write /x"),
        ("exit 71", "could not work"),
    ],
)
def test_a_run_the_machine_spoiled_is_no_fault_of_the_kernel(tmp_path: Path, script: str, words: str) -> None:
    with pytest.raises(EnvironmentFault, match=words):
        run(tmp_path, script)


def test_bytes_that_are_no_text_do_not_hide_a_report(tmp_path: Path) -> None:
    body = '{"findings": [], "launch": null, "log": "caf\\351"}'
    report = run(tmp_path, f"printf '{body}' > report.json")
    assert report["log"] == "caf\ufffd"
