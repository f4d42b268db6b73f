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
    QHelpEvent,
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
    other_side,
    selected_text,
    side_of,
    word_around,
)
from sage_desktop.ui.diff.cpp_names import call_of, word_at
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.search import FindState, Hit, Query, find_all, finder
from sage_desktop.ui.diff.surface import DiffSurface
from sage_desktop.ui.widgets.filter_box import ENTER

# Between two lines while the mouse is held above or below the view.
_SCROLL_MS = 40
_VERTICAL_KEYS = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
)


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
        read: The user set the caret or scrolled.
    """

    word_asked = Signal(str)
    found = Signal(object)
    escaped = Signal()
    read = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Comparison of two kernel versions"))
        self._ruler.jumped.connect(self._jump_to)
        self._ruler.jumped.connect(self.read)
        # By wheel, bar or key; not what the program scrolls to.
        self.verticalScrollBar().actionTriggered.connect(self.read)
        # Whether the user set the caret, by a click or a key.
        self._caret_by_user = False
        self._query = Query()
        self._hits: tuple[Hit, ...] = ()
        self._error = ""
        # The column Up and Down keep on their way through shorter lines,
        # and the caret it is valid for.
        self._goal = (Caret(), 0)
        self._dragging = False
        self._whole_lines = False  # a press in the gutter selects lines
        double_click_ms = QGuiApplication.styleHints().mouseDoubleClickInterval()
        # A third press while it runs selects the line.
        self._clicks = QTimer(self, singleShot=True, interval=double_click_ms)
        # Scrolls while the mouse is held above or below the view.
        self._drag_scroll = QTimer(self, interval=_SCROLL_MS)
        self._drag_scroll.timeout.connect(self._scroll_on)

    def show_file(self, view: FileView, *, keep_place: bool = False) -> None:
        """Show another file, at its first change; `keep_place` when it is the same file again, refreshed."""
        first_line = self.verticalScrollBar().value()
        if (self._view.left, self._view.right) != (view.left, view.right):
            self._select(Caret())
        self._view = view
        opened = self._document.opened if keep_place else frozenset()
        self._rebuild(opened=opened)
        if self._options["colors"]:
            self._set_highlighted_texts()
        if keep_place:
            self.verticalScrollBar().setValue(first_line)
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
        changes, here = self._document.changes, self.current_row
        if not changes:
            return
        if step > 0:
            later = [change for change in changes if change > here]
            target = later[0] if later else changes[0]
        else:
            earlier = [change for change in changes if change < here]
            target = earlier[-1] if earlier else changes[-1]
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
        document = self._document
        if not document.shown:
            return "right", 0
        row = document.entry(self.current_row)
        if isinstance(row, Fold):
            row = document.comparison.rows[row.start]
        side = side_of(document, self.current_row, self._side)
        # Beside a filler the line of the other version is meant.
        if row.line(side) is None:
            side = other_side(side)
        return side, row.line(side) or 0

    @property
    def begins(self) -> bool:
        """Whether the caret is where a file is first shown: at its first change, and the user has not set it."""
        changes = self._document.changes
        first = changes[0] if changes else 0
        return self.current_row == first and not self._caret_by_user

    @property
    def newer_line(self) -> int:
        """0-based line of the newer version at the caret; the one before it beside a removed line."""
        rows = self._document.comparison.rows
        if not rows:
            return 0
        entry = self._document.shown[self.current_row]
        number = entry.start if isinstance(entry, Fold) else entry
        for row in reversed(rows[: number + 1]):
            if row.right is not None:
                return row.right
        return 0

    def other_side(self) -> None:
        """Take the caret to the other version, beside where it is."""
        self._side = other_side(self._side)
        self._select(Caret(self.current_row), by_user=True)

    def _go_to(self, position: int) -> None:
        """Set the caret at a row, on the side that has a line there, and scroll to it."""
        entry = self._document.entry(position)
        if isinstance(entry, Row) and entry.right is None:
            self._side = "left"
        elif isinstance(entry, Row) and entry.left is None:
            self._side = "right"
        self._select(Caret(position))
        self._show_caret(margin=True)

    def _select(
        self, caret: Caret, *, extend: bool = False, by_user: bool = False
    ) -> None:
        """Set the caret; `extend` keeps where the selection began, `by_user`: a click or key did it."""
        anchor = self._selection.anchor if extend else caret
        self._selection = Selection(anchor, caret)
        self._caret_by_user = by_user
        self.viewport().update()
        self._report_caret()
        if by_user:
            self.read.emit()
        clipboard = QGuiApplication.clipboard()
        if by_user and clipboard.supportsSelection() and self.has_selection:
            clipboard.setText(self.selected_text(), QClipboard.Mode.Selection)

    def _show_caret(self, *, margin: bool = False) -> None:
        """Scroll to the caret; with a `margin` not to the very edge of the view."""
        bar = self.verticalScrollBar()
        line = self._places.top(self.current_row)
        first, page = bar.value(), bar.pageStep()
        if margin:
            is_inside = first + 1 <= line < first + page - 2
            if not is_inside:
                bar.setValue(max(0, line - page // 4))
        elif line <= first:
            # The first line may be under the head of its function.
            bar.setValue(line - 1)
        elif line >= first + page - 1:
            bar.setValue(line - page + 2)
        self._scroll_sideways()

    def _scroll_sideways(self) -> None:
        """Bring the column of the caret into view, with some characters beside it."""
        bar = self.horizontalScrollBar()
        box = self.caret_box()
        if not self._selection.caret.offset:
            bar.setValue(0)
        elif box is not None:
            code = self._code_area()
            margin = self._painter.column * 4
            hidden_left = code.left() - box.left()
            hidden_right = box.right() - code.right()
            if hidden_left > -1:
                bar.setValue(round(bar.value() - hidden_left - margin))
            elif hidden_right > -margin:
                bar.setValue(round(bar.value() + hidden_right + margin))

    def _jump_to(self, share: float) -> None:
        """Bring a share (0..1) of the file to the middle of the view."""
        bar = self.verticalScrollBar()
        line = round(share * self._places.total)
        bar.setValue(line - bar.pageStep() // 2)

    @property
    def has_selection(self) -> bool:
        """Whether characters are selected."""
        return self._selection.anchor != self._selection.caret

    def selected_text(self) -> str:
        """The selected characters; without any, the line of the caret."""
        selection = self._selection
        if not self.has_selection and self._document.shown:
            row = selection.caret.position
            selection = Selection(Caret(row), self._line_end(row))
        return selected_text(self._document, self._side, selection)

    def _line_end(self, position: int) -> Caret:
        """Behind the last character of a row."""
        text = line_at(self._document, position, self._side)
        return Caret(position, len(text))

    def select_all(self) -> None:
        """Select every line of the side in use."""
        last = len(self._document.shown) - 1
        if last >= 0:
            self._select(Caret())
            self._select(self._line_end(last), extend=True, by_user=True)

    def copy(self) -> None:
        """Put the selected characters, or else the line of the caret, on the clipboard."""
        QGuiApplication.clipboard().setText(self.selected_text())

    def word(self) -> str:
        """What F1 is about: the word selected, at the caret or under the mouse, else what the line calls."""
        if not self._document.shown:
            return ""
        line = line_at(self._document, self.current_row, self._side)
        return self._word_at_caret() or self._word_under_mouse() or call_of(line)

    def _word_at_caret(self) -> str:
        """The name at the caret, where the user set it; empty where something else is selected."""
        start, end = self._selection.start, self._selection.end
        if not self._caret_by_user or start.position != end.position:
            return ""
        text = line_at(self._document, start.position, self._side)
        name = word_at(text, start.offset)
        selected = text[start.offset : end.offset].strip()
        return name if selected in name else ""

    def _word_under_mouse(self) -> str:
        """The name below the pointer; empty where that is elsewhere."""
        point = self.viewport().mapFromGlobal(QCursor.pos())
        is_inside = self.viewport().rect().contains(point)
        return self.word_at(point) if is_inside else ""

    def word_at(self, point: QPoint) -> str:
        """The name at a point of the viewport, empty when none is there."""
        spot = self._spot(QPointF(point))
        index = self._character_at(spot)
        if spot is None or index is None:
            return ""
        return word_at(spot.text, index)

    def _character_at(self, spot: Spot | None) -> int | None:
        """Index of the character at `spot`; None where no code is."""
        if spot is None or spot.line is None or spot.x < 0:
            return None
        return self._painter.character_at(
            spot.side, spot.line, spot.text, spot.x, spot.y
        )

    def _position_at(self, y: float) -> int | None:
        """The row at a height of the viewport (px); None above the first and below the last."""
        lines_above = int(y // self._painter.row_height)
        line = self.verticalScrollBar().value() + lines_above
        return self._places.at(line) if 0 <= line < self._places.total else None

    def _spot(self, point: QPointF, side: str = "") -> Spot | None:
        """What is at a point, None below the last row; `side` reads that side wherever the point is."""
        position = self._position_at(point.y())
        if position is None:
            return None
        document = self._document
        if not side:
            middle = self.viewport().width() / 2
            side = "left" if point.x() < middle else "right"
        side = side_of(document, position, side)
        line = document.line(position, side)
        text = document.text(position, side)
        pane_x, _end = self._pane(side)
        x = point.x() - pane_x - self._gutter(side)
        if x >= 0:
            # Code is scrolled sideways, its gutter is not.
            x += self.horizontalScrollBar().value()
        y = point.y() - self._top_of(position)
        return Spot(position, side, line, text, x, y)

    def _caret_at(self, spot: Spot) -> Caret:
        """The caret a press at `spot` sets."""
        if spot.line is None:
            return Caret(spot.position)
        x = max(0.0, spot.x)
        offset = self._painter.gap_at(spot.side, spot.line, spot.text, x, spot.y)
        return Caret(spot.position, offset)

    # ---- search

    def search(self, query: Query) -> FindState:
        """Mark every hit of `query` and go to the first one at or behind the caret."""
        self._query = query
        self._hit = None
        self._search_again()
        if self._hits:
            self._go_to_hit(self._first_hit_behind())
        return self.find_state

    def _first_hit_behind(self) -> Hit:
        """The first one at or behind the caret, around the end; there is one."""
        here = self._caret_order()
        later = (hit for hit in self._hits if _order(hit) >= here)
        return next(later, self._hits[0])

    def _last_hit_before(self) -> Hit:
        """The last one before the caret, around the beginning; there is one."""
        here = self._caret_order()
        earlier = (hit for hit in reversed(self._hits) if _order(hit) < here)
        return next(earlier, self._hits[-1])

    def find_next(self, step: int) -> None:
        """Go to the next hit (1) or the one before (-1), around the end; folded ones are unfolded."""
        if not self._hits:
            return
        if self._hit in self._hits:
            number = self._hits.index(self._hit) + step
            self._go_to_hit(self._hits[number % len(self._hits)])
        elif step > 0:
            self._go_to_hit(self._first_hit_behind())
        else:
            self._go_to_hit(self._last_hit_before())

    def end_find(self) -> None:
        """Forget what was looked for; the caret stays at the last hit."""
        self.search(Query())

    @property
    def find_state(self) -> FindState:
        """Which hit is in front, and how many there are."""
        number = 0
        if self._hit in self._hits:
            number = self._hits.index(self._hit) + 1
        return FindState(number, len(self._hits), self._error)

    def _search_again(self) -> None:
        """Look through the file as it is arranged now."""
        self._hits, self._error = find_all(self._document, self._query)
        self._finder = None
        if self._hits:
            self._finder, _error = finder(self._query)
        rows = frozenset(hit.row for hit in self._hits)
        if rows != self._hit_rows:
            self._hit_rows = rows
            self._ruler.show_document(self._document, self._places, rows)
        self.viewport().update()
        self.found.emit(self.find_state)

    def _go_to_hit(self, hit: Hit) -> None:
        """Select a hit, its fold opened, and scroll to it."""
        self._hit = hit
        position = self._reveal(hit.row)
        self._side = hit.side
        start = Caret(position, hit.span.start)
        end = Caret(position, hit.span.end)
        self._selection = Selection(start, end)
        self._caret_by_user = True
        self.read.emit()
        self._show_caret(margin=True)
        self.viewport().update()
        self._report_caret()
        self.found.emit(self.find_state)

    def _caret_order(self) -> tuple[int, int]:
        """Where the selection begins, to be compared with the `_order` of hits."""
        start = self._selection.start
        entry = self._document.shown[start.position] if self._document.shown else 0
        row = entry.start if isinstance(entry, Fold) else entry
        return row, start.offset

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
                side, line = link
                self.go_to_line(line, side)
            elif isinstance(entry, Fold):
                self._open(entry)
            else:
                extend = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self._begin_selection(spot, extend=bool(extend))

    def _take_caret_to_menu(self, spot: Spot) -> None:
        """The context menu is about the selection it opens over, else about the place."""
        caret = self._caret_at(spot)
        start, end = self._selection.start, self._selection.end
        inside = spot.side == self._side and start <= caret <= end
        if not (self.has_selection and inside):
            self._side = spot.side
            self._select(caret, by_user=True)

    def _begin_selection(self, spot: Spot, *, extend: bool) -> None:
        """Begin to select where the mouse was pressed: whole lines in the gutter and on the third press."""
        self._dragging = True
        self._whole_lines = spot.x < 0 or self._clicks.isActive()
        self._clicks.stop()
        if not self._document.inline:
            extend = extend and spot.side == self._side
        self._side = spot.side
        if self._whole_lines:
            self._select_lines(spot, extend=extend)
        else:
            self._select(self._caret_at(spot), extend=extend, by_user=True)

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
            anchor = Caret(begin)
            caret = Caret(spot.position, len(spot.text))
        else:
            anchor = self._line_end(begin)
            caret = Caret(spot.position)
        self._selection = Selection.at(anchor)
        self._select(caret, extend=True, by_user=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        index = self._character_at(spot)
        is_left = event.button() == Qt.MouseButton.LeftButton
        if spot is None or index is None or not is_left:
            self.mousePressEvent(event)
            return
        self._side = spot.side
        start, end = word_around(spot.text, index)
        self._selection = Selection.at(Caret(spot.position, start))
        self._select(Caret(spot.position, end), extend=True, by_user=True)
        self._clicks.start()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        self.viewport().setCursor(self._cursor_at(point))
        if event.buttons() & Qt.MouseButton.LeftButton and self._dragging:
            is_outside = not 0 <= point.y() < self.viewport().height()
            if not is_outside:
                self._drag_scroll.stop()
            elif not self._drag_scroll.isActive():
                self._drag_scroll.start()
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
        is_gutter = spot.x < 0
        return Qt.CursorShape.ArrowCursor if is_gutter else Qt.CursorShape.IBeamCursor

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragging = False
        self._drag_scroll.stop()

    def _drag_to(self, point: QPointF) -> None:
        """Extend the selection to a point, or to what is nearest to it on screen."""
        lines_below = self._places.total - self.verticalScrollBar().value()
        text_end = lines_below * self._painter.row_height - 1
        lowest = min(self.viewport().height() - 1.0, text_end)
        y = max(0.0, min(point.y(), lowest))
        spot = self._spot(QPointF(point.x(), y), self._side)
        if spot is not None and self._whole_lines:
            self._select_lines(spot, extend=True)
        elif spot is not None:
            self._select(self._caret_at(spot), extend=True, by_user=True)

    def _scroll_on(self) -> None:
        """The mouse is held above or below the view."""
        point = QPointF(self.viewport().mapFromGlobal(QCursor.pos()))
        step = -1 if point.y() < 0 else 1
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + step)
        self._drag_to(point)

    # ---- keys and tool tips

    def event(self, event: QEvent) -> bool:
        """F1 looks the word up where there is one; elsewhere it stays the key of the command palette."""
        is_shortcut = event.type() == QEvent.Type.ShortcutOverride
        if is_shortcut and _is_help(event) and self.word():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        word = self.word() if _is_help(event) else ""
        if word:
            self.word_asked.emit(word)
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif event.key() == Qt.Key.Key_Escape:
            self._escape()
        elif event.key() in ENTER and self._document.shown:
            self._enter()
        elif not self._moved_by(event):
            super().keyPressEvent(event)

    def _escape(self) -> None:
        """Leave the selection; what a search selected is left with the search."""
        if self.has_selection and not self._hits:
            self._select(self._selection.caret, by_user=True)
        else:
            self.escaped.emit()

    def _enter(self) -> None:
        """Open the fold at the caret, or go to the other place of a moved line."""
        entry = self._document.entry(self.current_row)
        if isinstance(entry, Fold):
            self._open(entry)
            return
        side, line = self.place
        partner = self._document.moved(side, line)
        if partner is not None:
            self.go_to_line(partner, other_side(side))

    def _moved_by(self, event: QKeyEvent) -> bool:
        """Whether a key moved the caret."""
        if not self._document.shown:
            return False
        # A page keeps one line of the page before.
        page = max(1, self.verticalScrollBar().pageStep() - 1)
        here = self._selection.caret
        goal_caret, goal_column = self._goal
        column = goal_column if goal_caret == here else here.offset
        target = moved_caret(
            self._document, self._side, self._selection, event, page, column
        )
        if target is None:
            return False
        is_vertical = event.key() in _VERTICAL_KEYS
        self._goal = (target, column if is_vertical else target.offset)
        extend = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        self._select(target, extend=bool(extend), by_user=True)
        self._show_caret()
        return True

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            spot = self._spot(QPointF(event.pos()))
            text = self._tool_tip(spot) if spot is not None else ""
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    def _tool_tip(self, spot: Spot) -> str:
        """The time of a line, and its messages."""
        lines = []
        time = self.time_at(spot.position, spot.side)
        if time is not None:
            lines.append(time.summary)
        marks = self._document.marks_at(spot.position)
        lines += [f"{mark.severity}: {mark.text}" for mark in marks]
        return "\n".join(lines)


def _order(hit: Hit) -> tuple[int, int]:
    """Hits in the order of the file."""
    return hit.row, hit.span.start


def _is_help(event: QEvent) -> bool:
    """Whether F1 alone was pressed."""
    return (
        isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_F1
        and event.modifiers() == Qt.KeyboardModifier.NoModifier
    )
