"""Parallel coordinates: an axis a column, a line a run; a range drawn on an axis narrows the table."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from sage_desktop.panels.results.run_columns import Column
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.writing import MIDDLE, write

if TYPE_CHECKING:
    from core.engine.run_table import Run

_MOST_STRESSED = 40  # chosen lines that are wide and smoothed; 500 of them took 0.4 s
_MOST_SMOOTH = 400  # lines that are smoothed; more of them take long and hide it
_MOST_WORDS = 12  # values of a column of words that get a place of their own
_NEAR_EMS = 0.5
_TURN_S = 0.008  # of drawing in one event
_STEPS = 20  # in which keys move the end of a range along an axis of numbers
Range = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """A column as an axis.

    Attributes:
        column: What it shows.
        low: Number at its lower end.
        high: At its upper one.
        words: Values that are words, from below; empty for numbers.
        shown: The same as a person reads them.
    """

    column: Column
    low: float
    high: float
    words: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    def share(self, run: Run) -> float | None:
        """Where a run crosses it, 0 below to 1 above; None where its value is not known."""
        value = self.column.value(run)
        if self.words:
            place = self.words.index(str(value)) if str(value) in self.words else None
            return None if place is None else (place + 0.5) / len(self.words)
        if not isinstance(value, int | float):
            return None
        return (value - self.low) / (self.high - self.low)

    @property
    def step(self) -> float:
        """Share of the axis by which keys move the end of a range: a word, or a twentieth."""
        return 1 / (len(self.words) or _STEPS)

    def told(self, low: float, high: float) -> str:
        """What lies between two shares, in words."""
        if not self.words:
            first, last = (
                self.low + share * (self.high - self.low) for share in (low, high)
            )
            return f"{_short(first)} … {_short(last)}"
        places = ((place + 0.5) / len(self.words) for place in range(len(self.words)))
        return ", ".join(
            word
            for word, place in zip(self.shown, places, strict=True)
            if low <= place <= high
        )


def axes_of(runs: Sequence[Run], columns: Sequence[Column]) -> tuple[Axis, ...]:
    """Columns in which the runs differ and that can be an axis."""
    found = []
    for column in columns:
        values = {
            value for run in runs if (value := column.value(run)) not in (None, "")
        }
        if len(values) < 2:
            continue
        numbers = [value for value in values if isinstance(value, int | float)]
        if len(numbers) == len(values) and all(map(math.isfinite, numbers)):
            found.append(Axis(column, min(numbers), max(numbers)))
        elif len(values) <= _MOST_WORDS:
            texts = {str(column.value(run)): column.text(run) for run in runs}
            words = tuple(sorted(map(str, values)))
            found.append(
                Axis(column, 0, 1, words, tuple(texts[word] for word in words))
            )
    return tuple(found)


class ParallelView(QWidget):
    """The drawing.

    Signals:
        ranged: Ranges were drawn or taken away: column key -> test of a share of the axis.
        picked: Uid of the run whose line was clicked.
        told: The axis the keyboard is at, with its range, in words; empty where the focus is elsewhere.
    """

    ranged = Signal()
    picked = Signal(str)
    told = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.axes: tuple[Axis, ...] = ()
        self.ranges: dict[
            str, Range
        ] = {}  # column key -> shares of the axis, low and high
        self._runs: Sequence[Run] = ()
        self._shares: list[list[float | None]] = []
        self._chosen: frozenset[str] = frozenset()
        self._ground: QPixmap | None = None  # the lines, as far as they are drawn
        self._drawn = 0
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)
        self._drag: tuple[int, float] | None = None
        self._at = 0  # axis the keyboard is at
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(theme().px(8))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        theme().changed.connect(self._redraw)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(40), theme().px(13))

    def set_axes(self, axes: tuple[Axis, ...]) -> None:
        """Show these axes; ranges on others are forgotten."""
        self.axes = axes
        keys = {axis.column.key for axis in axes}
        self.ranges = {key: found for key, found in self.ranges.items() if key in keys}

    def show_runs(self, runs: Sequence[Run]) -> None:
        """Draw a line for each."""
        self._runs = runs
        self._shares = [[axis.share(run) for axis in self.axes] for run in runs]
        names = ", ".join(axis.column.title for axis in self.axes)
        self.setAccessibleName(self.tr("{0} runs over {1}").format(len(runs), names))
        self._tell()
        self._redraw()

    def choose(self, uids: Collection[str]) -> None:
        """Stress the lines of these runs."""
        self._chosen = frozenset(uids)
        self.update()

    def passes(self, run: Run) -> bool:
        """Whether a run is in every range drawn."""
        for axis in self.axes:
            wanted = self.ranges.get(axis.column.key)
            if wanted is not None:
                share = axis.share(run)
                if share is None or not wanted[0] <= share <= wanted[1]:
                    return False
        return True

    def clear_ranges(self) -> None:
        """Take all ranges away."""
        if self.ranges:
            self.ranges = {}
            self.ranged.emit()

    # ---- where things are

    def _area(self) -> QRectF:
        em = theme().em
        return QRectF(em * 4, em * 2.6, self.width() - em * 8, self.height() - em * 4.2)

    def _x(self, number: int) -> float:
        area = self._area()
        return area.left() + area.width() * number / max(1, len(self.axes) - 1)

    def _point(self, number: int, share: float) -> QPointF:
        area = self._area()
        return QPointF(self._x(number), area.bottom() - share * area.height())

    def _line(self, shares: Sequence[float | None]) -> QPolygonF:
        """A line leaves out the axes on which its run has no value."""
        return QPolygonF(
            [
                self._point(n, share)
                for n, share in enumerate(shares)
                if share is not None
            ]
        )

    # ---- drawing

    def _redraw(self) -> None:
        self._ground = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ground = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._ground is None:
            self._begin()
        look = theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), look.color("base"))
        if len(self.axes) < 2:
            words = (
                self.tr("The runs shown differ too little to be plotted.")
                if self._runs
                else ""
            )
            write(painter, QRectF(self.rect()), words, "muted", side=MIDDLE)
        elif self._ground is not None:
            painter.drawPixmap(0, 0, self._ground)
            few = len(self._chosen) <= _MOST_STRESSED
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, few)
            painter.setPen(QPen(look.color("accent"), 2.2 if few else 1))
            for run, shares in zip(self._runs, self._shares, strict=True):
                if run.uid in self._chosen:
                    painter.drawPolyline(self._line(shares))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for number, axis in enumerate(self.axes):
                self._paint_axis(painter, number, axis)
            self._paint_ranges(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.color("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _begin(self) -> None:
        """Begin the lines again; the first of them are drawn at once, the others between other events."""
        scale = self.devicePixelRatioF()
        self._ground = QPixmap((self.size().toSizeF() * scale).toSize())
        self._ground.setDevicePixelRatio(scale)
        self._ground.fill(theme().color("base"))
        self._drawn = 0
        self._go_on()

    def _go_on(self) -> None:
        """Draw lines for some milliseconds: thousands of half transparent ones take longer than a frame."""
        if self._ground is None or len(self.axes) < 2:
            return
        until = time.perf_counter() + _TURN_S
        painter = QPainter(self._ground)
        painter.setRenderHint(
            QPainter.RenderHint.Antialiasing, len(self._runs) <= _MOST_SMOOTH
        )
        pens = {}
        for correct, role in ((True, "info"), (False, "danger")):
            opacity = max(0.12, min(0.7, 40 / max(1, len(self._runs))))
            pens[correct] = QPen(theme().color(role, opacity), 1)
        while self._drawn < len(self._runs) and time.perf_counter() < until:
            painter.setPen(pens[self._runs[self._drawn].correct])
            painter.drawPolyline(self._line(self._shares[self._drawn]))
            self._drawn += 1
        painter.end()
        if self._drawn < len(self._runs):
            self._turn.start()
        self.update()

    def _paint_axis(self, painter: QPainter, number: int, axis: Axis) -> None:
        look, em, area = theme(), theme().em, self._area()
        x, room = self._x(number), area.width() / max(1, len(self.axes) - 1)
        here = self.hasFocus() and number == self._at
        painter.setPen(
            QPen(look.color("accent" if here else "muted"), 3 if here else 1)
        )
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setFont(look.strong_font(0.92))
        painter.setPen(look.color("accent" if here else "text"))
        metrics = QFontMetricsF(painter.font())
        title = metrics.elidedText(
            axis.column.title, Qt.TextElideMode.ElideRight, room - em * 0.4
        )
        size = metrics.horizontalAdvance(title)
        left = min(max(x - size / 2, em * 0.3), self.width() - size - em * 0.3)
        painter.drawText(QPointF(left, em * 1.2), title)
        painter.setFont(look.small_font())
        if axis.words:
            for place, word in enumerate(axis.shown):
                self._label(
                    painter, number, (place + 0.5) / len(axis.words), word, room
                )
        else:
            self._label(painter, number, 0.0, _short(axis.low), room, below=True)
            self._label(painter, number, 1.0, _short(axis.high), room, above=True)

    def _label(
        self,
        painter: QPainter,
        number: int,
        share: float,
        words: str,
        room: float,
        *,
        below: bool = False,
        above: bool = False,
    ) -> None:
        look, em, point = theme(), theme().em, self._point(number, share)
        last = number == len(self.axes) - 1
        metrics = QFontMetricsF(painter.font())
        width = em * 3.8 if last else min(room, em * 8) - em * 0.6
        text = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width)
        size = metrics.horizontalAdvance(text)
        if below or above:
            left = min(max(point.x() - size / 2, 2.0), self.width() - size - 2)
            top = point.y() + em * 0.1 if below else point.y() - em * 1.15
        else:
            left, top = point.x() + em * 0.3, point.y() - em * 0.5
        place = QRectF(left - 2, top, size + 4, em * 1.05)
        painter.fillRect(place, look.color("base", 0.85))
        write(painter, place, text, "text", side=MIDDLE)

    def _paint_ranges(self, painter: QPainter) -> None:
        look, em = theme(), theme().em
        for number, axis in enumerate(self.axes):
            wanted = self.ranges.get(axis.column.key)
            if wanted is None:
                continue
            top, bottom = self._point(number, wanted[1]), self._point(number, wanted[0])
            box = QRectF(
                top.x() - em * 0.4, top.y(), em * 0.8, max(3.0, bottom.y() - top.y())
            )
            painter.fillRect(box, look.color("accent", 0.3))
            painter.setPen(QPen(look.color("accent"), 1.5))
            painter.drawRect(box)

    # ---- the keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left, Right: another axis; Up, Down: the lower end of its range, with Shift the upper one."""
        key, shift = (
            Qt.Key(event.key()),
            bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier),
        )
        sideways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        along = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        if not self.axes:
            super().keyPressEvent(event)
        elif key in sideways:
            self._at = min(max(self._at + sideways[key], 0), len(self.axes) - 1)
        elif key in along:
            self._move_end(self.axes[self._at], along[key], upper=shift)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._keep(self.axes[self._at], 0.0, 1.0)
        elif key is Qt.Key.Key_Escape and self.ranges:
            self.clear_ranges()
        else:
            super().keyPressEvent(event)
            return
        self._tell()
        self.update()

    def _move_end(self, axis: Axis, by: int, *, upper: bool) -> None:
        """Move an end by whole steps; a step at least stays between the two."""
        ends = [
            round(share / axis.step)
            for share in self.ranges.get(axis.column.key, (0.0, 1.0))
        ]
        ends[upper] += by
        low, high = ends
        if 0 <= low < high <= round(1 / axis.step):
            self._keep(axis, low * axis.step, high * axis.step)

    def _keep(self, axis: Axis, low: float, high: float) -> None:
        """Keep the runs between two shares of an axis; all of it is no range."""
        if low <= 0 and high >= 1:
            self.ranges.pop(axis.column.key, None)
        else:
            self.ranges[axis.column.key] = (low, high)
        self.ranged.emit()

    def _tell(self) -> None:
        """Say which axis the keyboard is at, and what is kept of it."""
        self._at = min(self._at, max(0, len(self.axes) - 1))
        words = ""
        if self.axes:
            axis = self.axes[self._at]
            wanted = self.ranges.get(axis.column.key)
            words = self.tr("{0}: all of {1}").format(
                axis.column.title, axis.told(0.0, 1.0)
            )
            if wanted is not None:
                kept, whole = axis.told(*wanted), axis.told(0.0, 1.0)
                words = self.tr("{0}: {1} of {2}").format(
                    axis.column.title, kept, whole
                )
        self.setAccessibleDescription(words)
        self.told.emit(words if self.hasFocus() else "")

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._tell()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._tell()
        self.update()

    # ---- the mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        number = self._axis_at(event.position())
        if number is not None:
            self._at = number
            self._drag = (number, self._share_at(event.position()))
        elif uid := self._run_at(event.position()):
            self.picked.emit(uid)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        on_axis = self._axis_at(event.position()) is not None
        self.setCursor(
            Qt.CursorShape.SizeVerCursor
            if on_axis or self._drag
            else Qt.CursorShape.ArrowCursor
        )
        if self._drag is not None:
            number, begin = self._drag
            now = self._share_at(event.position())
            self.ranges[self.axes[number].column.key] = (
                min(begin, now),
                max(begin, now),
            )
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            return
        number, begin = self._drag
        self._drag = None
        key = self.axes[number].column.key
        if (
            abs(self._share_at(event.position()) - begin) * self._area().height() < 4
        ):  # a click, no drag
            self.ranges.pop(key, None)
        self.ranged.emit()

    def _axis_at(self, place: QPointF) -> int | None:
        near = theme().em * _NEAR_EMS
        return next(
            (n for n in range(len(self.axes)) if abs(self._x(n) - place.x()) <= near),
            None,
        )

    def _share_at(self, place: QPointF) -> float:
        area = self._area()
        return min(1.0, max(0.0, (area.bottom() - place.y()) / max(1.0, area.height())))

    def _run_at(self, place: QPointF) -> str:
        """The run whose line is nearest, where one is near."""
        best, found = theme().em * _NEAR_EMS, ""
        for run, shares in zip(self._runs, self._shares, strict=True):
            line = self._line(shares)
            for number in range(line.count() - 1):
                left, right = line.at(number), line.at(number + 1)
                if left.x() <= place.x() <= right.x() and right.x() > left.x():
                    part = (place.x() - left.x()) / (right.x() - left.x())
                    far = abs(left.y() + part * (right.y() - left.y()) - place.y())
                    if far < best:
                        best, found = far, run.uid
        return found


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
