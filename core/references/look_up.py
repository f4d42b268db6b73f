"""The answer to a look-up, as text of bounded length: for the model, the command line and the window."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from core.references.ranking import Ranking
from core.references.sections import Section

LONGEST_SECTION = 5_000  # characters quoted of one
_LONGEST_NEAR = 2_500  # of one that was found by words
_LEAST_ANSWER = 2_500  # characters of one query, however many there are
LONGEST_ANSWER = 16_000  # characters of all answers to one reply, about 4000 tokens
_LATIN = "\u2e7f"
_REMEDY = re.compile(r"^\[… \d+ more characters; look up (.+) alone\]$", re.MULTILINE)
LONGEST_QUERY = 120  # characters
_LONGEST_TITLE = 100
_BY_NAME = 4  # sections about one name
_BY_WORDS = 3
_NEIGHBOURS = 12  # names that are listed only
_MOST_RESTS = 8  # of answers that were cut, in a round


@dataclass(frozen=True)
class Found:
    """What one query found.

    Attributes:
        query: As asked.
        sections: To be quoted, best first.
        neighbours: Further names that hold the one asked for.
        exact: Whether the sections are about that very name.
    """

    query: str
    sections: tuple[Section, ...]
    neighbours: tuple[str, ...]
    exact: bool

    @property
    def text(self) -> str:
        """As Markdown, one query's answer."""
        # The heading of the one section says the query already.
        is_title = self.exact and self.query == self.sections[0].title
        parts = [] if is_title else [f"## {self.query}"]
        if not self.sections:
            parts.append(
                "Nothing was found. Try the name of a function, or other words."
            )
        elif not self.exact:
            parts.append("No entry of that name; the nearest:")
        most = _LONGEST_NEAR
        if self.exact:
            is_alone = len(self.sections) == 1
            most = LONGEST_ANSWER if is_alone else LONGEST_SECTION
        parts += [quoted(section, most) for section in self.sections]
        if self.neighbours:
            names = ", ".join(self.neighbours)
            parts.append(f"Names that hold it: {names}")
        return "\n\n".join(parts)


class References:
    """All that can be looked up in a run. Unchanging, so that every look-up of a run has the same answer."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._ranking = Ranking(sections)

    @property
    def sections(self) -> tuple[Section, ...]:
        """In the order of their documents, the built-in ones first."""
        return self._ranking.sections

    @cached_property
    def digest(self) -> str:
        """Sha256 over every section: equal digests give equal answers."""
        total = sha256()
        for section in self.sections:
            for part in (section.source, section.title, section.text):
                total.update(part.encode())
                total.update(b"\0")
        return total.hexdigest()

    def find(self, query: str) -> Found:
        """What a name, a part of one, or words lead to."""
        one_line = " ".join(query.split())
        cleaned = one_line[:LONGEST_QUERY].strip(" `")
        named = sorted(self._ranking.named(cleaned), key=_dense_first)
        neighbours = self._ranking.holding(cleaned)
        if named:
            return Found(
                cleaned,
                tuple(named[:_BY_NAME]),
                tuple(neighbours[:_NEIGHBOURS]),
                exact=True,
            )
        if neighbours:
            first = self._ranking.named(neighbours[0])
            return Found(
                cleaned,
                tuple(first[:1]),
                tuple(neighbours[1 : _NEIGHBOURS + 1]),
                exact=False,
            )
        words = self._ranking.by_words(cleaned, _BY_WORDS)
        return Found(cleaned, tuple(words), (), exact=False)

    def answer(self, queries: Sequence[str], most: int = LONGEST_ANSWER) -> str:
        """All answers as one text of about `most` characters; what short ones leave goes to others."""
        texts = [self.find(query).text for query in queries]
        room = most
        shortest_first = sorted(
            range(len(texts)), key=lambda number: len(texts[number])
        )
        waiting = len(texts)
        for number in shortest_first:
            share = max(_LEAST_ANSWER, room // waiting)
            text = _cut(texts[number], share, [queries[number]])
            texts[number] = text
            room -= len(text)
            waiting -= 1
        return "\n\n".join(texts)


def charged(look_ups: Iterable[tuple[Sequence[str], str]]) -> int:
    """How many queries of a round count, given what was asked and answered, in order.

    An answer that was cut says what to look up alone to see the rest: that costs nothing, once, and a bounded
    number of times.
    """
    offered: set[str] = set()
    count = 0
    rests = 0
    for queries, answer in look_ups:
        is_alone = len(queries) == 1
        is_rest = is_alone and queries[0] in offered
        if is_rest and rests < _MOST_RESTS:
            rests += 1
        else:
            count += len(queries)
        cut = set(_REMEDY.findall(answer))
        # What was asked alone and is cut even so has no more to give.
        if is_alone:
            cut.difference_update(queries)
        offered.difference_update(queries)
        offered |= cut
    return count


def _dense_first(section: Section) -> tuple[bool, bool]:
    """What is built in comes first, then sections with code or a table: there the facts are."""
    is_built_in = section.source.startswith("built-in")
    has_facts = "```" in section.text or "|" in section.text
    return not is_built_in, not has_facts


def quoted(section: Section, most: int = LONGEST_SECTION) -> str:
    """A section with its heading and where it is from, its text at most about `most` characters."""
    title = (
        section.title
        if len(section.title) <= _LONGEST_TITLE
        else f"{section.title[:_LONGEST_TITLE]} …"
    )
    text = _cut(section.text, most, section.names[:1])
    return f"### {title}\n*{section.source}*\n\n{text}"


def _cut(text: str, most: int, names: Sequence[str] = ()) -> str:
    """The beginning of a long text, fences closed, with how much is missing and how to see it."""
    if not text:
        return text
    # Of Chinese a character is about a token, not a quarter.
    wide = sum(character > _LATIN for character in text)
    most = most * len(text) // (len(text) + 2 * wide)
    if len(text) <= most:
        return text
    part = text[:most].rpartition("\n")[0]
    # A line may be longer than all that is shown.
    if len(part) <= most // 2:
        part = text[:most]
    rest = len(text) - len(part)
    if part.count("```") % 2:
        part += "\n```"
    name = names[0] if names else "one name"
    return f"{part}\n[… {rest} more characters; look up {name} alone]"
