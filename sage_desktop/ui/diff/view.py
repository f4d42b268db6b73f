"""The comparison of two versions of a file, painted with rows of one height, so that both sides align.

Two columns where there is room, one where there is not. Keys and mouse select characters as in any editor.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QClipboard,
    QCursor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QToolTip

from core.diff.side_by_side import Fold, Row
from sage_desktop.ui.diff.caret import (
    Caret,
    Selection,
    line_at,
    moved_caret,
    selected_text,
    side_of,
    word_around,
)
from sage_desktop.ui.diff.cpp_names import call_of, word_at
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.search import SIDES, FindState, Hit, Query, find_all, finder
from sage_desktop.ui.diff.surface import DiffSurface

# Between two lines while the mouse is held above or below the view.
_SCROLL_MS = 40


@dataclass(frozen=True, slots=True)
class Spot:
    """What is under a point of the view.

    Attributes:
        position: The row.
        side: Whose line it is.
        line: 0-based line of that side, None in a fold and beside a filler.
        text: The line.
        x: Pixels behind the gutter, as if nothing were scrolled; negative in the gutter.
        y: Pixels below the top of the row.
    """

    position: int
    side: str
    line: int | None
    text: str
    x: float
    y: float


class DiffView(DiffSurface):
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
        # Whether the user set the caret, by a click or a key.
        self._placed = False
        self._query = Query()
        self._hits: tuple[Hit, ...] = ()
        self._error = ""
        # The column Up and Down keep on their way through shorter lines.
        self._goal = (
            Caret(),
            0,
        )
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

    # ---- caret and selection

    def next_change(self, step: int) -> None:
        """Go `step` changes forward (negative: back), around the end."""
        changes = self._document.changes
        if not changes:
            return
        if step > 0:
            target = next((c for c in changes if c > self.current_row), changes[0])
        else:
            target = next(
                (c for c in reversed(changes) if c < self.current_row), changes[-1]
            )
        self._go_to(target)

    def go_to_line(self, line: int, side: str = "right") -> None:
        """Show the 0-based `line` of a version and set the caret there."""
        row = self._document.row_of(side, line)
        if row is not None:
            position = self._reveal(row)
            self._side = side
            self._go_to(position)

    @property
    def place(self) -> tuple[str, int]:
        """Side and 0-based line of the caret; in a fold its first hidden line."""
        if not self._document.shown:
            return "right", 0
        entry = self._document.entry(self.current_row)
        row = (
            self._document.comparison.rows[entry.start]
            if isinstance(entry, Fold)
            else entry
        )
        side = side_of(self._document, self.current_row, self._side)
        line = row.line(side)
        if line is None:
            side = "left" if side == "right" else "right"
            line = row.line(side)
        return side, line or 0

    @property
    def begins(self) -> bool:
        """Whether the caret is where a file is first shown: at its first change, and the user has not set it."""
        changes = self._document.changes
        return not self._placed and self.current_row == (changes[0] if changes else 0)

    @property
    def newer_line(self) -> int:
        """0-based line of the newer version at the caret; the one before it beside a removed line."""
        rows = self._document.comparison.rows
        if not rows:
            return 0
        entry = self._document.shown[self.current_row]
        end = entry.start if isinstance(entry, Fold) else entry
        return next(
            (row.right for row in reversed(rows[: end + 1]) if row.right is not None), 0
        )

    def other_side(self) -> None:
        """Take the caret to the other version, beside where it is."""
        self._side = "left" if self._side == "right" else "right"
        self._select(Caret(self.current_row), placed=True)

    def _go_to(self, position: int) -> None:
        entry = self._document.entry(position)
        if isinstance(entry, Row) and entry.right is None:
            self._side = "left"
        elif isinstance(entry, Row) and entry.left is None:
            self._side = "right"
        self._select(Caret(position))
        self._show_caret(margin=True)

    def _select(
        self, caret: Caret, *, extend: bool = False, placed: bool = False
    ) -> None:
        """Set the caret; `extend` keeps where the selection began."""
        self._selection = Selection(self._selection.anchor if extend else caret, caret)
        self._placed = placed
        self.viewport().update()
        self._tell()
        clipboard = QGuiApplication.clipboard()
        if placed and clipboard.supportsSelection() and self.has_selection:
            clipboard.setText(self.selected_text(), QClipboard.Mode.Selection)

    def _show_caret(self, *, margin: bool = False) -> None:
        """Scroll to the caret; with a `margin` not to the very edge of the view."""
        bar, top = self.verticalScrollBar(), self._places.top(self.current_row)
        first, page = bar.value(), bar.pageStep()
        if margin:
            if not first + 1 <= top < first + page - 2:
                bar.setValue(max(0, top - page // 4))
        elif top <= first:  # the first row may be under a heading
            bar.setValue(top - 1)
        elif top >= first + page - 1:
            bar.setValue(top - page + 2)
        self._scroll_sideways()

    def _scroll_sideways(self) -> None:
        """Bring the column of the caret into view, with some characters beside it."""
        bar = self.horizontalScrollBar()
        box = self.caret_box()
        if not self._selection.caret.offset:
            bar.setValue(0)
        elif box is not None:
            code_x, _top, width, _height = self._code_area()
            edge = self._painter.column * 4
            if box.left() < code_x + 1:
                bar.setValue(round(bar.value() - (code_x - box.left()) - edge))
            elif box.right() > code_x + width - edge:
                bar.setValue(round(bar.value() + box.right() - code_x - width + edge))

    def _jump_to(self, share: float) -> None:
        bar = self.verticalScrollBar()
        bar.setValue(round(share * self._places.total) - bar.pageStep() // 2)

    @property
    def has_selection(self) -> bool:
        """Whether characters are selected."""
        return self._selection.anchor != self._selection.caret

    def selected_text(self) -> str:
        """The selected characters; without any, the line of the caret."""
        selection = self._selection
        if not self.has_selection and self._document.shown:
            row = selection.caret.position
            selection = Selection(
                Caret(row), Caret(row, len(line_at(self._document, row, self._side)))
            )
        return selected_text(self._document, self._side, selection)

    def select_all(self) -> None:
        """Select every line of the side in use."""
        last = len(self._document.shown) - 1
        if last >= 0:
            self._select(Caret())
            end = Caret(last, len(line_at(self._document, last, self._side)))
            self._select(end, extend=True, placed=True)

    def copy(self) -> None:
        """Put the selected characters, or else the line of the caret, on the clipboard."""
        QGuiApplication.clipboard().setText(self.selected_text())

    def word(self) -> str:
        """What F1 is about: the word selected, at the caret or under the mouse, else what the line calls."""
        if not self._document.shown:
            return ""
        start, end = self._selection.start, self._selection.end
        text = line_at(self._document, start.position, self._side)
        if self._placed and start.position == end.position:
            selected = text[start.offset : end.offset].strip()
            named = word_at(text, start.offset)
            if named and (not selected or selected in named):
                return named
        pointed = self.viewport().mapFromGlobal(QCursor.pos())
        under = (
            self.word_at(pointed) if self.viewport().rect().contains(pointed) else ""
        )
        return under or call_of(line_at(self._document, self.current_row, self._side))

    def word_at(self, point: QPoint) -> str:
        """The name at a point of the viewport, empty when none is there."""
        spot = self._spot(QPointF(point))
        if spot is None or spot.line is None or spot.x < 0:
            return ""
        index = self._painter.character_at(
            spot.side, spot.line, spot.text, spot.x, spot.y
        )
        return word_at(spot.text, index)

    def _position_at(self, y: float) -> int | None:
        line = self.verticalScrollBar().value() + int(y // self._painter.row_height)
        return self._places.at(line) if 0 <= line < self._places.total else None

    def _spot(self, point: QPointF, side: str = "") -> Spot | None:
        """What is at a point, None below the last row; `side` reads that side wherever the point is."""
        position = self._position_at(point.y())
        if position is None:
            return None
        document = self._document
        pointed = "left" if point.x() < self.viewport().width() / 2 else "right"
        side = side_of(document, position, side or pointed)
        line, text = document.line(position, side), document.text(position, side)
        shift = self.horizontalScrollBar().value()
        behind = point.x() - self._pane(side)[0] - self._gutter(side)
        above = (
            self._places.top(position) - self.verticalScrollBar().value()
        ) * self._painter.row_height
        return Spot(
            position,
            side,
            line,
            text,
            behind if behind < 0 else behind + shift,
            point.y() - above,
        )

    def _caret_at(self, spot: Spot) -> Caret:
        """The caret a press at `spot` sets."""
        if spot.line is None:
            return Caret(spot.position)
        offset = self._painter.gap_at(
            spot.side, spot.line, spot.text, max(0.0, spot.x), spot.y
        )
        return Caret(spot.position, offset)

    # ---- search

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

    # ---- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        if spot is None:
            return
        if event.button() == Qt.MouseButton.RightButton:
            self._take_caret_to_menu(spot)
        elif event.button() == Qt.MouseButton.LeftButton:
            link = self._link_at(event.position())
            entry = self._document.entry(spot.position)
            if link is not None:
                self.go_to_line(link[1], link[0])
            elif isinstance(entry, Fold):
                self._open(entry)
            else:
                shift = Qt.KeyboardModifier.ShiftModifier
                self._begin_selection(spot, extend=bool(event.modifiers() & shift))

    def _take_caret_to_menu(self, spot: Spot) -> None:
        """The context menu is about the selection it opens over, else about the place."""
        caret = self._caret_at(spot)
        start, end = self._selection.start, self._selection.end
        inside = spot.side == self._side and start <= caret <= end
        if not (self.has_selection and inside):
            self._side = spot.side
            self._select(caret, placed=True)

    def _begin_selection(self, spot: Spot, *, extend: bool) -> None:
        self._dragging = True
        self._whole_lines = spot.x < 0 or self._clicks.isActive()
        self._clicks.stop()
        if not self._document.inline:
            extend = extend and spot.side == self._side
        self._side = spot.side
        if self._whole_lines:
            self._select_lines(spot, extend=extend)
        else:
            self._select(self._caret_at(spot), extend=extend, placed=True)

    def _link_at(self, point: QPointF) -> tuple[str, int] | None:
        """Where a point leads: to the head of the function, or the other place of moved code."""
        head = self.head_at(point.x(), point.y())
        if head is not None:
            return head
        for box, side, line in self._links:
            if box.contains(point):
                return side, line
        return None

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
        point = event.position()
        self.viewport().setCursor(self._cursor_at(point))
        if event.buttons() & Qt.MouseButton.LeftButton and self._dragging:
            outside = not 0 <= point.y() < self.viewport().height()
            if outside and not self._dragged.isActive():
                self._dragged.start()
            elif not outside:
                self._dragged.stop()
            self._drag_to(point)

    def _cursor_at(self, point: QPointF) -> Qt.CursorShape:
        """A hand over what leads elsewhere, an arrow in the gutter, a beam over code."""
        spot = self._spot(point)
        if self._link_at(point) is not None:
            return Qt.CursorShape.PointingHandCursor
        if spot is None:
            return Qt.CursorShape.IBeamCursor
        if isinstance(self._document.entry(spot.position), Fold):
            return Qt.CursorShape.PointingHandCursor
        in_gutter = spot.x < 0
        return Qt.CursorShape.ArrowCursor if in_gutter else Qt.CursorShape.IBeamCursor

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragging = False
        self._dragged.stop()

    def _drag_to(self, point: QPointF) -> None:
        rows = self._places.total - self.verticalScrollBar().value()
        last = rows * self._painter.row_height - 1
        lowest = min(self.viewport().height() - 1.0, last)
        inside = QPointF(point.x(), max(0.0, min(point.y(), lowest)))
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

    # ---- keys and tool tips

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
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
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
        elif enter and self._document.shown:
            self._enter()
        elif not self._moved_by(event):
            super().keyPressEvent(event)

    def _enter(self) -> None:
        """Open the fold at the caret, or go to the other place of a moved line."""
        entry = self._document.entry(self.current_row)
        if isinstance(entry, Fold):
            self._open(entry)
            return
        side, line = self.place
        partner = self._document.moved(side, line)
        if partner is not None:
            self.go_to_line(partner, "left" if side == "right" else "right")

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
        return [time.summary] if time is not None else []


def _order(hit: Hit) -> tuple[int, int]:
    return hit.row, hit.span.start


def _is_help(event: QEvent) -> bool:
    """Whether F1 alone was pressed."""
    return (
        isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_F1
        and event.modifiers() == Qt.KeyboardModifier.NoModifier
    )
