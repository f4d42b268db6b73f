"""BM25 over documents that come and go, with the idf of Lucene: ln(1 + (N - n + 0.5)/(n + 0.5)).

That of rank-bm25 0.2.2 is negative or zero in banks of one or two items and lets words found in most
documents outrank rarer ones; s_rel must never be negative (Property 3).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Docs: TypeAlias = NDArray[np.int32]
_State: TypeAlias = tuple[int, tuple[int, ...]]
LoadPosting: TypeAlias = Callable[[str], tuple[Docs, Floats] | None]

K1 = 1.5
LENGTH_WEIGHT = 0.75  # b of BM25


class IncrementalBM25:
    """BM25 over numbered documents that come and go; the tests hold its scores against rank-bm25's.

    Document numbers ascend and are never reused. Removal only marks: postings keep the number until `load`
    brings compacted ones. A query costs the postings of its terms.

    Args:
        load: Gives the stored posting (documents ascending, term counts) of a term, None when there is none.
    """

    def __init__(self, load: LoadPosting = lambda _: None) -> None:
        self._load = load
        self._stored: dict[str, tuple[Docs, Floats]] = {}
        self._added: dict[
            str, tuple[array[int], array[int]]
        ] = {}  # arrays: nothing for the cycle search
        self._lengths: Floats = np.zeros(64)
        self._present = np.zeros(64, dtype=bool)
        self._end = 0
        self._documents = 0
        self._total_length = 0.0
        self._state = 0
        self._kept: dict[
            str, tuple[_State, tuple[float, NDArray[np.intp], Floats]]
        ] = {}

    def __len__(self) -> int:
        return self._documents

    @property
    def end(self) -> int:
        """One past the largest document number seen: the length of score arrays."""
        return self._end

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which document numbers are present."""
        return self._present[: self._end]

    def adopt(self, docs: Iterable[int], lengths: Iterable[int]) -> None:
        """Take over stored documents whose postings `load` gives."""
        numbers = np.fromiter(docs, dtype=np.int64)
        sizes = np.fromiter(lengths, dtype=np.float64)
        if len(numbers):
            self._reserve(int(numbers.max()))
            self._lengths[numbers] = sizes
            self._present[numbers] = True
        self._documents += len(numbers)
        self._total_length += float(sizes.sum())
        self._state += 1

    def add(self, doc: int, terms: Sequence[str]) -> Counter[str]:
        """Add a document under a number larger than all before it; returns its term counts."""
        self._reserve(doc)
        self._lengths[doc] = len(terms)
        self._present[doc] = True
        self._documents += 1
        self._total_length += len(terms)
        self._state += 1
        frequencies = Counter(terms)
        for term, count in frequencies.items():
            docs, counts = self._added.setdefault(term, (array("i"), array("i")))
            docs.append(doc)
            counts.append(count)
        return frequencies

    def remove(self, doc: int) -> None:
        """Take a document out."""
        if not self._present[doc]:
            raise KeyError(doc)
        self._present[doc] = False
        self._documents -= 1
        self._total_length -= float(self._lengths[doc])
        self._state += 1

    def scores(
        self, query: Iterable[str], without: tuple[int, ...] = ()
    ) -> tuple[Floats, float]:
        """Return BM25 per document number and the largest score the query could attain.

        Args:
            query: Terms; repeats count once.
            without: Documents taken for absent, each once.

        Returns:
            Scores (0 for absent documents), and the sum over the query's known terms of idf (k1 + 1): what an
            endlessly repetitive, endlessly short document would get. Their ratio is the coverage in [0, 1).
        """
        weighted = [self._weights(term, without) for term in dict.fromkeys(query)]
        present = [entry for entry in weighted if len(entry[1])]
        if not present:
            return np.zeros(self._end), 0.0
        result: Floats = np.bincount(
            np.concatenate([docs for _, docs, _ in present]),
            weights=np.concatenate([weights for _, _, weights in present]),
            minlength=self._end,
        ).astype(np.float64, copy=False)
        return result, sum(idf for idf, _, _ in present) * (K1 + 1)

    def _weights(
        self, term: str, without: tuple[int, ...]
    ) -> tuple[float, NDArray[np.intp], Floats]:
        """Return a term's idf, its present documents and its BM25 in each, kept until they change."""
        cached = self._kept.get(term)
        state = (self._state, without)
        if cached is not None and cached[0] == state:
            return cached[1]
        docs, counts = self._posting(term)
        alive = self._present[docs]
        if without:
            alive &= ~np.isin(docs, without)
        if not alive.all():
            docs, counts = docs[alive], counts[alive]
        documents = self._documents - len(without)
        length = self._total_length - float(self._lengths[list(without)].sum())
        idf = float(np.log1p((documents - len(docs) + 0.5) / (len(docs) + 0.5)))
        mean = length / documents if length else 1.0
        saturation = K1 * (
            1 - LENGTH_WEIGHT + LENGTH_WEIGHT * self._lengths[docs] / mean
        )
        entry = (
            idf,
            docs.astype(np.intp),
            idf * (counts * (K1 + 1) / (counts + saturation)),
        )
        self._kept[term] = (state, entry)
        return entry

    def _posting(self, term: str) -> tuple[Docs, Floats]:
        stored = self._stored.get(term)
        if stored is None:
            stored = self._load(term) or (np.zeros(0, dtype=np.int32), np.zeros(0))
            self._stored[term] = stored
        added = self._added.get(term)
        if added is None:
            return stored
        merged = (
            np.concatenate([stored[0], np.array(added[0], dtype=np.int32)]),
            np.concatenate([stored[1], np.array(added[1], dtype=np.float64)]),
        )
        self._stored[term] = merged
        del self._added[term]
        return merged

    def _reserve(self, doc: int) -> None:
        if doc >= len(self._lengths):
            more = max(doc + 1, 2 * len(self._lengths)) - len(self._lengths)
            self._lengths = np.concatenate([self._lengths, np.zeros(more)])
            self._present = np.concatenate([self._present, np.zeros(more, dtype=bool)])
        self._end = max(self._end, doc + 1)
