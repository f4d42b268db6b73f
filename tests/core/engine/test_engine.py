"""The engine from the outside: run, pause, cancel, stop, resume, writes, readers and faults."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from core.agent.prompt.templates import references_digest
from core.agent.run.journal import Journal
from core.agent.run.records import (
    EpisodeApplied,
    ProgressNote,
    RoundAdvanced,
    RoundEvaluated,
    Step,
)
from core.analysis.queries import rounds
from core.engine import queue
from core.engine.engine import EngineBusy, EngineStopped
from core.engine.events import (
    EngineFault,
    EngineState,
    EngineStateChanged,
    EntryFinished,
    EntryStarted,
    WorkspaceWritten,
)
from core.engine.forking import fork
from core.engine.run_summary import run_summary
from core.errors import SageError
from core.evaluation.records import TIME_MODEL, VerdictClass
from core.memory.encoder import EncoderClient
from core.memory.retrieval.retriever import HybridRetriever
from core.method.parameters import MethodParameters
from core.models.port import ModelOrigin, ModelReply, ModelRequest, Usage
from core.references.builtin import builtin_references
from core.replay.provider import ReplayProvider
from core.replay.session_file import Session, bank_digest
from core.workspace import Workspace, engine_owner
from tests.core.agent.scripted import (
    CommentEvaluator,
    Model,
    files,
    judged,
    reply_text,
    rows_of,
)
from tests.scenario import WAIT_S, PlayedQueue, model_of


class Stuck(CommentEvaluator):
    """Takes for ever, as a hanging device would."""

    def __init__(self) -> None:
        super().__init__(pause=3600.0)


def states(lab: PlayedQueue) -> list[str]:
    with Workspace.open_readonly(lab.path) as workspace:
        return [
            row[0]
            for row in workspace.db.execute(
                "SELECT state FROM queue_entry ORDER BY position, id"
            )
        ]


def test_the_queue_is_worked_through_and_the_memory_learns(lab: PlayedQueue) -> None:
    lab.run()
    with Workspace.open_readonly(lab.path) as workspace:
        summary = run_summary(workspace)
    assert [row["name"] for row in summary["operators"]] == [
        "AbsMath",
        "Lerp",
        "SwiGlu",
        "RmsNorm",
    ]
    assert summary["operators"][0] == {
        "recording": None,
        "name": "AbsMath",
        "state": "done",
        "reason": "the recording ends here",
        "correct": True,
        "incomplete": False,
        "unconfined": False,
        "edited": False,
        "rounds": 3,
        "first_correct_round": 2,
        "latency_first_us": 20.0,
        "latency_best_us": 10.0,
        "latency_origin": f"modelled-{TIME_MODEL}",
        "diagnostics": 0,
        "look_ups": 0,
        "references": references_digest(MethodParameters(), builtin_references()),
        "retrieved": 4,
        "adopted": 2,
        "method": "sage",
        "model": "test script",
        "judge": "test evaluator (modelled)",
        "cann_in_profile": "",
        "run": 1,
        "trajectory": lab.heard.of(EntryStarted)[0].trajectory,  # type: ignore[attr-defined]
    }
    assert summary["promoted"] == ["seed-0001", "seed-0004"]
    finished = [event.state for event in lab.heard.of(EntryFinished)]  # type: ignore[attr-defined]
    assert finished == ["done"] * 4
    assert len(lab.heard.of(EpisodeApplied)) == 8
    assert len(lab.heard.of(RoundEvaluated)) == 12
    last = [event.state for event in lab.heard.of(EngineStateChanged)]  # type: ignore[attr-defined]
    assert last == [EngineState.RUNNING, EngineState.IDLE, EngineState.STOPPED]


def test_pausing_finishes_the_current_entry_and_start_goes_on(lab: PlayedQueue) -> None:
    engine = lab.engine(CommentEvaluator(pause=0.01))
    engine.start()
    lab.heard.wait_for(lambda event: isinstance(event, EntryStarted))
    engine.pause_after_current()
    assert engine.wait_idle(WAIT_S)
    assert states(lab) == ["done", "queued", "queued", "queued"]
    engine.start()
    assert engine.wait_idle(WAIT_S)
    assert states(lab) == ["done"] * 4


def test_stop_takes_less_than_three_seconds_and_work_goes_on_next_time(
    lab: PlayedQueue,
) -> None:
    engine = lab.engine(Stuck())
    engine.start()
    lab.heard.wait_for(lambda event: isinstance(event, ProgressNote))
    began = time.monotonic()
    assert engine.stop()
    assert time.monotonic() - began < 3.0
    assert states(lab)[0] == "running", "interrupted, not failed"
    with Workspace.open_readonly(lab.path) as workspace:
        assert engine_owner(workspace) is None
    with pytest.raises(EngineStopped):
        engine.start()
    lab.run()
    assert states(lab) == ["done"] * 4
    started = [
        event for event in lab.heard.of(EntryStarted) if event.operator == "AbsMath"
    ]  # type: ignore[attr-defined]
    assert [event.resumed for event in started] == [False, True]  # type: ignore[attr-defined]


def test_what_is_cancelled_while_the_run_is_being_stopped_is_cancelled(
    lab: PlayedQueue,
) -> None:
    engine = lab.engine(Stuck())
    engine.start()
    lab.heard.wait_for(
        lambda event: isinstance(event, RoundAdvanced) and event.step is Step.GATED
    )
    # both reach the engine before the entry in work has ended
    engine.submit(lambda _: (engine.halt(), engine.cancel(1))).result(WAIT_S)
    assert engine.wait_idle(WAIT_S)
    assert states(lab) == ["cancelled", "queued", "queued", "queued"]


def test_a_run_of_one_batch_leaves_the_rest_of_the_queue(lab: PlayedQueue) -> None:
    with Workspace.open(lab.path) as workspace:
        queue.set_label(workspace, [1], "mine")
    lab.run(batch="mine")
    assert states(lab) == ["done", "queued", "queued", "queued"]


def test_a_fork_waits_for_a_model_and_is_told_apart(lab: PlayedQueue) -> None:
    def fast(request: ModelRequest) -> str:
        return reply_text(
            dict.fromkeys(request.retrieved, "adopted"), files("AbsMath", "pass 4.0")
        )

    lab.run()
    with Workspace.open(lab.path) as workspace:
        uid = workspace.db.execute(
            "SELECT uid FROM trajectory WHERE operator = 'AbsMath'"
        ).fetchone()[0]
        before = workspace.db.execute(
            "SELECT uid, u_m, n_ret FROM item ORDER BY id"
        ).fetchall()
        made = fork(workspace, uid, 2, files("AbsMath", "pass 5.0"), rounds=2)
    lab.run()
    assert "A recording cannot continue" in str(lab.heard.of(EntryFinished)[-1].reason)  # type: ignore[attr-defined]
    assert states(lab)[-1] == "queued"
    lab.run(provider=lambda: Model(fast))
    with Workspace.open_readonly(lab.path) as workspace:
        told = Journal(workspace).trajectory(made.trajectory)
        assert (told.state, told.provider, told.forked_from) == (
            "finished",
            "test model",
            uid,
        )
        assert [row.latency_us for row in rounds(workspace.db, told.uid)][2:] == [
            5.0,
            4.0,
            4.0,
        ]
        after = workspace.db.execute(
            "SELECT uid, u_m, n_ret FROM item ORDER BY id"
        ).fetchall()
        assert list(map(tuple, after)) == list(map(tuple, before))
        summary = run_summary(workspace)
    rows = {row["trajectory"]: row for row in summary["operators"]}
    assert [rows[told.uid]["edited"], rows[told.uid]["run"]] == [True, 0]


def test_a_halted_run_ends_at_once_and_goes_on_in_the_step_it_was_in(
    lab: PlayedQueue,
) -> None:
    class OnceStuck(CommentEvaluator):
        calls = 0

        async def evaluate(self, operator, candidate, progress, ticket=""):  # type: ignore[no-untyped-def]
            self.calls += 1
            self._pause = 3600.0 if self.calls == 2 else 0.0
            return await super().evaluate(operator, candidate, progress)

    engine = lab.engine(OnceStuck())
    engine.halt()  # nothing runs: nothing to end
    engine.start()
    lab.heard.wait_for(
        lambda event: (
            isinstance(event, RoundAdvanced)
            and event.round == 2
            and event.step is Step.GATED
        )
    )
    engine.halt()
    assert engine.wait_idle(WAIT_S)
    assert engine.state is EngineState.IDLE
    assert states(lab) == ["queued"] * 4
    assert [event.state for event in lab.heard.of(EntryFinished)] == ["interrupted"]  # type: ignore[attr-defined]
    with Workspace.open_readonly(lab.path) as workspace:
        row = workspace.db.execute("SELECT state FROM trajectory").fetchall()
        assert [tuple(one) for one in row] == [("open",)], (
            "not void: what it learnt is kept"
        )
    engine.start()
    assert engine.wait_idle(WAIT_S)
    assert states(lab) == ["done"] * 4
    again = [
        event.resumed for event in lab.heard.of(EntryStarted) if event.queue_id == 1
    ]  # type: ignore[attr-defined]
    assert again == [False, True]


def test_a_model_that_answers_nothing_useful_does_not_use_up_the_queue(
    lab: PlayedQueue,
) -> None:
    """Two operators in a row without one reply that could be judged: the others would fare alike."""

    class Garbage(ReplayProvider):
        origin = ModelOrigin.LIVE  # type: ignore[assignment]
        asked = 0

        async def complete(self, request, on_text=None):  # type: ignore[no-untyped-def]
            Garbage.asked += 1
            return ModelReply(f"I am sorry, {Garbage.asked} times.", "", Usage(), 0.1)

    lab.run(provider=lambda: Garbage(lab.session))
    assert states(lab) == ["failed", "failed", "queued", "queued"]
    idle = [
        e
        for e in lab.heard.events
        if isinstance(e, EngineStateChanged) and e.state is EngineState.IDLE
    ]
    assert "two operators in a row" in str(idle[-1].reason)
    assert "no usable reply" in str(idle[-1].reason)


def test_cancelling_a_running_entry_gives_no_credit_and_the_next_one_runs(
    lab: PlayedQueue,
) -> None:
    class FirstStuck(CommentEvaluator):
        async def evaluate(self, operator, candidate, progress, ticket=""):  # type: ignore[no-untyped-def]
            self._pause = 3600.0 if operator.name == "AbsMath" else 0.0
            return await super().evaluate(operator, candidate, progress)

    lab.session = without_distilled_rules(lab.session)
    engine = lab.engine(FirstStuck())
    engine.start()
    lab.heard.wait_for(lambda event: isinstance(event, ProgressNote))
    engine.cancel(1).result(WAIT_S)
    lab.heard.wait_for(
        lambda event: isinstance(event, EntryFinished) and event.queue_id == 2
    )
    with Workspace.open_readonly(lab.path) as workspace:
        row = workspace.db.execute(
            "SELECT state, reason FROM queue_entry WHERE id = 1"
        ).fetchone()
        assert tuple(row) == ("cancelled", "cancelled by the user")
        voided = workspace.db.execute(
            "SELECT status, z FROM episode WHERE operator = 'AbsMath'"
        ).fetchone()
        assert tuple(voided) == ("void", None)


@pytest.mark.parametrize(("shared", "begun"), [(True, 2), (False, 4)])
def test_a_broken_environment_does_not_use_up_the_queue(
    lab: PlayedQueue, shared: bool, begun: int
) -> None:
    """The same fault for two entries in a row will meet the others too, after a reply of the model each."""

    class Broken(CommentEvaluator):
        async def evaluate(self, operator, candidate, progress, ticket=""):  # type: ignore[no-untyped-def]
            spoiled = judged(operator.name, candidate.digest, VerdictClass.VOID)
            return replace(
                spoiled,
                cause="no compiler" if shared else f"no reference of {operator.name}",
            )

    # a recording would stop at the first fault
    lab.run(evaluator=Broken(), provider=lambda: model_of({}, afterwards="pass"))
    assert len(lab.heard.of(EntryFinished)) == begun
    idle = [
        e
        for e in lab.heard.events
        if isinstance(e, EngineStateChanged) and e.state is EngineState.IDLE
    ]
    said = (
        "stopped: two operators in a row met the same environment fault: no compiler"
        if shared
        else ""
    )
    assert str(idle[-1].reason) == said
    with Workspace.open_readonly(lab.path) as workspace:
        assert queue.waiting(workspace) == 4 - begun


def without_distilled_rules(session: Session) -> Session:
    """The session as it must be when AbsMath does not contribute: nothing becomes resident."""
    rows = [
        row for name in session.header.operators for row in rows_of(name, hot=False)
    ]
    header = replace(session.header, bank_sha256=bank_digest(session.items))
    return Session(header, session.items, tuple(rows))


def test_a_waiting_entry_is_cancelled_at_once_and_by_another_process(
    lab: PlayedQueue,
) -> None:
    engine = lab.engine()
    engine.cancel(4).result(WAIT_S)
    assert states(lab)[3] == "cancelled"
    with Workspace.open(lab.path) as other:
        queue.mark(other, 3, "running")
        queue.request_cancel(other, 3)
    engine.start()
    lab.heard.wait_for(
        lambda event: isinstance(event, EntryFinished) and event.queue_id == 3
    )
    assert states(lab)[2] == "cancelled"


def test_writes_go_through_the_engine_and_report_to_the_caller(
    lab: PlayedQueue,
) -> None:
    engine = lab.engine()
    assert (
        engine.submit(lambda workspace: queue.enqueue(workspace, "Tril")).result(WAIT_S)
        == 5
    )
    lab.heard.wait_for(lambda event: isinstance(event, WorkspaceWritten))

    def spoil(workspace: Workspace) -> None:
        queue.enqueue(workspace, "Tril")
        raise SageError("no")

    with pytest.raises(SageError, match="no"):
        engine.submit(spoil).result(WAIT_S)
    assert len(states(lab)) == 5, "a failed change leaves nothing behind"
    engine.stop()
    with pytest.raises(EngineStopped):
        engine.submit(lambda workspace: None).result(WAIT_S)


def test_a_second_engine_is_a_reader_that_can_still_enqueue(lab: PlayedQueue) -> None:
    owner, reader = lab.engine(), lab.engine()
    assert owner.open()
    assert not reader.open()
    with pytest.raises(EngineBusy, match="process"):
        reader.start()
    with pytest.raises(EngineBusy):
        reader.submit(lambda workspace: None).result(WAIT_S)
    assert reader.state is EngineState.READER
    with Workspace.open(lab.path) as other:
        queue.enqueue(other, "Tril")
    assert states(lab)[-1] == "queued"
    owner.stop()
    lab.run()
    assert states(lab)[0] == "done", "once the owner is gone another engine takes over"


def test_a_replay_that_diverges_fails_that_entry_and_says_why(lab: PlayedQueue) -> None:
    lab.session = replace(
        lab.session,
        replies=tuple(
            r for r in lab.session.replies if (r.subject, r.round) != ("Lerp", 2)
        ),
    )
    lab.run()
    assert states(lab)[:2] == ["done", "failed"]
    failed = lab.heard.of(EntryFinished)[1]
    assert "Diverged from the recording" in str(
        failed.reason
    ) or "recording ends" in str(failed.reason)  # type: ignore[attr-defined]


def test_a_fault_of_the_model_leaves_the_trajectory_open_and_retry_continues_it(
    lab: PlayedQueue,
) -> None:
    class Flaky(ReplayProvider):
        broken = True

        async def complete(self, request, stream=None):  # type: ignore[no-untyped-def]
            if Flaky.broken and request.round == 2:
                raise SageError("The server does not answer.", "Start it.")
            return await super().complete(request, stream)

    engine = lab.engine(provider=lambda: Flaky(lab.session))
    engine.start()
    assert engine.wait_idle(WAIT_S)
    assert states(lab) == ["failed"] * 4
    Flaky.broken = False
    engine.submit(lambda workspace: queue.retry(workspace, 1)).result(WAIT_S)
    engine.start()
    assert engine.wait_idle(WAIT_S)
    started = [event for event in lab.heard.of(EntryStarted) if event.queue_id == 1]  # type: ignore[attr-defined]
    assert started[0].trajectory == started[1].trajectory  # type: ignore[attr-defined]
    assert started[1].resumed  # type: ignore[attr-defined]
    assert states(lab)[-1] == "done"


def test_a_bug_stops_the_engine_with_a_report_and_spares_the_queue(
    lab: PlayedQueue,
) -> None:
    class Buggy(CommentEvaluator):
        async def evaluate(self, operator, candidate, progress, ticket=""):  # type: ignore[no-untyped-def]
            raise ZeroDivisionError

    engine = lab.engine(Buggy())
    engine.start()
    assert engine.wait_idle(WAIT_S)
    (fault,) = lab.heard.of(EngineFault)
    assert "ZeroDivisionError" in fault.report  # type: ignore[attr-defined]
    assert states(lab) == ["failed", "queued", "queued", "queued"]


def test_an_environment_that_cannot_be_opened_is_told_once_and_the_queue_stays(
    lab: PlayedQueue,
) -> None:
    def missing() -> CommentEvaluator:
        raise SageError("No C++ compiler was found.", "Install g++.")

    engine = lab.engine(evaluator=missing)
    engine.start()
    assert engine.wait_idle(WAIT_S)
    reasons = [
        str(event.reason) for event in lab.heard.of(EngineStateChanged) if event.reason
    ]  # type: ignore[attr-defined]
    assert reasons == ["No C++ compiler was found. Install g++."]
    assert states(lab) == ["queued"] * 4


def test_events_come_from_one_thread_and_commands_from_any(lab: PlayedQueue) -> None:
    threads: set[str] = set()
    engine = lab.engine(
        on_event=lambda event: threads.add(threading.current_thread().name)
    )
    caller = threading.Thread(target=engine.start)
    caller.start()
    caller.join()
    assert engine.wait_idle(WAIT_S)
    assert threads == {"sage-engine"}


@pytest.mark.system
def test_what_a_run_waits_for_before_its_first_search_is_said(
    lab: PlayedQueue,
) -> None:
    encoder = EncoderClient()
    try:
        lab.run(
            retriever=lambda workspace: HybridRetriever(
                workspace, encoder, wait_seconds=WAIT_S
            )
        )
    finally:
        encoder.close()
    notes = [
        event.text
        for event in lab.heard.events
        if isinstance(event, ProgressNote) and "encoder" in event.text
    ]
    assert notes == ["loading the text encoder"]
