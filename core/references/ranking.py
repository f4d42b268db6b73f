"""Sections ranked for a query: the name itself, then names that hold it, then rank-bm25 over the words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from core.references.sections import Section
from core.search_terms import tokenize

_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:::|\.|->)[A-Za-z_]\w*)*(?:\(\))?")
_TITLE_WEIGHT = 3  # times a title is counted against a word of the text
_SHORTEST_PART = 3  # characters of a name that is looked for inside others


class Ranking:
    """A small, unchanging corpus; the index is made at the first search by words."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.sections = tuple(sections)
        self._named: dict[str, list[int]] = defaultdict(list)
        self._members: dict[str, list[int]] = defaultdict(list)
        for number, section in enumerate(self.sections):
            for name in section.names:
                self._named[_bare(name)].append(number)
            for name in section.members:
                self._members[name].append(number)

    def named(self, query: str) -> list[Section]:
        """Sections about exactly the name asked for; upper and lower case only count where both exist."""
        if not is_name(query):
            return []
        numbers = self._named.get(_bare(query), [])
        if not numbers:
            members = self._members.get(_last(query), [])
            return [self.sections[number] for number in members]
        sections = [self.sections[number] for number in numbers]
        name = query.strip("()")
        exact = [each for each in sections if name in map(_last, each.names)]
        return exact or sections

    def holding(self, query: str) -> list[str]:
        """Names that hold the one asked for, those that begin with it first, the shortest first."""
        if not is_name(query):
            return []
        bare = _bare(query)
        if len(bare) < _SHORTEST_PART:
            return []
        names: set[str] = set()
        for key, numbers in self._named.items():
            if key == bare or bare not in key:
                continue
            for number in numbers:
                every_name = self.sections[number].names
                names.update(name for name in every_name if _bare(name) == key)

        def place(name: str) -> tuple[bool, int, str]:
            begins_with_it = _bare(name).startswith(bare)
            return not begins_with_it, len(name), name

        return sorted(names, key=place)

    def by_words(self, query: str, most: int) -> list[Section]:
        """The best sections for a query in words; none where no word of it occurs."""
        words = tokenize(query)
        if not words or not self.sections:
            return []
        scores = self._index.get_scores(words)
        numbers = range(len(self.sections))
        # The sort is stable: of equal ones the earlier in the documents comes first.
        best = sorted(numbers, key=lambda number: -scores[number])[:most]
        return [self.sections[number] for number in best if scores[number] > 0]

    @cached_property
    def _index(self) -> LuceneBM25:
        corpus = []
        for section in self.sections:
            title_terms = tokenize(section.title) * _TITLE_WEIGHT
            corpus.append(title_terms + tokenize(section.text))
        return LuceneBM25(corpus)


class LuceneBM25(BM25Okapi):  # type: ignore[misc]
    """rank-bm25's BM25Okapi with Lucene's idf, ln(1 + (N - n + 0.5)/(n + 0.5)), usable without documents.

    rank-bm25's own is negative or zero with one or two documents.
    """

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        if any(corpus):
            super().__init__(corpus)
            return
        self.k1, self.b, self.epsilon = 1.5, 0.75, 0.0  # its defaults
        self.corpus_size, self.avgdl = len(corpus), 1.0
        self.doc_freqs: list[dict[str, int]] = [{} for _ in corpus]
        self.idf: dict[str, float] = {}
        self.doc_len = [0 for _ in corpus]

    def _calc_idf(self, nd: dict[str, int]) -> None:
        for term, count in nd.items():
            without_term = self.corpus_size - count
            odds = (without_term + 0.5) / (count + 0.5)
            self.idf[term] = float(np.log1p(odds))

    def get_scores(self, query: Sequence[str]) -> Any:
        """Return one score per document; zeros for an empty bank."""
        if self.corpus_size == 0:
            return np.zeros(0)
        return super().get_scores(query)


def is_name(query: str) -> bool:
    """Whether a query is one name of a program."""
    return _NAME.fullmatch(query.strip()) is not None


def _last(name: str) -> str:
    """The last part of a qualified name: `Exp` of `AscendC::Exp()`."""
    bare = name.strip().removesuffix("()")
    return re.split(r"::|\.|->", bare)[-1]


def _bare(name: str) -> str:
    """The last part of a qualified name in lower case."""
    return _last(name).lower()
