"""When lessons are written and rules admitted: after each episode, so that the next one has them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from core.agent.run.records import JobFinished, TrajectoryEvent
from core.memory.reading import read_snapshot
from core.memory.replay.verification import verify
from core.method.parameters import MethodParameters
from core.models.port import ModelRequest, Purpose
from core.replay.provider import ReplayProvider
from core.replay.recorder import record_session
from core.replay.session_file import Session, parse_session, render_session
from core.workspace import Workspace
from tests.core.agent.scripted import OPERATORS, RULE, Model, files, reply_text, session
from tests.scenario import PlayedOperator, PlayedQueue


def learner(judges: dict[int, str]) -> Model:
    """Distils `lesson of <objective or end>` whenever it is asked, and adopts all it is given."""

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad blockLen counts bytes\n"
        if request.purpose is Purpose.ABSTRACT:
            return RULE
        if request.purpose is Purpose.DISTIL:
            title = f"DataCopyPad blockLen lesson of {request.objective or 'the end'}"
            return f"## Experience\ntitle: {title}\ntype: api_misuse\ncategory: Math\nsummary: blockLen\n"
        records = dict.fromkeys(request.retrieved, "adopted")
        if request.round not in judges:
            return reply_text(records, {}).replace("## Files", "## Done\nno idea left")
        return reply_text(records, files("AbsMath", judges[request.round]))

    return Model(answer)


SOLVED = {1: "fail-build", 2: "pass 20.0", 3: "pass 12.0"}


def distillations(model: Model) -> list[ModelRequest]:
    return [request for request in model.requests if request.purpose is Purpose.DISTIL]


def test_lessons_of_the_corr_episode_reach_the_opt_episode(
    bench: PlayedOperator,
) -> None:
    bench.parameters = MethodParameters(k=20)
    model = learner(SOLVED)
    asyncio.run(bench.run(model))
    ((lesson,),) = bench.rows("SELECT uid FROM item WHERE title LIKE '%lesson of corr'")
    repairs = {
        r.round: r.retrieved for r in model.requests if r.purpose is Purpose.REPAIR
    }
    assert lesson not in repairs[2]
    assert lesson in repairs[3]
    assert bench.rows(f"SELECT n_ret, n_ado FROM item WHERE uid = '{lesson}'") == [
        (1, 1)
    ]


def test_each_distillation_tells_of_its_own_episode_and_knows_what_was_written(
    bench: PlayedOperator,
) -> None:
    model = learner(SOLVED)
    asyncio.run(bench.run(model))
    first, last = (request.messages[0].content for request in distillations(model))
    assert "round 2 (corr): pass" in first
    assert "(opt)" not in first
    assert "Round 1 (fail-build" in first
    assert "Round 2 (pass) to round 3" in last
    assert "Round 1 (fail-build" not in last, "the corr episode told of that change"
    assert "DataCopyPad blockLen lesson of corr" in last.split("already gave")[1]


def test_a_kernel_that_passed_at_once_is_told_with_its_optimization(
    bench: PlayedOperator,
) -> None:
    model = learner({1: "pass 20.0", 2: "pass 12.0"})
    asyncio.run(bench.run(model))
    assert [(request.objective, request.round) for request in distillations(model)] == [
        ("", 0)
    ]


def test_what_overcame_a_failure_is_kept_when_optimization_brings_no_round(
    bench: PlayedOperator,
) -> None:
    model = learner({1: "fail-build", 2: "pass 20.0"})
    asyncio.run(bench.run(model))
    assert [(request.objective, request.round) for request in distillations(model)] == [
        ("corr", 2)
    ]


def test_rules_are_asked_for_when_the_operator_is_done(bench: PlayedOperator) -> None:
    bench.parameters = MethodParameters(K_ado=1, K_op=1, k=2)
    model = learner(SOLVED)
    asyncio.run(bench.run(model))
    purposes = [request.purpose for request in model.requests]
    last_repair = len(purposes) - purposes[::-1].index(Purpose.REPAIR)
    assert Purpose.ABSTRACT in purposes[last_repair:]
    assert Purpose.ABSTRACT not in purposes[:last_repair]


def test_a_rule_that_is_too_long_is_asked_for_again(bench: PlayedOperator) -> None:
    bench.parameters = MethodParameters(K_ado=1, K_op=1, k=2)
    short = learner(SOLVED)
    lengthy = RULE.replace("Pad the tail.", "Pad the tail of every row. " * 30)

    def answer(request: ModelRequest) -> str:
        first = request.purpose is Purpose.ABSTRACT and request.attempt == 0
        return lengthy if first else short._answer(request)

    model = Model(answer)
    asyncio.run(bench.run(model))
    asked = [r for r in model.requests if r.purpose is Purpose.ABSTRACT]
    items = {request.subject for request in asked}
    assert len(asked) == 2 * len(items) > 0
    assert "at most 120 fit" in asked[-1].messages[-1].content
    rules = bench.rows("SELECT rule_text FROM item WHERE rule_text <> ''")
    assert {text.partition(" When")[0] for (text,) in rules} == {"Pad the tail."}


def test_the_last_episode_of_a_run_consolidates_what_it_validated(
    tmp_path: Path,
) -> None:
    """A rule abstracted after the last episode once stayed out of the memory that transfer evaluates."""
    lab = PlayedQueue(tmp_path / "w.sage")
    three = session(OPERATORS[:3])
    with Workspace.open(lab.path) as workspace:
        workspace.db.execute("DELETE FROM queue_entry WHERE operator = 'RmsNorm'")
    lab.session = three
    lab.run()
    with Workspace.open(lab.path) as workspace:
        db = workspace.db
        residents = {
            row[0] for row in db.execute("SELECT uid FROM item WHERE hot_region = 1")
        }
        assert residents == {"seed-0001", "seed-0004"}
        snapshot = read_snapshot(
            db, db.execute("SELECT max(seq) FROM hot_snapshot").fetchone()[0]
        )
        assert len(snapshot.hot_entries) == 2
        assert snapshot.n_ops == 3
        last = db.execute(
            "SELECT effect FROM episode ORDER BY seq DESC LIMIT 1"
        ).fetchone()[0]
        assert '"promoted":["seed-0001","seed-0004"]' in last
        assert verify(workspace) == ()


def test_a_crash_between_a_rule_and_its_admission_repeats_nothing(
    bench: PlayedOperator,
) -> None:
    class Crash(Exception):
        pass

    class Cut(list[TrajectoryEvent]):
        def append(self, event: TrajectoryEvent) -> None:
            super().append(event)
            if isinstance(event, JobFinished) and event.purpose == "abstract":
                raise Crash

    bench.parameters = MethodParameters(K_ado=1, K_op=1, k=2)
    bench.events = Cut()
    model = learner(SOLVED)
    with pytest.raises(Crash):
        asyncio.run(bench.run(model))
    assert bench.rows("SELECT count(*) FROM item WHERE hot_region = 1") == [(0,)]
    bench.events = []
    asyncio.run(bench.run(model))
    events = bench.rows(
        "SELECT kind, count(*) FROM memory_event WHERE kind IN ('rule', 'reselect') GROUP BY 1"
    )
    rules = sum(request.purpose is Purpose.ABSTRACT for request in model.requests)
    assert dict(events) == {"rule": rules, "reselect": 1}  # type: ignore[arg-type]
    assert bench.rows("SELECT count(*) FROM item WHERE sigma = 'validated'") == [(0,)]
    assert verify(bench.workspace) == ()


def test_a_recording_with_lessons_in_between_plays_again(
    lab: PlayedQueue, tmp_path: Path
) -> None:
    lab.run()
    with Workspace.open_readonly(lab.path) as workspace:
        recorded = parse_session(render_session(record_session(workspace, "t")), "r")
        titles = _titles(workspace)
    assert "overcome in Lerp" in titles
    again = _played(tmp_path / "again.sage", recorded)
    with Workspace.open_readonly(again) as workspace:
        assert _titles(workspace) == titles
        assert not workspace.db.execute(
            "SELECT 1 FROM job WHERE state = 'failed'"
        ).fetchall()


def _played(path: Path, recording: Session) -> Path:
    lab = PlayedQueue(path)
    stored = recording.header.parameters
    parameters = MethodParameters.from_json(stored) if stored else MethodParameters()
    lab.run(provider=lambda: ReplayProvider(recording), parameters=parameters)
    return path


def _titles(workspace: Workspace) -> list[str]:
    return [
        row[0] for row in workspace.db.execute("SELECT title FROM item ORDER BY id")
    ]
