"""`sage diagnose --log`: cause, evidence, stage, fault and remedy of a log file."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import SageError
from remote.diagnostics.families import Fault
from remote.diagnostics.log_report import read_log, report_log
from sage_desktop.commands.diagnose import diagnose

MISSING = (
    "start\nRuntimeError: AclNN_Parameter_Error(EZ1001): The binary_info_config.json of socVersion "
    "[ascend910_93] does not support opType [SwishV2].\n[INFO] end\n"
)


def test_a_file_is_told_with_its_line_fault_and_remedy(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("fine\nImportError: libatb.so: cannot open shared object file\n")
    answer = CliRunner().invoke(diagnose, ["--log", str(log)])
    assert answer.exit_code == 0
    assert "Evidence:  line 2: ImportError: libatb.so" in answer.output
    assert "Fault:     the machine" in answer.output
    assert "Stage:     environment" in answer.output
    assert "set_env.sh" in answer.output


def test_standard_input_is_read_and_told_as_json() -> None:
    answer = CliRunner().invoke(diagnose, ["--log", "-", "--json"], input=MISSING)
    told = json.loads(answer.output)
    assert (told["fault"], told["stage"], told["kind"]) == (
        "unclear",
        "run",
        "kernel-of-soc-missing",
    )
    assert told["evidence"][0]["line"] == 2
    assert told["remedy"]


@pytest.mark.parametrize(
    ("operator", "fault"),
    [("", Fault.UNCLEAR), ("SwishV2", Fault.CANDIDATE), ("Gelu", Fault.MACHINE)],
)
def test_whose_operator_lacks_a_kernel_decides_whose_fault_it_is(
    operator: str, fault: Fault
) -> None:
    assert report_log(MISSING, "x", operator).fault is fault


def test_a_log_without_a_cause_is_said_to_have_none() -> None:
    answer = CliRunner().invoke(diagnose, ["--log", "-"], input="hello\n[INFO] done\n")
    assert answer.exit_code == 1
    assert "Cause:     hello" in answer.output
    assert "unclear" in answer.output
    assert report_log("", "x").evidence == ()


def test_a_file_that_cannot_be_read_is_told_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(SageError, match=r"gone\.log"):
        read_log(tmp_path / "gone.log")
    (tmp_path / "a.out").write_bytes(b"\x7fELF\0")
    with pytest.raises(SageError, match=r"a\.out is not text"):
        read_log(tmp_path / "a.out")
    (tmp_path / "gbk.log").write_bytes("错误：x\n".encode("gbk"))
    assert report_log(read_log(tmp_path / "gbk.log"), "x").stage


def test_a_tool_and_a_log_exclude_each_other_and_one_of_them_is_needed() -> None:
    both = CliRunner().invoke(diagnose, ["sanitizer", "--log", "-"], input="x")
    assert both.exit_code == 2
    assert "leave one of the two out" in both.output
    assert "--log FILE" in CliRunner().invoke(diagnose, []).output


def test_a_log_of_hours_is_read_in_parts(tmp_path: Path) -> None:
    """Its ends are kept, and what speaks of a fault between them, under its number."""
    path = tmp_path / "hours.log"
    cause = "op_kernel/add.cpp:12:5: error: use of undeclared identifier 'Adds'"
    before = "".join(f"[INFO] step {number} of the run\n" for number in range(40_000))
    path.write_text(f"{before}{'x' * 1_000_000}\n{cause}\n{before}")
    log = read_log(path)
    assert len(log) < 1 << 20
    report = report_log(log, "hours.log")
    assert "undeclared identifier 'Adds'" in report.cause
    assert report.evidence[0].line == 40_002


@pytest.mark.slow
def test_a_log_of_faults_alone_has_an_end(tmp_path: Path) -> None:
    path = tmp_path / "faults.log"
    path.write_text("[ERROR] something odd happened in the run\n" * 400_000)
    began = time.process_time()
    report_log(read_log(path), "faults.log")
    assert time.process_time() - began < 60  # seconds; 200 before
