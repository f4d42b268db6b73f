"""A limit interrupts: the entry waits, a sequential stream stops there, and a later run goes on with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.agent.run.limits import Limits
from core.analysis.effort import read_efforts
from core.analysis.queries import queue_ids, queue_rows
from core.engine import queue
from core.engine.events import EngineState, EngineStateChanged, EntryFinished
from core.memory.replay.verification import verify
from core.method.parameters import MethodParameters
from core.models.port import ModelReply, ModelRequest, Stream, Usage
from core.replay.provider import ReplayProvider
from core.workspace import Workspace
from sage_desktop.panels.queue.model import seconds_worked
from sage_desktop.panels.results.reading import read_curves
from tests.core.engine.test_kill import STATE
from tests.scenario import PlayedQueue


class Counted(ReplayProvider):
    """The recording, each call of it as if it had cost 1100 tokens."""

    async def complete(
        self, request: ModelRequest, stream: Stream | None = None
    ) -> ModelReply:
        reply = await super().complete(request, stream)
        return replace(reply, usage=Usage(1000, 100, 0))


def run(lab: PlayedQueue, limits: Limits, **changes: object) -> None:
    lab.run(provider=lambda: Counted(lab.session), limits=limits, **changes)


def states(lab: PlayedQueue) -> list[tuple[str, str]]:
    with Workspace.open_readonly(lab.path) as workspace:
        rows = workspace.db.execute("SELECT state, reason FROM queue_entry ORDER BY id")
        return [tuple(row) for row in rows]


def outcome(lab: PlayedQueue) -> dict[str, list[tuple[object, ...]]]:
    with Workspace.open(lab.path) as workspace:
        assert verify(workspace) == ()
        return {
            name: [tuple(row) for row in workspace.db.execute(query)]
            for name, query in STATE.items()
        }


@pytest.mark.system
@pytest.mark.parametrize(
    "limits",
    [
        [Limits(run_tokens=1)] * 40,
        [Limits(run_tokens=3000)] * 20,
        [Limits(tokens=2200 * n) for n in range(1, 9)],
    ],
)
def test_interrupted_and_resumed_the_memory_ends_as_undisturbed(
    lab: PlayedQueue, tmp_path_factory: pytest.TempPathFactory, limits: list[Limits]
) -> None:
    calm = PlayedQueue(tmp_path_factory.mktemp("calm") / "calm.sage")
    run(calm, Limits())
    runs = 0
    for limit in limits:
        run(lab, limit)
        runs += 1
        if [state for state, _ in states(lab)] == ["done"] * 4:
            break
    assert runs > 2
    disturbed, undisturbed = outcome(lab), outcome(calm)
    for name in undisturbed:
        assert disturbed[name] == undisturbed[name], name


def test_a_sequential_stream_stops_at_an_interrupted_operator_and_goes_on_there(
    lab: PlayedQueue,
) -> None:
    run(lab, Limits(tokens=3000))
    said = "the limit of 3000 tokens per operator is reached (3300 used)"
    assert states(lab) == [("queued", said), *[("queued", "")] * 3]
    finished = lab.heard.of(EntryFinished)
    assert [(event.state, str(event.reason)) for event in finished] == [
        ("interrupted", said)
    ]  # type: ignore[attr-defined]
    assert "Run again with more to spend" in finished[0].remedy
    idle = [
        e
        for e in lab.heard.events
        if isinstance(e, EngineStateChanged) and e.state is EngineState.IDLE
    ]
    assert str(idle[-1].reason) == said
    with Workspace.open(lab.path) as workspace:
        rows = queue_rows(workspace.db, queue_ids(workspace.db))
        assert [row.interrupted for row in rows.values()] == [True, False, False, False]
        queue.run_next(workspace, 3)
        assert queue.next_entry(workspace).id == 1  # type: ignore[union-attr]
    run(lab, Limits())
    assert [state for state, _ in states(lab)] == ["done"] * 4


def test_a_stream_without_order_passes_interrupted_operators(lab: PlayedQueue) -> None:
    parameters = MethodParameters(workers=2)
    run(lab, Limits(tokens=3000), parameters=parameters)
    assert [state for state, _ in states(lab)] == ["queued"] * 4
    assert all("3000 tokens per operator" in reason for _, reason in states(lab))


def test_no_operator_is_begun_once_the_run_is_over(lab: PlayedQueue) -> None:
    run(lab, Limits(run_tokens=2000))
    assert [state for state, _ in states(lab)] == ["queued"] * 4
    with Workspace.open_readonly(lab.path) as workspace:
        assert (
            workspace.db.execute("SELECT count(*) FROM trajectory").fetchone()[0] == 1
        )


def test_cancelling_an_interrupted_operator_gives_no_credit_and_the_next_one_runs(
    lab: PlayedQueue,
) -> None:
    run(lab, Limits(run_tokens=2000))
    with Workspace.open(lab.path) as workspace:
        queue.request_cancel(workspace, 1)
        for name in ("trajectory", "episode"):
            column = "state" if name == "trajectory" else "status"
            found = workspace.db.execute(f"SELECT {column} FROM {name}").fetchall()
            assert {row[0] for row in found} == {
                "cancelled" if name == "trajectory" else "void"
            }
        assert workspace.db.execute("SELECT sum(n_ret) FROM item").fetchone()[0] == 0
        assert queue.next_entry(workspace).id == 2  # type: ignore[union-attr]


def an_hour_passes(lab: PlayedQueue) -> None:
    """What is stored happened an hour earlier."""
    stamps = {
        "trajectory": ("started_at", "finished_at"),
        "round": ("started_at", "finished_at"),
        "model_call": ("at",),
        "pause": ("began_at", "ended_at"),
    }
    with Workspace.open(lab.path) as workspace, workspace.transaction() as db:
        for table, columns in stamps.items():
            for column in columns:
                db.execute(
                    f"UPDATE {table} SET {column} = strftime("
                    f"'%Y-%m-%dT%H:%M:%f000+00:00', {column}, '-1 hour')"
                )


@pytest.mark.parametrize("was_killed", [False, True])
def test_the_hour_an_operator_lay_still_is_no_work(
    lab: PlayedQueue, was_killed: bool
) -> None:
    run(lab, Limits(tokens=3000))
    if was_killed:  # then nobody stored that it stopped
        with Workspace.open(lab.path) as workspace, workspace.transaction() as db:
            db.execute("DELETE FROM pause")
    an_hour_passes(lab)
    with Workspace.open_readonly(lab.path) as workspace:
        row = next(iter(queue_rows(workspace.db, queue_ids(workspace.db)).values()))
        assert (seconds_worked(row, datetime.now(UTC)) or 0.0) < 600
    run(lab, Limits())
    with Workspace.open_readonly(lab.path) as workspace:
        row = next(iter(queue_rows(workspace.db, queue_ids(workspace.db)).values()))
        assert row.state == "done"
        assert 3500 < row.paused_s < 3700
        assert (seconds_worked(row, datetime.now(UTC)) or 0.0) < 600
        minutes = read_efforts(workspace.db)[row.trajectory_uid].minutes
        assert minutes is not None
        assert minutes < 10
        curve = next(c for c in read_curves(workspace.db) if c.name == row.operator)
        assert max(at for _, at, _ in curve.points) < 10
