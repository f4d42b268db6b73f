"""What a trajectory works with and on, and how it asks the model: shared by its rounds and jobs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.agent.prompt.round_prompt import ContextBuilder
from core.agent.run.journal import Journal
from core.agent.run.limits import Meter
from core.agent.run.records import ModelCalled, Observe, ProgressNote, ReplyStreamed
from core.agent.run.retrieval import RetrieveRound
from core.agent.run.stopping import StopRule
from core.agent.run.turns import MemoryTurns, MemoryUse
from core.errors import SageError
from core.evaluation.port import Evaluator
from core.memory.frozen import FrozenMemory
from core.memory.store import MemoryStore
from core.method.parameters import MethodParameters
from core.models.pieces import Piece, joined
from core.models.port import ModelProvider, ModelReply, ModelRequest
from core.operators.spec import CaseShapes, OperatorSpec
from core.references.look_up import References
from core.text import Text

if TYPE_CHECKING:
    from core.memory.retrieval.retriever import HybridRetriever

ShapeCases = Callable[[OperatorSpec], Sequence[CaseShapes]]
_LOG = logging.getLogger(__name__)
_STREAM_S = 0.1  # between two events of a reply that comes


@dataclass(frozen=True)
class RunContext:
    """Everything a trajectory works with. All of it belongs to the engine's thread.

    `rules_asked` are the items another trajectory has a rule written for at the moment,
    `shape_cases` asks the code of an imported task what its cases are, `shapes` holds
    the answers by digest of the operator, `search_by_meaning` loads its encoder before
    the first search.
    """

    provider: ModelProvider
    evaluator: Evaluator
    store: MemoryStore
    retrieve: RetrieveRound
    journal: Journal
    context: ContextBuilder
    observe: Observe
    meter: Meter | None = None
    frozen: FrozenMemory | None = None
    references: References | None = None
    rules_asked: set[str] = field(default_factory=set)
    turns: MemoryTurns = field(default_factory=MemoryTurns)
    stop_rule: StopRule = field(default_factory=StopRule)
    shape_cases: ShapeCases | None = None
    shapes: dict[str, tuple[CaseShapes, ...]] = field(default_factory=dict)
    search_by_meaning: HybridRetriever | None = None

    async def learn_shapes(self, operator: OperatorSpec) -> None:
        """Have what the cases of an imported task hand over known to its prompts.

        Where its code cannot be asked, the prompts leave open what it leaves open.
        """
        is_imported = any(case.row for case in operator.cases)
        if (
            self.shape_cases is None
            or not is_imported
            or operator.digest in self.shapes
        ):
            return
        try:
            shapes = await asyncio.to_thread(self.shape_cases, operator)
        except SageError as problem:
            _LOG.warning("The cases of %s stay open: %s", operator.name, problem)
            shapes = ()
        self.shapes[operator.digest] = tuple(shapes)

    @asynccontextmanager
    async def turn(self, task: Task, use: MemoryUse) -> AsyncIterator[None]:
        """As `MemoryTurns.turn`; says for whom the trajectory waits, where it does."""
        operator = self.turns.awaited(use)
        if operator:
            words = Text(
                "waits until {operator} has learnt, as in the recording",
                operator=operator,
            )
            self.observe(ProgressNote(*task.stamp, words))
        async with self.turns.turn(use):
            yield

    async def close(self) -> None:
        """Release model, evaluator and a frozen memory."""
        await asyncio.gather(
            self.provider.close(), self.evaluator.close(), return_exceptions=True
        )
        if self.frozen is not None:
            self.frozen.close()


@dataclass(frozen=True)
class Task:
    """The trajectory a round belongs to.

    `seeds` is the digest of the secret in the seeds of its cases.
    """

    uid: str
    queue_id: int
    operator: OperatorSpec
    parameters: MethodParameters
    seeds: str = ""

    @property
    def stamp(self) -> tuple[int, str, str]:
        """First fields of every event."""
        return (self.queue_id, self.uid, self.operator.name)


async def ask(run: RunContext, task: Task, request: ModelRequest) -> ModelReply:
    """Answer a request from the journal, or from the model and store the answer before using it.

    Raises:
        LimitReached: The model may not be asked any more.
    """
    stored = run.journal.reply(task.uid, request)
    if stored is not None:
        return stored
    if run.meter is not None:
        run.meter.check(task.uid)
    live = _Live(run.observe, task, request)
    try:
        reply = await run.provider.complete(request, live)
        live.flush()
    finally:
        live.end()
    run.journal.store_reply(task.uid, request, reply)
    run.observe(
        ModelCalled(
            *task.stamp,
            request.purpose.value,
            request.round,
            request.attempt,
            reply.seconds,
            reply.usage,
        )
    )
    return reply


class _Live:
    """Sends what comes of a reply, a few times a second however small the pieces are."""

    def __init__(self, observe: Observe, task: Task, request: ModelRequest) -> None:
        self._observe, self._task, self._request = observe, task, request
        self._waiting: list[Piece] = []
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, piece: Piece) -> None:
        self._waiting.append(piece)
        if self._timer is None:
            # So that a piece nothing follows for a minute is sent as well.
            self._timer = self._loop.call_later(_STREAM_S, self.flush)

    def flush(self) -> None:
        """Send what came."""
        self.end()
        if self._waiting:
            request, pieces = self._request, joined(self._waiting)
            self._waiting.clear()
            self._observe(
                ReplyStreamed(
                    *self._task.stamp,
                    request.purpose.value,
                    request.round,
                    request.attempt,
                    pieces,
                )
            )

    def end(self) -> None:
        """Send nothing any more by itself."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
