"""The sparse index of a workspace, stored as postings so that a search needs no warm-up.

The item table is the truth; the index is brought up to date with it before a query. A reader that may not
write keeps what is missing in memory.
"""

from __future__ import annotations

import re
import sqlite3
from array import array
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.memory.records import CodeDiff
from core.memory.retrieval.bm25 import Docs, Floats, IncrementalBM25
from core.records_json import decode
from core.search_terms import TOKENIZER_VERSION, tokenize
from core.workspace import Workspace, WorkspaceError
from core.workspace.rows import LISTED, listed

_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
_DOC_TYPE = np.dtype("<i4")
_COUNT_TYPE = np.dtype("<u2")
_LARGEST_COUNT = 65535
_WORTH_KEEPING = 200  # documents, a tenth of a second
_MISSING = """
  SELECT count(*) FROM item LEFT JOIN document ON document.item_id = item.id
  WHERE item.state = 'active' AND document.rev IS NOT item.rev
"""

# term -> documents, how often in each
Postings: TypeAlias = "dict[str, tuple[array[int], array[int]]]"


def index_text(row: sqlite3.Row) -> str:
    """Return what an item is found by: title, error, summary, category and the identifiers of its code."""
    code = decode(row["code_diff"], CodeDiff)
    identifiers = dict.fromkeys(
        _IDENTIFIER.findall(f"{code.wrong_code} {code.correct_code}")
    )
    return "\n".join(
        [
            row["title"],
            row["error_message"],
            row["summary"],
            row["category"],
            " ".join(identifiers),
        ]
    )


def keep_index(path: Path) -> None:
    """Store what the index of a workspace lacks, if that is much and it may be written.

    A process that only reads would build it again for every search.

    Args:
        path: The workspace, closed by then.
    """
    with Workspace.open_readonly(path) as workspace:
        missing = workspace.db.execute(_MISSING).fetchone()[0]
    if missing < _WORTH_KEEPING:
        return
    with suppress(WorkspaceError), Workspace.open(path, create=False) as workspace:
        SparseIndex(workspace).refresh()


class SparseIndex:
    """BM25 over the active items of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._seen: tuple[object, ...] = ()
        self._stored: tuple[object, ...] = ()
        self._items: NDArray[np.int64]
        self._documents: dict[int, tuple[int, int]]  # item -> (document, revision)
        self._lengths: dict[int, int]  # of documents not stored yet
        self._loaded_end: int
        self._reset()

    @property
    def items(self) -> NDArray[np.int64]:
        """Item id per document number; -1 where there is none."""
        return self._items[: self._bm25.end]

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which document numbers are present."""
        return self._bm25.present

    def __len__(self) -> int:
        return len(self._bm25)

    def scores(self, query: str, without: Collection[int] = ()) -> tuple[Floats, float]:
        """Return BM25 per document number and the largest attainable score; call `refresh` first.

        Args:
            query: Any text.
            without: Ids of items to score as if they were not there: the others' numbers depend on them.
        """
        indexed = [item for item in without if item in self._documents]
        documents = [self._documents[item][0] for item in indexed]
        return self._bm25.scores(tokenize(query), tuple(sorted(documents)))

    def refresh(self) -> None:
        """Bring the index up to date with the items; stores what is new when the workspace may be written."""
        if self._version() == self._seen:
            return
        try:
            if self._workspace.readonly:
                self._catch_up(self._workspace.db, store=False)
            else:
                with self._workspace.transaction() as db:
                    self._catch_up(db, store=True)
        except BaseException:
            self._stored = ()  # what is in memory may be half done: load again next time
            raise
        self._seen = self._version()

    def _version(self) -> tuple[object, ...]:
        """What changes with the items, or with how texts are split into terms."""
        return self._workspace.meta("index_seq"), self._workspace.meta("lexical")

    def _catch_up(self, db: sqlite3.Connection, *, store: bool) -> None:
        current = self._workspace.meta("lexical") == TOKENIZER_VERSION
        if store and not current:
            db.execute("DELETE FROM document")
            db.execute("DELETE FROM posting")
            self._workspace.set_meta("lexical", TOKENIZER_VERSION)
        if self._fingerprint(db) != self._stored or not current:
            self._reset()
            if current:
                self._load(db)
        active = dict(
            db.execute("SELECT id, rev FROM item WHERE state = 'active'").fetchall()
        )
        outdated = [
            item
            for item, (_, rev) in self._documents.items()
            if active.get(item) != rev
        ]
        for item in outdated:
            self._bm25.remove(self._documents.pop(item)[0])
        new = [item for item in active if item not in self._documents]
        if store and outdated:
            db.executemany(
                "DELETE FROM document WHERE item_id = ?", [(item,) for item in outdated]
            )
        postings = self._add(db, new, active)
        if store:
            self._store(db, new, active, postings)
            self._stored = self._fingerprint(db)

    def _load(self, db: sqlite3.Connection) -> None:
        rows = db.execute(
            "SELECT doc, item_id, rev, length FROM document ORDER BY doc"
        ).fetchall()
        docs: list[int] = []
        items: list[int] = []
        lengths: list[int] = []
        for doc, item, rev, length in rows:
            self._documents[item] = (doc, rev)
            docs.append(doc)
            items.append(item)
            lengths.append(length)
        self._bm25.adopt(docs, lengths)
        self._loaded_end = self._bm25.end
        self._items = _no_items(max(64, self._bm25.end))
        self._items[docs] = items

    def _add(
        self,
        db: sqlite3.Connection,
        new: list[int],
        revisions: dict[int, int],
    ) -> Postings:
        """Index new documents in memory; returns their postings for storing."""
        postings: Postings = {}
        # Numbers are never reused: a stored posting may still name a document that was removed.
        next_stored = int(self._workspace.meta("next_document", "0"))
        first = max(self._bm25.end, next_stored)
        rows = db.execute(
            "SELECT id, title, error_message, summary, category, code_diff FROM item "
            f"WHERE id IN {LISTED} ORDER BY id",
            (listed(sorted(new)),),
        )
        for doc, row in enumerate(rows, start=first):
            item = row["id"]
            counts = self._bm25.add(doc, tokenize(index_text(row)))
            self._documents[item] = (doc, revisions[item])
            if doc >= len(self._items):
                more = _no_items(max(64, doc))
                self._items = np.concatenate([self._items, more])
            self._items[doc] = item
            self._lengths[item] = counts.total()
            for term, count in counts.items():
                empty = (array("i"), array("H"))
                docs, often = postings.setdefault(term, empty)
                docs.append(doc)
                often.append(min(_LARGEST_COUNT, count))
        return postings

    def _store(
        self,
        db: sqlite3.Connection,
        new: list[int],
        revisions: dict[int, int],
        postings: Postings,
    ) -> None:
        rows = []
        for item in new:
            doc, _rev = self._documents[item]
            rows.append((doc, item, revisions[item], self._lengths.pop(item)))
        db.executemany(
            "INSERT INTO document(doc, item_id, rev, length) VALUES (?, ?, ?, ?)", rows
        )
        self._workspace.set_meta("next_document", str(self._bm25.end))
        for term, (added, often) in postings.items():
            docs = np.array(added, dtype=_DOC_TYPE).tobytes()
            counts = np.array(often, dtype=_COUNT_TYPE).tobytes()
            old = db.execute(
                "SELECT docs, counts FROM posting WHERE term = ?", (term,)
            ).fetchone()
            if old is not None:
                # New documents have the highest numbers, so a posting only grows at its end.
                docs = old["docs"] + docs
                counts = old["counts"] + counts
            db.execute(
                "INSERT OR REPLACE INTO posting VALUES (?, ?, ?)", (term, docs, counts)
            )

    def _posting(self, term: str) -> tuple[Docs, Floats] | None:
        row = self._workspace.db.execute(
            "SELECT docs, counts FROM posting WHERE term = ?", (term,)
        ).fetchone()
        if row is None:
            return None
        docs = np.frombuffer(row["docs"], dtype=_DOC_TYPE).astype(np.int32)
        counts = np.frombuffer(row["counts"], dtype=_COUNT_TYPE)
        # Another process may have stored more since; those documents are not known here.
        is_loaded = docs < self._loaded_end
        return docs[is_loaded], counts[is_loaded].astype(np.float64)

    def _reset(self) -> None:
        self._bm25 = IncrementalBM25(self._posting)
        self._items = _no_items(64)
        self._documents = {}
        self._lengths = {}
        self._loaded_end = 0

    @staticmethod
    def _fingerprint(db: sqlite3.Connection) -> tuple[object, ...]:
        """What tells whether the stored documents are those that were loaded."""
        row = db.execute(
            "SELECT count(*), max(doc), sum(length) FROM document"
        ).fetchone()
        return tuple(row)


def _no_items(count: int) -> NDArray[np.int64]:
    """[count] -1: document numbers of which none is an item's."""
    return np.full(count, -1, dtype=np.int64)
