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
from sage_desktop.ui.diff.caret import Caret, Selection, side_of
from sage_desktop.ui.diff.cells import cells
from sage_desktop.ui.diff.cpp_names import functions
from sage_desktop.ui.diff.document import CONTEXT, DiffDocument, FileView, RowPlaces
from sage_desktop.ui.diff.highlight import Highlighter, LineToken
from sage_desktop.ui.diff.overview_ruler import OverviewRuler
from sage_desktop.ui.diff.painter import Fill, LinePainter
from sage_desktop.ui.diff.search import SIDES, Finder, Hit
from sage_desktop.ui.diff.times import LineTime, TimeColumn
from sage_desktop.ui.theme import theme

_NARROW_COLUMNS = 100  # characters below which two columns are of no use
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
        self._found_rows: frozenset[int] = frozenset()  # of the comparison, with hits
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
        for side in SIDES:
            if name == "colors":
                self._highlighters[side].set_text(
                    (getattr(self._view, side) or "") if on else ""
                )
        self._rearrange()

    def set_times(self, times: Mapping[str, Mapping[int, LineTime]]) -> None:
        """Show beside the numbers how long lines take, by side and 0-based line; empty shows no column."""
        self.times = times
        self._measure()
        self.viewport().update()
        self._tell()

    def time_at(self, position: int, side: str) -> LineTime | None:
        """What is known of the time of the line of `side` in a row."""
        side = side_of(self._document, position, side)
        line = self._document.line(position, side)
        return None if line is None else self.times.get(side, {}).get(line)

    def _time_column(self, side: str) -> TimeColumn:
        """Where one version is compared with another the changes stand beside the newer one."""
        inline = self._document.inline
        changes = side == "right" or inline
        has_times = bool(self.times.get(side) or (inline and any(self.times.values())))
        return TimeColumn(
            self._painter,
            is_visible=has_times,
            changes=changes and bool(self.times.get("left")),
        )

    def _rearrange(self) -> None:
        """Lay the file out again; the line of the caret, or the first one on screen, keeps its height."""
        visible, bar = self._visible(), self.verticalScrollBar()
        position = self.current_row if self.current_row in visible else visible.start
        entry = (
            self._document.entry(position)
            if position < len(self._document.shown)
            else None
        )
        above = self._places.top(position) - bar.value()
        self._rebuild(opened=frozenset())
        if isinstance(entry, Row):
            side = "right" if entry.right is not None else "left"
            position = self._document.position_of(side, entry.line(side) or 0) or 0
            self._selection = Selection(*[Caret(position)] * 2)
            self._measure()
            bar.setValue(self._places.top(position) - above)
            self._tell()

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
        narrow = self.viewport().width() < self._painter.column * _NARROW_COLUMNS
        return (
            narrow and not self._options["inline"] and not self._options["two_columns"]
        )

    def full_height(self) -> int:
        """Height in which everything is visible without scrolling, in two columns or in one."""
        rows = self._places.total
        if not self._document.inline:
            rows = max(rows, len(self._document.left) + len(self._document.right))
        bar = self.horizontalScrollBar().sizeHint().height()
        return rows * self._painter.row_height + bar + 2

    def tokens(self, side: str, line: int) -> list[LineToken]:
        """Coloured parts of a 0-based line of a side; none while it is not lexed."""
        return self._highlighters[side].tokens(line)

    def _colored(self, side: str, first: int, last: int) -> None:
        self._painter.forget(side, first, last)
        if not self._repaint.isActive() and self._shows(side, first, last):
            self._repaint.start()

    def _shows(self, side: str, first: int, last: int) -> bool:
        """Whether any line from `first` to before `last` of a side is on screen."""
        lines = (self._document.line(position, side) for position in self._visible())
        return any(line is not None and first <= line < last for line in lines)

    def _visible(self) -> range:
        """Rows of which something is on screen."""
        top = self.verticalScrollBar().value()
        bottom = top + self.viewport().height() // self._painter.row_height + 1
        end = min(len(self._document.shown), self._places.at(bottom) + 1)
        return range(self._places.at(top), end)

    def _restyle(self) -> None:
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
        self._ruler.show_document(self._document, self._places, self._found_rows)
        self.squeezed.emit(self._is_squeezed() and not self._is_single)
        self.viewport().update()
        self._tell()

    def _fits(self) -> bool:
        """Whether the whole file is visible at once; nothing is folded then."""
        lines = max(
            (text or "").count("\n") for text in (self._view.left, self._view.right)
        )
        return (lines + 4) * self._painter.row_height < self.viewport().height()

    def _measure(self) -> None:
        """Heights of rows and ranges of the scroll bars for the present size and options."""
        document, painter = self._document, self._painter
        wraps = self._options["wrap"]
        room = min(map(self._code_width, SIDES))
        painter.wrap_at(room if wraps else None)
        count = len(document.shown)
        heights = [self._height_of(n) for n in range(count)] if wraps else None
        self._places = RowPlaces(count, heights)
        rows = max(1, self.viewport().height() // painter.row_height)
        bar = self.verticalScrollBar()
        bar.setPageStep(rows)
        spare = 1 if document.shown else 0
        bar.setRange(0, max(0, self._places.total - rows + spare))
        hidden = 0
        if not wraps:
            lines = (*document.left, *document.right)
            longest = max(map(cells, lines), default=0)
            hidden = round((longest + 4) * painter.column - room)
        sideways = self.horizontalScrollBar()
        sideways.setPageStep(round(room))
        sideways.setSingleStep(round(painter.column * 4))
        sideways.setRange(0, max(0, hidden))

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
        after = self._document.shown.index(fold)
        before = len(self._document.shown)
        self._document.open_fold(fold)
        more = len(self._document.shown) - before
        self._selection = self._selection.shifted(after, more)
        self._measure()
        self._ruler.show_document(self._document, self._places, self._found_rows)
        self.viewport().update()

    def _reveal(self, row: int) -> int:
        """Where a row of the comparison is shown, its fold opened when it is hidden."""
        for entry in self._document.shown:
            if isinstance(entry, Fold) and entry.start <= row < entry.end:
                self._open(entry)
                break
        return self._document.position_of_row(row)

    def _pane(self, side: str) -> tuple[float, float]:
        width = float(self.viewport().width())
        if self._document.inline:
            return 0.0, width
        return (0.0, width / 2) if side == "left" else (width / 2, width)

    def _gutter(self, side: str = "right") -> float:
        lines = max(len(self._document.left), len(self._document.right))
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

    def _tell(self) -> None:
        changes = self._document.changes
        number = sum(change <= self.current_row for change in changes)
        self.moved.emit(number, len(changes))
        if self._document.shown:
            time = self.time_at(self.current_row, self._side)
            summary = time.summary if time is not None else ""
            words = self._document.describe(self.current_row)
            self.setAccessibleDescription(f"{words} {summary}".strip())
            self.timed.emit(summary)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        look = theme()
        painter.fillRect(event.rect(), look.color("base"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self._painter.row_height
        first = self.verticalScrollBar().value()
        self._links = []
        for position in self._visible():
            top = (self._places.top(position) - first) * height
            entry = self._document.entry(position)
            if isinstance(entry, Fold):
                self._paint_fold(painter, position, entry, top)
            else:
                self._paint_row(painter, position, entry, top)
            if position == self.current_row and self.hasFocus():
                pane_x = self._pane(self._side)[0]
                area = QRectF(pane_x, top, look.px(0.13), height)
                painter.fillRect(area, look.color("accent"))
                end = self._pane(self._side)[1]
                row = QRectF(pane_x, top, end - pane_x, height)
                painter.fillRect(row, look.color("accent", 0.09))
        self._paint_caret(painter)
        if not self._document.inline:
            middle = self.viewport().width() // 2
            painter.setPen(look.color("border"))
            painter.drawLine(middle, 0, middle, self.viewport().height())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        self._paint_heads(painter)
        painter.end()

    def _paint_fold(
        self, painter: QPainter, position: int, fold: Fold, top: float
    ) -> None:
        band = QRectF(0, top, self.viewport().width(), self._painter.row_height)
        self._painter.fold(painter, band, _folded_words(fold.end - fold.start))
        start, end = self._selection.start.position, self._selection.end.position
        if start < position < end:
            painter.fillRect(band, self._painter.selected_fill())

    def _paint_caret(self, painter: QPainter) -> None:
        if not self.hasFocus() or not self._document.shown:
            return
        box = self.caret_box()
        if box is not None:
            painter.setClipRect(QRectF(*self._code_area()))
            painter.fillRect(box, theme().color("text"))
            painter.setClipping(False)

    def _code_area(self) -> tuple[float, float, float, float]:
        start, end = self._pane(self._side)
        gutter = self._gutter(self._side)
        height = float(self.viewport().height())
        return start + gutter, 0.0, end - start - gutter, height

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
        middle = self._code_area()[0] + place.x() - self.horizontalScrollBar().value()
        rows = self._places.top(position) - self.verticalScrollBar().value()
        top = rows * self._painter.row_height + place.y() + 2
        width = max(1.0, theme().em * 0.09)
        return QRectF(middle - width / 2, top, width, self._painter.row_height - 4)

    def _paint_row(
        self, painter: QPainter, position: int, row: Row, top: float
    ) -> None:
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
        column = self._time_column(side)
        column.paint(painter, area, self.times.get(side, {}).get(line))
        gutter = QRectF(area)
        gutter.setLeft(area.left() + column.width)
        gutter.setWidth(self._gutter(side) - column.width)
        numbers = (row.left, row.right) if self._two_gutters() else (line,)
        self._painter.gutter(painter, gutter, numbers, row.kind, side)
        code = area.adjusted(self._gutter(side), 0, 0, 0)
        text = self._document.text(position, side)
        fills = self._fills(position, row, side, text)
        shift = self.horizontalScrollBar().value()
        end = self._painter.code(painter, code, side, line, text, fills, shift)
        messages = self._document.marks_at(position) if side == "right" else ()
        at_caret = position == self.current_row and side == self._side
        if messages:
            self._painter.messages(painter, code, gutter, end, messages)
        elif partner is not None and self._document.begins_move(side, line):
            box = self._painter.move(painter, code, end, _moved_words(side, partner))
            self._links.append((box, "left" if side == "right" else "right", partner))
        elif at_caret and (words := self._note(side, line)):
            self._painter.note(painter, code, end, words)

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
        return hit.span if hit.side == side or row.kind is RowKind.EQUAL else None

    def _selected_in(
        self, position: int, side: str, text: str
    ) -> tuple[Span, bool] | None:
        """The selected characters of a line, and whether its end is selected; None without any."""
        start, end = self._selection.start, self._selection.end
        of_side = self._document.inline or side == self._side
        inside = start.position <= position <= end.position
        if start == end or not of_side or not inside:
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
        entry = document.entry(first)
        # Under a fold the next line decides: the one before it is the fold's last.
        row = entry
        if isinstance(row, Fold):
            row = document.comparison.rows[row.end - 1]
        sides: tuple[str, ...] = SIDES
        if document.inline:
            sides = (side_of(document, first, "right"),)
        heads = {}
        for side in sides:
            line = row.line(side)
            text = getattr(self._view, side)
            head = _functions(text)[line] if text and line is not None else None
            if head is not None:
                heads[side] = head
        return heads

    def _paint_heads(self, painter: QPainter) -> None:
        """The heads of functions that stay at the upper edge, over what scrolls below."""
        look = theme()
        for side, line in self.sticky().items():
            start, end = self._pane(side)
            area = QRectF(start, 0, end - start, self._painter.row_height)
            painter.fillRect(area, look.color("raised"))
            time_width = self._time_column(side).width
            gutter = QRectF(
                start + time_width, 0, self._gutter(side) - time_width, area.height()
            )
            numbers: tuple[int | None, ...] = (line,)
            if self._two_gutters():
                numbers = (line, None) if side == "left" else (None, line)
            self._painter.gutter(painter, gutter, numbers, RowKind.EQUAL, side)
            text = getattr(self._document, side)[line]
            painter.save()
            painter.setClipRect(area)
            shift = self.horizontalScrollBar().value()
            code = area.adjusted(self._gutter(side), 0, 0, 0)
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
        return QSize(theme().px(50), theme().px(24))


@lru_cache(maxsize=16)
def _functions(text: str) -> list[int | None]:
    return functions(text.split("\n"))


def _moved_words(side: str, partner: int) -> str:
    words = QCoreApplication.translate("DiffView", "moved from line {0}")
    if side == "left":
        words = QCoreApplication.translate("DiffView", "moved to line {0}")
    return words.format(partner + 1)


def _folded_words(hidden: int) -> str:
    return QCoreApplication.translate("DiffView", "%n unchanged line(s)", "", hidden)
