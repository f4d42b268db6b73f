"""Lines, dots and words over two axes, drawn by Qt alone: a plotting library takes longer to load than this to draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QToolTip, QWidget

from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.writing import MIDDLE, RIGHT, write

# Measures in ems.
_EDGE = 0.6  # around the plot
_GAP = 0.3  # between an axis and its numbers
_APART = 2.4  # least from one number to the next one above it
_BESIDE = 3.0  # least from one number to the next one beside it
_REACH = 0.5  # of the mouse around the middle of a dot
_ALONE = 0.05  # around the only place of an axis, in its units or in decades
_DECADE = (1, 2, 5)  # what carries a number in each


class Shape(Enum):
    """How a dot looks."""

    CIRCLE = auto()
    DIAMOND = auto()
    STAR = auto()
    RING = auto()


@dataclass(frozen=True)
class Axis:
    """What is measured along it, and how its numbers are written.

    Attributes:
        name: Words with the unit.
        is_log: Its places are powers of ten.
        is_whole: There is nothing between two whole numbers.
        has_lines: Its numbers have lines across the plot.
        text: Writes a number.
    """

    name: str = ""
    is_log: bool = False
    is_whole: bool = False
    has_lines: bool = False
    text: Callable[[float], str] = "{:g}".format

    def place(self, value: float) -> float:
        """Where `value` stands, in units of the axis or in decades."""
        return math.log10(value) if self.is_log else value

    def numbers(self, low: float, high: float, most: int) -> list[float]:
        """Round numbers between two places, with `most` gaps between them or fewer."""
        if not self.is_log:
            return _multiples(low, high, most, 1.0 if self.is_whole else 0.0)
        if high - low < 1:
            return _multiples(10**low, 10**high, most)
        # Some of each decade where they have room, else powers of ten alone.
        decades = range(math.floor(low), math.ceil(high) + 1)
        fine = [first * 10.0**decade for decade in decades for first in _DECADE]
        fine = [value for value in fine if low <= math.log10(value) <= high]
        if len(fine) <= most:
            return fine
        inside = [decade for decade in decades if low <= decade <= high]
        every = math.ceil(len(inside) / most)
        return [10.0**decade for decade in inside if decade % every == 0]


def _multiples(low: float, high: float, most: int, least: float = 0.0) -> list[float]:
    """Multiples of one round step, at least `least`, with `most` gaps or fewer."""
    step = max(least, round_step((high - low) / most))
    first, last = math.ceil(low / step), math.floor(high / step)
    return [multiple * step for multiple in range(first, last + 1)]


def round_step(least: float) -> float:
    """The first of 1, 2, 5, 10 times a power of ten that is not below `least`."""
    exponent = math.floor(math.log10(max(least, 1e-9)))
    power = 10.0**exponent
    steps = (power * factor for factor in (*_DECADE, 10))
    # Powers of ten are rounded: one may lie a little below what it stands for.
    return next(step for step in steps if step >= least * (1 - 1e-9))


@dataclass(frozen=True)
class Line:
    """Straight from place to place, (x, y) in the units of both axes."""

    places: Sequence[tuple[float, float]]
    pen: QPen


@dataclass(frozen=True)
class Dot:
    """One place that says `words` under the mouse; `size` in ems."""

    x: float
    y: float
    color: QColor
    words: str = ""
    shape: Shape = Shape.CIRCLE
    size: float = 0.5


@dataclass(frozen=True)
class Note:
    """Words beside a place.

    Attributes:
        x: Of the place.
        y: Of the place.
        words: One line.
        color: Of the words.
        anchor: The part of the words that stands at the place, (0, 0) their upper left, (1, 1) their lower right.
        gap: Between the place and the words, in ems.
    """

    x: float
    y: float
    words: str
    color: QColor
    anchor: tuple[float, float]
    gap: float = 0.2


@dataclass(frozen=True)
class _Span:
    """A side of the plot: from `low` to `high` of an axis, in pixels from `begin` to `end`."""

    axis: Axis
    low: float
    high: float
    begin: float
    end: float

    def pixel(self, value: float) -> float:
        share = (self.axis.place(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def numbers(self, room: float) -> list[float]:
        """The numbers of the axis, if each takes `room` pixels."""
        most = max(2, int(abs(self.end - self.begin) / room))
        return self.axis.numbers(self.low, self.high, most)


@dataclass(frozen=True)
class _Frame:
    """Both sides of the plot."""

    across: _Span
    up: _Span

    def point(self, x: float, y: float) -> QPointF:
        return QPointF(self.across.pixel(x), self.up.pixel(y))

    @property
    def area(self) -> QRectF:
        upper_left = QPointF(self.across.begin, self.up.end)
        return QRectF(upper_left, QPointF(self.across.end, self.up.begin))


class Plot(QWidget):
    """What was given to `draw`; the whole of it is always in view.

    Signals:
        clicked: Words of the dots under the mouse button.

    Args:
        name: For screen readers.
        padding: Room around what is drawn, as a share of it.
    """

    clicked = Signal(str)

    def __init__(self, name: str, padding: float = 0.05) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._padding = padding
        self._axes = Axis(), Axis()
        self.lines: Sequence[Line] = ()
        self.dots: Sequence[Dot] = ()
        self.notes: Sequence[Note] = ()

    def draw(
        self,
        across: Axis,
        up: Axis,
        lines: Sequence[Line],
        dots: Sequence[Dot],
        notes: Sequence[Note] = (),
    ) -> None:
        """Show this from now on."""
        self._axes = across, up
        self.lines, self.dots, self.notes = lines, dots, notes
        self.update()

    def place_of(self, dot: Dot) -> QPointF:
        """Where a dot stands in the widget."""
        return self._frame().point(dot.x, dot.y)

    # ---- the mouse

    def words_at(self, place: QPointF) -> str:
        """What the dots around a place say, one a line."""
        if not self.dots:
            return ""
        frame = self._frame()
        reach = theme().em * _REACH
        words: list[str] = []
        for dot in self.dots:
            away = frame.point(dot.x, dot.y) - place
            if dot.words and math.hypot(away.x(), away.y()) <= reach:
                words.append(dot.words)
        return "\n".join(dict.fromkeys(words))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.words_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        words = self.words_at(event.position())
        if words:
            self.clicked.emit(words.replace("\n", "; "))

    # ---- measures

    def _frame(self) -> _Frame:
        """The sides of the plot: below stand a line of numbers and one of words, at the left as well."""
        look = theme()
        metrics = QFontMetricsF(self.font())
        edge = look.em * _EDGE
        gap = look.em * _GAP
        across_axis, up_axis = self._axes
        bottom = self.height() - 2 * metrics.height() - 2 * gap
        up = _Span(up_axis, *self._extent(1), bottom, edge)
        # What the widest number leaves of the width is the plot's.
        texts = [up_axis.text(value) for value in up.numbers(look.em * _APART)]
        widest = max(map(metrics.horizontalAdvance, texts), default=0.0)
        left = metrics.height() + widest + 3 * gap
        right = self.width() - 2 * edge
        across = _Span(across_axis, *self._extent(0), left, right)
        return _Frame(across, up)

    def _extent(self, side: int) -> tuple[float, float]:
        """The first and the last place of an axis (0 across, 1 up), with room around them."""
        values = [place[side] for line in self.lines for place in line.places]
        values += [(dot.x, dot.y)[side] for dot in self.dots]
        places = [self._axes[side].place(value) for value in values]
        low, high = min(places), max(places)
        room = self._padding * (high - low) or _ALONE
        return low - room, high + room

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme().color("base"))
        if not self.dots:  # numbers of an axis would mean nothing
            painter.end()
            return
        frame = self._frame()
        self._paint_across(painter, frame)
        self._paint_up(painter, frame)
        for line in self.lines:
            painter.setPen(line.pen)
            painter.drawPolyline([frame.point(x, y) for x, y in line.places])
        for dot in self.dots:
            _paint_dot(painter, frame.point(dot.x, dot.y), dot)
        for note in self.notes:
            self._paint_note(painter, frame.point(note.x, note.y), note)
        painter.end()

    def _paint_across(self, painter: QPainter, frame: _Frame) -> None:
        """The horizontal axis: its line, its numbers and its name."""
        look, area = theme(), frame.area
        line_height = painter.fontMetrics().height()
        gap = look.em * _GAP
        span = frame.across
        room = look.em * _BESIDE
        top = area.bottom() + gap
        for value in span.numbers(room):
            x = span.pixel(value)
            # A line across the plot, or a tick below it.
            end = area.top() if span.axis.has_lines else top
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, end))
            words = QRectF(x - room / 2, top, room, line_height)
            write(painter, words, span.axis.text(value), "text", side=MIDDLE)
        painter.setPen(QPen(look.color("muted"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        name = QRectF(area.left(), top + line_height, area.width(), line_height)
        write(painter, name, span.axis.name, "text", side=MIDDLE)

    def _paint_up(self, painter: QPainter, frame: _Frame) -> None:
        """The vertical axis: its line, its numbers and, turned, its name."""
        look, area = theme(), frame.area
        line_height = painter.fontMetrics().height()
        gap = look.em * _GAP
        span = frame.up
        for value in span.numbers(look.em * _APART):
            y = span.pixel(value)
            if span.axis.has_lines:
                painter.setPen(QPen(look.color("border"), 1))
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            top = y - line_height / 2
            words = QRectF(0, top, area.left() - gap, line_height)
            write(painter, words, span.axis.text(value), "text", side=RIGHT)
        painter.setPen(QPen(look.color("muted"), 1))
        painter.drawLine(area.topLeft(), area.bottomLeft())
        painter.save()
        painter.translate(0, area.bottom())
        painter.rotate(-90)
        name = QRectF(0, 0, area.height(), line_height + gap)
        write(painter, name, span.axis.name, "text", side=MIDDLE)
        painter.restore()

    def _paint_note(self, painter: QPainter, place: QPointF, note: Note) -> None:
        """Write words, inside the widget."""
        size = QFontMetricsF(self.font()).size(0, note.words)
        gap = theme().em * note.gap
        x, y = note.anchor
        left = place.x() - x * size.width() + gap * (1 - 2 * x)
        left = max(0.0, min(left, self.width() - size.width()))
        top = place.y() - y * size.height() + gap * (1 - 2 * y)
        painter.setPen(note.color)
        painter.drawText(QRectF(QPointF(left, top), size), MIDDLE, note.words)


def _paint_dot(painter: QPainter, middle: QPointF, dot: Dot) -> None:
    """Paint its shape around `middle`."""
    radius = theme().em * dot.size / 2
    painter.setPen(QPen(dot.color, 2))
    painter.setBrush(dot.color)
    if dot.shape is Shape.RING:
        painter.setBrush(Qt.BrushStyle.NoBrush)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
    if dot.shape in (Shape.CIRCLE, Shape.RING):
        painter.drawEllipse(middle, radius, radius)
        return
    corners = 4 if dot.shape is Shape.DIAMOND else 10
    polygon = QPolygonF()
    for corner in range(corners):
        # Every other corner of a star lies nearer.
        is_near = dot.shape is Shape.STAR and corner % 2 == 1
        length = radius * (0.45 if is_near else 1.0)
        angle = 2 * math.pi * corner / corners - math.pi / 2
        away = QPointF(length * math.cos(angle), length * math.sin(angle))
        polygon.append(middle + away)
    painter.drawPolygon(polygon)
