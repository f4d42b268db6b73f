"""R_t: what a round asks of the cold memory, and what it gets (paper, "Online Utility Tracking and Retrieval").

The retriever of the memory ranks by relevance and utility. The arm without memory gets nothing, the Value
Memory baseline chooses among the most relevant by learnt value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.agent.retrieval.value_ranking import LearntValues, retrieved_by_value
from core.memory.records import EpisodeStart, ItemFilter, Retrieve, Retrieved
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.operators.spec import OperatorSpec
from core.workspace import Workspace


@dataclass(frozen=True)
class RetrievalRequest:
    """What a round looks for.

    Attributes:
        operator: x of τ.
        objective: g of τ.
        round: t, within the trajectory.
        query: From `retrieval_query`.
        start: What the episode sees of the memory; residents bypass retrieval.
        parameters: Of the trajectory; k is |R_t|.
        soc: Processor of the judge, empty when it does not say.
        cann: CANN version of the judge, empty when it does not say.
    """

    operator: OperatorSpec
    objective: Objective
    round: int
    query: str
    start: EpisodeStart
    parameters: MethodParameters
    soc: str = ""
    cann: str = ""

    @property
    def filter(self) -> ItemFilter:
        """Which items may be retrieved at all."""
        dtypes = {
            dtype.value for tensor in self.operator.inputs for dtype in tensor.dtypes
        }
        return ItemFilter(
            soc=self.soc,
            cann=self.cann,
            dtypes=tuple(sorted(dtypes)),
            until_seq=self.start.memory_seq,
            residents=frozenset(self.start.residents),
        )


@dataclass(frozen=True)
class Retrieval:
    """R_t, best first.

    `ranked_here` are the uids this memory ranks for the query, where R_t was prescribed by something else;
    None where R_t is what this memory ranks.
    """

    items: tuple[Retrieved, ...]
    ranked_here: tuple[str, ...] | None = None


RetrieveRound = Callable[[RetrievalRequest], Retrieval]


class RoundRetriever:
    """R_t of a live round.

    Args:
        rank: The retriever of the memory.
        workspace: Holds the rounds that were played, from which values are learnt.
    """

    def __init__(self, rank: Retrieve, workspace: Workspace) -> None:
        self._rank = rank
        self._workspace = workspace
        self._values = LearntValues()

    def __call__(self, request: RetrievalRequest) -> Retrieval:
        """Return R_t; nothing in the arm without memory."""
        parameters = request.parameters
        if parameters.memory == "none":
            return Retrieval(())
        if parameters.ranking == "value":
            return Retrieval(self._by_value(request))
        ranked = self._rank(request.query, parameters.k, parameters, request.filter)
        return Retrieval(ranked)

    def _by_value(self, request: RetrievalRequest) -> tuple[Retrieved, ...]:
        def most_relevant(k: int, parameters: MethodParameters) -> Sequence[Retrieved]:
            return self._rank(request.query, k, parameters, request.filter)

        place = (request.operator.name, request.round, request.start.memory_seq)
        return retrieved_by_value(
            self._values,
            self._workspace,
            most_relevant,
            request.parameters,
            request.objective,
            place,
        )
