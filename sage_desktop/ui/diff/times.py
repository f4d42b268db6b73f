"""How long lines take, as a column before their numbers: time, bar, change, and below how long they wait."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from sage_desktop.ui.diff.painter import LinePainter
from sage_desktop.ui.widgets.writing import RIGHT, write

# Widths in columns of the code's font.
_TIME, _CHANGE = 6.0, 6.6


@dataclass(frozen=True)
class LineTime:
    """What the column shows of a line.

    Attributes:
        words: Its time, without the unit.
        share: Of the longest time of any line of both versions, 0 to 1: how long the bar is.
        stalled: How long it waits, on the same scale, at most 1.
        change: Against the line beside it in the other version; empty without one.
        role: Colour of the change.
        summary: Everything about it in one line, for tool tips, the line above the code and screen readers.
    """

    words: str
    share: float
    stalled: float
    change: str = ""
    role: str = "muted"
    summary: str = ""


class TimeColumn:
    """Paints it in the font and colours of `painter`.

    Args:
        painter: Of the lines.
        is_visible: Whether there is one.
        changes: Whether it has room for changes.
    """

    def __init__(
        self, painter: LinePainter, *, is_visible: bool, changes: bool
    ) -> None:
        self._painter = painter
        self._time = painter.column * _TIME if is_visible else 0.0
        self._change = painter.column * _CHANGE if is_visible and changes else 0.0

    @property
    def width(self) -> float:
        """Pixels."""
        return self._time + self._change

    def paint(self, painter: QPainter, area: QRectF, time: LineTime | None) -> None:
        """One line, at the left edge of `area`."""
        if not self.width:
            return
        look, column = self._painter.look, self._painter.column
        x = area.left()
        y = area.top()
        height = self._painter.row_height
        ground = QRectF(x, y, self.width, area.height())
        painter.fillRect(ground, look.color("raised"))
        if time is None:
            return
        left_margin, right_margin = column * 0.4, column * 0.3
        cell = QRectF(x + left_margin, y, self._time - left_margin, height)
        self._paint_bars(painter, cell, time)
        font = self._painter.font
        words_cell = cell.adjusted(0, 0, -right_margin, 0)
        write(painter, words_cell, time.words, "text", font, RIGHT)
        if self._change and time.change:
            width = self._change - right_margin
            change_cell = QRectF(cell.right(), y, width, height)
            write(painter, change_cell, time.change, time.role, font, RIGHT)

    def _paint_bars(self, painter: QPainter, cell: QRectF, time: LineTime) -> None:
        """How long the line works, and along the lower edge how long it waits."""
        look = self._painter.look
        accent_share = 0.46 if look.dark else 0.30
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.tint("accent", accent_share))
        work = cell.adjusted(0, 2, 0, -2)
        work.setWidth(cell.width() * time.share)
        painter.drawRect(work)
        if time.stalled:
            thickness = max(2.0, cell.height() * 0.14)
            length = max(2.0, cell.width() * time.stalled)
            top = cell.bottom() - thickness
            painter.setBrush(look.color("warning"))
            painter.drawRect(QRectF(cell.left(), top, length, thickness))
