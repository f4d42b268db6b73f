"""A trajectory on a real workspace, with a model computed by the test and the comment evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.agent.loop.trajectory import Trajectory
from core.agent.prompt.round_prompt import ContextBuilder
from core.agent.retrieval.retriever import RoundRetriever
from core.agent.run.journal import Journal, TrajectoryRecord
from core.agent.run.limits import Limits, Meter
from core.agent.run.records import Stop, TrajectoryEvent
from core.agent.run.run_context import RunContext, Task
from core.engine import queue
from core.engine.beginning import experience_of
from core.memory.records import Origin
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.method.parameters import MethodParameters
from core.models.port import ModelProvider, ModelRequest
from core.operators.catalogue import catalogue_operator
from core.references.builtin import builtin_references
from core.references.look_up import References
from core.replay.playing import as_recorded
from core.workspace import Workspace
from tests.core.agent.scripted import CommentEvaluator, Model, bank


@dataclass
class Bench:
    """One operator's trajectory that can be run, interrupted and run again."""

    workspace: Workspace
    parameters: MethodParameters = field(default_factory=MethodParameters)
    operator: str = "AbsMath"
    uid: str = "t1"
    events: list[TrajectoryEvent] = field(default_factory=list)
    evaluator: CommentEvaluator = field(default_factory=CommentEvaluator)
    limits: Limits = field(default_factory=Limits)
    references: References | None = field(default_factory=builtin_references)

    def __post_init__(self) -> None:
        self.store = MemoryStore(self.workspace)
        self.journal = Journal(self.workspace)
        for item in bank():
            self.store.add_item(experience_of(item), origin=Origin.SEED, uid=item.uid)

    async def run(
        self, provider: ModelProvider | Callable[[ModelRequest], str]
    ) -> Stop:
        """Begin the trajectory, or continue it when it is there."""
        model = Model(provider) if callable(provider) else provider
        operator = catalogue_operator(self.operator)
        if not self.workspace.db.execute(
            "SELECT 1 FROM trajectory WHERE uid = ?", (self.uid,)
        ).fetchone():
            entry = queue.enqueue(self.workspace, self.operator)
            self.journal.begin(
                TrajectoryRecord(
                    self.uid,
                    entry,
                    self.operator,
                    operator.digest,
                    self.parameters,
                    model.label,
                    model.origin.value,
                    self.evaluator.label,
                    "open",
                    "",
                )
            )
        run = RunContext(
            model,
            self.evaluator,
            self.store,
            RoundRetriever(Retriever(self.workspace).retrieve, self.workspace),
            self.journal,
            ContextBuilder(),
            self.events.append,
            Meter(self.limits, self.journal),
            None,
            self.references,
        )
        return await Trajectory(
            as_recorded(run), Task(self.uid, 1, operator, self.parameters)
        ).run()

    def verdicts(self) -> list[tuple[str, str]]:
        return [
            (entry.objective.value, entry.verdict)
            for entry in self.journal.rounds(self.uid)
        ]

    def status(self, objective: str) -> str:
        return self.journal.episode_status(f"{self.uid}-{objective}")

    def rows(self, query: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in self.workspace.db.execute(query)]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w.sage") as opened:
        yield opened


@pytest.fixture
def bench(workspace: Workspace) -> Bench:
    return Bench(workspace)
