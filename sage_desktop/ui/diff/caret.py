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
            return (
                Caret(caret.position + by, caret.offset)
                if caret.position > after
                else caret
            )

        return Selection(moved(self.anchor), moved(self.caret))


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
    parts: list[str] = []
    start, end = selection.start, selection.end
    for position in range(start.position, min(end.position + 1, len(document.shown))):
        entry = document.entry(position)
        if isinstance(entry, Fold):
            hidden = document.comparison.rows[entry.start : entry.end]
            lines = (
                document.left
                if side == "left" and not document.inline
                else document.right
            )
            numbers = (
                row.left if lines is document.left else row.right for row in hidden
            )
            parts += [lines[number] for number in numbers if number is not None]
            continue
        here = side_of(document, position, side)
        if entry.line(here) is None:
            continue
        text = document.text(position, here)
        first = start.offset if position == start.position else 0
        parts.append(text[first : end.offset if position == end.position else None])
    return "\n".join(parts)


def word_around(text: str, offset: int) -> tuple[int, int]:
    """[start, end) of the word at `offset`, of the single character where no word is."""
    for word in _WORD.finditer(text):
        if word.start() <= offset < word.end() or (offset == word.end() == len(text)):
            return word.span()
    return offset, min(len(text), offset + 1)


def next_word(text: str, offset: int) -> int | None:
    """Where the word behind `offset` begins; None when the line has no more."""
    return next((m.start() for m in _STEP.finditer(text) if m.start() > offset), None)


def word_before(text: str, offset: int) -> int | None:
    """Where the word at or before `offset` begins; None at the beginning of the line."""
    starts = [m.start() for m in _STEP.finditer(text) if m.start() < offset]
    return starts[-1] if starts else None


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
    here, last = selection.caret, len(document.shown) - 1
    text = line_at(document, here.position, side)
    if (
        key in (_Key.Key_Left, _Key.Key_Right)
        and not extend
        and selection.anchor != here
        and not by_word
    ):
        return selection.start if key == _Key.Key_Left else selection.end
    if key == _Key.Key_Left:
        return _back(document, side, here, text, by_word=by_word)
    if key == _Key.Key_Right:
        return _forth(document, here, text, by_word=by_word)
    if key == _Key.Key_Home:
        indent = len(text) - len(text.lstrip())
        return (
            Caret()
            if by_word
            else Caret(here.position, 0 if here.offset == indent else indent)
        )
    if key == _Key.Key_End:
        if by_word:
            return Caret(last, len(line_at(document, last, side)))
        return Caret(here.position, len(text))
    rows = {
        _Key.Key_Up: -1,
        _Key.Key_Down: 1,
        _Key.Key_PageUp: -page,
        _Key.Key_PageDown: page,
    }
    if key not in rows:
        return None
    target = max(0, min(last, here.position + rows[key]))
    return Caret(target, min(column, len(line_at(document, target, side))))


def _back(
    document: DiffDocument, side: str, here: Caret, text: str, *, by_word: bool
) -> Caret:
    offset = (
        word_before(text, here.offset)
        if by_word
        else (here.offset - 1 if here.offset else None)
    )
    if offset is not None:
        return Caret(here.position, offset)
    if here.offset:
        return Caret(here.position)
    if not here.position:
        return here
    return Caret(here.position - 1, len(line_at(document, here.position - 1, side)))


def _forth(document: DiffDocument, here: Caret, text: str, *, by_word: bool) -> Caret:
    if here.offset < len(text):
        offset = next_word(text, here.offset) if by_word else here.offset + 1
        return Caret(here.position, len(text) if offset is None else offset)
    return Caret(here.position + 1) if here.position + 1 < len(document.shown) else here
