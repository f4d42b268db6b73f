"""Transfer evaluation: a run reads retrieval and resident rules from a memory file and leaves it as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.engine import queue
from core.engine.engine import Engine
from core.engine.events import EngineStateChanged
from core.engine.run_config import RunConfig
from core.errors import InvalidInput
from core.memory.records import ItemState
from core.memory.replay.verification import verify
from core.memory.store import MemoryStore
from core.method.methods import FROZEN, method, method_of, with_frozen_memory
from core.method.parameters import MethodParameters
from core.models.port import ModelRequest, Purpose
from core.operators.catalogue import find_operator
from core.replay.recorder import NotRecordable, record_session
from core.workspace import Workspace
from tests.core.agent.scripted import CommentEvaluator, Model, files, reply_text
from tests.scenario import WAIT_S, Listener, PlayedQueue

RESIDENT = "seed-0001"


@pytest.fixture
def memory(lab: PlayedQueue) -> Path:
    """A finished memory that learnt from four operators, in a folder of its own: seed-0001 is resident."""
    lab.run()
    folder = lab.path.parent / "frozen"
    folder.mkdir()
    with Workspace.open(lab.path) as workspace:
        return workspace.backup(folder / "learnt.sage")


class Transfer:
    """A run on a workspace of its own, with a model that adopts what it gets and uses the resident rule."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard = Listener()
        self.model = Model(self.answer)
        with Workspace.open(path) as workspace:
            queue.enqueue(workspace, "AbsMath")

    @staticmethod
    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad blockLen\n"
        assert request.purpose not in {Purpose.DISTIL, Purpose.ABSTRACT}, (
            "nothing is learnt"
        )
        judged = {1: "fail-build", 2: "pass 20.0"}.get(request.round, "")
        records = dict.fromkeys(request.retrieved, "adopted")
        text = reply_text(records, files("AbsMath", judged), resident=RESIDENT)
        return text if judged else text.replace("## Files", "## Done\nenough\n## Files")

    def run(
        self, memory: Path | None, parameters: MethodParameters | None = None
    ) -> str:
        """Work the queue off; returns why the engine stopped, empty when it is done."""
        engine = Engine(
            self.path,
            RunConfig(
                lambda: self.model,
                CommentEvaluator,
                parameters or with_frozen_memory(MethodParameters(T=2, k=10)),
                frozen=memory,
            ),
            find_operator,
            self.heard,
        )
        engine.start()
        assert engine.wait_idle(WAIT_S)
        assert engine.stop(WAIT_S)
        return next(
            str(e.reason)
            for e in self.heard.of(EngineStateChanged)
            if e.state.value == "idle"
        )  # type: ignore[attr-defined]


def test_a_run_reads_the_frozen_memory_and_writes_nothing_to_it(
    memory: Path, tmp_path: Path
) -> None:
    before = memory.read_bytes()
    transfer = Transfer(tmp_path / "transfer.sage")
    assert transfer.run(memory) == ""
    assert memory.read_bytes() == before
    assert list(memory.parent.iterdir()) == [memory]
    with (
        Workspace.open_frozen(memory) as frozen,
        Workspace.open_readonly(transfer.path) as run,
    ):
        learnt, traces = MemoryStore(frozen), MemoryStore(run)
        rule = learnt.item(RESIDENT).rule_text
        candidates = [
            r
            for r in transfer.model.requests
            if r.purpose in {Purpose.CANDIDATE, Purpose.REPAIR}
        ]
        assert len(candidates) == 2
        for request in candidates:
            assert rule in request.messages[0].content, (
                "its resident rules stand in the prompt"
            )
            assert RESIDENT not in request.retrieved
            assert request.retrieved
            titles = [learnt.item(uid).title for uid in request.retrieved]
            assert all(title in request.messages[-1].content for title in titles)
        (episode,) = run.db.execute(
            "SELECT uid FROM episode WHERE objective = 'corr'"
        ).fetchone()
        hits = traces.retrieved(episode, 1)
        assert {hit.uid: hit.u for hit in hits} == {
            hit.uid: learnt.item(hit.uid).u_m for hit in hits
        }
        assert any(hit.u != 0.0 for hit in hits), (
            "ranked by the utilities the memory holds"
        )
        assert run.db.execute("SELECT count(*) FROM hot_use").fetchone()[0] == 2
        assert run.db.execute("SELECT count(*) FROM credit_event").fetchone()[0] == 0
        assert {item.state for item in traces.items()} == {ItemState.ARCHIVED}
        assert {item.u_m for item in traces.items()} == {0.0}
        stored = run.db.execute(
            "SELECT first_correct_round, parameters FROM trajectory"
        ).fetchone()
        assert stored["first_correct_round"] == 2
        assert method_of(MethodParameters.from_json(stored["parameters"])) == FROZEN
        assert verify(run) == ()
        with pytest.raises(NotRecordable):
            record_session(run, "transfer")


def test_results_of_two_memories_are_never_mixed(
    memory: Path, lab: PlayedQueue, tmp_path: Path
) -> None:
    other = memory.with_name("other.sage")
    with Workspace.open(lab.path) as workspace:
        workspace.set_meta("note", "another file")
        workspace.backup(other)
    path = tmp_path / "transfer.sage"
    assert Transfer(path).run(memory) == ""
    assert "frozen memory learnt.sage" in Transfer(path).run(other)
    assert "frozen memory learnt.sage" in Transfer(path).run(None, MethodParameters())
    renamed = shutil.copy(memory, tmp_path / "renamed.sage")
    assert Transfer(path).run(Path(renamed)) == "", "the content decides, not the name"
    assert "memory of its own" in Transfer(lab.path).run(memory)
    with Workspace.open_readonly(lab.path) as untouched:
        assert untouched.meta("frozen_memory") == ""


def test_a_memory_that_changes_meanwhile_stops_the_run(
    memory: Path, tmp_path: Path
) -> None:
    transfer = Transfer(tmp_path / "transfer.sage")
    answer = transfer.answer

    def meddle(request: ModelRequest) -> str:
        with memory.open("ab") as file:
            file.write(b"\0" * 4096)
        return answer(request)

    transfer.model = Model(meddle)
    transfer.run(memory)
    with Workspace.open_readonly(transfer.path) as run:
        state, reason = run.db.execute(
            "SELECT state, reason FROM queue_entry"
        ).fetchone()
        assert state == "failed"
        assert "was changed while it was read" in reason
        assert run.db.execute("SELECT state FROM trajectory").fetchone()[0] == "open"


def test_a_method_without_memory_has_nothing_to_freeze() -> None:
    with pytest.raises(InvalidInput, match="no"):
        with_frozen_memory(method("refinement").parameters())
    assert with_frozen_memory(method("static-rag").parameters()).gamma == 0.0
    assert with_frozen_memory(MethodParameters()).gamma == MethodParameters().gamma
