"""From a query to R_t: pool by relevance, late reranking by utility, an explain record for every hit."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.memory.encoder import EncoderClient
from core.memory.encoder.client import EncoderState
from core.memory.reading import utilities
from core.memory.records import ItemFilter, Retrieved, Scope
from core.memory.retrieval.bm25 import Floats
from core.memory.retrieval.dense_index import DenseIndex
from core.memory.retrieval.likeness import same_as
from core.memory.retrieval.sparse_index import SparseIndex
from core.memory.said import is_said
from core.method.parameters import MethodParameters
from core.method.utility import reranked_score
from core.records_json import decode
from core.workspace import Workspace
from core.workspace.rows import LISTED, listed

_SCALE = 100.0  # s_rel of a whole match, as the window shows it
_SPARSE_WEIGHT = 0.5  # w; the dense part has 1 - w
# Candidates of each part before reranking: the over-retrieved pool of the paper.
_POOL = 50
_SPARE = 4  # times as many hits are ranked where some may be passed over
_GROUPS = 8  # groups of scores for each position that is looked for
_DEEPEST_GROUP = 64  # scores
# What was demoted since came into use long before.
_LATER = """
SELECT id, uid FROM item WHERE elig_since_seq > :seq AND (created_seq > :seq OR NOT EXISTS (
  SELECT 1 FROM episode WHERE seq = elig_since_seq UNION ALL
  SELECT 1 FROM memory_event WHERE seq = elig_since_seq AND kind IN ('demote', 'reselect')))
"""
_DEFAULTS = MethodParameters()
_NO_FILTER = ItemFilter()


class DenseScores(Protocol):
    """The dense half of the retriever; see `core.memory.retrieval.dense_index`."""

    @property
    def reason(self) -> str:
        """Why it cannot answer now, empty when it can."""
        ...

    def cosines(
        self, query: str, items: NDArray[np.int64]
    ) -> NDArray[np.float64] | None:
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
            parameters: Uses k and gamma.
            filters: Which items may be found, and at which state of the memory. Residents never are, their
                rules stand in the context already.
        """
        parameters = parameters or _DEFAULTS
        filters = filters or _NO_FILTER
        self._sparse.refresh()
        later = self._later(filters)
        scores, attainable = self._sparse.scores(query, later)
        cosines = None
        if self._dense is not None:
            cosines = self._dense.cosines(query, self._sparse.items)
        # The pool is drawn by relevance alone: utility must not bring in what does not fit the query.
        pool = _pool(scores, cosines, self._allowed(filters, later), _POOL)
        is_known = attainable > 0
        coverage = scores[pool]
        if is_known:
            coverage = coverage / attainable
        pool_cosines = None if cosines is None else cosines[pool]
        relevance = self._relevance(coverage, pool_cosines, known=is_known)
        count = k or parameters.k
        skips_some = filters.once or filters.news
        ranked = self._rerank(
            pool,
            relevance,
            coverage,
            pool_cosines,
            _SPARE * count if skips_some else count,
            parameters.gamma,
            filters.until_seq,
        )
        return self._adding(ranked, count, filters) if skips_some else ranked

    def _adding(
        self, ranked: tuple[Retrieved, ...], count: int, filters: ItemFilter
    ) -> tuple[Retrieved, ...]:
        """Of some hits the first ones that add something to each other and to every prompt."""
        db = self._workspace.db
        adding: list[Retrieved] = []
        doubles: set[int] = set()
        for hit in ranked:
            if len(adding) == count:
                break
            if hit.id in doubles:
                continue
            if filters.news and self._is_said(hit):
                continue
            rank = len(adding) + 1
            adding.append(replace(hit, rank=rank))
            if filters.once:
                doubles |= same_as(self._sparse, db, hit.id)
        return tuple(adding)

    def _is_said(self, hit: Retrieved) -> bool:
        """Whether every prompt says already what the item says."""
        row = self._workspace.db.execute(
            "SELECT title, summary FROM item WHERE id = ?", (hit.id,)
        ).fetchone()
        return is_said(hit.uid, row["title"], row["summary"])

    def _relevance(
        self, coverage: Floats, cosines: Floats | None, *, known: bool
    ) -> Floats:
        """Return s_rel of the pool; `known` says whether any word of the query is in the index."""
        if cosines is None:
            reason = self._dense.reason if self._dense else "no text encoder"
            self.last = Weights(1.0, reason)
            return _SCALE * coverage
        weight = _SPARSE_WEIGHT if known else 0.0
        reason = "" if known else "no word of the query is known"
        self.last = Weights(weight, reason)
        # s_rel must not be negative (Property 3), so an opposite meaning counts as none.
        meaning = np.maximum(cosines, 0.0)
        blended = weight * coverage + (1 - weight) * meaning
        # An item that is not embedded yet is found by its words alone.
        return _SCALE * np.where(np.isnan(cosines), coverage, blended)

    def _later(self, filters: ItemFilter) -> frozenset[int]:
        """Ids of what was not in use yet at the position of the filter."""
        if filters.until_seq is None:
            return frozenset()
        rows = self._workspace.db.execute(_LATER, {"seq": filters.until_seq})
        residents = filters.residents or frozenset()
        return frozenset(row["id"] for row in rows if row["uid"] not in residents)

    def _allowed(
        self, filters: ItemFilter, later: frozenset[int]
    ) -> NDArray[np.bool_] | None:
        """Say of every document whether it may be found, None when all may.

        Residents leave before pooling, or R_t is short.
        """
        db = self._workspace.db
        excluded = set(later)
        if filters.residents is None:
            rows = db.execute("SELECT id FROM item WHERE hot_region = 1")
            excluded |= {int(row[0]) for row in rows}
        named = filters.skip | (filters.residents or frozenset())
        if named:
            rows = db.execute(
                f"SELECT id FROM item WHERE uid IN {LISTED}", (listed(named),)
            )
            excluded |= {int(row[0]) for row in rows}
        is_limited = bool(
            filters.types
            or filters.categories
            or filters.soc
            or filters.cann
            or filters.dtypes
            or filters.work is not None
        )
        present = self._sparse.present
        items = self._sparse.items
        are_all_present = len(self._sparse) == len(present)
        if are_all_present and not excluded and not is_limited:
            return None
        allowed = present.copy()
        if excluded:
            allowed &= ~np.isin(items, list(excluded))
        if is_limited:
            rows_in_scope = [
                row for row in _typed(db, filters) if in_scope(row["scope"], filters)
            ]
            fitting = [int(row["id"]) for row in rows_in_scope]
            allowed &= np.isin(items, fitting)
        return allowed

    def _rerank(
        self,
        pool: NDArray[np.int64],
        relevance: Floats,
        coverage: Floats,
        cosines: Floats | None,
        k: int,
        gamma: float,
        until_seq: int | None,
    ) -> tuple[Retrieved, ...]:
        """Return the k best of the pool by s(m) = s_rel (1 + gamma u), the paper's late reranking.

        Of equal ones the more relevant comes first, then the lower id.

        Args:
            pool: [pool] document numbers.
            relevance: [pool] s_rel.
            coverage: [pool] the sparse part of it, in [0, 1).
            cosines: [pool] the dense part, NaN where an item has no vector; None without an encoder.
            k: How many.
            gamma: Strength of utility.
            until_seq: Position of the memory at which u counts; None for now.
        """
        items = self._sparse.items[pool]
        order = np.lexsort((items, -relevance))
        order = order[relevance[order] > 0.0]
        ids: list[int] = items[order].tolist()
        relevances: list[float] = relevance[order].tolist()
        # Reading u costs a query: of the first 2 k, then of those that could still rise among the k best.
        db = self._workspace.db
        places = list(range(min(2 * k, len(ids))))
        utility_of = utilities(db, ids[: 2 * k], until_seq)
        final = [
            reranked_score(relevances[place], utility_of[ids[place]][1], gamma)
            for place in places
        ]
        if len(ids) > len(places):
            # u is at most 1 (Property 2), so s is at most s_rel (1 + gamma).
            score_of_rank_k = sorted(final)[-k]
            rest = [
                place
                for place in range(2 * k, len(ids))
                if relevances[place] * (1 + gamma) >= score_of_rank_k
            ]
            utility_of |= utilities(db, [ids[place] for place in rest], until_seq)
            # `relevances` fall, so that the rest follows the first 2 k without a gap.
            final += [
                reranked_score(relevances[place], utility_of[ids[place]][1], gamma)
                for place in rest
            ]
        # The sort is stable, and places are by relevance, then id.
        best = sorted(range(len(final)), key=lambda place: -final[place])
        hits = []
        for rank, place in enumerate(best[:k], start=1):
            item = ids[place]
            uid, u = utility_of[item]
            in_pool = int(order[place])
            hit = Retrieved(
                uid=uid,
                rank=rank,
                u=u,
                rank_before=place + 1,
                coverage=float(coverage[in_pool]),
                cosine=_cosine(cosines, in_pool),
                s_rel=relevances[place],
                s=final[place],
                id=item,
            )
            hits.append(hit)
        return tuple(hits)


def _cosine(cosines: Floats | None, place: int) -> float | None:
    if cosines is None or np.isnan(cosines[place]):
        return None
    return float(cosines[place])


def _pool(
    scores: Floats,
    cosines: Floats | None,
    allowed: NDArray[np.bool_] | None,
    size: int,
) -> NDArray[np.int64]:
    """Return the document numbers in the union of the best `size` of each part.

    An item that one part alone ranks high is a candidate too.
    """
    if allowed is not None:
        scores = np.where(allowed, scores, 0.0)
    best = best_positions(scores, size)
    if cosines is None:
        return best
    is_usable = ~np.isnan(cosines)
    if allowed is not None:
        is_usable &= allowed
    usable_cosines = np.where(is_usable, cosines, 0.0)
    return np.union1d(best, best_positions(usable_cosines, size))


def best_positions(scores: Floats, size: int) -> NDArray[np.int64]:
    """Return the positions of the `size` largest positive scores; of equal ones the lowest positions."""
    floor = _floor(scores, size)
    is_candidate = scores >= floor if floor > 0.0 else scores > 0.0
    positions = np.flatnonzero(is_candidate)
    if len(positions) > size:
        limit = _largest(scores[positions], size)
        positions = positions[scores[positions] >= limit]
        best_first = np.argsort(-scores[positions], kind="stable")
        positions = positions[best_first][:size]
    return positions


def _largest(values: Floats, rank: int) -> float:
    """Return the value of this rank, 1 for the largest; a partition takes linear time."""
    place = len(values) - rank
    return float(np.partition(values, place)[place])


def _floor(scores: Floats, size: int) -> float:
    """Return a score that at least `size` positions reach, as high as one look at group maxima shows.

    The positions are dealt into groups; the size-th largest maximum is such a score. What lies below it needs
    no sorting, which is nearly everything. 0 when there are too few positions for it to pay.
    """
    depth = min(_DEEPEST_GROUP, len(scores) // (_GROUPS * size))
    if depth < 2:
        return 0.0
    groups = len(scores) // depth
    grouped = scores[: depth * groups].reshape(depth, groups)
    return _largest(grouped.max(axis=0), size)


def _typed(db: sqlite3.Connection, filters: ItemFilter) -> list[sqlite3.Row]:
    """Id and scope of the active items of the types and categories of a filter."""
    clauses = ["state = 'active'"]
    values: list[str] = []
    limits = (("type", filters.types), ("category", filters.categories))
    for column, allowed in limits:
        if allowed:
            marks = ", ".join("?" * len(allowed))
            clauses.append(f"{column} IN ({marks})")
            values += allowed
    condition = " AND ".join(clauses)
    query = f"SELECT id, scope FROM item WHERE {condition}"
    return db.execute(query, values).fetchall()


def in_scope(scope: str, filters: ItemFilter) -> bool:
    """Return whether an item of this scope (JSON) holds for SoC, CANN version, dtypes and work at hand.

    A scope names families (`Ascend910B`, `8.1`), the filter what is there (`Ascend910B1`, `8.1.RC1`, not
    `8.10`). CANN writes processors in upper and lower case (`ascend910b` in op_host).
    """
    limits = decode(scope, Scope)
    # A scope that names nothing holds for all, and so does a filter that asks for nothing.
    soc = filters.soc.casefold()
    if soc and limits.soc:
        families = tuple(family.casefold() for family in limits.soc)
        if not soc.startswith(families):
            return False
    if filters.cann and limits.cann:
        # With a full stop behind both, or `8.1` would be a beginning of `8.10`.
        cann = f"{filters.cann.casefold()}."
        versions = tuple(f"{version.casefold()}." for version in limits.cann)
        if not cann.startswith(versions):
            return False
    if filters.dtypes and limits.dtype:
        shared = set(limits.dtype).intersection(filters.dtypes)
        if not shared:
            return False
    if filters.work is not None and limits.work:
        return not set(limits.work).isdisjoint(filters.work)
    return True


_LOG = logging.getLogger(__name__)
_LOOK_S = 0.2  # between two looks whether to wait on: a run that stops waits no longer
_EMBEDDED_PER_QUERY = 16  # half a second at most; a bank of seeds is done in two rounds


class HybridRetriever(Retriever):
    """A `Retriever` that starts the encoder, embeds new items little by little and logs what is missing.

    Example:
        >>> encoder = EncoderClient()
        >>> engine = Engine(..., retriever=lambda ws: HybridRetriever(ws, encoder))

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

    @property
    def is_loading(self) -> bool:
        """Whether the first query would still wait for the encoder."""
        loading = (EncoderState.STOPPED, EncoderState.STARTING)
        return bool(self._wait_seconds) and self._encoder.state in loading

    async def load(self) -> None:
        """Wait as the first query would, and let others work meanwhile."""
        until = time.monotonic() + self._wait_seconds
        while self.is_loading and time.monotonic() < until:
            await asyncio.to_thread(self._encoder.wait, _LOOK_S)

    def __call__(
        self,
        query: str,
        k: int | None,
        parameters: MethodParameters,
        filters: ItemFilter,
    ) -> tuple[Retrieved, ...]:
        """As `retrieve`: what a run needs."""
        return self.retrieve(query, k, parameters, filters)

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
        hits = super().retrieve(query, k, parameters, filters)
        if self.last.sparse == 1.0 and self.last.reason != self._reason:
            _LOG.warning("Experiences are searched by words only: %s", self.last.reason)
        self._reason = self.last.reason
        return hits
