"""The surface of a comparison: layout of rows and columns, painting, view options; no navigation.

The head of the function one reads in stays at the upper edge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea

from core.diff.side_by_side import Fold, Row, RowKind, Span
from sage_desktop.ui.diff.caret import Caret, Selection, other_side, side_of
from sage_desktop.ui.diff.cells import cells
from sage_desktop.ui.diff.cpp_names import functions
from sage_desktop.ui.diff.document import CONTEXT, DiffDocument, FileView, RowPlaces
from sage_desktop.ui.diff.highlight import Highlighter, LineToken
from sage_desktop.ui.diff.overview_ruler import OverviewRuler
from sage_desktop.ui.diff.painter import Fill, LinePainter
from sage_desktop.ui.diff.search import SIDES, Finder, Hit
from sage_desktop.ui.diff.times import LineTime, TimeColumn
from sage_desktop.ui.theme import theme

# Characters below which two columns are of no use: half of them, without numbers, is not a line.
_NARROW_COLUMNS = 120
_TIME_COLUMNS = 20  # more of them where times stand beside both versions
_GATHER_MS = 25  # colours that arrive meanwhile are painted together


class DiffSurface(QAbstractScrollArea):
    """Paints a `FileView`, its selection and the hits of a search.

    Signals:
        moved: The current row changed; carries (number of the change at or before it from 1, all changes).
        squeezed: Whether one column is shown only because there is no room for two.
        timed: The caret's line; carries what is known of its time, empty where that is nothing.
    """

    moved = Signal(int, int)
    squeezed = Signal(bool)
    timed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self._view = FileView("", None, None)
        self._options = {
            "inline": False,
            "fold": True,
            "ignore_space": False,
            "colors": True,
            "wrap": False,
            "two_columns": False,  # however narrow the view is
        }
        self._document = DiffDocument(self._view)
        self._highlighters = {side: Highlighter(self) for side in SIDES}
        for side, highlighter in self._highlighters.items():
            highlighter.progressed.connect(
                lambda first, last, side=side: self._colored(side, first, last)
            )
        self._painter = LinePainter(theme(), self.tokens)
        # Several portions of colours are painted at once.
        self._repaint = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._repaint.timeout.connect(self.viewport().update)
        self.times: Mapping[str, Mapping[int, LineTime]] = {}  # by side and line
        self._places = RowPlaces(0)
        self._selection = Selection()
        self._side = "right"
        # Words on screen that lead elsewhere: their box, the side and the line.
        self._links: list[tuple[QRectF, str, int]] = []
        self._finder: Finder | None = None
        self._hit: Hit | None = None
        # Rows of the comparison with hits.
        self._hit_rows: frozenset[int] = frozenset()
        self._note: Callable[[str, int], str] = lambda _side, _line: ""
        self._ruler = OverviewRuler(self)
        theme().changed.connect(self._restyle)
        self._restyle()

    def set_note(self, note: Callable[[str, int], str]) -> None:
        """Write `note(side, 0-based line)` behind the line of the caret; nothing where it is empty."""
        self._note = note

    @property
    def document(self) -> DiffDocument:
        """What is shown now."""
        return self._document

    def set_option(self, name: str, *, on: bool) -> None:
        """Turn one of `inline`, `fold`, `ignore_space`, `colors`, `wrap`, `two_columns` on or off."""
        if self._options[name] == on:
            return
        self._options[name] = on
        if name == "colors":
            self._set_highlighted_texts()
        self._rearrange()

    def _set_highlighted_texts(self) -> None:
        """Give the highlighters the texts of both sides; empty ones where colours are off."""
        for side, highlighter in self._highlighters.items():
            text = getattr(self._view, side) if self._options["colors"] else None
            highlighter.set_text(text or "")

    def set_times(self, times: Mapping[str, Mapping[int, LineTime]]) -> None:
        """Show beside the numbers how long lines take, by side and 0-based line; empty shows no column."""
        self.times = times
        if self.inline != self._document.inline:
            self._rearrange()
        self._measure()
        self.viewport().update()
        self._report_caret()

    def time_at(self, position: int, side: str) -> LineTime | None:
        """What is known of the time of the line of `side` in a row."""
        side = side_of(self._document, position, side)
        line = self._document.line(position, side)
        return None if line is None else self._line_time(side, line)

    def _line_time(self, side: str, line: int) -> LineTime | None:
        return self.times.get(side, {}).get(line)

    def _time_column(self, side: str) -> TimeColumn:
        """Where one version is compared with another the changes stand beside the newer one."""
        inline = self._document.inline
        has_changes = inline or side == "right"
        # One column has lines of both versions.
        sides = SIDES if inline else (side,)
        has_times = any(self.times.get(each) for each in sides)
        has_older_times = bool(self.times.get("left"))
        return TimeColumn(
            self._painter,
            is_visible=has_times,
            changes=has_changes and has_older_times,
        )

    def _rearrange(self) -> None:
        """Lay the file out again; the line of the caret, or the first one on screen, keeps its height."""
        visible, bar = self._visible(), self.verticalScrollBar()
        position = self.current_row
        if position not in visible:
            position = visible.start
        entry: Row | Fold | None = None
        if position < len(self._document.shown):
            entry = self._document.entry(position)
        # Screen lines between the upper edge and the line that keeps its height.
        above = self._places.top(position) - bar.value()
        self._rebuild(opened=frozenset())
        if isinstance(entry, Row):
            side = "left" if entry.right is None else "right"
            line = entry.line(side) or 0
            position = self._document.position_of(side, line) or 0
            self._selection = Selection.at(Caret(position))
            # The position may lie in a fold that was opened for it.
            self._measure()
            bar.setValue(self._places.top(position) - above)
            self._report_caret()

    @property
    def current_row(self) -> int:
        """The shown row the caret is in."""
        return self._selection.caret.position

    @property
    def inline(self) -> bool:
        """Whether one column is shown: by choice, for one version, or for want of room."""
        return self._options["inline"] or self._is_single or self._is_squeezed()

    @property
    def _is_single(self) -> bool:
        """Whether one version alone is shown."""
        return self._view.left is None or self._view.right is None

    def _is_squeezed(self) -> bool:
        """Whether one column is shown for want of room, and not by choice."""
        if self._options["inline"] or self._options["two_columns"]:
            return False
        least = _NARROW_COLUMNS
        if any(self.times.values()):
            least += _TIME_COLUMNS
        return self.viewport().width() < self._painter.column * least

    def full_height(self) -> int:
        """Height in which everything is visible without scrolling, in two columns or in one, px."""
        document = self._document
        rows = self._places.total
        if not document.inline:
            # In one column a changed line takes two rows.
            rows = max(rows, len(document.left) + len(document.right))
        bar_height = self.horizontalScrollBar().sizeHint().height()
        return rows * self._painter.row_height + bar_height + 2

    def tokens(self, side: str, line: int) -> list[LineToken]:
        """Coloured parts of a 0-based line of a side; none while it is not lexed."""
        return self._highlighters[side].tokens(line)

    def _colored(self, side: str, first: int, last: int) -> None:
        """Lay lines out again whose colours are known now, and paint them if they are on screen."""
        self._painter.forget(side, first, last)
        if not self._repaint.isActive() and self._shows(side, first, last):
            self._repaint.start()

    def _shows(self, side: str, first: int, last: int) -> bool:
        """Whether any line from `first` to before `last` of a side is on screen."""
        for position in self._visible():
            line = self._document.line(position, side)
            if line is not None and first <= line < last:
                return True
        return False

    def _visible(self) -> range:
        """Rows of which something is on screen."""
        first_line = self.verticalScrollBar().value()
        whole_lines = self.viewport().height() // self._painter.row_height
        # One screen line more is partly visible.
        last_line = first_line + whole_lines + 1
        last_row = self._places.at(last_line)
        behind = min(len(self._document.shown), last_row + 1)
        return range(self._places.at(first_line), behind)

    def _restyle(self) -> None:
        """Take the fonts and colours of the theme."""
        self._painter = LinePainter(theme(), self.tokens)
        self.setViewportMargins(0, 0, theme().px(0.8), 0)
        self._measure()
        self.viewport().update()

    def _rebuild(self, *, opened: frozenset[int]) -> None:
        """Compare and fold again, with these folds open."""
        self._painter = LinePainter(theme(), self.tokens)
        self._document = DiffDocument(
            self._view,
            inline=self.inline,
            fold=self._options["fold"] and not self._fits(),
            ignore_space=self._options["ignore_space"],
            context=CONTEXT,
            opened=opened,
        )
        last = max(0, len(self._document.shown) - 1)
        if self._selection.end.position > last:
            self._selection = Selection()
        self._measure()
        self._ruler.show_document(self._document, self._places, self._hit_rows)
        self.squeezed.emit(self._is_squeezed() and not self._is_single)
        self.viewport().update()
        self._report_caret()

    def _fits(self) -> bool:
        """Whether the whole file is visible at once; nothing is folded then."""
        view = self._view
        texts = (view.left or "", view.right or "")
        breaks = max(text.count("\n") for text in texts)
        # Some lines more: the two versions need not align line by line.
        height = (breaks + 4) * self._painter.row_height
        return height < self.viewport().height()

    def _measure(self) -> None:
        """Heights of rows and ranges of the scroll bars for the present size and options."""
        row_count = len(self._document.shown)
        code_width = min(self._code_width(side) for side in SIDES)
        heights = None
        if self._options["wrap"]:
            self._painter.wrap_at(code_width)
            heights = [self._height_of(position) for position in range(row_count)]
        else:
            self._painter.wrap_at(None)
        self._places = RowPlaces(row_count, heights)
        self._set_vertical_range()
        self._set_horizontal_range(code_width)

    def _set_vertical_range(self) -> None:
        """Of the bar that counts screen lines."""
        page = max(1, self.viewport().height() // self._painter.row_height)
        # One line more: the last one may be cut by the lower edge.
        spare = 1 if self._document.shown else 0
        bar = self.verticalScrollBar()
        bar.setPageStep(page)
        hidden = self._places.total - page + spare
        bar.setRange(0, max(0, hidden))

    def _set_horizontal_range(self, code_width: float) -> None:
        """Of the bar that counts pixels; wrapped lines are never hidden."""
        document, column = self._document, self._painter.column
        hidden = 0
        if not self._options["wrap"]:
            lines = (*document.left, *document.right)
            longest = max(map(cells, lines), default=0)
            hidden = round((longest + 4) * column - code_width)
        bar = self.horizontalScrollBar()
        bar.setPageStep(round(code_width))
        bar.setSingleStep(round(column * 4))
        bar.setRange(0, max(0, hidden))

    def _height_of(self, position: int) -> int:
        """Screen lines of a row whose lines are wrapped; only long lines are laid out for it."""
        tallest = 1
        for side in SIDES:
            line = self._document.line(position, side)
            text = self._document.text(position, side)
            if line is not None and cells(text) > self._painter.columns:
                tallest = max(tallest, self._painter.lines_of(side, line, text))
        return tallest

    def _open(self, fold: Fold) -> None:
        """Show what is folded; what is selected stays selected."""
        position = self._document.shown.index(fold)
        rows_before = len(self._document.shown)
        self._document.open_fold(fold)
        rows_more = len(self._document.shown) - rows_before
        self._selection = self._selection.shifted(position, rows_more)
        self._measure()
        self._ruler.show_document(self._document, self._places, self._hit_rows)
        self.viewport().update()

    def _reveal(self, row: int) -> int:
        """Where a row of the comparison is shown, its fold opened when it is hidden."""
        for entry in self._document.shown:
            if isinstance(entry, Fold) and entry.start <= row < entry.end:
                self._open(entry)
                break
        return self._document.position_of_row(row)

    def _pane(self, side: str) -> tuple[float, float]:
        """Left and right edge of the part of the view a side has, px."""
        width = float(self.viewport().width())
        if self._document.inline:
            return 0.0, width
        middle = width / 2
        return (0.0, middle) if side == "left" else (middle, width)

    def _gutter(self, side: str = "right") -> float:
        """Width of times and numbers in front of the code, px."""
        document = self._document
        lines = max(len(document.left), len(document.right))
        numbers = self._painter.gutter_width(lines, both=self._two_gutters())
        return numbers + self._time_column(side).width

    def _two_gutters(self) -> bool:
        """Whether each line tells its number in both versions."""
        return (
            self._document.inline
            and self._view.left is not None
            and self._view.right is not None
        )

    def _code_width(self, side: str) -> float:
        start, end = self._pane(side)
        return end - start - self._gutter(side)

    def _report_caret(self) -> None:
        """Emit where the caret is, and describe its line to screen readers."""
        changes = self._document.changes
        number = sum(change <= self.current_row for change in changes)
        self.moved.emit(number, len(changes))
        if self._document.shown:
            time = self.time_at(self.current_row, self._side)
            summary = time.summary if time is not None else ""
            words = self._document.describe(self.current_row)
            self.setAccessibleDescription(f"{words} {summary}".strip())
            self.timed.emit(summary)

    def _top_of(self, position: int) -> float:
        """The upper edge of a row, px; negative above what is on screen."""
        lines = self._places.top(position) - self.verticalScrollBar().value()
        return float(lines * self._painter.row_height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), theme().color("base"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._links = []
        for position in self._visible():
            top = self._top_of(position)
            entry = self._document.entry(position)
            if isinstance(entry, Fold):
                self._paint_fold(painter, position, entry, top)
            else:
                self._paint_row(painter, position, entry, top)
            if position == self.current_row and self.hasFocus():
                self._paint_current(painter, top)
        self._paint_caret(painter)
        if not self._document.inline:
            middle = self.viewport().width() // 2
            painter.setPen(theme().color("border"))
            painter.drawLine(middle, 0, middle, self.viewport().height())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        self._paint_heads(painter)
        painter.end()

    def _paint_current(self, painter: QPainter, top: float) -> None:
        """The row of the caret, on its side: a stripe at its edge and a faint ground."""
        look, height = theme(), self._painter.row_height
        start, end = self._pane(self._side)
        stripe = QRectF(start, top, look.px(0.13), height)
        painter.fillRect(stripe, look.color("accent"))
        row = QRectF(start, top, end - start, height)
        painter.fillRect(row, look.color("accent", 0.09))

    def _paint_fold(
        self, painter: QPainter, position: int, fold: Fold, top: float
    ) -> None:
        """The band in place of hidden lines, dark inside a selection."""
        width, height = self.viewport().width(), self._painter.row_height
        band = QRectF(0, top, width, height)
        words = _folded_words(fold.end - fold.start)
        self._painter.fold(painter, band, words)
        start = self._selection.start.position
        end = self._selection.end.position
        if start < position < end:
            painter.fillRect(band, self._painter.selected_fill())

    def _paint_caret(self, painter: QPainter) -> None:
        """The caret, cut off where its column is scrolled out of view."""
        if not self.hasFocus() or not self._document.shown:
            return
        box = self.caret_box()
        if box is not None:
            painter.setClipRect(self._code_area())
            painter.fillRect(box, theme().color("text"))
            painter.setClipping(False)

    def _code_area(self) -> QRectF:
        """The part of the view with the code of the caret's side."""
        start, _end = self._pane(self._side)
        code_x = start + self._gutter(self._side)
        width = self._code_width(self._side)
        return QRectF(code_x, 0.0, width, self.viewport().height())

    def caret_box(self) -> QRectF | None:
        """Where the caret is on screen; None in a fold or beside a filler."""
        position = self.current_row
        side = side_of(self._document, position, self._side)
        line = self._document.line(position, side)
        if line is None:
            return None
        text = self._document.text(position, side)
        offset = min(self._selection.caret.offset, len(text))
        place = self._painter.place_of(side, line, text, offset)
        shift = self.horizontalScrollBar().value()
        middle = self._code_area().left() + place.x() - shift
        top = self._top_of(position) + place.y() + 2
        width = max(1.0, theme().em * 0.09)
        height = self._painter.row_height - 4
        return QRectF(middle - width / 2, top, width, height)

    def _paint_row(
        self, painter: QPainter, position: int, row: Row, top: float
    ) -> None:
        """Both sides of a row, or in one column the side that has a line."""
        height = self._painter.row_height * self._places.height(position)
        sides: tuple[str, ...] = SIDES
        if self._document.inline:
            sides = ("left",) if row.right is None else ("right",)
        for side in sides:
            start, end = self._pane(side)
            area = QRectF(start, top, end - start, height)
            line = row.line(side)
            if line is None:
                self._painter.filler(painter, area)
            else:
                self._paint_line(painter, position, row, side, line, area)

    def _paint_line(
        self,
        painter: QPainter,
        position: int,
        row: Row,
        side: str,
        line: int,
        area: QRectF,
    ) -> None:
        """Background, time, numbers and code of the 0-based `line` of a side, and words behind it."""
        partner = self._document.moved(side, line)
        fill = self._painter.background(row.kind, side)
        if partner is not None:
            fill = self._painter.moved_fill()
        if fill is not None:
            painter.fillRect(area, fill)
        times = self._time_column(side)
        times.paint(painter, area, self._line_time(side, line))
        gutter = self._number_area(side, area)
        numbers = (row.left, row.right) if self._two_gutters() else (line,)
        self._painter.gutter(painter, gutter, numbers, row.kind, side)
        code = QRectF(area)
        code.setLeft(gutter.right())
        text = self._document.text(position, side)
        fills = self._fills(position, row, side, text)
        shift = self.horizontalScrollBar().value()
        end = self._painter.code(painter, code, side, line, text, fills, shift)
        messages = self._document.marks_at(position) if side == "right" else ()
        if messages:
            self._painter.messages(painter, code, gutter, end, messages)
        elif partner is not None and self._document.begins_move(side, line):
            words = _moved_words(side, partner)
            box = self._painter.move(painter, code, end, words)
            self._links.append((box, other_side(side), partner))
        elif position == self.current_row and side == self._side:
            words = self._note(side, line)
            if words:
                self._painter.note(painter, code, end, words)

    def _number_area(self, side: str, area: QRectF) -> QRectF:
        """The part of a line's `area` with its numbers, between its time and its code."""
        time_width = self._time_column(side).width
        width = self._gutter(side) - time_width
        return QRectF(area.left() + time_width, area.top(), width, area.height())

    def _fills(self, position: int, row: Row, side: str, text: str) -> list[Fill]:
        """What lies behind the characters of a line: changed words, hits, the selection."""
        marks = row.left_marks if side == "left" else row.right_marks
        fills = [Fill(mark, self._painter.word_fill(side)) for mark in marks]
        selected = self._selected_in(position, side, text)
        in_front = self._hit_in(position, row, side)
        for span in self._finder(text) if self._finder is not None else ():
            is_in_front = span == in_front
            color = self._painter.hit_fill(in_front=is_in_front)
            fills.append(Fill(span, color, framed=is_in_front))
            # The hit in front is selected as a rule: one colour is enough.
            if is_in_front and selected == (span, False):
                selected = None
        if selected is not None:
            span, to_end = selected
            fills.append(Fill(span, self._painter.selected_fill(), to_end=to_end))
        return fills

    def _hit_in(self, position: int, row: Row, side: str) -> Span | None:
        """The characters of the hit in front, where it is in this line; equal lines share it."""
        hit = self._hit
        if hit is None or hit.row != self._document.shown[position]:
            return None
        # Lines that are equal are one hit.
        is_here = hit.side == side or row.kind is RowKind.EQUAL
        return hit.span if is_here else None

    def _selected_in(
        self, position: int, side: str, text: str
    ) -> tuple[Span, bool] | None:
        """The selected characters of a line, and whether its end is selected; None without any."""
        start, end = self._selection.start, self._selection.end
        is_side = self._document.inline or side == self._side
        is_inside = start.position <= position <= end.position
        if start == end or not is_side or not is_inside:
            return None
        first = start.offset if position == start.position else 0
        last = end.offset if position == end.position else len(text)
        return Span(first, last), position < end.position

    def sticky(self) -> dict[str, int]:
        """0-based line of the head shown over each side."""
        document = self._document
        first = self._visible().start
        if first >= len(document.shown):
            return {}
        row = document.entry(first)
        # Under a fold the next line decides: the one before it is the fold's last.
        if isinstance(row, Fold):
            row = document.comparison.rows[row.end - 1]
        sides: tuple[str, ...] = SIDES
        if document.inline:
            sides = (side_of(document, first, "right"),)
        heads = {}
        for side in sides:
            line = row.line(side)
            text = getattr(self._view, side)
            if line is None or not text:
                continue
            head = _functions(text)[line]
            if head is not None:
                heads[side] = head
        return heads

    def _paint_heads(self, painter: QPainter) -> None:
        """The heads of functions that stay at the upper edge, over what scrolls below."""
        for side, line in self.sticky().items():
            self._paint_head(painter, side, line)

    def _paint_head(self, painter: QPainter, side: str, line: int) -> None:
        """The head of the function that a side is scrolled into, with a line below it."""
        look = theme()
        start, end = self._pane(side)
        area = QRectF(start, 0, end - start, self._painter.row_height)
        painter.fillRect(area, look.color("raised"))
        numbers: tuple[int | None, ...] = (line,)
        if self._two_gutters():
            numbers = (line, None) if side == "left" else (None, line)
        gutter = self._number_area(side, area)
        self._painter.gutter(painter, gutter, numbers, RowKind.EQUAL, side)
        text = getattr(self._document, side)[line]
        shift = self.horizontalScrollBar().value()
        code = QRectF(area)
        code.setLeft(gutter.right())
        painter.save()
        painter.setClipRect(area)
        self._painter.code(painter, code, side, line, text, (), shift)
        painter.restore()
        edge = QRectF(start, area.bottom() - 1, area.width(), 1)
        painter.fillRect(edge, look.color("border"))

    def head_at(self, x: float, y: float) -> tuple[str, int] | None:
        """Side and line of the head under a point."""
        if y >= self._painter.row_height:
            return None
        for side, line in self.sticky().items():
            start, end = self._pane(side)
            if start <= x < end:
                return side, line
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ruler.place()
        if self.inline != self._document.inline:
            self._rebuild(opened=self._document.opened)
        top = self._places.at(self.verticalScrollBar().value())
        self._measure()
        # Lines break elsewhere now: the same row stays at the top.
        if self._options["wrap"]:
            self.verticalScrollBar().setValue(self._places.top(top))

    def focusInEvent(self, event: QEvent) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]
        self.viewport().update()

    def focusOutEvent(self, event: QEvent) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return theme().size(50, 24)


@lru_cache(maxsize=16)
def _functions(text: str) -> list[int | None]:
    """By line of a file the line of the head of its function; None outside functions."""
    return functions(text.split("\n"))


def _moved_words(side: str, partner: int) -> str:
    """What stands behind the first of moved lines; `partner` is 0-based."""
    words = QCoreApplication.translate("DiffView", "moved from line {0}")
    if side == "left":
        words = QCoreApplication.translate("DiffView", "moved to line {0}")
    return words.format(partner + 1)


def _folded_words(hidden: int) -> str:
    return QCoreApplication.translate("DiffView", "%n unchanged line(s)", "", hidden)
