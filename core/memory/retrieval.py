"""From a query to R_t: pool by relevance, late reranking by utility, an explain record for every hit."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.memory.parameters import MethodParameters
from core.memory.reading import read_items
from core.memory.records import ItemFilter, Retrieved, Scope
from core.memory.sparse_index import SparseIndex
from core.memory.utility import reranked_score
from core.workspace import Workspace

_SCALE = 100.0


class DenseScores(Protocol):
    """The dense half of the retriever; see `core.memory.dense_index`."""

    @property
    def reason(self) -> str:
        """Why it cannot answer now, empty when it can."""
        ...

    def cosines(self, query: str, items: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Return the cosine of each of `items` (ids; NaN where there is no vector), None when it cannot."""
        ...


@dataclass(frozen=True)
class Weights:
    """How a query's relevance was put together; `reason` says why a part was left out."""

    sparse: float
    reason: str = ""


class Retriever:
    """Fixed hybrid retriever over active items (paper, "Online Utility Tracking and Retrieval").

    s_rel = 100 (w cov + (1 - w) max(0, cos)); cov is the share of the attainable BM25 score. Both parts are
    absolute, so that the ratio of two relevances means something, which Property 3 needs and rank fusion
    destroys.

    Attributes:
        last: Weights of the last query, for the log and the window.
    """

    def __init__(self, workspace: Workspace, dense: DenseScores | None = None) -> None:
        self._workspace = workspace
        self._sparse = SparseIndex(workspace)
        self._dense = dense
        self.last = Weights(1.0, "no text encoder")

    def retrieve(
        self,
        query: str,
        k: int | None = None,
        parameters: MethodParameters | None = None,
        filters: ItemFilter | None = None,
    ) -> tuple[Retrieved, ...]:
        """Return R_t, best first.

        Args:
            query: Any text: an error line, a diagnosis, a specification.
            k: How many; `parameters.k` when None.
            parameters: Uses k, gamma, pool, w and exclude_residents.
            filters: Which items may be found. Residents never are, their rules stand in the context already.
        """
        parameters = parameters or MethodParameters()
        self._sparse.refresh()
        relevance, coverage, cosines = self._relevance(query, parameters)
        allowed = self._allowed(filters or ItemFilter(), parameters)
        pool = _pool(coverage, cosines, allowed, parameters.pool)
        pool = pool[relevance[pool] > 0.0]
        if not len(pool):
            return ()
        return self._rerank(pool, relevance, coverage, cosines, k or parameters.k, parameters.gamma)

    def _relevance(
        self, query: str, parameters: MethodParameters
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        scores, attainable = self._sparse.scores(query)
        coverage = scores / attainable if attainable > 0 else scores
        cosines = self._dense.cosines(query, self._sparse.items) if self._dense else None
        if cosines is None:
            self.last = Weights(1.0, self._dense.reason if self._dense else "no text encoder")
            return _SCALE * coverage, coverage, None
        weight = parameters.w if attainable > 0 else 0.0
        self.last = Weights(weight, "" if attainable > 0 else "no word of the query is known")
        blended = weight * coverage + (1 - weight) * np.maximum(cosines, 0.0)
        return _SCALE * np.where(np.isnan(cosines), coverage, blended), coverage, cosines

    def _allowed(self, filters: ItemFilter, parameters: MethodParameters) -> NDArray[np.bool_]:
        """Say of every document whether it may be found; residents leave before pooling, or R_t is short."""
        db = self._workspace.db
        allowed = self._sparse.present.copy()
        excluded = {int(row[0]) for row in db.execute("SELECT id FROM item WHERE hot_region = 1")}
        if not parameters.exclude_residents:
            excluded.clear()
        if filters.until_seq is not None:
            late = db.execute("SELECT id FROM item WHERE elig_since_seq > ?", (filters.until_seq,))
            excluded |= {int(row[0]) for row in late}
        if filters.skip:
            marks = ", ".join("?" * len(filters.skip))
            rows = db.execute(f"SELECT id FROM item WHERE uid IN ({marks})", sorted(filters.skip))  # noqa: S608
            excluded |= {int(row[0]) for row in rows}
        items = self._sparse.items
        if excluded:
            allowed &= ~np.isin(items, list(excluded))
        if filters.types or filters.categories or filters.soc or filters.cann or filters.dtypes:
            fitting = [int(row["id"]) for row in _typed(db, filters) if in_scope(row["scope"], filters)]
            allowed &= np.isin(items, fitting)
        return allowed

    def _rerank(
        self,
        pool: NDArray[np.int64],
        relevance: NDArray[np.float64],
        coverage: NDArray[np.float64],
        cosines: NDArray[np.float64] | None,
        k: int,
        gamma: float,
    ) -> tuple[Retrieved, ...]:
        items: dict[int, int] = dict(zip(pool.tolist(), self._sparse.items[pool].tolist(), strict=True))
        marks = ", ".join("?" * len(items))
        rows = self._workspace.db.execute(
            f"SELECT id, uid, u_m FROM item WHERE id IN ({marks})",  # noqa: S608
            list(items.values()),
        )
        known = {row[0]: (row[1], row[2]) for row in map(tuple, rows)}
        scores: dict[int, float] = dict(zip(items, relevance[pool].tolist(), strict=True))
        docs = sorted(items, key=lambda doc: (-scores[doc], items[doc]))
        before = {doc: rank for rank, doc in enumerate(docs, start=1)}
        final = {doc: reranked_score(scores[doc], known[items[doc]][1], gamma) for doc in docs}
        best = sorted(docs, key=lambda doc: (-final[doc], before[doc]))[:k]  # ties: relevance, then id
        return tuple(
            Retrieved(
                uid=known[items[doc]][0],
                rank=rank,
                u=known[items[doc]][1],
                rank_before=before[doc],
                coverage=float(coverage[doc]),
                cosine=None if cosines is None or np.isnan(cosines[doc]) else float(cosines[doc]),
                s_rel=scores[doc],
                s=final[doc],
                id=items[doc],
            )
            for rank, doc in enumerate(best, start=1)
        )


def _pool(
    coverage: NDArray[np.float64], cosines: NDArray[np.float64] | None, allowed: NDArray[np.bool_], size: int
) -> NDArray[np.int64]:
    """Return the document numbers in the union of the best `size` of each part."""
    best = _best(np.where(allowed, coverage, 0.0), size)
    if cosines is None:
        return best
    return np.union1d(best, _best(np.where(allowed & ~np.isnan(cosines), cosines, 0.0), size))


def _best(scores: NDArray[np.float64], size: int) -> NDArray[np.int64]:
    """Return the positions of the `size` largest positive scores; of equal ones the lowest positions."""
    positive = np.flatnonzero(scores > 0.0)
    if len(positive) > size:
        limit = np.partition(scores[positive], len(positive) - size)[len(positive) - size]
        positive = positive[scores[positive] >= limit]
        positive = positive[np.argsort(-scores[positive], kind="stable")][:size]
    return positive


def _typed(db: sqlite3.Connection, filters: ItemFilter) -> list[sqlite3.Row]:
    clauses = ["state = 'active'"]
    values: list[str] = []
    for column, allowed in (("type", filters.types), ("category", filters.categories)):
        if allowed:
            clauses.append(f"{column} IN ({', '.join('?' * len(allowed))})")
            values += allowed
    return db.execute(f"SELECT id, scope FROM item WHERE {' AND '.join(clauses)}", values).fetchall()  # noqa: S608


def in_scope(scope: str, filters: ItemFilter) -> bool:
    """Return whether an item of this scope (JSON) holds for the SoC, CANN version and dtypes at hand.

    A scope names families (`Ascend910B`, `8.5`), the filter what is there (`Ascend910B1`, `8.5.1`).
    """
    limits = msgspec.json.decode(scope, type=Scope)
    if filters.soc and limits.soc and not any(filters.soc.startswith(soc) for soc in limits.soc):
        return False
    if filters.cann and limits.cann and not any(filters.cann.startswith(version) for version in limits.cann):
        return False
    return not (filters.dtypes and limits.dtype and not set(filters.dtypes) & set(limits.dtype))


def prescribed(workspace: Workspace, uids: Sequence[str]) -> tuple[Retrieved, ...]:
    """Return R_t as a recording prescribes it: ranks and utilities, no scores. Raises NoSuchItem."""
    items = read_items(workspace.db, uids)
    return tuple(
        Retrieved(uid=item.uid, rank=rank, u=item.u_m, id=item.id) for rank, item in enumerate(items, 1)
    )
