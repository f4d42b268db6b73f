"""The comparison of two versions of a file, painted with rows of one height, so that both sides align.

Two columns where there is room, one where there is not. Keys and mouse select characters as in any editor.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QToolTip

from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.engine import Fold
from sage_desktop.ui.diff.keys import moved_caret
from sage_desktop.ui.diff.search import SIDES, FindState, Hit, Query, find_all, finder
from sage_desktop.ui.diff.selecting import SelectableDiff, Spot
from sage_desktop.ui.diff.selection import Caret, Selection, line_at, word_around

_SCROLL_MS = 40  # between two lines while the mouse is held above or below the view


class DiffView(SelectableDiff):
    """Shows a `FileView`: changes, search, folds, selection, by mouse and by keyboard.

    Signals:
        word_asked: F1 was pressed; carries the name at the caret or the mouse, or what the line is about.
        found: The search stands otherwise; carries a `FindState`.
        escaped: Escape was pressed and nothing was selected.
    """

    word_asked = Signal(str)
    found = Signal(object)
    escaped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Comparison of two kernel versions"))
        self._ruler.jumped.connect(self._jump_to)
        self._query = Query()
        self._hits: tuple[Hit, ...] = ()
        self._error = ""
        self._goal = (
            Caret(),
            0,
        )  # the column Up and Down keep on their way through shorter lines
        self._dragging = False
        self._whole_lines = False  # a press in the gutter selects lines
        double = QGuiApplication.styleHints().mouseDoubleClickInterval()
        # a third press while it runs selects the line
        self._clicks = QTimer(self, singleShot=True, interval=double)
        self._dragged = QTimer(self, interval=_SCROLL_MS)
        self._dragged.timeout.connect(self._scroll_on)

    def show_file(self, view: FileView, *, keep_place: bool = False) -> None:
        """Show another file, at its first change; `keep_place` when it is the same file again, refreshed."""
        place = self.verticalScrollBar().value()
        if (self._view.left, self._view.right) != (view.left, view.right):
            self._select(Caret())
        self._view = view
        self._rebuild(opened=self._document.opened if keep_place else frozenset())
        if self._options["colors"]:
            for side in SIDES:
                self._highlighters[side].set_text(getattr(view, side) or "")
        if keep_place:
            self.verticalScrollBar().setValue(place)
            return
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)
        self._select(Caret())
        if self._document.changes:
            self._go_to(self._document.changes[0])

    def _rebuild(self, *, opened: frozenset[int]) -> None:
        super()._rebuild(opened=opened)
        self._search_again()

    def search(self, query: Query) -> FindState:
        """Mark every hit of `query` and go to the first one at or behind the caret."""
        self._query = query
        self._hit = None
        self._search_again()
        if self._hits:
            here = self._caret_order()
            self._go_to_hit(
                next((h for h in self._hits if _order(h) >= here), self._hits[0])
            )
        return self.find_state

    def find_next(self, step: int) -> None:
        """Go to the next hit (1) or the one before (-1), around the end; folded ones are unfolded."""
        if not self._hits:
            return
        if self._hit in self._hits:
            self._go_to_hit(
                self._hits[(self._hits.index(self._hit) + step) % len(self._hits)]
            )
            return
        here = self._caret_order()
        later = [hit for hit in self._hits if _order(hit) >= here]
        earlier = [hit for hit in self._hits if _order(hit) < here]
        self._go_to_hit(
            (later or self._hits)[0] if step > 0 else (earlier or self._hits)[-1]
        )

    def end_find(self) -> None:
        """Forget what was looked for; the caret stays at the last hit."""
        self.search(Query())

    @property
    def find_state(self) -> FindState:
        """Which hit is in front, and how many there are."""
        number = self._hits.index(self._hit) + 1 if self._hit in self._hits else 0
        return FindState(number, len(self._hits), self._error)

    def _search_again(self) -> None:
        """Look through the file as it is arranged now."""
        self._hits, self._error = find_all(self._document, self._query)
        self._finder = finder(self._query)[0] if self._hits else None
        rows = frozenset(hit.row for hit in self._hits)
        if rows != self._found_rows:
            self._found_rows = rows
            self._ruler.show_document(self._document, self._places, rows)
        self.viewport().update()
        self.found.emit(self.find_state)

    def _go_to_hit(self, hit: Hit) -> None:
        self._hit = hit
        position = self._reveal(hit.row)
        self._side = hit.side
        self._selection = Selection(
            Caret(position, hit.span.start), Caret(position, hit.span.end)
        )
        self._placed = True
        self._show_caret(margin=True)
        self.viewport().update()
        self._tell()
        self.found.emit(self.find_state)

    def _caret_order(self) -> tuple[int, int]:
        start = self._selection.start
        entry = self._document.shown[start.position] if self._document.shown else 0
        return (entry.start if isinstance(entry, Fold) else entry), start.offset

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        if spot is None:
            return
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        caret = self._caret_at(spot)
        if event.button() == Qt.MouseButton.RightButton:  # what the menu is about
            start, end = self._selection.start, self._selection.end
            if not (
                self.has_selection and spot.side == self._side and start <= caret <= end
            ):
                self._side = spot.side
                self._select(caret, placed=True)
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        way = self.head_at(event.position().x(), event.position().y()) or self._link_at(
            event.position()
        )
        if way is not None:
            self.go_to_line(way[1], way[0])
            return
        entry = self._document.entry(spot.position)
        if isinstance(entry, Fold):
            self._open(entry)
            return
        self._dragging = True
        self._whole_lines = spot.x < 0 or self._clicks.isActive()
        self._clicks.stop()
        if not (extend and self._document.inline):
            extend = extend and spot.side == self._side
        self._side = spot.side
        if self._whole_lines:
            self._select_lines(spot, extend=extend)
        else:
            self._select(caret, extend=extend, placed=True)

    def _link_at(self, point: QPointF) -> tuple[str, int] | None:
        """Where the words under a point lead: the other place of moved code."""
        return next(
            ((side, line) for box, side, line in self._links if box.contains(point)),
            None,
        )

    def _select_lines(self, spot: Spot, *, extend: bool) -> None:
        """Select whole lines, from where the selection began when it is to be extended."""
        begin = self._selection.anchor.position if extend else spot.position
        if spot.position >= begin:
            anchor, caret = Caret(begin), Caret(spot.position, len(spot.text))
        else:
            first = line_at(self._document, begin, self._side)
            anchor, caret = Caret(begin, len(first)), Caret(spot.position)
        self._selection = Selection(anchor, anchor)
        self._select(caret, extend=True, placed=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        if (
            spot is None
            or spot.line is None
            or spot.x < 0
            or event.button() != Qt.MouseButton.LeftButton
        ):
            self.mousePressEvent(event)
            return
        self._side = spot.side
        at = self._painter.character_at(spot.side, spot.line, spot.text, spot.x, spot.y)
        start, end = word_around(spot.text, at)
        self._selection = Selection(
            Caret(spot.position, start), Caret(spot.position, start)
        )
        self._select(Caret(spot.position, end), extend=True, placed=True)
        self._clicks.start()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        on_fold = spot is not None and isinstance(
            self._document.entry(spot.position), Fold
        )
        in_gutter = spot is not None and spot.x < 0
        point = event.position()
        on_fold = (
            on_fold
            or self._link_at(point) is not None
            or self.head_at(point.x(), point.y()) is not None
        )
        shape = (
            Qt.CursorShape.PointingHandCursor if on_fold else Qt.CursorShape.IBeamCursor
        )
        self.viewport().setCursor(
            Qt.CursorShape.ArrowCursor if in_gutter and not on_fold else shape
        )
        if event.buttons() & Qt.MouseButton.LeftButton and self._dragging:
            outside = not 0 <= event.position().y() < self.viewport().height()
            if outside != self._dragged.isActive():
                (self._dragged.start if outside else self._dragged.stop)()
            self._drag_to(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragging = False
        self._dragged.stop()

    def _drag_to(self, point: QPointF) -> None:
        last = (
            self._places.total - self.verticalScrollBar().value()
        ) * self._painter.row_height - 1
        inside = QPointF(
            point.x(), max(0.0, min(point.y(), self.viewport().height() - 1.0, last))
        )
        spot = self._spot(inside, self._side)
        if spot is not None and self._whole_lines:
            self._select_lines(spot, extend=True)
        elif spot is not None:
            self._select(self._caret_at(spot), extend=True, placed=True)

    def _scroll_on(self) -> None:
        """The mouse is held above or below the view."""
        point = QPointF(self.viewport().mapFromGlobal(QCursor.pos()))
        self.verticalScrollBar().setValue(
            self.verticalScrollBar().value() + (-1 if point.y() < 0 else 1)
        )
        self._drag_to(point)

    def event(self, event: QEvent) -> bool:
        """F1 looks the word up where there is one; elsewhere it stays the key of the command palette."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and _is_help(event)
            and self.word()
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_help(event) and (word := self.word()):
            self.word_asked.emit(word)
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif event.key() == Qt.Key.Key_Escape:
            if self.has_selection and not self._hits:
                self._select(self._selection.caret, placed=True)
            else:
                self.escaped.emit()
        elif (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and self._document.shown
        ):
            entry = self._document.entry(self._current)
            if isinstance(entry, Fold):
                self._open(entry)
                return
            side, line = self.place
            partner = self._document.moved(side, line)
            if partner is not None:
                self.go_to_line(partner, "left" if side == "right" else "right")
        elif not self._moved_by(event):
            super().keyPressEvent(event)

    def _moved_by(self, event: QKeyEvent) -> bool:
        """Whether a key moved the caret."""
        if not self._document.shown:
            return False
        page = max(1, self.verticalScrollBar().pageStep() - 1)
        here = self._selection.caret
        column = self._goal[1] if self._goal[0] == here else here.offset
        target = moved_caret(
            self._document, self._side, self._selection, event, page, column
        )
        if target is None:
            return False
        vertical = event.key() in (
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
            Qt.Key.Key_PageUp,
            Qt.Key.Key_PageDown,
        )
        self._goal = (target, column if vertical else target.offset)
        self._select(
            target,
            extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier),
            placed=True,
        )
        self._show_caret()
        return True

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            position = self._position_at(event.pos().y())  # type: ignore[attr-defined]
            marks = self._document.marks_at(position) if position is not None else ()
            text = "\n".join(
                (
                    *self._times_under(event),
                    *(f"{mark.severity}: {mark.text}" for mark in marks),
                )
            )
            QToolTip.showText(event.globalPos(), text, self.viewport())  # type: ignore[attr-defined]
            return True
        return super().viewportEvent(event)

    def _times_under(self, event: QEvent) -> list[str]:
        spot = self._spot(QPointF(event.pos()))  # type: ignore[attr-defined]
        time = self.time_at(spot.position, spot.side) if spot is not None else None
        return [time.told] if time is not None else []


def _order(hit: Hit) -> tuple[int, int]:
    return hit.row, hit.span.start


def _is_help(event: QEvent) -> bool:
    """Whether F1 alone was pressed."""
    return (
        isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_F1
        and event.modifiers() == Qt.KeyboardModifier.NoModifier
    )
