"""Sparse retrieval: a tokenizer for prose, identifiers and CJK, BM25 as reference, and an incremental BM25.

`LuceneBM25` is rank-bm25 with the idf of Lucene, ln(1 + (N - n + 0.5)/(n + 0.5)). The idf of rank-bm25 0.2.2
is negative or zero in banks of one or two items and lets words found in most documents outrank rarer ones;
s_rel must never be negative (Property 3). `IncrementalBM25` gives the same scores and can add and remove
documents.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

Floats: TypeAlias = NDArray[np.float64]
Docs: TypeAlias = NDArray[np.int32]
_State: TypeAlias = tuple[int, tuple[int, ...]]
LoadPosting: TypeAlias = Callable[[str], tuple[Docs, Floats] | None]

TOKENIZER_VERSION = "lex-1"
K1 = 1.5
LENGTH_WEIGHT = 0.75  # b of BM25

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]+|(?![{_CJK}])[^\W\d_](?:(?![{_CJK}])\w)*|\d+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "for",
        "and",
        "or",
        "is",
        "are",
        "be",
        "with",
        "by",
        "as",
        "on",
        "from",
        "that",
        "this",
        "it",
        "if",
        "not",
        "at",
        "can",
        "will",
    ]
)


def tokenize(text: str) -> list[str]:
    """Split text into lower-case terms.

    A camelCase or snake_case identifier gives itself and its parts, so that both `DataCopyPad` and `copy`
    find it; a run of CJK characters gives its bigrams; very common English words are left out.
    """
    return list(chain.from_iterable(map(_terms, _WORD.findall(text))))


@lru_cache(maxsize=65_536)
def _terms(word: str) -> tuple[str, ...]:
    if _IS_CJK.match(word):
        return tuple(word[i : i + 2] for i in range(len(word) - 1)) or (word,)
    whole = word.lower().rstrip("_")
    if whole in _STOP:
        return ()
    parts = _PART.findall(word)
    return (whole, *(part.lower() for part in parts)) if len(parts) > 1 else (whole,)


class LuceneBM25(BM25Okapi):  # type: ignore[misc]
    """rank-bm25's BM25Okapi with Lucene's idf, usable with empty banks: the reference of all indexes."""

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        if any(corpus):
            super().__init__(corpus, k1=K1, b=LENGTH_WEIGHT)
            return
        self.k1, self.b, self.epsilon = K1, LENGTH_WEIGHT, 0.0
        self.corpus_size, self.avgdl = len(corpus), 1.0
        self.doc_freqs: list[dict[str, int]] = [{} for _ in corpus]
        self.idf: dict[str, float] = {}
        self.doc_len = [0 for _ in corpus]

    def _calc_idf(self, nd: dict[str, int]) -> None:
        for term, count in nd.items():
            self.idf[term] = float(
                np.log1p((self.corpus_size - count + 0.5) / (count + 0.5))
            )

    def get_scores(self, query: Sequence[str]) -> Any:
        """Return one score per document; zeros for an empty bank."""
        if self.corpus_size == 0:
            return np.zeros(0)
        return super().get_scores(query)


class IncrementalBM25:
    """BM25 over numbered documents that come and go; scores equal `LuceneBM25` over the documents present.

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
        known = [entry for entry in weighted if len(entry[1])]
        if not known:
            return np.zeros(self._end), 0.0
        result: Floats = np.bincount(
            np.concatenate([docs for _, docs, _ in known]),
            weights=np.concatenate([weights for _, _, weights in known]),
            minlength=self._end,
        ).astype(np.float64, copy=False)
        return result, sum(idf for idf, _, _ in known) * (K1 + 1)

    def _weights(
        self, term: str, without: tuple[int, ...]
    ) -> tuple[float, NDArray[np.intp], Floats]:
        """Return a term's idf, its present documents and its BM25 in each, kept until they change."""
        kept = self._kept.get(term)
        state = (self._state, without)
        if kept is not None and kept[0] == state:
            return kept[1]
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
