"""Carets and selections in a comparison: which characters they mean, which key moves a caret where. No widgets.

In two columns a selection belongs to one side, as in any editor; in one column it takes every line shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from core.diff.side_by_side import Fold
from sage_desktop.ui.diff.document import DiffDocument

_STEP = re.compile(r"\w+|[^\w\s]+")
_WORD = re.compile(r"\w+")
_Key = Qt.Key


@dataclass(frozen=True, slots=True, order=True)
class Caret:
    """A place between characters: shown row, and characters of its line before the place."""

    position: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """From where the selection began to where the caret is; empty when both are one place."""

    anchor: Caret = Caret()
    caret: Caret = Caret()

    @classmethod
    def at(cls, caret: Caret) -> Selection:
        """An empty one."""
        return cls(caret, caret)

    @property
    def start(self) -> Caret:
        """The earlier end."""
        return min(self.anchor, self.caret)

    @property
    def end(self) -> Caret:
        """The later end."""
        return max(self.anchor, self.caret)

    def shifted(self, after: int, by: int) -> Selection:
        """The same characters when `by` rows more are shown behind the row `after`."""

        def moved(caret: Caret) -> Caret:
            if caret.position <= after:
                return caret
            return Caret(caret.position + by, caret.offset)

        return Selection(moved(self.anchor), moved(self.caret))


def other_side(side: str) -> str:
    """`left` for `right`, `right` for `left`."""
    return "left" if side == "right" else "right"


def side_of(document: DiffDocument, position: int, side: str) -> str:
    """The side of the line at `position`; in one column each row has its own."""
    entry = document.entry(position)
    if not document.inline or isinstance(entry, Fold):
        return side
    return "left" if entry.right is None else "right"


def line_at(document: DiffDocument, position: int, side: str) -> str:
    """The line a caret stands in; empty for folds and fillers."""
    return document.text(position, side_of(document, position, side))


def selected_text(document: DiffDocument, side: str, selection: Selection) -> str:
    """The selected characters; a fold within gives all its hidden lines, a filler nothing."""
    lines: list[str] = []
    start, end = selection.start, selection.end
    behind = min(end.position + 1, len(document.shown))
    for position in range(start.position, behind):
        entry = document.entry(position)
        if isinstance(entry, Fold):
            lines += _hidden_lines(document, side, entry)
            continue
        own_side = side_of(document, position, side)
        if entry.line(own_side) is None:
            continue
        text = document.text(position, own_side)
        first = start.offset if position == start.position else 0
        last = end.offset if position == end.position else len(text)
        lines.append(text[first:last])
    return "\n".join(lines)


def _hidden_lines(document: DiffDocument, side: str, fold: Fold) -> list[str]:
    """What a fold hides; in one column the lines of the newer version."""
    if document.inline:
        side = "right"
    lines = document.left if side == "left" else document.right
    rows = document.comparison.rows[fold.start : fold.end]
    numbers = [row.line(side) for row in rows]
    return [lines[number] for number in numbers if number is not None]


def word_around(text: str, offset: int) -> tuple[int, int]:
    """[start, end) of the word at `offset`, of the single character where no word is."""
    for word in _WORD.finditer(text):
        # Behind the last character of a line its last word is meant.
        at_end = offset == word.end() == len(text)
        if word.start() <= offset < word.end() or at_end:
            return word.span()
    return offset, min(len(text), offset + 1)


def next_word(text: str, offset: int) -> int | None:
    """Where the word behind `offset` begins; None when the line has no more."""
    starts = (word.start() for word in _STEP.finditer(text))
    return next((start for start in starts if start > offset), None)


def word_before(text: str, offset: int) -> int | None:
    """Where the word at or before `offset` begins; None at the beginning of the line."""
    starts = [word.start() for word in _STEP.finditer(text)]
    before = [start for start in starts if start < offset]
    return before[-1] if before else None


def moved_caret(
    document: DiffDocument,
    side: str,
    selection: Selection,
    event: QKeyEvent,
    page: int,
    column: int,
) -> Caret | None:
    """Where the caret goes; None for keys that do not move it.

    Args:
        document: What is shown; it has rows.
        side: Side of the caret.
        selection: Where the caret is.
        event: The key.
        page: Rows of a page.
        column: Characters before the caret that moves to another line keep, where it is long enough.
    """
    key = Qt.Key(event.key())
    by_word = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    here = selection.caret
    last = len(document.shown) - 1
    sideways = key in (_Key.Key_Left, _Key.Key_Right)
    if sideways and selection.anchor != here and not extend and not by_word:
        # As in any editor: the first press leaves the selection at its end.
        return selection.start if key == _Key.Key_Left else selection.end
    if key == _Key.Key_Left:
        return _back(document, side, here, by_word=by_word)
    if key == _Key.Key_Right:
        return _forth(document, side, here, by_word=by_word)
    if key == _Key.Key_Home:
        return Caret() if by_word else _line_begin(document, side, here)
    if key == _Key.Key_End:
        return _line_end(document, side, last if by_word else here.position)
    steps = {
        _Key.Key_Up: -1,
        _Key.Key_Down: 1,
        _Key.Key_PageUp: -page,
        _Key.Key_PageDown: page,
    }
    if key not in steps:
        return None
    position = max(0, min(last, here.position + steps[key]))
    line_end = _line_end(document, side, position)
    return Caret(position, min(column, line_end.offset))


def _line_begin(document: DiffDocument, side: str, here: Caret) -> Caret:
    """The first character that is no blank; the edge of the line where the caret is there."""
    text = line_at(document, here.position, side)
    indent = len(text) - len(text.lstrip())
    offset = 0 if here.offset == indent else indent
    return Caret(here.position, offset)


def _line_end(document: DiffDocument, side: str, position: int) -> Caret:
    return Caret(position, len(line_at(document, position, side)))


def _back(document: DiffDocument, side: str, here: Caret, *, by_word: bool) -> Caret:
    """A character or word back; at the edge of a line to the end of the one above."""
    if here.offset:
        offset: int | None = here.offset - 1
        if by_word:
            text = line_at(document, here.position, side)
            offset = word_before(text, here.offset)
        return Caret(here.position, offset or 0)
    if not here.position:
        return here
    return _line_end(document, side, here.position - 1)


def _forth(document: DiffDocument, side: str, here: Caret, *, by_word: bool) -> Caret:
    """A character or word on; at the end of a line to the edge of the one below."""
    end = _line_end(document, side, here.position)
    if here < end:
        offset: int | None = here.offset + 1
        if by_word:
            text = line_at(document, here.position, side)
            offset = next_word(text, here.offset)
        return end if offset is None else Caret(here.position, offset)
    is_last = here.position + 1 >= len(document.shown)
    return here if is_last else Caret(here.position + 1)
