"""R_t of a live round (paper, "Online Utility Tracking and Retrieval").

The retriever of the memory ranks by relevance and utility. The arm without memory gets
nothing, the Value Memory baseline chooses among the most relevant by learnt value.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.retrieval.value_ranking import LearntValues, retrieved_by_value
from core.agent.run.retrieval import Retrieval, RetrievalRequest
from core.memory.records import Retrieve, Retrieved
from core.method.parameters import MethodParameters
from core.workspace import Workspace


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
        """R_t of the Value Memory baseline: by learnt value among the most relevant."""

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
