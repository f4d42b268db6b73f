"""The whole retriever for an engine: words always, meaning as soon as the encoder is there."""

from __future__ import annotations

import logging

from core.memory.records import ItemFilter, Retrieved
from core.memory.retrieval.dense_index import DenseIndex
from core.memory.retrieval.encoder import EncoderClient
from core.memory.retrieval.retriever import Retriever
from core.method.parameters import MethodParameters
from core.workspace import Workspace

_LOG = logging.getLogger(__name__)
_EMBEDDED_PER_QUERY = (
    16  # half a second at most; a bank of seeds is done after two rounds
)


class HybridRetriever(Retriever):
    """A `Retriever` that starts the encoder, embeds new items little by little and logs what is missing.

    Example:
        >>> encoder = EncoderClient()
        >>> engine = Engine(..., retriever=lambda ws: HybridRetriever(ws, encoder).retrieve)

    Args:
        workspace: Writable, of the thread that retrieves.
        encoder: Shared by all retrievers of the application.
        wait_seconds: How long the first query waits for the encoder. 0 for people; experiments wait, so that
            a result does not depend on how fast it started.
    """

    def __init__(
        self, workspace: Workspace, encoder: EncoderClient, *, wait_seconds: float = 0.0
    ) -> None:
        self._encoder = encoder
        self._vectors = DenseIndex(workspace, encoder)
        super().__init__(workspace, self._vectors)
        self._wait_seconds = wait_seconds
        self._reason = ""
        encoder.start()

    def retrieve(
        self,
        query: str,
        k: int | None = None,
        parameters: MethodParameters | None = None,
        filters: ItemFilter | None = None,
    ) -> tuple[Retrieved, ...]:
        """As `Retriever.retrieve`."""
        if self._wait_seconds:
            self._encoder.wait(self._wait_seconds)
            self._wait_seconds = 0.0
            self._vectors.fill()
        else:
            self._vectors.fill(limit=_EMBEDDED_PER_QUERY)
        found = super().retrieve(query, k, parameters, filters)
        if self.last.sparse == 1.0 and self.last.reason != self._reason:
            _LOG.warning("Experiences are searched by words only: %s", self.last.reason)
        self._reason = self.last.reason
        return found
