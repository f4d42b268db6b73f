"""Finding words in a comparison: in every line of both versions, the folded ones too.

Plain texts are found by `re`, expressions by Qt's PCRE, which gives up where `re` could search for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QRegularExpression

from sage_desktop.ui.diff.cells import character_at
from sage_desktop.ui.diff.document import DiffDocument
from sage_desktop.ui.diff.engine import Span

SIDES = ("left", "right")
_MOST = 20_000  # hits that are kept; who looks for a blank does not walk through all of them


@dataclass(frozen=True)
class Query:
    """What is looked for.

    Attributes:
        text: Words, or a regular expression; empty looks for nothing.
        regex: Whether `text` is a Perl-compatible expression; it is matched within lines.
        case: Whether large and small letters differ.
        whole: Whether only whole words count.
    """

    text: str = ""
    regex: bool = False
    case: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Hit:
    """One place: index of the row in `FileDiff.rows`, the side it stands on, its characters."""

    row: int
    side: str
    span: Span


@dataclass(frozen=True)
class FindState:
    """How a search stands: hit in front (from 1, 0 when none), all hits, why the query cannot be used."""

    number: int = 0
    total: int = 0
    error: str = ""


Finder = Callable[[str], list[Span]]


def finder(query: Query) -> tuple[Finder, str]:
    """What finds `query` in a line, and why it cannot (empty when it can)."""
    if not query.text:
        return (lambda _line: []), ""
    if query.regex:
        return _by_expression(query)
    word = re.escape(query.text)
    if query.whole:
        word = rf"(?<!\w){word}(?!\w)"
    plain = re.compile(word, 0 if query.case else re.IGNORECASE)
    return (lambda line: [Span(*found.span()) for found in plain.finditer(line)]), ""


def _by_expression(query: Query) -> tuple[Finder, str]:
    options = QRegularExpression.PatternOption.UseUnicodePropertiesOption
    if not query.case:
        options |= QRegularExpression.PatternOption.CaseInsensitiveOption
    text = rf"(?<!\w)(?:{query.text})(?!\w)" if query.whole else query.text
    expression = QRegularExpression(text, options)
    if not expression.isValid():
        where = expression.patternErrorOffset() - (
            len(r"(?<!\w)(?:") if query.whole else 0
        )
        words = QCoreApplication.translate(
            "Find", "Invalid expression at character {0}: {1}"
        )
        return (lambda _line: []), words.format(where + 1, expression.errorString())

    def spans(line: str) -> list[Span]:
        found = expression.globalMatch(line)
        kept = []
        while found.hasNext():
            match = found.next()
            if match.capturedLength():
                start = character_at(line, match.capturedStart())
                kept.append(Span(start, character_at(line, match.capturedEnd())))
        return kept

    return spans, ""


def find_all(document: DiffDocument, query: Query) -> tuple[tuple[Hit, ...], str]:
    """Every hit in the order of the rows, the older version's first; a text both sides share counts once."""
    spans, error = finder(query)
    hits: list[Hit] = []
    if query.text and not error:
        for row, side, line in _lines(document):
            hits += [Hit(row, side, span) for span in spans(line)]
            if len(hits) >= _MOST:
                break
    return tuple(hits), error


def _lines(document: DiffDocument) -> Iterator[tuple[int, str, str]]:
    """(row, side, text) of every line; one the two sides have alike is told as the newer version's."""
    left, right = document.left, document.right
    for number, row in enumerate(document.comparison.rows):
        old = None if row.left is None else left[row.left]
        new = None if row.right is None else right[row.right]
        if old is not None and old != new:
            yield number, "left", old
        if new is not None:
            yield number, "right", new
