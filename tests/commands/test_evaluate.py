"""`sage evaluate --seeds-of`: one verdict of a workspace's run, made again with the same inputs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from core.evaluation.secret_seeds import secret_digest, seed_secret
from core.workspace import Workspace
from sage_desktop.cli import main
from tests.own_kernels import few_cases
from tests.remote.helpers import KERNELS


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """A kernel whose errors show which inputs it got."""
    folder = Path(shutil.copytree(KERNELS / "AbsMath", tmp_path / "wrong"))
    kernel = folder / "op_kernel" / "abs_math.cpp"
    kernel.write_text(kernel.read_text().replace("        Abs(y", "        Relu(y"))
    return folder


def evaluate(candidate: Path, *options: object, operator: str = "AbsMath") -> Result:
    words = [
        "evaluate",
        "--operator",
        operator,
        "--candidate",
        candidate,
        "--json",
        *options,
    ]
    return CliRunner().invoke(main, list(map(str, words)))


def errors(result: Result) -> tuple[dict[str, Any], list[Any]]:
    said = json.loads(result.stdout)
    return said["facts"], [[case["case"], case["statistics"]] for case in said["cases"]]


@pytest.mark.system
def test_a_first_launch_is_modelled_on_demand(tmp_path: Path) -> None:
    right = KERNELS / "AbsMath"
    few = few_cases(tmp_path)
    warm, cold = (
        json.loads(evaluate(right, *options, operator=few).stdout)["latency"]
        for options in ((), ("--cold",))
    )
    assert cold["value"] > warm["value"]
    assert (warm["clock"], cold["clock"]) == (
        "twin cycle model, warm L2",
        "twin cycle model, cold L2",
    )
    refused = evaluate(right, "--cold", "--toolchain", "cann")
    assert "modelled by the CPU twin" in refused.stderr


@pytest.mark.system
def test_a_task_of_a_profile_is_judged_on_its_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))
    task = Path(few_cases(tmp_path))
    specification = task / "operator.toml"
    text = specification.read_text().replace(
        "format = 1\n", 'format = 1\nbenchmark = "workload"\n', 1
    )
    specification.write_text(text)
    origin: dict[str, object] = {"workload": "model", "operator": "Abs", "groups": []}

    def device(processor: str, *options: str) -> tuple[str, str]:
        record = json.dumps(origin | {"processor": processor})
        (task / "workload.json").write_text(record)
        result = evaluate(KERNELS / "AbsMath", *options, operator=str(task))
        return json.loads(result.stdout)["latency"]["device"], result.stderr

    assert device("Ascend910B4") == ("Ascend910B4 model", "")
    assert device("Ascend910B4", "--soc", "Ascend910B3")[0] == "Ascend910B3 model"
    usual, remark = device("Ascend910B3 or Ascend910B4")
    assert usual == "Ascend910B1 model"
    assert "--soc names the one to model" in remark
    text = specification.read_text()
    specification.write_text(text.replace("[[case]]\n", "[[case]]\nderived = true\n"))
    words = ["evaluate", "--operator", str(task), "--candidate"]
    verdict = CliRunner().invoke(main, [*words, str(KERNELS / "AbsMath")]).stdout
    assert "The latency is not comparable with these times" in verdict


@pytest.mark.system
def test_a_verdict_is_repeated_with_the_seeds_of_a_workspace(
    tmp_path: Path, wrong: Path
) -> None:
    path = tmp_path / "w.sage"
    with Workspace.open(path) as workspace:
        secret = seed_secret(workspace)
    before = path.read_bytes()
    few = str(Path(few_cases(tmp_path)).rename(tmp_path / "a folder of another name"))
    facts, first = errors(evaluate(wrong, "--seeds-of", path, operator=few))
    assert facts["seeds"] == secret_digest(secret)
    assert errors(evaluate(wrong, "--seeds-of", path, operator=few)) == (facts, first)
    assert path.read_bytes() == before
    facts, published = errors(evaluate(wrong, operator=few))
    assert "seeds" not in facts
    assert [name for name, _ in published] == [name for name, _ in first]
    assert published != first, "other inputs"


def test_a_workspace_that_cannot_tell_its_seeds_is_named(
    tmp_path: Path, wrong: Path
) -> None:
    without, odd, damaged = (
        tmp_path / f"{name}.sage" for name in ("without", "odd", "damaged")
    )
    for path in (without, odd, damaged):
        with Workspace.open(path) as workspace, workspace.transaction():
            workspace.set_meta("seed_secret", "nonsense" if path is odd else "")
    damaged.write_bytes(damaged.read_bytes()[:4096] + b"\x00" * 60_000)
    for path, words in (
        (without, "there is none"),
        (odd, "damaged"),
        (damaged, "damaged"),
        (tmp_path / "no.sage", "There is no workspace"),
    ):
        result = evaluate(wrong, "--seeds-of", path)
        assert result.exit_code == 2, (path, result.output)
        assert words in result.output
        assert str(path) in result.output
        assert "Traceback" not in result.output


def test_the_verdict_is_told_though_there_is_nothing_to_trace(
    tmp_path: Path, wrong: Path
) -> None:
    kernel = wrong / "op_kernel" / "abs_math.cpp"
    kernel.write_text("this is no kernel\n")
    result = evaluate(wrong, "--trace", tmp_path / "trace.json")
    assert json.loads(result.stdout)["verdict"] == "fail-build"
    assert result.exit_code == 2
    assert "AbsMath was not traced" in result.stderr
    assert "builds and runs to its end" in result.stderr
    assert not (tmp_path / "trace.json").exists()


def test_a_trace_that_could_not_be_written_is_refused_before_anything_is_judged(
    tmp_path: Path, wrong: Path
) -> None:
    refused = evaluate(wrong, "--trace", tmp_path / "none" / "trace.json")
    assert refused.exit_code == 2
    assert not refused.stdout
    assert f"there is no folder {tmp_path / 'none'}" in refused.stderr
    assert "name the file too" in evaluate(wrong, "--trace-case", "small").stderr


def test_a_candidate_that_is_not_there_is_said_not_to_be_there(tmp_path: Path) -> None:
    assert "does not exist" in evaluate(tmp_path / "none").stderr
    (tmp_path / "file").touch()
    assert "is not a folder" in evaluate(tmp_path / "file").stderr


def test_what_an_evaluation_does_not_use_is_not_imported(tmp_path: Path) -> None:
    """Each of these costs every evaluation of the command line 10 to 90 ms of a processor."""
    for part, name in (("op_host", "abs_math.cpp"), ("op_kernel", "abs_math.cpp")):
        (tmp_path / part).mkdir()
        (tmp_path / part / name).write_text("#include <fstream>\n")
    code = (
        "import sys\nfrom sage_desktop.cli import main\n"
        f"words = ['evaluate', '--operator', 'AbsMath', '--candidate', {str(tmp_path)!r}, '--json']\n"
        "try: main(words)\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'torch', 'PySide6', 'sqlite3', 'tabulate', 'core.trace'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["verdict"] == "fail-integrity"
    assert done.stderr.strip() == "[]"
