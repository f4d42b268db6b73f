"""How long lines take, as a column before their numbers: time, bar, change, and below how long they wait."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from sage_desktop.ui.diff.painter import LinePainter

_TIME, _CHANGE = 6.0, 6.6  # columns of the code's font


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
        shown: Whether there is one.
        changes: Whether it has room for changes.
    """

    def __init__(self, painter: LinePainter, *, shown: bool, changes: bool) -> None:
        self._painter = painter
        self._time = painter.column * _TIME if shown else 0.0
        self._change = painter.column * _CHANGE if shown and changes else 0.0

    @property
    def width(self) -> float:
        """Pixels."""
        return self._time + self._change

    def paint(self, painter: QPainter, area: QRectF, time: LineTime | None) -> None:
        """One line, at the left edge of `area`."""
        look, column, height = (
            self._painter.look,
            self._painter.column,
            self._painter.row_height,
        )
        if not self.width:
            return
        painter.fillRect(
            QRectF(area.left(), area.top(), self.width, area.height()),
            look.color("raised"),
        )
        if time is None:
            return
        cell = QRectF(
            area.left() + column * 0.4, area.top(), self._time - column * 0.4, height
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.tint("accent", 0.46 if look.dark else 0.30))
        painter.drawRect(
            QRectF(cell.left(), cell.top() + 2, cell.width() * time.share, height - 4)
        )
        if time.stalled:
            painter.setBrush(look.color("warning"))
            thick = max(2.0, height * 0.14)
            long = max(2.0, cell.width() * time.stalled)
            painter.drawRect(QRectF(cell.left(), cell.bottom() - thick, long, thick))
        painter.setFont(self._painter.font)
        painter.setPen(look.color("text"))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(cell.adjusted(0, 0, -column * 0.3, 0), flags, time.words)
        if self._change and time.change:
            painter.setPen(look.color(time.role))
            painter.drawText(
                QRectF(cell.right(), cell.top(), self._change - column * 0.3, height),
                flags,
                time.change,
            )
