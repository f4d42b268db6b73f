"""A person's version of a kernel: judged and gone on from, apart from every credit and every metric."""

from __future__ import annotations

import copy
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.analysis.queries import queue_rows, rounds
from core.analysis.results import read_runs
from core.curation.undo import next_undo
from core.engine.forking import LABEL, Fork, fork
from core.errors import InvalidInput, SageError
from core.memory.evidence import own_episodes
from core.memory.records import EpisodeOutcome
from core.memory.replay.verification import verify
from core.memory.views.queries import events
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.models.port import ModelRequest, Purpose
from core.replay.recorder import memory_uses
from core.workspace import Workspace
from tests.core.agent.scripted import files
from tests.scenario import PlayedOperator

SHORT = MethodParameters(T=4, K_ado=1, K_op=1)


def memory_of(workspace: Workspace) -> list[tuple[object, ...]]:
    """Everything an episode may change of an item, and what is credited and resident."""
    tables = (
        "SELECT * FROM item ORDER BY id",
        "SELECT * FROM item_operator ORDER BY 1, 2",
        "SELECT * FROM credit_event ORDER BY 1, 2, 3",
        "SELECT * FROM hot_snapshot ORDER BY seq",
        "SELECT value FROM meta WHERE key = 'episodes_applied'",
    )
    return [tuple(row) for table in tables for row in workspace.db.execute(table)]


def continued(
    operator: PlayedOperator, made: Fork, verdicts: dict[int, str]
) -> list[ModelRequest]:
    """Play a fork to its end as the engine would; returns what the model was asked."""
    fork_of_it = copy.copy(operator)
    fork_of_it.uid = made.trajectory
    fork_of_it.parameters = operator.journal.trajectory(made.trajectory).parameters
    stop, model = fork_of_it.play(verdicts, afterwards="fail-run")
    operator.journal.finish(made.trajectory, "finished", stop.text)
    return model.requests


def played(
    workspace: Workspace, verdicts: dict[int, str], parameters: MethodParameters = SHORT
) -> PlayedOperator:
    operator = PlayedOperator(workspace, parameters)
    stop, _ = operator.play(verdicts, afterwards="fail-run")
    operator.journal.finish("t1", "finished", stop.text)
    return operator


WORDS = st.sampled_from(
    ["pass 20.0", "pass 10.0", "pass 5.0", "fail-run", "fail-build", "fail-result"]
)


@pytest.mark.system
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    before=st.lists(WORDS, min_size=4, max_size=4),
    edited=WORDS,
    after=st.lists(WORDS, min_size=3, max_size=3),
    at=st.integers(1, 4),
    rounds_left=st.integers(1, 3),
    twice=st.booleans(),
)
def test_credit_never_moves_through_a_trajectory_that_a_person_edited(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[str],
    edited: str,
    after: list[str],
    at: int,
    rounds_left: int,
    twice: bool,
) -> None:
    path = tmp_path_factory.mktemp("forked") / "w.sage"
    with Workspace.open(path) as workspace:
        bench = played(workspace, dict(enumerate(before, start=1)))
        known, credited = memory_of(workspace), own_episodes(workspace.db)
        metrics = [run.metrics for run in read_runs(workspace.db)]
        steps = memory_uses(workspace)
        number = min(at, len(rounds(workspace.db, "t1")))
        made = fork(
            workspace,
            "t1",
            number,
            files("AbsMath", edited + " // mine"),
            rounds=rounds_left,
        )
        verdicts = {made.round + 1 + place: word for place, word in enumerate(after)}
        continued(bench, made, verdicts)
        if twice:
            again = fork(
                workspace, made.trajectory, made.round, files("AbsMath", "pass 1.0")
            )
            continued(bench, again, verdicts)
        assert memory_of(workspace) == known
        assert own_episodes(workspace.db) == credited
        runs = read_runs(workspace.db)
        assert [run.metrics for run in runs if not run.kind.edited] == metrics
        told = [run for run in runs if run.kind.edited]
        assert sum(len(run.left_out) for run in told) == 1 + twice
        assert all(
            run.metrics.n == 0 and "edited by a person" in run.kind.name for run in told
        )
        assert memory_uses(workspace) == steps, (
            "a recording plays it as if nobody had forked"
        )
        assert verify(workspace) == ()
        assert workspace.check() == ()


def test_the_version_is_judged_next_and_the_model_goes_on_from_it(
    workspace: Workspace,
) -> None:
    bench = played(
        workspace, {1: "fail-run", 2: "pass 20.0", 3: "pass 30.0", 4: "fail-run"}
    )
    version = files("AbsMath", "pass 10.0")
    made = fork(workspace, "t1", 2, version, "two buffers a queue", rounds=1)
    assert (made.round, made.objective) == (3, Objective.OPT)
    waiting = rounds(workspace.db, made.trajectory)
    assert [(row.round, row.verdict, row.author) for row in waiting] == [
        (1, "fail-run", "model"),
        (2, "pass", "model"),
        (3, "", "person"),
    ]
    (entry,) = queue_rows(workspace.db, [made.queue_id]).values()
    assert (entry.state, entry.label, entry.forked_from) == ("queued", LABEL, "t1")
    note = events(workspace.db)[-1]
    assert (note.kind, note.actor, note.reason) == (
        "fork",
        "user",
        "two buffers a queue",
    )
    undo = next_undo(workspace.db)
    assert undo is None or undo.kind != "fork", "no step of curation"

    requests = continued(bench, made, {4: "pass 9.0"})
    told = rounds(workspace.db, made.trajectory)
    assert [(row.verdict, row.latency_us) for row in told[2:]] == [
        ("pass", 10.0),
        ("pass", 9.0),
    ]
    request = next(r for r in requests if r.round == 4 and r.purpose is Purpose.REPAIR)
    assert request.files == version
    assert "two buffers a queue" in request.messages[-1].content
    learning = {Purpose.DISTIL, Purpose.ABSTRACT}
    assert not any(request.purpose in learning for request in requests)
    assert bench.rows(
        "SELECT DISTINCT status FROM episode WHERE trajectory_uid <> 't1'"
    ) == [("void",)]
    assert len(rounds(workspace.db, "t1")) == 4, (
        "the trajectory it came from stays as it is"
    )


def test_a_correct_version_of_a_failing_kernel_opens_the_optimization(
    workspace: Workspace,
) -> None:
    bench = played(workspace, dict.fromkeys(range(1, 5), "fail-run"))
    made = fork(workspace, "t1", 4, files("AbsMath", "pass 20.0"))
    assert made.objective is Objective.CORR
    continued(bench, made, {})
    told = rounds(workspace.db, made.trajectory)
    assert [row.objective for row in told][3:] == ["corr", "corr", *["opt"] * 5]


def test_what_is_no_version_is_refused(workspace: Workspace) -> None:
    bench = played(workspace, {1: "fail-run", 2: "pass 20.0"})
    same = bench.journal.candidate(rounds(workspace.db, "t1")[1].candidate).files
    with pytest.raises(SageError, match="as it stands"):
        fork(workspace, "t1", 2, same)
    with pytest.raises(SageError, match="Round 9 of AbsMath was not evaluated"):
        fork(workspace, "t1", 9, files("AbsMath", "pass 1.0"))
    with pytest.raises(InvalidInput, match="not a plain name"):
        fork(workspace, "t1", 2, {**same, "op_kernel/-o.cpp": ""})
    with pytest.raises(SageError, match="no trajectory"):
        fork(workspace, "t9", 1, same)


def test_neither_the_store_nor_the_file_lets_an_edited_episode_earn(
    workspace: Workspace,
) -> None:
    bench = played(workspace, {1: "pass 20.0"})
    made = fork(workspace, "t1", 1, files("AbsMath", "pass 10.0"))
    uid = f"{made.trajectory}-opt"
    with pytest.raises(SageError, match="earns no credit"):
        bench.store.apply_episode(
            EpisodeOutcome(uid, correct=True, t_first=20.0, t_best=10.0)
        )
    with pytest.raises(sqlite3.IntegrityError, match="earns no credit"):
        workspace.db.execute(
            "UPDATE episode SET status = 'applied', seq = 99 WHERE uid = ?", (uid,)
        )


def test_a_file_of_before_can_be_forked(tmp_path: Path) -> None:
    path = tmp_path / "w.sage"
    with Workspace.open(path) as workspace:
        played(workspace, {1: "pass 20.0"})
    older = sqlite3.connect(path)
    older.executescript(
        "DROP TRIGGER edited_earns_nothing; DROP TABLE worth; ALTER TABLE round DROP COLUMN author; "
        "ALTER TABLE trajectory DROP COLUMN forked_from; ALTER TABLE trajectory DROP COLUMN forked_round; "
        "DROP TABLE pause; DELETE FROM _sqlite_migrations WHERE name >= 'm_0014'"
    )
    older.close()
    with Workspace.open(path) as workspace:
        assert {row.author for row in rounds(workspace.db, "t1")} == {"model"}
        fork(workspace, "t1", 1, files("AbsMath", "pass 10.0"))
        assert workspace.check() == ()
