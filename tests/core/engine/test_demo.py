"""The demonstration workspace: prepared once, never mixed with another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.analysis.results import read_runs
from core.engine import queue
from core.engine.demo import NotThisDemo, prepare_demo
from core.engine.run_summary import run_summary
from core.replay.session_file import bank_digest
from core.workspace import Workspace
from tests.core.agent.scripted import session
from tests.scenario import PlayedQueue


def test_preparing_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "demo.sage"
    for _ in range(2):
        prepare_demo(path, session())
        with Workspace.open_readonly(path) as workspace:
            assert queue.waiting(workspace) == 4
            assert workspace.db.execute(
                "SELECT count(*), min(origin) FROM item"
            ).fetchone()[:] == (4, "seed")
            rows = run_summary(workspace)["operators"]
    assert [
        (row["correct"], row["rounds"], row["latency_best_us"]) for row in rows
    ] == [(False, 0, None)] * 4


def test_another_workspace_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine.sage"
    with Workspace.open(path) as workspace:
        queue.enqueue(workspace, "Tril")
    with pytest.raises(NotThisDemo, match="not changed"):
        prepare_demo(path, session())
    other = session()
    items = (*other.items[:3], replace(other.items[3], title="another title"))
    demo = tmp_path / "demo.sage"
    prepare_demo(demo, session())
    with pytest.raises(NotThisDemo):
        prepare_demo(
            demo,
            replace(
                other,
                items=items,
                header=replace(other.header, bank_sha256=bank_digest(items)),
            ),
        )


def test_another_session_with_the_same_experiences_is_not_taken_for_it(
    tmp_path: Path,
) -> None:
    """The recording of a run begun with `--bank demo` was once "replayed" by showing the demo's results."""
    path, ours = tmp_path / "demo.sage", session()
    prepare_demo(path, ours)
    prepare_demo(path, ours)
    with pytest.raises(NotThisDemo):
        prepare_demo(path, replace(ours, header=replace(ours.header, title="another")))


def test_the_results_of_a_run_give_the_papers_metrics(lab: PlayedQueue) -> None:
    lab.run()
    with Workspace.open_readonly(lab.path) as workspace:
        (run,) = read_runs(workspace.db)
    assert run.kind.name == "sage · test script · scripted · test evaluator (modelled)"
    found = run.metrics
    assert (found.n, found.compilation_rate, found.execution_rate) == (4, 1.0, 1.0)
    assert set(found.execution_rate_by_level) == {1, 2}
    assert found.self_speedup == pytest.approx(2.0)
    assert found.fast is None, "there is no torch_npu latency"
