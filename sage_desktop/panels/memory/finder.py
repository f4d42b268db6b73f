"""What the agent's own retriever finds for a question, with everything its scores are made of. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.memory.reading import read_items
from core.memory.records import Retrieved
from core.method.parameters import NO_ENCODER
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.memory.encoder import EncoderClient

WAIT_S = 20.0  # for the encoder to start, in the background


@dataclass(frozen=True)
class Found:
    """The answer to a question.

    Attributes:
        hits: R_t, best first.
        titles: Of the hits, by uid.
        words: Weight w of the words in the relevance, 1 when they stood alone.
        reason: Why meaning took no part, empty when it did.
        gamma: Weight of utility in the reranking.
    """

    hits: tuple[Retrieved, ...]
    titles: dict[str, str]
    words: float
    reason: str
    gamma: float


class Finder:
    """Asks the retriever in a background thread; keeps the text encoder once it was wanted."""

    def __init__(self) -> None:
        self._encoder: EncoderClient | None = None

    def find(
        self, workspace: Workspace, question: str, k: int, *, meaning: bool
    ) -> Found:
        """Answer `question` with `k` items as a round of the agent would get them now."""
        from core.memory.reading import latest_parameters
        from core.memory.retrieval.retriever import Retriever

        parameters = latest_parameters(workspace.db)
        dense = None
        if meaning and parameters.encoder != NO_ENCODER:
            from core.memory.encoder import EncoderClient
            from core.memory.retrieval.dense_index import DenseIndex

            self._encoder = self._encoder or EncoderClient(parameters.encoder)
            self._encoder.wait(WAIT_S)
            dense = DenseIndex(workspace, self._encoder)
        retriever = Retriever(workspace, dense)
        hits = retriever.retrieve(question, k, parameters)
        items = read_items(workspace.db, [hit.uid for hit in hits])
        return Found(
            hits,
            {item.uid: item.title for item in items},
            retriever.last.sparse,
            retriever.last.reason,
            parameters.gamma,
        )

    def close(self) -> None:
        """End the encoder."""
        if self._encoder is not None:
            self._encoder.close()
