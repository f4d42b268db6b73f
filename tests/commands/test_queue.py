"""`sage queue`: operators wait in a workspace until a run names a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from core.engine.demo import prepare_demo
from core.engine.queue import entries
from core.workspace import Workspace
from sage_desktop.cli import main
from tests.core.workload.profiles import step_of_a_model, write_rank
from tests.scripted_session import pack


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path / "data"))


def sage(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(main, [*map(str, words)], prog_name="sage")
    assert done.exit_code == code, done.output
    return done.output


def queued(path: Path) -> list[str]:
    with Workspace.open_readonly(path) as workspace:
        return [entry.operator for entry in entries(workspace)]


def test_operators_wait_for_a_run_without_a_model(tmp_path: Path) -> None:
    path = tmp_path / "w.sage"
    assert "is not there yet" in sage("queue", "--workspace", path)
    said = sage("queue", "Sqrt", "l1", "--workspace", path)
    assert "Next: sage run --model NAME --endpoint URL --workspace" in said
    assert queued(path)[0] == "Sqrt"
    number = len(queued(path))
    again = sage("queue", "Sqrt", "--again", "--workspace", path)
    assert f"0 operators added, {number} waiting" in again
    assert "There already: Sqrt." in again
    assert "Sqrt" in sage("queue", "--workspace", path)
    assert len(queued(path)) == number


def test_a_task_of_a_profile_is_queued_once_its_reference_is_written(
    tmp_path: Path,
) -> None:
    sage("workload", "import", write_rank(tmp_path, 0, step_of_a_model()))
    made = sage("workload", "task", "RmsNorm", "--into", tmp_path)
    assert f"Next: sage queue {tmp_path / 'RmsNorm'}" in made
    sage("queue", tmp_path / "RmsNorm")
    assert queued(tmp_path / "data" / "workspace.sage") == ["RmsNorm"]
    sage("workload", "task", "Add", "--into", tmp_path)
    for command in (["queue"], ["run", "--model", "manual:desk", "--operators"]):
        refused = sage(*command, tmp_path / "Add", code=2)
        assert "reference: is still to be written" in refused
    reference = tmp_path / "Add" / "reference.py"
    reference.write_text("def reference(x0, x1):\n    return x0 + x1\n")
    sage("queue", tmp_path / "Add")
    assert queued(tmp_path / "data" / "workspace.sage") == ["RmsNorm", "Add"]


def test_a_recording_takes_no_other_operator(tmp_path: Path) -> None:
    path = tmp_path / "demo.sage"
    prepare_demo(path, pack())
    before = queued(path)
    refused = sage("queue", "Gelu", "--workspace", path, code=2)
    assert "plays a recording" in refused
    assert queued(path) == before
