"""Asking the memory as the agent asks it, with everything the scores are made of.

The window and the command line call this; a run has a retriever of its own
(`core.memory.retrieval`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.memory.reading import latest_parameters, read_items
from core.memory.records import ItemFilter, Retrieved
from core.method.parameters import NO_ENCODER
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.memory.encoder import EncoderClient
    from core.memory.retrieval.dense_index import DenseIndex
    from core.memory.retrieval.retriever import Weights

_READ_AT_ONCE = 64  # items whose meaning is read before the clock is looked at
_EVERYTHING = ItemFilter()


@dataclass(frozen=True)
class Answer:
    """What the agent would get.

    Attributes:
        hits: R_t, best first.
        titles: Of the hits, by uid.
        weights: How much words counted, and why meaning did not.
        gamma: Weight of utility in the reranking.
        unread: How many items were compared by words only, for want of time.
        has_encoder: Whether the memory has a text encoder at all.
    """

    hits: tuple[Retrieved, ...]
    titles: dict[str, str]
    weights: Weights
    gamma: float
    unread: int
    has_encoder: bool


class MemorySearch:
    """Asks the retriever; a text encoder that was started stays until `close`."""

    def __init__(self) -> None:
        self._encoder: EncoderClient | None = None

    def ask(
        self,
        workspace: Workspace,
        query: str,
        k: int,
        *,
        wait: float = 0.0,
        only: ItemFilter = _EVERYTHING,
    ) -> Answer:
        """Answer `query` with `k` items, as a round of the agent would get them now.

        Args:
            workspace: Read-only will do.
            query: Any text.
            k: How many items.
            wait: Seconds for the text encoder to start and to read items no run has
                read yet; 0: by words only.
            only: Which items may be found.
        """
        from core.memory.retrieval.retriever import Retriever

        parameters = latest_parameters(workspace.db)
        has_encoder = parameters.encoder != NO_ENCODER
        dense, unread = None, 0
        if wait > 0 and has_encoder:
            dense, unread = self._dense(workspace, parameters.encoder, wait)
        retriever = Retriever(workspace, dense)
        hits = retriever.retrieve(query, k, parameters, only)
        items = read_items(workspace.db, [hit.uid for hit in hits])
        return Answer(
            hits,
            {item.uid: item.title for item in items},
            retriever.last,
            parameters.gamma,
            unread,
            has_encoder,
        )

    def _dense(
        self, workspace: Workspace, encoder: str, wait: float
    ) -> tuple[DenseIndex, int]:
        """The index of vectors, filled for at most `wait` seconds, and how many items are not embedded yet."""
        from core.memory.encoder import EncoderClient
        from core.memory.retrieval.dense_index import DenseIndex

        end = time.monotonic() + wait
        self._encoder = self._encoder or EncoderClient(encoder)
        index, unread = DenseIndex(workspace, self._encoder), 0
        if self._encoder.wait(wait):
            unread = index.fill(_READ_AT_ONCE)
            while unread and time.monotonic() < end and not index.reason:
                unread = index.fill(_READ_AT_ONCE)
        return index, unread

    def close(self) -> None:
        """End the encoder."""
        if self._encoder is not None:
            self._encoder.close()
