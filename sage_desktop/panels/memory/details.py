"""What the page of an item shows beyond its own row: imported evidence, tags, neighbours. No Qt."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from core.memory.reading import read_items
from core.memory.records import ContentChange, ItemFilter
from core.memory.views import queries
from core.memory.views.rows import ItemPage
from core.search_terms import tokenize
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.memory.retrieval.retriever import Retriever

NEIGHBOURS = 6
_MOST_WORDS = 60  # of an item's text that make the question for its neighbours


@dataclass(frozen=True)
class Details:
    """An item with what stands between it and others.

    Attributes:
        page: Everything known of the item itself.
        prior: (u, n_ret) that came with it without traces, None when there is none.
        tags: Words a person gave it.
    """

    page: ItemPage
    prior: tuple[float, int] | None = None
    tags: tuple[str, ...] = ()

    @property
    def adopters(self) -> tuple[tuple[str, int], ...]:
        """Operators that adopted the item and in how many rounds, the most frequent first."""
        records = [
            record
            for record in self.page.adoptions
            if record.state == "adopted" and record.counted
        ]
        counted = Counter(record.operator for record in records)
        rest = dict.fromkeys(self.page.item.adopted_operators, 0)
        return tuple(
            sorted((rest | counted).items(), key=lambda entry: (-entry[1], entry[0]))
        )


@dataclass(frozen=True)
class Neighbour:
    """An item like another one; `likeness` is the relevance s_rel in [0, 100] to the other's text."""

    uid: str
    title: str
    likeness: float


@dataclass(frozen=True)
class Revision:
    """One field of an item before and after a change."""

    at: str
    field: str
    before: str
    after: str


def read_details(db: sqlite3.Connection, uid: str) -> Details:
    """Read an item; raises NoSuchItem."""
    page = queries.item_page(db, uid)
    tags = queries.item_tags(db, [page.item.id]).get(page.item.id, ())
    return Details(page, queries.imported_prior(db, uid), tags)


@lru_cache(maxsize=2)  # the window reads through two connections
def _retriever(workspace: Workspace) -> Retriever:
    """One a connection: its index takes ten seconds to build with 100,000 items, then follows changes."""
    from core.memory.retrieval.retriever import Retriever

    return Retriever(workspace)


def neighbours(uid: str) -> Callable[[Workspace], tuple[Neighbour, ...]]:
    """A question for the active items most like the item `uid`, by the words of its title and summary."""

    def read(workspace: Workspace) -> tuple[Neighbour, ...]:
        from core.method.parameters import MethodParameters

        item = read_items(workspace.db, [uid])[0]
        words = tokenize(f"{item.title} {item.error_message} {item.summary}")[
            :_MOST_WORDS
        ]
        relevance = replace(MethodParameters(), gamma=0.0)
        others = ItemFilter(skip=frozenset({uid}), residents=frozenset())
        hits = _retriever(workspace).retrieve(
            " ".join(words), NEIGHBOURS, relevance, others
        )
        found = read_items(workspace.db, [hit.uid for hit in hits])
        return tuple(
            Neighbour(hit.uid, other.title, hit.s_rel or 0.0)
            for hit, other in zip(hits, found, strict=True)
        )

    return read


def revisions(history: Sequence[ContentChange]) -> tuple[Revision, ...]:
    """What was changed in an item after it was written, the latest first."""
    content: dict[str, str] = {}
    found = []
    for number, entry in enumerate(sorted(history, key=lambda row: row.at)):
        for name, value in entry.fields.items():
            text = str(value)
            if number and content.get(name, "") != text:
                found.append(Revision(entry.at, name, content.get(name, ""), text))
            content[name] = text
    return tuple(reversed(found))
