"""What a round looks for in the cold memory, and what it gets: R_t as a port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.memory.records import EpisodeStart, ItemFilter, Retrieved
from core.method.objective import Objective
from core.method.parameters import MethodParameters
from core.operators.kinds_of_work import SLOW_KERNEL, kinds_of_work
from core.operators.spec import OperatorSpec


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
        failed: Whether the round before failed: then to have been told was not enough,
            and what every prompt says may be found as well.
    """

    operator: OperatorSpec
    objective: Objective
    round: int
    query: str
    start: EpisodeStart
    parameters: MethodParameters
    soc: str = ""
    cann: str = ""
    failed: bool = False

    @property
    def filter(self) -> ItemFilter:
        """Which items may be retrieved at all."""
        dtypes = {
            dtype.value for tensor in self.operator.inputs for dtype in tensor.dtypes
        }
        work = kinds_of_work(self.operator)
        if self.round > 1:
            work = (*work, SLOW_KERNEL)
        return ItemFilter(
            soc=self.soc,
            cann=self.cann,
            dtypes=tuple(sorted(dtypes)),
            until_seq=self.start.memory_seq,
            residents=frozenset(self.start.residents),
            # What failed may be of a kind that the words of the task do not name.
            work=None if self.failed else work,
            once=True,
            news=not self.failed,
        )


@dataclass(frozen=True)
class Retrieval:
    """R_t, best first.

    `own_ranking` are the uids this memory ranks for the query, where a recording
    prescribes R_t instead; None where R_t is what this memory ranks.
    """

    items: tuple[Retrieved, ...]
    own_ranking: tuple[str, ...] | None = None


RetrieveRound = Callable[[RetrievalRequest], Retrieval]
