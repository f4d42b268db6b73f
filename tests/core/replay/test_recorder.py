"""A recording made from a workspace plays again without a model, diagnostics included, and holds no key."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.analysis import queries
from core.curation.curator import Curator
from core.engine.demo import prepare_demo
from core.engine.run_summary import run_summary
from core.errors import InvalidInput
from core.evaluation.port import Progress
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.memory.records import Origin
from core.memory.store import MemoryStore
from core.method.parameters import MethodParameters
from core.models.port import ModelProvider, ModelReply, ModelRequest, Purpose, Stream
from core.operators.spec import OperatorSpec
from core.replay.provider import ReplayProvider
from core.replay.recorder import record_session, scrub
from core.replay.session_file import (
    Session,
    parse_session,
    read_session,
    render_session,
    write_session,
)
from core.workspace import Workspace
from sage_desktop.commands.run_progress import results_table
from tests.core.agent.scripted import (
    RULE,
    LookingEvaluator,
    Model,
    files,
    judged,
    looking_session,
    reply_text,
    session,
)
from tests.core.engine.test_kill import life
from tests.scenario import PlayedQueue

Rows = list[tuple[object, ...]]


def named_alike(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary without the random names of trajectories, and what a recording is compared in."""
    unnamed = {"trajectory": "", "recording": None}
    return summary | {"operators": [row | unnamed for row in summary["operators"]]}


def play(folder: Path, session: Session, name: str) -> tuple[Path, LookingEvaluator]:
    path = folder / f"{name}.sage"
    lab, evaluator = PlayedQueue(path), LookingEvaluator()
    prepare_demo(path, lab.session)
    lab.run(evaluator=evaluator, provider=lambda: ReplayProvider(session))
    return path, evaluator


def test_a_recorded_run_plays_again_with_its_diagnostics(tmp_path: Path) -> None:
    path, evaluator = play(tmp_path, looking_session(), "first")
    assert len(evaluator.looked) == 4
    with Workspace.open_readonly(path) as workspace:
        recorded = record_session(workspace, "t")
        summary = named_alike(run_summary(workspace))
    again, evaluator = play(
        tmp_path, parse_session(render_session(recorded), "r"), "again"
    )
    assert len(evaluator.looked) == 4, "tools are asked again, only the model is not"
    with Workspace.open_readonly(again) as workspace:
        assert named_alike(run_summary(workspace)) == summary
    assert [row["diagnostics"] for row in summary["operators"]] == [1, 1, 1, 1]


@pytest.mark.system
@pytest.mark.outside
def test_trajectories_that_ran_side_by_side_teach_the_same_again(
    tmp_path: Path,
) -> None:
    """Those of a recording waited for a model; at replay nothing waits, and the memory must not notice."""

    class Waiting(Model):
        async def complete(
            self, request: ModelRequest, stream: Stream | None = None
        ) -> ModelReply:
            await asyncio.sleep(
                {"AbsMath": 0.06, "Lerp": 0.002, "SwiGlu": 0.04}.get(
                    request.subject, 0.02
                )
            )
            return await super().complete(request, stream)

    def evidence(
        name: str, provider: Callable[[], ModelProvider], workers: int
    ) -> tuple[Rows, Session]:
        lab = PlayedQueue(tmp_path / f"{name}.sage")
        lab.run(
            provider=provider,
            parameters=MethodParameters(workers=workers, k=2),
        )
        with Workspace.open_readonly(lab.path) as workspace:
            return credit_of(workspace), record_session(workspace, "t")

    credit, recorded = evidence("live", lambda: Waiting(willing), 4)
    assert {step.what for step in recorded.steps} >= {"begin", "fold", "distil"}
    again = parse_session(render_session(recorded), "r")
    assert evidence("again", lambda: ReplayProvider(again), 4)[0] == credit

    write_session(tmp_path / "again.jsonl", again)
    killed = tmp_path / "killed.sage"
    chance = random.Random(3)
    kills = 0
    while not life(killed, chance.randint(12, 60), tmp_path / "again.jsonl"):
        kills += 1
    assert kills > 2
    with Workspace.open_readonly(killed) as workspace:
        assert credit_of(workspace) == credit, (
            "killed again and again, it learns the same"
        )


def credit_of(workspace: Workspace) -> Rows:
    """Who earned what, in the order it was earned."""
    rows = workspace.db.execute(
        "SELECT i.title, e.operator, e.objective, c.u_after FROM credit_event c "
        "JOIN episode e ON e.uid = c.episode_uid JOIN item i ON i.id = c.item_id ORDER BY c.seq, i.title"
    )
    return [tuple(row) for row in rows]


def willing(request: ModelRequest) -> str:
    """A model that passes at once, is faster once, adopts all and learns one thing from each operator."""
    if request.purpose is Purpose.DIAGNOSE:
        return "## Diagnosis\nDataCopyPad blockLen counts bytes\n"
    if request.purpose is Purpose.ABSTRACT:
        return RULE
    if request.purpose is Purpose.DISTIL:
        title = f"DataCopyPad blockLen lesson of {request.subject}"
        return f"## Experience\ntitle: {title}\ntype: api_misuse\ncategory: Math\nsummary: blockLen\n"
    records = dict.fromkeys(request.retrieved, "adopted")
    judge = {1: "pass 20.0", 2: "pass 12.0"}.get(request.round)
    if judge is None:
        return reply_text(records, {}).replace("## Files", "## Done\nno idea left")
    return reply_text(records, files(request.subject, judge))


def test_a_replay_tells_what_was_judged_or_found_otherwise(tmp_path: Path) -> None:
    path, _ = play(tmp_path, looking_session(), "first")
    with Workspace.open_readonly(path) as workspace:
        recorded = record_session(workspace, "t")
    last = recorded.outcomes[-1]
    slower = replace(last, latency_us=(last.latency_us or 0) * 2)
    failed = replace(recorded.outcomes[0], verdict="fail-crash")
    changed = replace(recorded, outcomes=(failed, *recorded.outcomes[1:-1], slower))
    again, _ = play(tmp_path, parse_session(render_session(changed), "r"), "again")
    with Workspace.open_readonly(again) as workspace:
        rows = {
            row["name"]: row["recording"] for row in run_summary(workspace)["operators"]
        }
        rounds = queries.rounds(
            workspace.db, run_summary(workspace)["operators"][0]["trajectory"]
        )
    assert rows[failed.operator]["verdicts_changed"] == [failed.round]
    assert rows[last.operator]["largest_latency_change"] == 0.5
    assert rounds[0].recorded_verdict == "fail-crash"
    assert rounds[0].retrieved_here is not None


def test_latencies_recorded_under_another_time_model_are_shown_and_not_compared(
    tmp_path: Path,
) -> None:
    path, _ = play(tmp_path, looking_session(), "first")
    with Workspace.open_readonly(path) as workspace:
        recorded = record_session(workspace, "t")
    outcomes = [
        replace(outcome, latency_origin="modelled") for outcome in recorded.outcomes
    ]
    older = parse_session(
        render_session(replace(recorded, outcomes=tuple(outcomes))), "r"
    )
    again, _ = play(tmp_path, older, "again")
    with Workspace.open_readonly(again) as workspace:
        (first, *_) = run_summary(workspace)["operators"]
        rounds = queries.rounds(workspace.db, first["trajectory"])
    assert first["recording"]["largest_latency_change"] is None
    assert first["recording"]["latencies_recorded_as"] == ["modelled"]
    timed = [row for row in rounds if row.recorded_us is not None]
    assert {row.recorded_origin for row in timed} == {"modelled"}


@pytest.mark.system
def test_a_judge_that_changed_its_mind_does_not_end_the_recording(
    tmp_path: Path,
) -> None:
    """Every reply is judged again and the difference shown; what was learnt then is learnt all the same.

    Twelve of the 24 recorded operators ended as diverged: one kernel passed a round earlier, another gained
    too little, and lessons that later operators had retrieved were never written.
    """

    class Milder(LookingEvaluator):
        async def evaluate(
            self,
            operator: OperatorSpec,
            candidate: Candidate,
            progress: Progress,
            ticket: str = "",
        ) -> Evaluation:
            found = await super().evaluate(operator, candidate, progress, ticket)
            passed = judged(operator.name, candidate.digest, VerdictClass.PASS, "9.0")
            return found if found.correct else passed

    path, _ = play(tmp_path, looking_session(), "first")
    with Workspace.open_readonly(path) as workspace:
        recorded = record_session(workspace, "t")
        before = run_summary(workspace)["operators"]
        learnt = {item.uid for item in MemoryStore(workspace).items()}
    failed = {
        (entry.operator, entry.round)
        for entry in recorded.outcomes
        if "fail" in entry.verdict
    }
    assert failed
    lab = PlayedQueue(tmp_path / "milder.sage")
    prepare_demo(lab.path, lab.session)
    lab.run(evaluator=Milder(), provider=lambda: ReplayProvider(recorded))
    with Workspace.open_readonly(lab.path) as workspace:
        summary = run_summary(workspace)
        rows = summary["operators"]
        assert {item.uid for item in MemoryStore(workspace).items()} == learnt
    assert [(row["name"], row["state"], row["rounds"]) for row in rows] == [
        (row["name"], "done", row["rounds"]) for row in before
    ]
    changed = {
        (row["name"], number)
        for row in rows
        for number in row["recording"]["verdicts_changed"]
    }
    assert changed == failed
    told = [
        name
        for name, number in sorted(failed)
        if f"{name} {number}" in results_table(summary, ())
    ]
    assert len(told) == len(failed), "the terminal says which"


def test_a_compressed_session_is_the_same_session(tmp_path: Path) -> None:
    write_session(tmp_path / "s.jsonl.gz", session())
    assert read_session(tmp_path / "s.jsonl.gz") == session()
    (tmp_path / "s.jsonl.gz").write_bytes((tmp_path / "s.jsonl.gz").read_bytes()[:-20])
    with pytest.raises(InvalidInput, match=r"s\.jsonl\.gz"):
        read_session(tmp_path / "s.jsonl.gz")


def test_no_folder_of_a_machine_travels_in_a_recording() -> None:
    told = "built in /home/ana/ops/abs, see /usr/include/math.h and `/tmp/x-1/log.txt`; a/b/c, 3/4, // note"
    assert (
        scrub(told)
        == "built in [folder], see /usr/include/math.h and `[folder]`; a/b/c, 3/4, // note"
    )


def test_what_a_person_wrote_afterwards_is_no_part_of_the_recording(
    tmp_path: Path,
) -> None:
    path, _ = play(tmp_path, looking_session(), "first")
    with Workspace.open(path) as workspace:
        before = record_session(workspace, "t")
        store = MemoryStore(workspace)
        item = store.item(before.items[0].uid)
        Curator(store).edit(item.uid, replace(item.experience, title="Written later"))
        store.add_item(
            replace(item.experience, title="Added later"), origin=Origin.USER
        )
        assert record_session(workspace, "t") == before


def test_no_key_travels_in_a_recording(tmp_path: Path) -> None:
    session = looking_session()
    leaky = replace(
        session.replies[1],
        text="## Diagnosis\nBearer abcdefghijklmnop1234 was refused\n",
    )
    path, _ = play(
        tmp_path,
        replace(session, replies=(session.replies[0], leaky, *session.replies[2:])),
        "w",
    )
    with Workspace.open_readonly(path) as workspace:
        text = render_session(record_session(workspace, "t"))
    assert "[removed] was refused" in text
    assert "abcdefghijklmnop1234" not in text


def test_keys_are_scrubbed_and_code_is_not() -> None:
    assert scrub("key sk-0123456789abcdef01 end") == "key [removed] end"
    code = "DataCopyPad(risk-free, bearer, api_key_count);"
    assert scrub(code) == code
