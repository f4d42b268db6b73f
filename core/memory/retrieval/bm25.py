"""BM25 over documents that come and go, with the idf of Lucene: ln(1 + (N - n + 0.5)/(n + 0.5)).

That of rank-bm25 0.2.2 is negative or zero in banks of one or two items and lets words found in most
documents outrank rarer ones; s_rel must never be negative (Property 3).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Docs: TypeAlias = NDArray[np.int32]
# Documents ascending, how often a term is in each.
Posting: TypeAlias = tuple[Docs, Floats]
LoadPosting: TypeAlias = Callable[[str], Posting | None]
# Changes of the index so far, and documents taken for absent: the weights of a term hang on both.
_State: TypeAlias = tuple[int, tuple[int, ...]]

K1 = 1.5  # saturation: how soon a further mention of a term adds little
LENGTH_WEIGHT = 0.75  # b of BM25: how much longer documents are marked down


class _TermWeights(NamedTuple):
    """A term's idf, the present documents it is in, and its BM25 in each."""

    idf: float
    docs: NDArray[np.intp]
    weights: Floats


class IncrementalBM25:
    """BM25 over numbered documents that come and go; the tests hold its scores against rank-bm25's.

    Document numbers ascend and are never reused. Removal only marks: postings keep the number until `load`
    brings compacted ones. A query costs the postings of its terms.

    Args:
        load: Gives the stored posting (documents ascending, term counts) of a term, None when there is none.
    """

    def __init__(self, load: LoadPosting = lambda _: None) -> None:
        self._load = load
        self._stored: dict[str, Posting] = {}
        # Arrays, of which the search for cycles in memory looks at none.
        self._added: dict[str, tuple[array[int], array[int]]] = {}
        self._lengths: Floats = np.zeros(64)
        self._present = np.zeros(64, dtype=bool)
        self._end = 0
        self._documents = 0
        self._total_length = 0.0
        self._state = 0
        self._kept: dict[str, tuple[_State, _TermWeights]] = {}

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
            empty = (array("i"), array("i"))
            docs, counts = self._added.setdefault(term, empty)
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
        every = [self._weights(term, without) for term in dict.fromkeys(query)]
        # A term that no document has tells nothing of how much could be attained either.
        known = [term for term in every if len(term.docs)]
        if not known:
            return np.zeros(self._end), 0.0
        docs = np.concatenate([term.docs for term in known])
        weights = np.concatenate([term.weights for term in known])
        result = np.bincount(docs, weights=weights, minlength=self._end)
        # The term part of BM25 stays below k1 + 1, whatever the count and the length.
        attainable = sum(term.idf for term in known) * (K1 + 1)
        return result.astype(np.float64, copy=False), attainable

    def _weights(self, term: str, without: tuple[int, ...]) -> _TermWeights:
        """Return the weights of a term, kept until a document comes or goes.

        idf · n (k1 + 1) / (n + k1 (1 - b + b |d| / mean |d|)) for a term that is n times in a document of
        |d| terms.
        """
        cached = self._kept.get(term)
        state = (self._state, without)
        if cached is not None and cached[0] == state:
            return cached[1]
        docs, counts = self._posting(term)
        alive = self._present[docs]
        if without:
            alive &= ~np.isin(docs, without)
        if not alive.all():
            docs = docs[alive]
            counts = counts[alive]
        absent_length = float(self._lengths[list(without)].sum())
        total_length = self._total_length - absent_length
        documents = self._documents - len(without)
        without_term = documents - len(docs)
        odds = (without_term + 0.5) / (len(docs) + 0.5)
        idf = float(np.log1p(odds))
        mean = total_length / documents if total_length else 1.0
        length_part = LENGTH_WEIGHT * self._lengths[docs] / mean
        saturation = K1 * (1 - LENGTH_WEIGHT + length_part)
        term_part = counts * (K1 + 1) / (counts + saturation)
        entry = _TermWeights(idf, docs.astype(np.intp), idf * term_part)
        self._kept[term] = (state, entry)
        return entry

    def _posting(self, term: str) -> Posting:
        """The documents of a term: those stored and, behind them, those added since."""
        stored = self._stored.get(term)
        if stored is None:
            nothing = (np.zeros(0, dtype=np.int32), np.zeros(0))
            stored = self._load(term) or nothing
            self._stored[term] = stored
        added = self._added.pop(term, None)
        if added is None:
            return stored
        added_docs = np.array(added[0], dtype=np.int32)
        added_counts = np.array(added[1], dtype=np.float64)
        docs = np.concatenate([stored[0], added_docs])
        counts = np.concatenate([stored[1], added_counts])
        self._stored[term] = (docs, counts)
        return docs, counts

    def _reserve(self, doc: int) -> None:
        """Make room for a document, twice as much as there is: adding one by one stays cheap."""
        size = len(self._lengths)
        if doc >= size:
            more = max(doc + 1, 2 * size) - size
            self._lengths = np.append(self._lengths, np.zeros(more))
            absent = np.zeros(more, dtype=bool)
            self._present = np.append(self._present, absent)
        self._end = max(self._end, doc + 1)
