"""Dense retrieval: cached sentence vectors of the items and cosines against a query."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from core.memory.encoder import EncoderClient, EncoderUnavailable
from core.memory.retrieval.sparse_index import index_text
from core.workspace import Workspace
from core.workspace.rows import LISTED, listed

_QUERIES_KEPT = 256
_BATCH = 8
_UNKNOWN_LIMIT = 0.3  # above this the encoder does not know the language of the query


class DenseIndex:
    """Vectors of active items for one model, kept in the workspace by (item, model, hash of the content).

    Vectors are derived data: they can be deleted at any time and are computed again by `fill`.

    Attributes:
        reason: Why the last query got no cosines, empty when it did.
    """

    def __init__(self, workspace: Workspace, encoder: EncoderClient) -> None:
        self._workspace = workspace
        self._encoder = encoder
        self._queries: OrderedDict[str, NDArray[np.float32] | None] = OrderedDict()
        self._matrix = np.zeros((0, 0), dtype=np.float32)
        self._rows: dict[int, tuple[str, int]] = {}  # item -> (content hash, row)
        self._place = np.full(0, -1, dtype=np.int64)  # item id -> row
        self._seen: tuple[object, ...] = ()
        self._unstored: dict[
            int, NDArray[np.float32]
        ] = {}  # vectors the file may not be given
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
        indexed = (items >= 0) & (items < len(self._place))
        rows = (
            np.where(indexed, self._place[np.where(indexed, items, 0)], -1)
            if len(self._place)
            else None
        )
        if rows is not None and len(self._matrix):
            similar = self._matrix @ vector
            result = np.where(rows >= 0, similar[np.maximum(rows, 0)], np.nan).astype(
                np.float64
            )
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
            try:
                vectors, _ = self._encoder.encode([index_text(row) for row in rows])
            except EncoderUnavailable as error:
                self.reason = str(error.what)
                return len(todo) - start
            if self._workspace.readonly:
                self._unstored |= {
                    row["id"]: vector for row, vector in zip(rows, vectors, strict=True)
                }
                continue
            with self._workspace.transaction() as db:
                db.executemany(
                    "INSERT OR REPLACE INTO embedding VALUES (?, ?, ?, ?, ?)",
                    [
                        (
                            row["id"],
                            self._encoder.model_id,
                            row["content_hash"],
                            len(vector),
                            vector.tobytes(),
                        )
                        for row, vector in zip(rows, vectors, strict=True)
                    ],
                )
        return len(todo) - len(part)

    def _embed(self, query: str) -> NDArray[np.float32] | None:
        if query in self._queries:
            self._queries.move_to_end(query)
            vector = self._queries[query]
            self.reason = (
                ""
                if vector is not None
                else "the text encoder does not know this language"
            )
            return vector
        try:
            vectors, unknown = self._encoder.encode([query])
        except EncoderUnavailable as error:
            self._encoder.start()
            self.reason = str(error.what)
            return None
        foreign = float(unknown[0]) > _UNKNOWN_LIMIT
        self.reason = "the text encoder does not know this language" if foreign else ""
        self._queries[query] = None if foreign else vectors[0]
        if len(self._queries) > _QUERIES_KEPT:
            self._queries.popitem(last=False)
        return self._queries[query]

    def _refresh(self) -> None:
        """Load vectors that came or changed since the last query."""
        db = self._workspace.db
        model = self._encoder.model_id
        count = db.execute(
            "SELECT count(*) FROM embedding WHERE model_id = ?", (model,)
        ).fetchone()[0]
        state = (model, count + len(self._unstored), self._workspace.meta("index_seq"))
        if state == self._seen:
            return
        stored = dict(
            db.execute(
                "SELECT e.item_id, e.text_hash FROM embedding AS e JOIN item ON item.id = e.item_id "
                "AND item.content_hash = e.text_hash WHERE e.model_id = ?",
                (model,),
            ).fetchall()
        ) | dict.fromkeys(self._unstored, "unstored")
        if self._seen[:1] != (model,):
            self._rows = {}
            self._matrix = np.zeros((0, self._encoder.dimension), dtype=np.float32)
        new = [
            item
            for item, digest in stored.items()
            if self._rows.get(item, ("",))[0] != digest
        ]
        fresh = np.zeros((len(new), self._encoder.dimension), dtype=np.float32)
        for index, item in enumerate(new):
            fresh[index] = self._vector(item)
            self._rows[item] = (stored[item], len(self._matrix) + index)
        self._matrix = np.concatenate([self._matrix, fresh])
        self._rows = {
            item: place for item, place in self._rows.items() if item in stored
        }
        self._place = np.full(max(self._rows, default=-1) + 1, -1, dtype=np.int64)
        for item, (_, row_number) in self._rows.items():
            self._place[item] = row_number
        self._seen = state

    def _vector(self, item: int) -> NDArray[np.float32]:
        if item in self._unstored:
            return self._unstored[item]
        row = self._workspace.db.execute(
            "SELECT vec FROM embedding WHERE item_id = ? AND model_id = ?",
            (item, self._encoder.model_id),
        ).fetchone()
        return np.frombuffer(row[0], dtype="<f4")
