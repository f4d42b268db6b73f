"""How busy each pipe was in a round: mean of all cores as a bar, busiest core as a mark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.evaluation.records import PipeProfile
from sage_desktop.panels.results.reading import PipeShare, pipe_shares
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.writing import MIDDLE, write

_FIRST_ROW, _ROW = 1.7, 2.2  # ems: above the first row, and of a row


class PipeBars(QWidget):
    """A row a pipe.

    Signals:
        clicked: Name of the pipe whose bar was clicked.

    Attributes:
        shares: What is drawn.
    """

    clicked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.shares: tuple[PipeShare, ...] = ()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(
            self.tr("A click shows the most expensive line of a pipe in the review")
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_profile(self, profile: PipeProfile | None) -> None:
        """Show pipe times, or nothing."""
        self.shares = pipe_shares(profile) if profile is not None else ()
        self.setAccessibleName(
            ", ".join(f"{row.pipe} {100 * row.mean:.0f} %" for row in self.shares)
        )
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        row = int((place.y() / theme().em - _FIRST_ROW) // _ROW)
        if 0 <= row < len(self.shares) and self.rect().contains(place.toPoint()):
            self.clicked.emit(self.shares[row].pipe)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(40), theme().px(_ROW * max(1, len(self.shares)) + 1.8))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), look.color("base"))
        numbers = [self._numbers(row) for row in self.shares]
        metrics = QFontMetricsF(look.small_font())
        widths = [metrics.horizontalAdvance(words) for words in numbers]
        widest = max(widths, default=0.0)
        # bars stand between the names at the left and the numbers at the right
        left = float(look.px(6))
        right = self.width() - widest - look.em * 1.2
        self._paint_scale(painter, left, right)
        busiest = max((row.mean for row in self.shares), default=0.0)
        for number, row in enumerate(self.shares):
            top = look.em * (_FIRST_ROW + _ROW * number)
            area = QRectF(0, top, self.width(), look.em * 1.8)
            name = area.adjusted(look.em * 0.4, 0, 0, 0)
            write(painter, name, row.pipe, "text", look.strong_font())
            role = "accent" if row.mean == busiest and row.mean else "info"
            self._paint_bar(painter, QRectF(left, top, right - left, 0), row, role)
            place = QRectF(
                right + look.em * 0.6, top, widest + look.em * 0.6, area.height()
            )
            write(painter, place, numbers[number], "muted", look.small_font())
        painter.end()

    def _paint_scale(self, painter: QPainter, left: float, right: float) -> None:
        """Lines at every quarter, with their shares above."""
        look = theme()
        for percent in range(0, 101, 25):
            x = left + (right - left) * percent / 100
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(x, look.em * 1.5), QPointF(x, self.height()))
            place = QRectF(x - look.em * 2, 0, look.em * 4, look.em * 1.4)
            words = f"{percent} %"
            write(painter, place, words, "muted", look.small_font(), MIDDLE)

    @staticmethod
    def _paint_bar(painter: QPainter, room: QRectF, row: PipeShare, role: str) -> None:
        """The mean as a bar and the busiest core as a mark; `room` is as wide as 100 %."""
        look = theme()
        top = room.top() + look.em * 0.35
        bar = QRectF(room.left(), top, room.width() * row.mean, look.em * 1.1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color(role))
        painter.drawRoundedRect(bar, 2, 2)
        x = room.left() + room.width() * row.most
        painter.setPen(QPen(look.color("text"), 2))
        painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))

    def _numbers(self, row: PipeShare) -> str:
        words = self.tr("mean {0:.0f} %, busiest core {1:.0f} %")
        return words.format(100 * row.mean, 100 * row.most)
