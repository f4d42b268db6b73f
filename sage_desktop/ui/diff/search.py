"""Finding words in a comparison, in every line of both versions, the folded ones too; and the bar that asks.

Plain texts are found by `re`, expressions by Qt's PCRE, which gives up where `re` could search for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QRegularExpression, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from core.diff.side_by_side import Span
from sage_desktop.ui.diff.cells import character_at
from sage_desktop.ui.diff.document import DiffDocument
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.filter_box import ENTER, FilterBox
from sage_desktop.ui.widgets.making import drawn_tool, named, on_base
from sage_desktop.ui.widgets.stacking import hbox

SIDES = ("left", "right")
# Hits that are kept; a search for blanks is not walked through.
_MOST = 20_000


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

    def spans(line: str) -> list[Span]:
        return [Span(*match.span()) for match in plain.finditer(line)]

    return spans, ""


def _by_expression(query: Query) -> tuple[Finder, str]:
    """As `finder`, for a regular expression."""
    options = QRegularExpression.PatternOption.UseUnicodePropertiesOption
    if not query.case:
        options |= QRegularExpression.PatternOption.CaseInsensitiveOption
    before, behind = (r"(?<!\w)(?:", r")(?!\w)") if query.whole else ("", "")
    pattern = f"{before}{query.text}{behind}"
    expression = QRegularExpression(pattern, options)
    if not expression.isValid():
        # Counted from 1, in what the person wrote.
        character = expression.patternErrorOffset() - len(before) + 1
        words = QCoreApplication.translate(
            "Find", "Invalid expression at character {0}: {1}"
        )
        return (lambda _line: []), words.format(character, expression.errorString())

    def spans(line: str) -> list[Span]:
        matches = expression.globalMatch(line)
        hits = []
        while matches.hasNext():
            match = matches.next()
            # An expression such as `a*` matches nothing between any two characters.
            if match.capturedLength():
                start = character_at(line, match.capturedStart())
                end = character_at(line, match.capturedEnd())
                hits.append(Span(start, end))
        return hits

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
    """(row, side, text) of every line; a line of both sides counts as the newer version's."""
    left, right = document.left, document.right
    for number, row in enumerate(document.comparison.rows):
        old = None if row.left is None else left[row.left]
        new = None if row.right is None else right[row.right]
        if old is not None and old != new:
            yield number, "left", old
        if new is not None:
            yield number, "right", new


class FindField(FilterBox):
    """A search field that Escape leaves; Enter before the text has rested goes to the first match.

    Signals:
        escaped: Escape was pressed.
    """

    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            # Its text stays for the next search.
            self.escaped.emit()
            return
        if event.key() in ENTER and self.waits_for_rest:
            # The search goes to the first match. The step that Enter makes in other
            # cases would pass it.
            self.filter_now()
            return
        super().keyPressEvent(event)


class FindBar(QWidget):
    """What to look for, how many hits there are, and which is in front.

    Signals:
        asked: The `Query` to look for now.
        stepped: 1 for the next hit, -1 for the one before.
        closed: Escape or the cross was pressed.
    """

    asked = Signal(object)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        on_base(self)
        self.field = FindField(self.tr("Find in this file"))
        self.field.changed.connect(lambda _text: self._ask())
        self.field.stepped.connect(self.stepped)
        self.field.escaped.connect(self.close_bar)
        self.count = QLabel()
        self.field.setMinimumWidth(theme().px(9))
        self.case = self._switch("Aa", self.tr("Match case"))
        self.whole = self._switch("ab|", self.tr("Match whole words"))
        self.regex = self._switch(".*", self.tr("Use a regular expression"))
        tip = self.tr("Previous match (Shift+Enter, Shift+F3)")
        self.previous = drawn_tool(lambda: self.stepped.emit(-1), "up", tip)
        tip = self.tr("Next match (Enter, F3)")
        self.next = drawn_tool(lambda: self.stepped.emit(1), "down", tip)
        tip = self.tr("Close (Escape)")
        self.close_button = drawn_tool(self.close_bar, "close", tip)
        switches = (self.case, self.whole, self.regex)
        buttons = (self.previous, self.next, self.close_button)
        row = ((self.field, 1), 0.3, self.count, *switches, *buttons)
        hbox(*row, owner=self, margins=(0.5, 0.2, 0.4, 0.2), spacing=0.15)
        self.show_state(FindState())

    def _switch(self, words: str, tip: str) -> QToolButton:
        """A button that turns a way of searching on or off, and searches again."""
        button = named(QToolButton(), tip)
        button.setText(words)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.toggled.connect(lambda _on: self._ask())
        return button

    @property
    def query(self) -> Query:
        """What the bar asks for."""
        return Query(
            self.field.text(),
            regex=self.regex.isChecked(),
            case=self.case.isChecked(),
            whole=self.whole.isChecked(),
        )

    def open_bar(self, words: str = "") -> None:
        """Show the bar with the cursor in it; `words` take the place of what was looked for before."""
        self.show()
        if words:
            self.field.setText(words)
        self.field.setFocus()
        self.field.selectAll()
        self._ask()

    def close_bar(self) -> None:
        """Hide the bar; what was marked is marked no more."""
        self.hide()
        self.closed.emit()

    def _ask(self) -> None:
        if self.isVisible():
            self.asked.emit(self.query)

    def show_state(self, state: FindState) -> None:
        """Say how the search stands."""
        has_failed = bool(self.field.text()) and not state.total
        if state.error:
            words = state.error
        elif state.total:
            words = self.tr("{0} of {1}").format(state.number, state.total)
        else:
            words = self.tr("No matches") if has_failed else ""
        color = theme().color("danger" if has_failed else "muted")
        self.count.setText(words)
        self.count.setAccessibleName(words)
        self.count.setStyleSheet(f"color: {color.name()}")
        for button in (self.previous, self.next):
            button.setEnabled(bool(state.total))
