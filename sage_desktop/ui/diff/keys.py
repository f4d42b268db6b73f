"""Which caret a key asks for: characters, words, lines and pages, as in any editor."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from sage_desktop.ui.diff.document import DiffDocument
from sage_desktop.ui.diff.selection import (
    Caret,
    Selection,
    line_at,
    next_word,
    word_before,
)

_Key = Qt.Key


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
