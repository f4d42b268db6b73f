"""Faults of the environment in mid-run: nothing is credited, and the next run goes on where it was."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine import queue
from core.engine.demo import prepare_demo
from core.engine.events import (
    EngineFault,
    EngineState,
    EngineStateChanged,
    EntryFinished,
)
from core.errors import NeedsPerson, SageError
from core.evaluation.port import Progress
from core.evaluation.records import Candidate, Evaluation, VerdictClass
from core.operators.spec import OperatorSpec
from core.workspace import Workspace
from tests.core.agent.scripted import CommentEvaluator, judged
from tests.core.engine.test_interruptions import outcome, states
from tests.scenario import WAIT_S, PlayedQueue, model_of

ROOT = Path(__file__).parents[3]
HOLDER = """
import select, sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
select.select([], [], [], float(sys.argv[2]))
held.execute("ROLLBACK")
"""


def hold(path: Path, seconds: float) -> subprocess.Popen[str]:
    """Another program that has the write lock until it reads a line, and so many seconds more."""
    command = [sys.executable, "-c", HOLDER, str(path), str(seconds)]
    holder = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


class Failing(CommentEvaluator):
    """Fails at some of its calls: with an error, or with no verdict."""

    def __init__(self, *at: int, error: SageError | None = None) -> None:
        super().__init__()
        self._at, self._error = at, error

    async def evaluate(
        self,
        operator: OperatorSpec,
        candidate: Candidate,
        progress: Progress,
        ticket: str = "",
    ) -> Evaluation:
        found = await super().evaluate(operator, candidate, progress, ticket)
        if len(self.asked) not in self._at:
            return found
        if self._error is not None:
            raise self._error
        return replace(
            judged(operator.name, candidate.digest, VerdictClass.VOID),
            cause="the judge was lost",
        )


@pytest.fixture
def calm(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, list[tuple[object, ...]]]:
    undisturbed = PlayedQueue(tmp_path_factory.mktemp("calm") / "calm.sage")
    undisturbed.run()
    return outcome(undisturbed)


def assert_ended_like(
    lab: PlayedQueue, calm: dict[str, list[tuple[object, ...]]]
) -> None:
    disturbed = outcome(lab)
    for name, value in calm.items():
        assert disturbed[name] == value, name


def idle_reasons(lab: PlayedQueue) -> list[str]:
    changes = [
        event for event in lab.heard.events if isinstance(event, EngineStateChanged)
    ]
    return [str(event.reason) for event in changes if event.state is EngineState.IDLE]


@pytest.mark.parametrize(
    "error", [None, NeedsPerson("The key of lab7 changed.")], ids=["void", "key"]
)
@pytest.mark.parametrize(
    "call",
    [1, 4, 12, *(pytest.param(call, marks=pytest.mark.slow) for call in (2, 3, 8))],
)
def test_a_replay_stops_at_a_fault_and_the_next_run_ends_as_undisturbed(
    lab: PlayedQueue,
    calm: dict[str, list[tuple[object, ...]]],
    call: int,
    error: SageError | None,
) -> None:
    lab.run(evaluator=Failing(call, error=error))
    failed = [reason for state, reason in states(lab) if state == "failed"]
    words = (
        "The key of lab7 changed." if error else "environment fault: the judge was lost"
    )
    assert failed == [words], "one entry failed, and the others wait for it"
    assert idle_reasons(lab) == [f"stopped: {words}"]
    prepare_demo(lab.path, lab.session)
    lab.run()
    assert [state for state, _ in states(lab)] == ["done"] * 4
    assert_ended_like(lab, calm)


def test_what_an_older_release_left_failed_is_played_again_in_its_order(
    lab: PlayedQueue,
) -> None:
    lab.run(evaluator=Failing(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    with (
        Workspace.open(lab.path) as workspace,
        workspace.transaction() as db,
    ):  # as it was stored then
        db.execute("UPDATE trajectory SET state = 'void'")
        db.execute("UPDATE episode SET status = 'void'")
        db.execute(
            "UPDATE queue_entry SET state = 'failed', reason = 'Diverged' WHERE id = 2"
        )
    prepare_demo(lab.path, lab.session)
    with Workspace.open(lab.path) as workspace:
        (failed,) = workspace.db.execute(
            "SELECT id FROM queue_entry WHERE state = 'failed'"
        ).fetchall()
        assert failed[0] == 2, "what never began an episode is a person's to decide"
        queue.retry(workspace, 2)
        assert workspace.db.execute(
            "SELECT min(position) = 1024 FROM queue_entry WHERE id = 1"
        ).fetchone()[0]


def test_a_key_that_changed_stops_the_run_not_six_operators(lab: PlayedQueue) -> None:
    changed = NeedsPerson("The key of lab7 changed.")
    lab.run(
        evaluator=Failing(*range(1, 20), error=changed),
        provider=lambda: model_of({}, afterwards="pass"),
    )
    assert [state for state, _ in states(lab)] == [
        "failed",
        "queued",
        "queued",
        "queued",
    ]
    assert idle_reasons(lab) == ["stopped: The key of lab7 changed."]


def test_a_run_begun_again_in_the_same_window_tries_what_waited_for_the_person(
    lab: PlayedQueue,
) -> None:
    """Its connection stays as it was until then, and each start failed with the fault that was long gone."""

    class Waiting(CommentEvaluator):
        waits = True

        def retry(self) -> None:
            self.waits = False

        async def evaluate(
            self,
            operator: OperatorSpec,
            candidate: Candidate,
            progress: Progress,
            ticket: str = "",
        ) -> Evaluation:
            if self.waits:
                raise NeedsPerson("The key of lab7 changed.")
            return await super().evaluate(operator, candidate, progress, ticket)

    engine = lab.engine(evaluator=Waiting())
    engine.start()
    assert engine.wait_idle(WAIT_S)
    assert [state for state, _ in states(lab)] == [
        "failed",
        "queued",
        "queued",
        "queued",
    ]
    engine.submit(queue.resume_failed).result()
    engine.start()
    assert engine.wait_idle(WAIT_S)
    assert [state for state, _ in states(lab)] == ["done"] * 4


def test_a_kernel_of_a_model_is_judged_again_once_and_then_given_up_with_its_trajectory(
    lab: PlayedQueue,
) -> None:
    for state, rounds in (("open", 1), ("void", 1)):
        lab.run(
            evaluator=Failing(*range(1, 20)),
            provider=lambda: model_of({}, afterwards="pass"),
        )
        with Workspace.open(lab.path) as workspace:
            found = workspace.db.execute(
                "SELECT t.state, (SELECT count(*) FROM round r WHERE r.trajectory_uid = t.uid) "
                "FROM trajectory t WHERE t.operator = 'AbsMath'"
            ).fetchall()
            assert [tuple(row) for row in found] == [(state, rounds)]
            queue.resume_failed(workspace)


@pytest.mark.parametrize("seconds", [0.0, pytest.param(21.0, marks=pytest.mark.slow)])
def test_another_program_that_holds_the_lock_is_waited_for(
    lab: PlayedQueue, calm: dict[str, list[tuple[object, ...]]], seconds: float
) -> None:
    class Held(CommentEvaluator):
        holder: subprocess.Popen[str] | None = None

        async def evaluate(
            self,
            operator: OperatorSpec,
            candidate: Candidate,
            progress: Progress,
            ticket: str = "",
        ) -> Evaluation:
            if len(self.asked) == 2 and self.holder is None:
                self.holder = hold(lab.path, seconds)
            return await super().evaluate(operator, candidate, progress, ticket)

    evaluator = Held()
    engine = lab.engine(evaluator=evaluator)
    engine.start()
    said = "Waiting for another program that writes the file."
    lab.heard.wait_for(
        lambda event: (
            isinstance(event, EngineStateChanged) and str(event.reason) == said
        )
    )
    assert evaluator.holder is not None
    evaluator.holder.communicate("release\n")
    assert engine.wait_idle(WAIT_S + seconds)
    assert engine.stop()
    assert_ended_like(lab, calm)


def test_stopping_does_not_wait_for_the_lock(lab: PlayedQueue) -> None:
    engine = lab.engine()
    assert engine.open()
    with hold(lab.path, 0.0) as holder:
        engine.start()
        engine.submit(lambda workspace: queue.enqueue(workspace, "AbsMath"))
        assert engine.stop(), "within three seconds"
        holder.communicate("release\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("left", [0, 40_000], ids=["full", "nearly full"])
@pytest.mark.parametrize("call", [1, pytest.param(5, marks=pytest.mark.slow), 7])
def test_a_full_disk_stops_the_run_and_the_next_one_ends_as_undisturbed(
    small_disk: Path, calm: dict[str, list[tuple[object, ...]]], call: int, left: int
) -> None:
    lab = PlayedQueue(small_disk / "demo.sage")
    filler = small_disk / "filler"

    class Filling(CommentEvaluator):
        async def evaluate(
            self,
            operator: OperatorSpec,
            candidate: Candidate,
            progress: Progress,
            ticket: str = "",
        ) -> Evaluation:
            if len(self.asked) == call - 1:
                fill(filler, left)
            return await super().evaluate(operator, candidate, progress, ticket)

    lab.run(evaluator=Filling())
    assert not lab.heard.of(EngineFault), "a full disk is no fault of the program"
    (ended,) = idle_reasons(lab)
    assert ended.startswith("stopped: ")
    assert "cannot be read or written" in ended
    last = lab.heard.of(EntryFinished)[-1]
    assert last.state in ("interrupted", "failed")  # type: ignore[attr-defined]
    filler.unlink()
    prepare_demo(lab.path, lab.session)
    lab.run()
    assert_ended_like(lab, calm)


def fill(path: Path, left: int) -> None:
    """Use up the whole file system but `left` bytes."""
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                continue
        except OSError:
            pass
        file.truncate(max(0, os.fstat(file.fileno()).st_size - left))


def test_a_replaced_file_ends_the_run_and_the_advice_is_about_the_file(
    tmp_path: Path,
) -> None:
    lab = PlayedQueue(tmp_path / "demo.sage")
    with Workspace.open(tmp_path / "other.sage"):
        pass

    class Replacing(CommentEvaluator):
        async def evaluate(
            self,
            operator: OperatorSpec,
            candidate: Candidate,
            progress: Progress,
            ticket: str = "",
        ) -> Evaluation:
            if (tmp_path / "other.sage").exists():
                (tmp_path / "other.sage").replace(lab.path)
            return await super().evaluate(operator, candidate, progress, ticket)

    lab.run(evaluator=Replacing())
    last = lab.heard.of(EntryFinished)[-1]
    assert "replaced by another file" in str(last.reason)  # type: ignore[attr-defined]
    assert "demo.kept-" in str(last.remedy)  # type: ignore[attr-defined]
    assert list(tmp_path.glob("demo.kept-*"))
