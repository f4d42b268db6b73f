"""What an engine works with: model, evaluator, parameters, retriever.

Exchanged between runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.agent.prompt.round_prompt import ContextBuilder
from core.agent.retrieval.retriever import RoundRetriever
from core.agent.run.journal import Journal
from core.agent.run.limits import Limits, Meter
from core.agent.run.records import Observe
from core.agent.run.run_context import RunContext, ShapeCases
from core.evaluation.port import Evaluator
from core.memory.frozen import FrozenMemory, claim
from core.memory.records import Retrieve
from core.memory.store import MemoryStore
from core.method.parameters import MethodParameters
from core.models.port import ModelProvider
from core.references.builtin import builtin_references
from core.references.look_up import References
from core.replay.playing import as_recorded
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.memory.retrieval.retriever import HybridRetriever

MakeRetriever = Callable[[Workspace], Retrieve]


def sparse_retriever(workspace: Workspace) -> Retrieve:
    """The retriever of a workspace.

    Imported late, the window must be painted before numpy loads.
    """
    from core.memory.retrieval.retriever import Retriever

    return Retriever(workspace).retrieve


@dataclass(frozen=True)
class RunConfig:
    """The factories run in the engine's thread when work starts.

    See the arguments of `Engine`.

    `frozen` is a memory that is read instead of the workspace's own, and never written;
    `references` makes what the model can look up; `batch` is the label of the entries
    to work on, empty for the whole queue; `shape_cases` asks the code of an imported
    task what its cases hand over.
    """

    provider: Callable[[], ModelProvider]
    evaluator: Callable[[], Evaluator]
    parameters: MethodParameters
    retriever: MakeRetriever = sparse_retriever
    context: ContextBuilder = field(default_factory=ContextBuilder)
    limits: Limits = field(default_factory=Limits)
    frozen: Path | None = None
    references: Callable[[], References] = builtin_references
    batch: str = ""
    shape_cases: ShapeCases | None = None

    def open(self, workspace: Workspace, observe: Observe) -> RunContext:
        """Make what trajectories of `workspace` work with, in the thread of its connection.

        Raises:
            SageError: Something cannot be used, e.g. no compiler, or results of another
                frozen memory.
        """
        frozen = FrozenMemory(self.frozen) if self.frozen else None
        try:
            claim(workspace, frozen)
            journal, evaluator = Journal(workspace), self.evaluator()
            rank = self.retriever(workspace if frozen is None else frozen.workspace)
            search = rank
            if frozen is not None:
                search = partial(frozen.retrieve, rank, workspace)
            run = RunContext(
                provider=self.provider(),
                evaluator=evaluator,
                store=MemoryStore(workspace, frozen=frozen),
                retrieve=RoundRetriever(search, workspace),
                journal=journal,
                context=self.context,
                observe=observe,
                meter=Meter(self.limits, journal),
                frozen=frozen,
                references=self.references(),
                shape_cases=self.shape_cases,
                search_by_meaning=_by_meaning(rank),
            )
            return as_recorded(run)
        except BaseException:
            if frozen is not None:
                frozen.close()
            raise


def _by_meaning(rank: Retrieve) -> HybridRetriever | None:
    """A retriever that has an encoder to load, None for any other."""
    from core.memory.retrieval.retriever import HybridRetriever

    return rank if isinstance(rank, HybridRetriever) else None
