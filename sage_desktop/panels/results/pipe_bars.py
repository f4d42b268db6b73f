"""How busy each pipe was in a round: mean of all cores as a bar, busiest core as a mark."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.evaluation.records import PipeProfile
from sage_desktop.panels.results.reading import PipeShare, pipe_shares
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.writing import MIDDLE, write

# Heights in ems.
_FIRST_ROW = 1.7  # from the top to the first row; the scale stands there
_ROW = 2.2  # from one row to the next
_ROW_TEXT = 1.8  # of the words in a row
# Widths in ems.
_NAMES = 6  # from the left to the bars
_GAP = 0.6  # between the bars and the numbers


class PipeBars(QWidget):
    """A row a pipe.

    Signals:
        clicked: Name of the pipe in whose row the mouse clicked.

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
        means = [f"{row.pipe} {100 * row.mean:.0f} %" for row in self.shares]
        self.setAccessibleName(", ".join(means))
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        is_inside = self.rect().contains(place.toPoint())
        row = int((place.y() / theme().em - _FIRST_ROW) // _ROW)
        if is_inside and 0 <= row < len(self.shares):
            self.clicked.emit(self.shares[row].pipe)

    def sizeHint(self) -> QSize:
        rows = max(1, len(self.shares))
        return QSize(theme().px(40), theme().px(_ROW * rows + 1.8))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), look.color("base"))
        small = look.small_font()
        metrics = QFontMetricsF(small)
        numbers = [self._numbers(row) for row in self.shares]
        widths = [metrics.horizontalAdvance(words) for words in numbers]
        widest = max(widths, default=0.0)
        # Bars stand between the names at the left and the numbers at the right.
        gap = look.em * _GAP
        left = float(look.px(_NAMES))
        right = self.width() - widest - 2 * gap
        self._paint_scale(painter, left, right)
        busiest = max((row.mean for row in self.shares), default=0.0)
        height = look.em * _ROW_TEXT
        indent = look.em * 0.4
        for number, row in enumerate(self.shares):
            top = look.em * (_FIRST_ROW + _ROW * number)
            name_area = QRectF(indent, top, self.width() - indent, height)
            write(painter, name_area, row.pipe, "text", look.strong_font())
            # The busiest pipe limits the kernel; several may be as busy.
            is_busiest = row.mean == busiest and row.mean > 0
            role = "accent" if is_busiest else "info"
            full_bar = QRectF(left, top, right - left, 0)
            self._paint_bar(painter, full_bar, row, role)
            numbers_area = QRectF(right + gap, top, widest + gap, height)
            write(painter, numbers_area, numbers[number], "muted", small)
        painter.end()

    def _paint_scale(self, painter: QPainter, left: float, right: float) -> None:
        """Lines at every quarter between two x, with their shares above."""
        look = theme()
        line_top = look.em * 1.5
        room = look.em * 4  # for the words of one line
        for percent in range(0, 101, 25):
            x = left + (right - left) * percent / 100
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(x, line_top), QPointF(x, self.height()))
            words_area = QRectF(x - room / 2, 0, room, look.em * 1.4)
            words = f"{percent} %"
            write(painter, words_area, words, "muted", look.small_font(), MIDDLE)

    @staticmethod
    def _paint_bar(
        painter: QPainter, full_bar: QRectF, row: PipeShare, role: str
    ) -> None:
        """Paint the mean as a bar and the busiest core as a mark.

        Args:
            painter: Of the widget.
            full_bar: Left, top and width of a bar of 100 %.
            row: What to paint.
            role: Colour of the bar.
        """
        look = theme()
        top = full_bar.top() + look.em * 0.35
        width = full_bar.width() * row.mean
        bar = QRectF(full_bar.left(), top, width, look.em * 1.1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color(role))
        painter.drawRoundedRect(bar, 2, 2)
        x = full_bar.left() + full_bar.width() * row.most
        painter.setPen(QPen(look.color("text"), 2))
        # The mark reaches 2 px over the bar, so that it is seen on it too.
        painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, bar.bottom() + 2))

    def _numbers(self, row: PipeShare) -> str:
        words = self.tr("mean {0:.0f} %, busiest core {1:.0f} %")
        return words.format(100 * row.mean, 100 * row.most)
