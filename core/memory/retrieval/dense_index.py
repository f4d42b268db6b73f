"""Dense retrieval: cached sentence vectors of the items and cosines against a query."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.memory.encoder import EncoderClient, EncoderUnavailable
from core.memory.retrieval.sparse_index import index_text
from core.workspace import Workspace
from core.workspace.rows import LISTED, listed

_QUERIES_KEPT = 256
_BATCH = 8
# Share of a query's pieces that are unknown to the encoder, above which it does not know the language.
_UNKNOWN_LIMIT = 0.3
_FOREIGN = "the text encoder does not know this language"
Vector: TypeAlias = NDArray[np.float32]


class DenseIndex:
    """Vectors of active items for one model, kept in the workspace by (item, model, hash of the content).

    Vectors are derived data: they can be deleted at any time and are computed again by `fill`.

    Attributes:
        reason: Why the last query got no cosines, empty when it did.
    """

    def __init__(self, workspace: Workspace, encoder: EncoderClient) -> None:
        self._workspace = workspace
        self._encoder = encoder
        # The most recent last; None for one in a foreign language.
        self._queries: OrderedDict[str, Vector | None] = OrderedDict()
        self._matrix = np.zeros((0, 0), dtype=np.float32)
        self._rows: dict[int, tuple[str, int]] = {}  # item -> (content hash, row)
        self._place = np.full(0, -1, dtype=np.int64)  # item id -> row
        self._seen: tuple[object, ...] = ()
        self._unstored: dict[int, Vector] = {}  # of a memory that may not be written
        self.reason = ""

    def cosines(
        self, query: str, items: NDArray[np.int64]
    ) -> NDArray[np.float64] | None:
        """Return the cosine of each item, NaN where it has no vector; None when the query has none."""
        vector = self._embed(query)
        if vector is None:
            return None
        self._refresh()
        result = np.full(len(items), np.nan)
        if not len(self._place) or not len(self._matrix):
            return result
        is_indexed = (items >= 0) & (items < len(self._place))
        rows = np.full(len(items), -1)
        rows[is_indexed] = self._place[items[is_indexed]]
        # Vectors have length 1, so that a product is a cosine.
        similarities = self._matrix @ vector
        has_vector = rows >= 0
        result[has_vector] = similarities[rows[has_vector]]
        return result

    def missing(self) -> list[int]:
        """Return the active items without a vector of the present model and content."""
        rows = self._workspace.db.execute(
            "SELECT item.id FROM item LEFT JOIN embedding AS e ON e.item_id = item.id AND e.model_id = ? "
            "AND e.text_hash = item.content_hash WHERE item.state = 'active' AND e.item_id IS NULL ORDER BY "
            "item.id",
            (self._encoder.model_id,),
        )
        return [int(row[0]) for row in rows]

    def fill(self, limit: int | None = None) -> int:
        """Embed items that have no vector yet, a small transaction per batch; returns how many are left.

        Call it between episodes, never inside a transaction. Does nothing while the encoder is not ready.
        Vectors of a memory that may not be written, a frozen one, are kept here.
        """
        todo = [item for item in self.missing() if item not in self._unstored]
        part = todo[:limit]
        for start in range(0, len(part), _BATCH):
            batch = part[start : start + _BATCH]
            query = f"SELECT * FROM item WHERE id IN {LISTED} ORDER BY id"
            rows = self._workspace.db.execute(query, (listed(batch),)).fetchall()
            texts = [index_text(row) for row in rows]
            try:
                vectors, _unknown = self._encoder.encode(texts)
            except EncoderUnavailable as error:
                self.reason = str(error.what)
                return len(todo) - start
            self._keep(rows, vectors)
        return len(todo) - len(part)

    def _keep(self, rows: Sequence[sqlite3.Row], vectors: Iterable[Vector]) -> None:
        """Store the vectors of items; in memory where the workspace may not be written."""
        if self._workspace.readonly:
            items = [row["id"] for row in rows]
            self._unstored |= dict(zip(items, vectors, strict=True))
            return
        entries = []
        for row, vector in zip(rows, vectors, strict=True):
            entry = (
                row["id"],
                self._encoder.model_id,
                row["content_hash"],
                len(vector),
                vector.tobytes(),
            )
            entries.append(entry)
        with self._workspace.transaction() as db:
            db.executemany(
                "INSERT OR REPLACE INTO embedding VALUES (?, ?, ?, ?, ?)", entries
            )

    def _embed(self, query: str) -> Vector | None:
        """The vector of a query; None, and `reason` says why, when it gets none."""
        if query in self._queries:
            self._queries.move_to_end(query)
            vector = self._queries[query]
            self.reason = _FOREIGN if vector is None else ""
            return vector
        try:
            vectors, unknown = self._encoder.encode([query])
        except EncoderUnavailable as error:
            self._encoder.start()
            self.reason = str(error.what)
            return None
        is_foreign = float(unknown[0]) > _UNKNOWN_LIMIT
        vector = None if is_foreign else vectors[0]
        self.reason = _FOREIGN if is_foreign else ""
        self._queries[query] = vector
        if len(self._queries) > _QUERIES_KEPT:
            self._queries.popitem(last=False)
        return vector

    def _refresh(self) -> None:
        """Load vectors that came or changed since the last query."""
        db = self._workspace.db
        model = self._encoder.model_id
        count = db.execute(
            "SELECT count(*) FROM embedding WHERE model_id = ?", (model,)
        ).fetchone()[0]
        all_vectors = count + len(self._unstored)
        state = (model, all_vectors, self._workspace.meta("index_seq"))
        if state == self._seen:
            return
        rows = db.execute(
            "SELECT e.item_id, e.text_hash FROM embedding AS e JOIN item ON item.id = e.item_id "
            "AND item.content_hash = e.text_hash WHERE e.model_id = ?",
            (model,),
        )
        digests = dict(rows.fetchall()) | dict.fromkeys(self._unstored, "unstored")
        width = self._encoder.dimension
        if self._seen[:1] != (model,):
            self._rows = {}
            self._matrix = np.zeros((0, width), dtype=np.float32)
        loaded = {item: digest for item, (digest, _row) in self._rows.items()}
        new = [item for item in digests if loaded.get(item) != digests[item]]
        fresh = np.zeros((len(new), width), dtype=np.float32)
        # A row that a changed item had stays in the matrix, and nothing points to it.
        for number, item in enumerate(new, start=len(self._matrix)):
            fresh[number - len(self._matrix)] = self._vector(item)
            self._rows[item] = (digests[item], number)
        self._matrix = np.concatenate([self._matrix, fresh])
        gone = self._rows.keys() - digests.keys()
        for item in gone:
            del self._rows[item]
        size = max(self._rows, default=-1) + 1
        self._place = np.full(size, -1, dtype=np.int64)
        for item, (_digest, number) in self._rows.items():
            self._place[item] = number
        self._seen = state

    def _vector(self, item: int) -> Vector:
        if item in self._unstored:
            return self._unstored[item]
        row = self._workspace.db.execute(
            "SELECT vec FROM embedding WHERE item_id = ? AND model_id = ?",
            (item, self._encoder.model_id),
        ).fetchone()
        return np.frombuffer(row[0], dtype="<f4")
