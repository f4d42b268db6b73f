"""What a trajectory took: rounds, failures, tokens, cost, minutes and host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.analysis.effort import read_efforts
from core.engine.forking import fork
from core.models.prices import Prices
from core.workspace import Workspace
from tests.gui import sample_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(sample_workspace.build(tmp_path / "sample.sage")) as opened:
        yield opened


def add_calls(workspace: Workspace, number: int, prompt: int | None) -> None:
    with workspace.transaction() as db:
        for at in range(number):
            db.execute(
                "INSERT INTO model_call(trajectory_uid, round, purpose, subject, attempt, prompt, reply, "
                "prompt_tokens, completion_tokens, cached_tokens, seconds, at) "
                "VALUES ('trajectory-1', ?, 'candidate', '', 1, '', '', ?, ?, 400, 2.5, '')",
                (at, prompt, None if prompt is None else 100),
            )


def test_finished_and_open_trajectories_say_what_they_took(
    workspace: Workspace,
) -> None:
    efforts = read_efforts(workspace.db)
    done, working = efforts["trajectory-1"], efforts["trajectory-2"]
    assert (done.rounds, done.failed) == (6, 3)
    assert done.minutes is not None
    assert done.host != ""
    assert working.minutes is None


def test_tokens_and_cost_are_told_only_where_they_are_known(
    workspace: Workspace,
) -> None:
    prices = {"sample": Prices(1.0, 0.1, 10.0)}
    assert read_efforts(workspace.db, prices)["trajectory-1"].tokens is None
    add_calls(workspace, 2, None)
    silent = read_efforts(workspace.db, prices)["trajectory-1"]
    assert (silent.tokens, silent.cost) == (None, None)
    add_calls(workspace, 3, 1000)
    counted = read_efforts(workspace.db, prices)["trajectory-1"]
    assert counted.tokens == 3300
    assert counted.cost == pytest.approx(3 * (600 * 1.0 + 400 * 0.1 + 100 * 10.0) / 1e6)
    assert read_efforts(workspace.db)["trajectory-1"].cost is None


def test_a_fork_did_not_work_for_the_rounds_it_begins_with(
    workspace: Workspace,
) -> None:
    forked = fork(workspace, "trajectory-1", 3, {"op_kernel/a.cpp": "int mine;"})
    efforts = read_efforts(workspace.db)
    edited = efforts[forked.trajectory]
    assert (edited.rounds, edited.failed) == (0, 0)
    assert efforts["trajectory-1"].rounds == 6


def test_a_void_trajectory_took_nothing(workspace: Workspace) -> None:
    with workspace.transaction() as db:
        db.execute("UPDATE trajectory SET state = 'void' WHERE uid = 'trajectory-1'")
    assert list(read_efforts(workspace.db)) == ["trajectory-2"]
