"""`sage operators import` and `export` from a terminal."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.analysis.reviews import Decision, add_review
from core.evaluation.candidate_folder import read_candidate
from core.exporters import read_six_strings
from core.models.port import ModelRequest
from core.workspace import Workspace
from sage_desktop.cli import main
from tests.core.agent.scripted import files, reply_text
from tests.scenario import PlayedOperator

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
    readme = (tmp_path / "package" / "README.md").read_text()
    judged_by = "`sage evaluate --operator AbsMath --candidate AbsMath` judges it"
    assert f"folder AbsMath, not judged by this export: {judged_by}" in readme
    again = sage(*common, "multikernelbench", "--out", tmp_path / "abs.py")
    assert again.exit_code == 2
    assert "exists already" in again.output


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A run of AbsMath: round 1 computes something else, round 2 passes."""
    return played(tmp_path / "w.sage", "fail-result", "pass 12.5")


def played(path: Path, *results: str) -> Path:
    """A workspace with a run of AbsMath, one round for each result."""

    def answer(request: ModelRequest) -> str:
        if request.round > len(results):
            return "## Diagnosis\nno\n## Give up\nno idea\n"
        project = files("AbsMath", results[request.round - 1])
        return reply_text(dict.fromkeys(request.retrieved, "not_adopted"), project)

    with Workspace.open(path) as opened:
        bench = PlayedOperator(opened)
        stop = asyncio.run(bench.run(answer))
        bench.journal.finish("t1", "finished", stop.text)
        opened.db.execute(
            "UPDATE queue_entry SET state = 'done', trajectory_uid = 't1'"
        )
    return path


def test_the_best_kernel_of_a_run_leaves_and_no_other(
    workspace: Path, tmp_path: Path
) -> None:
    common = ("export", "--operator", "AbsMath", "--workspace", workspace)
    done = sage(*common, "--as", "torch", "--out", tmp_path / "torch")
    assert done.exit_code == 0, done.output
    kernel = read_candidate(tmp_path / "torch/package/candidate")
    assert kernel.files == files("AbsMath", "pass 12.5")
    readme = (tmp_path / "torch/README.md").read_text()
    assert "round 2 of run t1 in w.sage: pass" in readme
    assert "abs_math(Tensor x) -> Tensor" in readme

    package = (*common, "--as", "package", "--out", tmp_path / "package")
    wrong = sage(*package, "--round", 1)
    assert wrong.exit_code == 2
    assert "round 1 of AbsMath is not correct: fail-result" in wrong.output
    missing = sage(*package, "--round", 9)
    assert "Round 9 of AbsMath was not evaluated" in missing.output
    with Workspace.open(workspace) as opened:
        add_review(opened, kernel.digest, Decision.REJECTED)
    rejected = sage(*package, "--round", 2)
    assert "was rejected in review" in rejected.output
    no_best = sage(*package)
    assert "AbsMath has correct kernels in w.sage, but no best one" in no_best.output
    assert "name one of the rounds: 2" in no_best.output
    assert not (tmp_path / "package").exists()


def test_an_operator_without_a_correct_kernel_is_refused(tmp_path: Path) -> None:
    path = played(tmp_path / "w.sage", "fail-result")
    common = ("export", "--operator", "AbsMath", "--workspace", path)
    done = sage(*common, "--as", "torch", "--out", tmp_path / "torch")
    assert done.exit_code == 2
    assert "AbsMath has no correct kernel in w.sage yet." in done.output
    assert not (tmp_path / "torch").exists()


def test_what_cannot_be_asked_together_is_refused(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out")
    both = ("--operator", "AbsMath", "--operator", "Lerp", "--candidate", KERNEL)
    assert "Several operators" in sage("export", *both, "--as", "package", *out).output
    one = ("--operator", "AbsMath", "--candidate", KERNEL)
    named = sage("export", *one, "--as", "npukernelbench", "--vendor", "mine", *out)
    assert "--vendor names a package" in named.output
    odd = sage("export", *one, "--as", "package", "--vendor", "My Ops", *out)
    assert "My Ops" in odd.output
    assert odd.exit_code == 2
    neither = sage("export", "--operator", "AbsMath", "--as", "torch", *out)
    assert "Name the --workspace" in neither.output
