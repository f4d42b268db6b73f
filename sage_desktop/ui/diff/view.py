"""The comparison of two versions of a file, painted with rows of one height, so that both sides align.

Two columns where there is room, one where there is not. Lines are selected as wholes.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.engine import Fold, Row
from sage_desktop.ui.diff.surface import SIDES, DiffSurface
from sage_desktop.ui.diff.words import call_of, word_at


class DiffView(DiffSurface):
    """Shows a `FileView`: changes, search, folds, selection, by mouse and by keyboard.

    Signals:
        word_asked: F1 was pressed; carries the name under the mouse, or what the current line is about.
    """

    word_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Comparison of two kernel versions"))
        self._ruler.jumped.connect(self._jump_to)

    def show_file(self, view: FileView, *, keep_place: bool = False) -> None:
        """Show another file, at its first change; `keep_place` when it is the same file again, refreshed."""
        place = self.verticalScrollBar().value()
        self._view = view
        self._rebuild(opened=self._document.opened if keep_place else frozenset())
        if self._options["colors"]:
            for side in SIDES:
                self._highlighters[side].set_text(getattr(view, side) or "")
        if keep_place:
            self.verticalScrollBar().setValue(place)
            return
        self.horizontalScrollBar().setValue(0)
        self._current = self._anchor = 0
        self.verticalScrollBar().setValue(0)
        if self._document.changes:
            self._go_to(self._document.changes[0])

    def next_change(self, step: int) -> None:
        """Go `step` changes forward (negative: back), around the end."""
        changes = self._document.changes
        if not changes:
            return
        if step > 0:
            target = next((c for c in changes if c > self._current), changes[0])
        else:
            target = next((c for c in reversed(changes) if c < self._current), changes[-1])
        self._go_to(target)

    def go_to_line(self, line: int) -> None:
        """Show and select the 0-based `line` of the newer version."""
        position = self._document.position_of_right(line)
        self._measure()
        if position is not None:
            self._side = "right"
            self._go_to(position)

    def find_text(self, needle: str, step: int = 0) -> bool:
        """Mark every `needle` and go to one: at (step 0), after (1) or before (-1) the current row."""
        self._painter.needle = needle.lower()
        self.viewport().update()
        total = len(self._document.shown)
        if not needle or not total:
            return True
        direction = -1 if step < 0 else 1
        for distance in range(abs(step), total + abs(step)):
            position = (self._current + direction * distance) % total
            texts = (self._document.text(position, side).lower() for side in SIDES)
            if any(self._painter.needle in text for text in texts):
                self._go_to(position)
                return True
        return False

    def selected_text(self) -> str:
        """The selected lines of the side last clicked."""
        first, last = sorted((self._anchor, self._current))
        kept = []
        for position in range(first, min(last + 1, len(self._document.shown))):
            entry = self._document.entry(position)
            if isinstance(entry, Fold):
                lines = self._document.comparison.rows[entry.start : entry.end]
                kept += [self._document.right[row.right] for row in lines if row.right is not None]
            elif self._document.inline:
                kept.append(self._document.line_text(position))
            elif (entry.left if self._side == "left" else entry.right) is not None:
                kept.append(self._document.text(position, self._side))
        return "\n".join(kept)

    def word(self) -> str:
        """The name under the mouse when it is over the code, else what the current line is about."""
        pointed = self.viewport().mapFromGlobal(QCursor.pos())
        under = self.word_at(pointed) if self.viewport().rect().contains(pointed) else ""
        if under or not self._document.shown:
            return under
        return call_of(self._document.text(self._current, self._side))

    def word_at(self, point: QPoint) -> str:
        """The name at a point of the viewport, empty when none is there."""
        position = self._position_at(point.y())
        entry = self._document.entry(position) if position is not None else None
        if position is None or not isinstance(entry, Row):
            return ""
        inline = self._document.inline
        newer = entry.right is not None if inline else point.x() >= self.viewport().width() / 2
        side = "right" if newer else "left"
        line = getattr(entry, side)
        if line is None:
            return ""
        text = self._document.text(position, side)
        start = self._pane(side)[0] + self._gutter()
        x = point.x() - start + self.horizontalScrollBar().value()
        return word_at(text, self._painter.character_at(side, line, text, x))

    def copy(self) -> None:
        """Put the selected lines on the clipboard."""
        QGuiApplication.clipboard().setText(self.selected_text())

    def _go_to(self, position: int) -> None:
        self._current = self._anchor = position
        entry = self._document.entry(position)
        if isinstance(entry, Row) and entry.right is None:
            self._side = "left"
        elif isinstance(entry, Row) and entry.left is None:
            self._side = "right"
        bar = self.verticalScrollBar()
        first, page = bar.value(), bar.pageStep()
        if not first + 1 <= position < first + page - 2:
            bar.setValue(max(0, position - page // 4))
        self.viewport().update()
        self._tell()

    def _jump_to(self, share: float) -> None:
        self.verticalScrollBar().setValue(
            round(share * len(self._document.shown)) - self.verticalScrollBar().pageStep() // 2
        )

    def _open(self, fold: Fold) -> None:
        self._document.open_fold(fold)
        self._measure()
        self._ruler.show_document(self._document)
        self.viewport().update()

    def _position_at(self, y: float) -> int | None:
        position = self.verticalScrollBar().value() + int(y) // self._painter.row_height
        return position if 0 <= position < len(self._document.shown) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = self._position_at(event.position().y())
        if position is None or event.button() != Qt.MouseButton.LeftButton:
            return
        entry = self._document.entry(position)
        if isinstance(entry, Fold):
            self._open(entry)
            return
        if not self._document.inline:
            self._side = "left" if event.position().x() < self.viewport().width() / 2 else "right"
        self._current = position
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = position
        self.viewport().update()
        self._tell()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = self._position_at(event.position().y())
        on_fold = position is not None and isinstance(self._document.entry(position), Fold)
        shape = Qt.CursorShape.PointingHandCursor if on_fold else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)
        if position is not None and event.buttons() & Qt.MouseButton.LeftButton and position != self._current:
            self._current = position
            self.viewport().update()
            self._tell()

    def event(self, event: QEvent) -> bool:
        """F1 looks the word up where there is one; elsewhere it stays the key of the command palette."""
        if event.type() == QEvent.Type.ShortcutOverride and _is_help(event) and self.word():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_help(event) and (word := self.word()):
            self.word_asked.emit(word)
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        page = self.verticalScrollBar().pageStep()
        last = len(self._document.shown) - 1
        key = event.key()
        moves = {
            Qt.Key.Key_Up: self._current - 1,
            Qt.Key.Key_Down: self._current + 1,
            Qt.Key.Key_PageUp: self._current - page,
            Qt.Key.Key_PageDown: self._current + page,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key in moves and last >= 0:
            anchor = self._anchor
            self._go_to(max(0, min(last, moves[Qt.Key(key)])))
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._anchor = anchor
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and last >= 0:
            entry = self._document.entry(self._current)
            if isinstance(entry, Fold):
                self._open(entry)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() + bar.singleStep() * (1 if key == Qt.Key.Key_Right else -1))
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            position = self._position_at(event.pos().y())  # type: ignore[attr-defined]
            marks = self._document.marks_at(position) if position is not None else ()
            text = "\n".join(f"{mark.severity}: {mark.text}" for mark in marks)
            QToolTip.showText(event.globalPos(), text, self.viewport())  # type: ignore[attr-defined]
            return True
        return super().viewportEvent(event)


def _is_help(event: QEvent) -> bool:
    """Whether F1 alone was pressed."""
    return (
        isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_F1
        and event.modifiers() == Qt.KeyboardModifier.NoModifier
    )
