"""`sage fork`: out to a folder, edited there, judged by the twin, gone on from or kept as an experience."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.analysis.queries import queue_ids, queue_rows, rounds
from core.memory.records import Origin
from core.memory.store import MemoryStore
from core.memory.views.queries import events
from core.models.port import ModelRequest
from core.workspace import Workspace
from sage_desktop.cli import main
from tests.core.agent.scripted import reply_text
from tests.remote.helpers import KERNELS
from tests.scenario import PlayedOperator

KERNEL = "op_kernel/abs_math.cpp"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A workspace with one round of AbsMath whose kernel computes something else, and is told so."""
    project = {
        path.relative_to(KERNELS / "AbsMath").as_posix(): path.read_text()
        for part in ("op_host", "op_kernel")
        for path in (KERNELS / "AbsMath" / part).iterdir()
    }
    project[KERNEL] = "// judge: fail-result\n" + project[KERNEL].replace(
        "        Abs(y", "        Relu(y"
    )

    def answer(request: ModelRequest) -> str:
        if request.round > 1:
            return "## Diagnosis\nno\n## Give up\nno idea\n"
        return reply_text(dict.fromkeys(request.retrieved, "not_adopted"), project)

    path = tmp_path / "w.sage"
    with Workspace.open(path) as workspace:
        bench = PlayedOperator(workspace)
        stop = asyncio.run(bench.run(answer))
        bench.journal.finish("t1", "finished", stop.text)
        workspace.db.execute(
            "UPDATE queue_entry SET state = 'done', trajectory_uid = 't1'"
        )
    return path


def sage(path: Path, *words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(
        main, ["fork", "AbsMath", "--workspace", str(path), *map(str, words)]
    )
    assert result.exit_code == code, result.output
    return result


@pytest.mark.slow  # quicker: `gui/test_forking.py`, the same from the window
def test_a_version_is_judged_kept_as_a_lesson_and_gone_on_from(
    run: Path, tmp_path: Path, build_cache: Path
) -> None:
    folder = tmp_path / "mine"
    assert "round 1 is in" in sage(run, "--into", folder).stdout
    before = (folder / KERNEL).read_text()
    (folder / KERNEL).write_text(before.replace("Relu(y", "Abs(y"))
    said = sage(
        run,
        "--version",
        folder,
        "--lesson",
        "--note",
        "Use Abs: Relu drops negative values.",
    ).stdout
    assert "round 1: fail-result" in said
    assert "yours:   pass" in said
    with Workspace.open_readonly(run) as workspace:
        (lesson,) = [
            item
            for item in MemoryStore(workspace).items()
            if item.origin is Origin.USER
        ]
        assert lesson.title == "Use Abs: Relu drops negative values."
        assert "Relu(y" in lesson.code_diff.wrong_code
        assert "Abs(y" in lesson.code_diff.correct_code
        assert lesson.source == "written by a person after round 1 of AbsMath"
        assert events(workspace.db)[-1].actor == "user"
        assert len(queue_ids(workspace.db)) == 1, "a lesson is no fork"

    said = sage(run, "--version", folder, "--rounds", 2).stdout
    assert "It earns no credit and is in no metric." in said
    with Workspace.open_readonly(run) as workspace:
        last = queue_ids(workspace.db)[-1]
        row = queue_rows(workspace.db, [last])[last]
        assert (row.state, row.forked_from, row.budget) == ("queued", "t1", 4)
        assert [entry.author for entry in rounds(workspace.db, row.trajectory_uid)] == [
            "model",
            "person",
        ]


def test_what_cannot_be_forked_is_said_before_anything_is_judged(
    run: Path, tmp_path: Path
) -> None:
    assert (
        "Evaluated rounds: 1"
        in sage(run, "--round", 7, "--into", tmp_path / "x", code=2).stderr
    )
    assert "Name --into" in sage(run, code=2).stderr
    assert (
        "No run of t9"
        in sage(run, "--trajectory", "t9", "--into", tmp_path / "x", code=2).stderr
    )
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert "is not empty" in sage(run, "--into", tmp_path / "full", code=2).stderr
