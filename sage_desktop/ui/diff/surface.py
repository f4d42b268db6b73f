"""The surface of a comparison: layout of rows and columns, painting, view options; no navigation."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from sage_desktop.ui.diff.document import CONTEXT, DiffDocument, FileView
from sage_desktop.ui.diff.engine import Fold, Row
from sage_desktop.ui.diff.highlight import Highlighter, LineToken
from sage_desktop.ui.diff.overview_ruler import OverviewRuler
from sage_desktop.ui.diff.painter import LinePainter, cells
from sage_desktop.ui.theme import theme

_NARROW_COLUMNS = 100  # characters below which two columns help nobody
_GATHER_MS = 25  # colours that arrive meanwhile are painted together
SIDES = ("left", "right")


class DiffSurface(QAbstractScrollArea):
    """Paints a `FileView` and keeps the current row.

    Signals:
        moved: The current row changed; carries (number of the change at or before it from 1, all changes).
    """

    moved = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self._view = FileView("", None, None)
        self._options = {"inline": False, "fold": True, "ignore_space": False, "colors": True}
        self._context = CONTEXT
        self._document = DiffDocument(self._view)
        self._highlighters = {side: Highlighter(self) for side in SIDES}
        for side, highlighter in self._highlighters.items():
            highlighter.progressed.connect(lambda first, last, side=side: self._colored(side, first, last))
        self._painter = LinePainter(theme(), self._tokens)
        self._repaint = QTimer(self)  # several portions of colours are painted at once
        self._repaint.setSingleShot(True)
        self._repaint.setInterval(_GATHER_MS)
        self._repaint.timeout.connect(self.viewport().update)
        self._current = 0
        self._anchor = 0
        self._side = "right"
        self._ruler = OverviewRuler(self)
        theme().changed.connect(self._restyle)
        self._restyle()

    def coloured_until(self) -> int:
        """Lines from the top that are coloured on both sides."""
        return min(highlighter.ready for highlighter in self._highlighters.values())

    @property
    def document(self) -> DiffDocument:
        """What is shown now."""
        return self._document

    def set_option(self, name: str, *, on: bool) -> None:
        """Turn `inline`, `fold`, `ignore_space` or `colors` on or off."""
        if self._options[name] == on:
            return
        self._options[name] = on
        for side in SIDES:
            if name == "colors":
                self._highlighters[side].set_text((getattr(self._view, side) or "") if on else "")
        self._rebuild(opened=frozenset())

    def set_context(self, lines: int) -> None:
        """Keep `lines` unchanged lines visible around every change."""
        if lines != self._context:
            self._context = lines
            self._rebuild(opened=frozenset())

    @property
    def inline(self) -> bool:
        """Whether one column is shown, by choice or because there is no room for two."""
        narrow = self.viewport().width() < self._painter.column * _NARROW_COLUMNS
        return self._options["inline"] or narrow

    def full_height(self) -> int:
        """Height in which everything is visible without scrolling, in two columns or in one."""
        rows = len(self._document.shown)
        if not self._document.inline:
            rows = max(rows, len(self._document.left) + len(self._document.right))
        return rows * self._painter.row_height + self.horizontalScrollBar().sizeHint().height() + 2

    def _tokens(self, side: str, line: int) -> list[LineToken]:
        return self._highlighters[side].tokens(line)

    def _colored(self, side: str, first: int, last: int) -> None:
        self._painter.forget(side, first, last)
        if not self._repaint.isActive() and self._shows(side, first, last):
            self._repaint.start()

    def _shows(self, side: str, first: int, last: int) -> bool:
        """Whether any line from `first` to before `last` of a side is on screen."""
        top = self.verticalScrollBar().value()
        end = min(len(self._document.shown), top + self.viewport().height() // self._painter.row_height + 2)
        for entry in map(self._document.entry, range(top, end)):
            line = None if isinstance(entry, Fold) else getattr(entry, side)
            if line is not None and first <= line < last:
                return True
        return False

    def _restyle(self) -> None:
        self._painter = self._fresh_painter()
        self.setViewportMargins(0, 0, theme().px(0.8), 0)
        self._measure()
        self.viewport().update()

    def _rebuild(self, *, opened: frozenset[int]) -> None:
        self._painter = self._fresh_painter()
        self._document = DiffDocument(
            self._view,
            inline=self.inline,
            fold=self._options["fold"] and not self._fits(),
            ignore_space=self._options["ignore_space"],
            context=self._context,
            opened=opened,
        )
        self._current = min(self._current, max(0, len(self._document.shown) - 1))
        self._anchor = self._current
        self._measure()
        self._ruler.show_document(self._document)
        self.viewport().update()
        self._tell()

    def _fits(self) -> bool:
        """Whether the whole file is visible at once; nothing is folded then."""
        lines = max((text or "").count("\n") for text in (self._view.left, self._view.right))
        return (lines + 4) * self._painter.row_height < self.viewport().height()

    def _fresh_painter(self) -> LinePainter:
        made = LinePainter(theme(), self._tokens)
        made.needle = self._painter.needle
        return made

    def _measure(self) -> None:
        rows = max(1, self.viewport().height() // self._painter.row_height)
        bar = self.verticalScrollBar()
        bar.setPageStep(rows)
        bar.setRange(0, max(0, len(self._document.shown) - rows + (1 if self._document.shown else 0)))
        longest = max(map(cells, (*self._document.left, *self._document.right)), default=0)
        room = self._code_width("right")
        sideways = self.horizontalScrollBar()
        sideways.setPageStep(round(room))
        sideways.setSingleStep(round(self._painter.column * 4))
        sideways.setRange(0, max(0, round((longest + 4) * self._painter.column - room)))

    def _pane(self, side: str) -> tuple[float, float]:
        width = float(self.viewport().width())
        if self._document.inline:
            return 0.0, width
        return (0.0, width / 2) if side == "left" else (width / 2, width)

    def _gutter(self) -> float:
        return self._painter.gutter_width(max(len(self._document.left), len(self._document.right)))

    def _code_width(self, side: str) -> float:
        start, end = self._pane(side)
        return end - start - self._gutter()

    def _tell(self) -> None:
        changes = self._document.changes
        self.moved.emit(sum(change <= self._current for change in changes), len(changes))
        if self._document.shown:
            self.setAccessibleDescription(self._document.describe(self._current))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        look = theme()
        painter.fillRect(event.rect(), look.color("base"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self._painter.row_height
        first = self.verticalScrollBar().value()
        last = min(len(self._document.shown), first + self.viewport().height() // height + 2)
        chosen = range(min(self._anchor, self._current), max(self._anchor, self._current) + 1)
        for position in range(first, last):
            top = (position - first) * height
            entry = self._document.entry(position)
            if isinstance(entry, Fold):
                band = QRectF(0, top, self.viewport().width(), height)
                hidden = entry.end - entry.start
                self._painter.fold(painter, band, _folded_words(hidden))
            else:
                self._paint_row(painter, position, entry, top)
            if position in chosen:
                self._paint_choice(painter, top, single=len(chosen) == 1)
        if not self._document.inline:
            middle = self.viewport().width() // 2
            painter.setPen(look.color("border"))
            painter.drawLine(middle, 0, middle, self.viewport().height())
        painter.end()

    def _paint_choice(self, painter: QPainter, top: float, *, single: bool) -> None:
        look = theme()
        start, end = self._pane(self._side)
        if not single:
            color = look.color("accent")
            color.setAlphaF(0.22)
            painter.fillRect(QRectF(start, top, end - start, self._painter.row_height), color)
        if self.hasFocus() or not single:
            edge = look.px(0.13)
            painter.fillRect(QRectF(start, top, edge, self._painter.row_height), look.color("accent"))

    def _paint_row(self, painter: QPainter, position: int, row: Row, top: float) -> None:
        height = self._painter.row_height
        if self._document.inline:
            side = "left" if row.right is None else "right"
            self._paint_side(painter, position, row, side, QRectF(0, top, self._pane(side)[1], height))
            return
        for side in SIDES:
            start, end = self._pane(side)
            self._paint_side(painter, position, row, side, QRectF(start, top, end - start, height))

    def _paint_side(self, painter: QPainter, position: int, row: Row, side: str, area: QRectF) -> None:
        line = row.left if side == "left" else row.right
        if line is None:
            self._painter.filler(painter, area)
            return
        fill = self._painter.background(row.kind, side)
        if fill is not None:
            painter.fillRect(area, fill)
        gutter = QRectF(area.left(), area.top(), self._gutter(), area.height())
        self._painter.gutter(painter, gutter, line, row.kind, side)
        code = area.adjusted(gutter.width(), 0, 0, 0)
        marks = row.left_marks if side == "left" else row.right_marks
        text = self._document.text(position, side)
        shift = self.horizontalScrollBar().value()
        end = self._painter.code(painter, code, side, line, text, marks, shift)
        messages = self._document.marks_at(position) if side == "right" else ()
        if messages:
            self._painter.messages(painter, code, gutter, end, messages)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ruler.place()
        if self.inline != self._document.inline:
            self._rebuild(opened=self._document.opened)
        self._measure()

    def focusInEvent(self, event: QEvent) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]
        self.viewport().update()

    def focusOutEvent(self, event: QEvent) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(50), theme().px(24))


def _folded_words(hidden: int) -> str:
    return QCoreApplication.translate("DiffView", "%n unchanged line(s)", "", hidden)
