"""What the product would have played: a memory with episodes, an operator with rounds, a queue of operators.

Example:
    >>> add_items(store, 3)
    >>> play_episode(store, "e0", {"m1": True, "m2": False}, operator="Lerp")
    >>> operator = PlayedOperator(workspace, MethodParameters(T=5))
    >>> operator.play({1: "fail-build", 2: "pass 20.0"}, adopted={"seed-0001"})
    >>> operator.rows("SELECT t_first FROM trajectory")
    >>> queue = PlayedQueue(tmp_path / "demo.sage")
    >>> queue.run(parameters=MethodParameters(workers=2))
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.agent.loop.trajectory import Trajectory
from core.agent.prompt.round_prompt import ContextBuilder
from core.agent.retrieval.retriever import RoundRetriever
from core.agent.run.journal import Journal, TrajectoryRecord
from core.agent.run.limits import Limits, Meter
from core.agent.run.records import Stop, TrajectoryEvent
from core.agent.run.run_context import RunContext, Task
from core.engine import queue
from core.engine.beginning import experience_of
from core.engine.demo import prepare_demo
from core.engine.engine import Engine
from core.engine.events import EngineEvent
from core.engine.run_config import RunConfig
from core.memory.records import (
    AdoptionState,
    CodeDiff,
    EpisodeEffect,
    EpisodeOutcome,
    Experience,
    Origin,
    Retrieved,
)
from core.memory.retrieval.retriever import Retriever
from core.memory.store import MemoryStore
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.models.port import ModelProvider, ModelRequest, Purpose
from core.operators.catalogue import catalogue_operator, find_operator
from core.references.builtin import builtin_references
from core.references.look_up import References
from core.replay.playing import as_recorded
from core.replay.provider import ReplayProvider
from core.replay.session_file import Session
from core.workspace import Workspace, now
from tests.core.agent.scripted import (
    RULE,
    CommentEvaluator,
    Model,
    bank,
    files,
    reply_text,
    session,
)

LESSON = "## Experience\ntitle: learnt\ntype: api_misuse\ncategory: Math\nsummary: s\n"
WAIT_S = 20.0

# ---- a memory with episodes


def experience(number: int, **changes: object) -> Experience:
    """An experience whose texts hold its number."""
    fields: dict[str, object] = {
        "title": f"rule number {number}",
        "type": "api_misuse",
        "category": "Math",
        "error_message": f"error {number}",
        "code_diff": CodeDiff(f"wrong_{number}();", f"right_{number}();"),
        "summary": f"do the right thing {number}",
    }
    return Experience(**(fields | changes))  # type: ignore[arg-type]


def add_items(store: MemoryStore, count: int, first: int = 1) -> list[str]:
    """Add `count` seeds named m1, m2, …"""
    return [
        store.add_item(experience(number), origin=Origin.SEED, uid=f"m{number}")
        for number in range(first, first + count)
    ]


def open_trajectory(workspace: Workspace, uid: str, operator: str) -> None:
    """A trajectory that only episodes refer to."""
    workspace.db.execute(
        "INSERT OR IGNORE INTO trajectory(uid, operator, operator_digest, parameters, provider, "
        "provider_origin, "
        "evaluator, started_at) VALUES (?, ?, '', '{}', 'test', 'scripted', 'test', ?)",
        (uid, operator, now()),
    )


def evaluated_round(
    workspace: Workspace,
    trajectory: str,
    episode: str,
    number: int,
    verdict: str = "pass",
) -> None:
    """A round that reached an evaluation, so that its records count."""
    workspace.db.execute(
        "INSERT INTO round(trajectory_uid, round, episode_uid, step, verdict, started_at) "
        "VALUES (?, ?, ?, 'evaluated', ?, ?)",
        (trajectory, number, episode, verdict, now()),
    )


def play_episode(
    store: MemoryStore,
    uid: str,
    records: Mapping[str, bool],
    *,
    operator: str = "AbsMath",
    objective: Objective = Objective.CORR,
    correct: bool = True,
    t_first: float | None = None,
    t_best: float | None = None,
    used: tuple[str, ...] = (),
    parameters: MethodParameters | None = None,
    apply: bool = True,
    proven: bool = True,
) -> EpisodeEffect | None:
    """Play one episode of one evaluated round.

    Args:
        store: The memory.
        uid: Of the episode and its trajectory.
        records: Uid of each retrieved item -> whether it was adopted.
        operator: Name.
        objective: corr or opt.
        correct: Whether correctness passed.
        t_first: Latency of the first correct kernel.
        t_best: Latency of the best one.
        used: Residents the round used.
        parameters: Of the episode; the defaults when None.
        apply: Whether the episode ends; else it stays open and None is returned.
        proven: Whether the gain is larger than what the time model leaves open.
    """
    open_trajectory(store.workspace, uid, operator)
    store.begin_episode(uid, uid, operator, objective, parameters or MethodParameters())
    retrieved = [
        Retrieved(name, rank, store.item(name).u_m)
        for rank, name in enumerate(records, start=1)
    ]
    store.record_retrieval(uid, 1, retrieved)
    states = {True: AdoptionState.ADOPTED, False: AdoptionState.NOT_ADOPTED}
    adoption = {name: (states[adopted], "because") for name, adopted in records.items()}
    store.record_adoption(uid, 1, adoption)
    store.record_hot_use(uid, 1, dict.fromkeys(used, "applied"))
    evaluated_round(store.workspace, uid, uid, 1)
    if not apply:
        return None
    return store.apply_episode(
        EpisodeOutcome(
            uid, correct, t_first, t_best, completes_trajectory=True, proven=proven
        )
    )


def unresolved(store: MemoryStore, episode: str, number: int) -> tuple[str, ...]:
    """The items of R_t without an adoption state, in rank order."""
    rows = store.workspace.db.execute(
        "SELECT item.uid FROM trace JOIN item ON item.id = trace.item_id "
        "WHERE episode_uid = ? AND round = ? AND trace.state = 'unresolved' ORDER BY rank",
        (episode, number),
    )
    return tuple(row[0] for row in rows)


# ---- an operator with rounds

Verdicts = Mapping[int, str]
"""Round -> how its kernel is judged, e.g. {1: "fail-build", 2: "pass 20.0"}."""


def model_of(
    verdicts: Verdicts,
    *,
    adopted: Collection[str] | None = None,
    traced: bool = True,
    afterwards: str = "",
    rule: str = RULE,
    lesson: str = LESSON,
    instead: Callable[[ModelRequest], str] | None = None,
) -> Model:
    """A model whose kernel of round n is judged `verdicts[n]`.

    Args:
        verdicts: See `Verdicts`.
        adopted: Experiences it adopts where they are retrieved; None: all of them.
        traced: Whether its replies say what it adopts.
        afterwards: How kernels of later rounds are judged; empty: the model is done then.
        rule: Its answer where a rule is due.
        lesson: Its answer where it is asked for what a trajectory taught.
        instead: Gives another answer to some requests, empty for the others.
    """

    def answer(request: ModelRequest) -> str:
        if request.purpose is Purpose.DIAGNOSE:
            return "## Diagnosis\nDataCopyPad blockLen counts bytes\n"
        if request.purpose is Purpose.ABSTRACT:
            return rule
        if request.purpose is Purpose.DISTIL:
            return lesson
        if instead is not None and (other := instead(request)):
            return other
        retrieved = request.retrieved if traced else ()
        adoption = {
            uid: "adopted" if adopted is None or uid in adopted else "not_adopted"
            for uid in retrieved
        }
        verdict = verdicts.get(request.round, afterwards)
        if not verdict:
            return reply_text(adoption, {}).replace("## Files", "## Done\nno idea left")
        return reply_text(adoption, files("AbsMath", verdict))

    return Model(answer)


@dataclass
class PlayedOperator:
    """One operator's trajectory that can be run, interrupted and run again.

    Attributes:
        workspace: Gets the bank of `scripted`.
        parameters: Of the trajectory.
        operator: Of the catalogue.
        uid: Of the trajectory.
        events: What it told.
        evaluator: Judges; by default by the comment in the kernel.
        limits: Of tokens, time and cost.
        references: What can be looked up.
    """

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
        begun = self.rows("SELECT 1 FROM trajectory WHERE uid = ?", self.uid)
        if not begun:
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
        task = Task(self.uid, 1, operator, self.parameters)
        return await Trajectory(as_recorded(run), task).run()

    def play(self, verdicts: Verdicts, **options: object) -> tuple[Stop, Model]:
        """Run it with a `model_of` the verdicts; `options` are those of `model_of`."""
        model = model_of(verdicts, **options)  # type: ignore[arg-type]
        return asyncio.run(self.run(model)), model

    def verdicts(self) -> list[tuple[str, str]]:
        """(objective, verdict) of each round."""
        return [
            (entry.objective.value, entry.verdict)
            for entry in self.journal.rounds(self.uid)
        ]

    def status(self, objective: str) -> str:
        """Of the episode of an objective, empty before it began."""
        return self.journal.episode_status(f"{self.uid}-{objective}")

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Rows of the workspace."""
        return [tuple(row) for row in self.workspace.db.execute(query, values)]


# ---- a queue of operators


class Listener:
    """Gathers events; `wait_for` blocks until one that fits has come."""

    def __init__(self) -> None:
        self.events: list[EngineEvent] = []
        self._news = threading.Condition()

    def __call__(self, event: EngineEvent) -> None:
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def wait_for(self, fits: Callable[[EngineEvent], bool]) -> None:
        """Wait for an event, those that have come included."""
        with self._news:
            came = self._news.wait_for(lambda: any(map(fits, self.events)), WAIT_S)
            assert came, self.events[-5:]

    def of(self, kind: type) -> list[EngineEvent]:
        """The events of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]


class PlayedQueue:
    """Makes engines on one workspace with the four operators of `scripted.session`; `close` stops them all.

    Attributes:
        path: Of the workspace.
        session: The recording the queue comes from.
        engines: Those made so far.
        heard: Their events.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session: Session = session()
        self.engines: list[Engine] = []
        self.heard = Listener()
        prepare_demo(path, self.session)

    def engine(
        self, evaluator: CommentEvaluator | None = None, **changes: object
    ) -> Engine:
        """An engine; `changes` are fields of `RunConfig`, `operators` and `on_event`."""
        options: dict[str, object] = {
            "provider": lambda: ReplayProvider(self.session),
            "evaluator": evaluator
            if callable(evaluator)
            else lambda: evaluator or CommentEvaluator(),
            "parameters": MethodParameters(),
        }
        operators = changes.pop("operators", find_operator)
        on_event = changes.pop("on_event", self.heard)
        config = RunConfig(**(options | changes))  # type: ignore[arg-type]
        made = Engine(self.path, config, operators, on_event)  # type: ignore[arg-type]
        self.engines.append(made)
        return made

    def run(self, **changes: object) -> None:
        """Run the whole queue with a fresh engine and stop it."""
        engine = self.engine(**changes)  # type: ignore[arg-type]
        engine.start()
        assert engine.wait_idle(WAIT_S)
        assert engine.stop()

    def close(self) -> None:
        """Stop every engine."""
        for engine in self.engines:
            assert engine.stop(WAIT_S)
