"""Runs as a table: one row a trajectory with parameters, metrics and cost; evaluations by host and device."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine.forking import fork
from core.engine.run_table import read_evaluations, read_run_table, varying_parameters
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


def test_a_row_says_how_a_run_ended_what_it_took_and_where_it_ran(
    workspace: Workspace,
) -> None:
    done, working = read_run_table(workspace.db)
    assert (done.operator, done.state, done.correct, done.rounds, done.failed) == (
        "AbsMath",
        "finished",
        True,
        6,
        3,
    )
    assert done.gain == pytest.approx(21.84 / 9.63)
    assert (done.origin, done.model, done.model_origin) == (
        "modelled",
        "sample",
        "scripted",
    )
    assert (done.host, done.device) != ("", "")
    assert done.parameters["T"] == 30
    assert working.state == "running"
    assert working.ended == ""


def test_tokens_and_cost_are_told_only_where_they_are_known(
    workspace: Workspace,
) -> None:
    prices = {"sample": Prices(1.0, 0.1, 10.0)}
    assert read_run_table(workspace.db, prices)[0].tokens is None, (
        "a replay asks nobody"
    )
    add_calls(workspace, 2, None)
    found = read_run_table(workspace.db, prices)[0]
    assert (found.tokens, found.cost, found.untold) == (None, None, 2)
    add_calls(workspace, 3, 1000)
    found = read_run_table(workspace.db, prices)[0]
    assert (found.tokens, found.untold, found.asking) == (3300, 2, 12.5)
    assert found.cost == pytest.approx(3 * (600 * 1.0 + 400 * 0.1 + 100 * 10.0) / 1e6)
    assert read_run_table(workspace.db)[0].cost is None, "nobody knows the prices"


def test_an_interrupted_and_a_void_trajectory(workspace: Workspace) -> None:
    with workspace.transaction() as db:
        db.execute(
            "UPDATE queue_entry SET state = 'queued' WHERE trajectory_uid = 'trajectory-2'"
        )
        db.execute("UPDATE trajectory SET state = 'void' WHERE uid = 'trajectory-1'")
    (run,) = read_run_table(workspace.db)
    assert (run.uid, run.state) == ("trajectory-2", "interrupted")


def test_a_fork_is_told_apart_and_its_first_rounds_stay_those_of_the_other_run(
    workspace: Workspace,
) -> None:
    before = read_evaluations(workspace.db)
    made = fork(workspace, "trajectory-1", 3, {"op_kernel/a.cpp": "int mine;"})
    runs = {run.uid: run for run in read_run_table(workspace.db)}
    edited = runs[made.trajectory]
    assert (edited.edited, edited.rounds, edited.failed) == (True, 0, 0)
    assert not runs["trajectory-1"].edited
    assert runs["trajectory-1"].rounds == 6
    assert read_evaluations(workspace.db) == before, "no evaluation is shown twice"


def test_only_parameters_in_which_runs_differ_are_named(workspace: Workspace) -> None:
    assert varying_parameters(read_run_table(workspace.db)) == ()
    with workspace.transaction() as db:
        text = db.execute(
            "SELECT parameters FROM trajectory WHERE uid = 'trajectory-2'"
        ).fetchone()[0]
        db.execute(
            "UPDATE trajectory SET parameters = ? WHERE uid = 'trajectory-2'",
            (json.dumps(json.loads(text) | {"k": 9}),),
        )
    runs = read_run_table(workspace.db)
    assert varying_parameters(runs) == ("k",)
    assert "k=9" in runs[1].method


def test_evaluations_end_with_their_round_and_last_as_long_as_they_took(
    workspace: Workspace,
) -> None:
    with workspace.transaction() as db:
        digest, text = db.execute(
            "SELECT sha256, CAST(data AS TEXT) FROM blob JOIN round ON evaluation = sha256 WHERE round = 6"
        ).fetchone()
        changed = json.loads(text) | {
            "host": "npu-a",
            "device": "Ascend910B1 3",
            "seconds": 7.5,
        }
        db.execute(
            "UPDATE round SET evaluation = ?, finished_at = '2026-01-01T00:00:10.000000+00:00' "
            "WHERE evaluation = ?",
            (workspace.put_text(json.dumps(changed)), digest),
        )
    found = read_evaluations(workspace.db)
    assert len(found) > 6
    assert [one.begin for one in found] == sorted(one.begin for one in found)
    (mine,) = [one for one in found if one.host == "npu-a"]
    assert (mine.operator, mine.round, mine.verdict, mine.device) == (
        "AbsMath",
        6,
        "pass",
        "Ascend910B1 3",
    )
    assert mine.end - mine.begin == pytest.approx(7.5)
    assert len(read_evaluations(workspace.db, most=2)) == 2
