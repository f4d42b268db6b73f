"""`sage operators import` and `export` from a terminal."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from click.testing import CliRunner, Result

from core.evaluation.candidate_folder import read_candidate
from core.exporters import read_six_strings
from sage_desktop.cli import main

DATA = Path(__file__).parents[1] / "data"
CHECKOUT = DATA / "importers" / "npukernelbench"
KERNEL = DATA / "kernels" / "AbsMath"


def sage(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["operators", *map(str, arguments)])


def test_a_checkout_comes_in_and_its_operators_can_be_shown(tmp_path: Path) -> None:
    done = sage("import", CHECKOUT, "--into", tmp_path / "operators")
    assert done.exit_code == 0
    assert (
        f"NPUKernelBench: 2 tasks, 5 cases, 0 errors into {tmp_path / 'operators'}."
        in done.output
    )
    shown = sage("list", tmp_path / "operators" / "HalveAdd")
    assert shown.exit_code == 0
    assert "input_shape=[4, 33], dtype=float32" in shown.output
    listed = sage("list", "--folder", tmp_path / "operators")
    assert [line.split()[2] for line in listed.output.splitlines()[2:]] == [
        "HalveAdd",
        "ShiftScaleV2",
    ]


def test_a_dry_run_writes_nothing_and_a_fault_gives_exit_code_1(tmp_path: Path) -> None:
    checkout = Path(shutil.copytree(CHECKOUT, tmp_path / "checkout"))
    (checkout / "tasks/level1/Math/HalveAdd/api_desc.md").unlink()
    before = sorted(tmp_path.rglob("*"))
    done = sage("import", checkout, "--dry-run", "--json")
    assert done.exit_code == 1
    report = json.loads(done.output)
    assert [task["name"] for task in report["tasks"]] == ["ShiftScaleV2"]
    assert report["faults"][0]["file"] == "tasks/level1/Math/HalveAdd/api_desc.md"
    assert sorted(tmp_path.rglob("*")) == before
    text = sage("import", checkout, "--dry-run")
    assert (
        "not imported: npukb/L1/Math/HalveAdd: tasks/level1/Math/HalveAdd/api_desc.md"
        in text.output
    )
    assert "1 tasks, 2 cases, 1 errors, nothing written." in text.output


def test_an_export_reads_back_and_overwrites_nothing(tmp_path: Path) -> None:
    common = ("export", "--operator", "AbsMath", "--candidate", KERNEL, "--as")
    wanted = read_candidate(KERNEL).files
    assert (
        sage(*common, "multikernelbench", "--out", tmp_path / "abs.py").exit_code == 0
    )
    assert read_six_strings((tmp_path / "abs.py").read_text(), "abs.py").files == wanted
    assert sage(*common, "npukernelbench", "--out", tmp_path / "answer").exit_code == 0
    assert read_candidate(tmp_path / "answer" / "answer" / "0").files == wanted
    assert sage(*common, "package", "--out", tmp_path / "package").exit_code == 0
    assert read_candidate(tmp_path / "package" / "candidate").files == wanted
    assert (tmp_path / "package" / "build.sh").stat().st_mode & 0o111
    again = sage(*common, "multikernelbench", "--out", tmp_path / "abs.py")
    assert again.exit_code == 2
    assert "exists already" in again.output
