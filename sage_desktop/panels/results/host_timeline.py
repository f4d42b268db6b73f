"""Who evaluated what when: a row a host and device, a bar an evaluation; those of failures are lower."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from sage_desktop.panels.results.run_columns import place_text
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.verdicts import verdict_look
from sage_desktop.ui.widgets.writing import MIDDLE, RIGHT, write

if TYPE_CHECKING:
    from core.engine.run_table import Evaluated

_ROW_EMS, _HEAD_EMS = 1.9, 1.5
_STEPS = (
    1,
    2,
    5,
    10,
    30,
    60,
    120,
    300,
    600,
    1800,
    3600,
    7200,
    21600,
    43200,
    86400,
    7 * 86400,
)  # seconds
_DAY = 86400


class HostTimeline(QWidget):
    """The drawing. Wheel zooms where the mouse is, drag moves; +, −, arrows and Home do the same.

    Signals:
        picked: Uid of the run whose evaluation was clicked.
    """

    picked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(
            self.tr("Evaluations by host and device: {0}").format("\N{EN DASH}")
        )
        self.lanes: tuple[tuple[str, str], ...] = ()
        self._by_lane: list[list[Evaluated]] = []
        self._begins: list[list[float]] = []
        self._whole = (0.0, 1.0)
        self.span = (0.0, 1.0)  # seconds since 1970
        self._chosen: frozenset[str] = frozenset()
        self._drag: tuple[QPointF, tuple[float, float]] | None = None
        self._moved = False
        self.setMinimumHeight(theme().px(8))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(40), theme().px(13))

    def show_evaluations(self, found: Sequence[Evaluated]) -> None:
        """Show these; the part of time in view stays, unless it showed everything."""
        everything = self.span == self._whole
        self.lanes = tuple(sorted({(one.host, one.device) for one in found}))
        number = {lane: at for at, lane in enumerate(self.lanes)}
        self._by_lane = [[] for _lane in self.lanes]
        for one in found:
            self._by_lane[number[one.host, one.device]].append(one)
        self._begins = [[one.begin for one in lane] for lane in self._by_lane]
        begin, end = (
            min((one.begin for one in found), default=0.0),
            max((one.end for one in found), default=1.0),
        )
        self._whole = (begin, max(end, begin + 1.0))
        if everything or self.span[1] <= begin or self.span[0] >= end:
            self.span = self._whole
        self.setMinimumHeight(
            theme().px(_HEAD_EMS + _ROW_EMS * max(1, len(self.lanes)))
        )
        told = "; ".join(self._told(at) for at in range(len(self.lanes)))
        self.setAccessibleName(
            self.tr("Evaluations by host and device: {0}").format(told)
        )
        self.update()

    def _told(self, lane: int) -> str:
        """A lane in words: where, how many evaluations, how busy."""
        words = self.tr("{0}: {1:,} evaluations, busy {2:.0f} %")
        return words.format(
            place_text(*self.lanes[lane]),
            len(self._by_lane[lane]),
            100 * self._busy(lane),
        )

    def _busy(self, lane: int) -> float:
        """Share of the time shown in which something ran; two at once count once."""
        low, high = self.span
        total, until = 0.0, low
        for one in self._by_lane[lane]:
            begin, end = max(one.begin, until), min(one.end, high)
            if end > begin:
                total, until = total + end - begin, end
        return total / (high - low)

    def choose(self, uids: Collection[str]) -> None:
        """Stress the evaluations of these runs."""
        self._chosen = frozenset(uids)
        self.update()

    # ---- where things are

    def _left(self) -> float:
        """Where time begins: beside the widest name, or a third of the width."""
        metrics = QFontMetricsF(self.font())
        widest = max(
            (metrics.horizontalAdvance(place_text(*lane)) for lane in self.lanes),
            default=0.0,
        )
        return min(widest + theme().em * 5, self.width() / 3)

    def _x(self, moment: float) -> float:
        low, high = self.span
        return self._left() + (moment - low) / (high - low) * (
            self.width() - self._left()
        )

    def _moment(self, x: float) -> float:
        low, high = self.span
        return low + (x - self._left()) / max(1.0, self.width() - self._left()) * (
            high - low
        )

    def _row(self, lane: int) -> QRectF:
        em = theme().em
        return QRectF(
            0, em * (_HEAD_EMS + _ROW_EMS * lane), self.width(), em * _ROW_EMS
        )

    def _visible(self, lane: int) -> Sequence[Evaluated]:
        """Those that may reach into view; evaluations of a device hardly overlap, so few are too many."""
        low, high = self.span
        first = bisect_left(self._begins[lane], low - 3600)
        return self._by_lane[lane][first : bisect_left(self._begins[lane], high)]

    # ---- drawing

    def paintEvent(self, _event: QPaintEvent) -> None:
        look, em = theme(), theme().em
        painter = QPainter(self)
        painter.fillRect(self.rect(), look.color("base"))
        if not self.lanes:
            words = self.tr("There is no evaluation to show.")
            write(painter, QRectF(self.rect()), words, "muted", side=MIDDLE)
            painter.end()
            return
        self._paint_times(painter)
        for lane in range(len(self.lanes)):
            row = self._row(lane)
            painter.setPen(look.tint("border", 0.7))
            painter.drawLine(row.bottomLeft(), row.bottomRight())
            self._paint_bars(painter, lane, row)
            place = QRectF(em * 0.6, row.top(), self._left() - em * 3.8, row.height())
            write(
                painter,
                place,
                place_text(*self.lanes[lane]),
                "text",
                self.font(),
                elided=True,
            )
            place = QRectF(self._left() - em * 3.2, row.top(), em * 2.8, row.height())
            write(
                painter,
                place,
                f"{100 * self._busy(lane):.0f} %",
                "muted",
                look.small_font(),
                RIGHT,
            )
        if self.hasFocus():
            painter.setPen(QPen(look.color("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_times(self, painter: QPainter) -> None:
        look, em = theme(), theme().em
        low, high = self.span
        room = max(1.0, self.width() - self._left())
        step = next((s for s in _STEPS if s * room / (high - low) > em * 6), _STEPS[-1])
        zone = _clock(low).utcoffset()
        shift = zone.total_seconds() if zone is not None else 0.0
        moment = ((low + shift) // step + 1) * step - shift
        painter.setFont(look.small_font())
        form = (
            "%m-%d %H:%M"
            if high - low > _DAY or step >= _DAY
            else "%H:%M:%S"
            if step < 60
            else "%H:%M"
        )
        while moment < high:
            x = self._x(moment)
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(x, em * 1.2), QPointF(x, self.height()))
            place = QRectF(x - em * 3, 0, em * 6, em * 1.3)
            write(painter, place, _clock(moment).strftime(form), "muted", side=MIDDLE)
            moment += step

    def _paint_bars(self, painter: QPainter, lane: int, row: QRectF) -> None:
        look, em, begin = theme(), theme().em, self._left()
        low, high = self.span
        scale = (self.width() - begin) / (high - low)
        top, height, until = row.top() + em * 0.35, row.height() - em * 0.7, begin
        colours: dict[str, QColor] = {}
        stressed = []
        painter.setFont(look.small_font())
        metrics = QFontMetricsF(painter.font())
        lower = max(
            0.0, min(height * 0.45, height - metrics.height())
        )  # of a failure; its words fit
        for one in self._visible(lane):
            right = begin + (one.end - low) * scale
            if right <= until and one.run not in self._chosen:
                continue  # no pixel of its own
            left = max(begin + (one.begin - low) * scale, begin)
            drop = (
                lower if one.verdict.startswith("fail") else 0.0
            )  # colour is never alone
            bar = QRectF(left, top + drop, max(1.0, right - left - 0.5), height - drop)
            until = max(until, bar.right())
            colour = colours.get(one.verdict)
            if colour is None:
                colour = colours[one.verdict] = look.color(
                    verdict_look(one.verdict).role
                )
            painter.fillRect(bar, colour)
            if one.run in self._chosen:
                stressed.append(bar)
            if bar.width() > em * 3.5:
                inner = bar.adjusted(em * 0.25, 0, -em * 0.25, 0)
                write(
                    painter, inner, f"{one.operator} {one.round}", "base", elided=True
                )
        painter.setPen(QPen(look.color("accent"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for bar in stressed:
            painter.drawRect(bar.adjusted(0, -2, 0, 2))

    # ---- moving

    def _zoom(self, factor: float, around: float) -> None:
        low, high = self.span
        self._look_at(
            around - (around - low) * factor, around + (high - around) * factor
        )

    def _look_at(self, low: float, high: float) -> None:
        """Show a part of the time, no less than a second and no more than there is."""
        first, last = self._whole
        length = min(max(high - low, 1.0), last - first)
        low = min(max(low, first), last - length)
        self.span = (low, low + length)
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._zoom(
            0.8 ** (event.angleDelta().y() / 120), self._moment(event.position().x())
        )
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        low, high = self.span
        middle, part = (low + high) / 2, (high - low) / 8
        moves = {
            Qt.Key.Key_Plus: lambda: self._zoom(0.7, middle),
            Qt.Key.Key_Equal: lambda: self._zoom(0.7, middle),
            Qt.Key.Key_Minus: lambda: self._zoom(1 / 0.7, middle),
            Qt.Key.Key_Left: lambda: self._look_at(low - part, high - part),
            Qt.Key.Key_Right: lambda: self._look_at(low + part, high + part),
            Qt.Key.Key_Home: lambda: self._look_at(*self._whole),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
        else:
            move()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag, self._moved = (event.position(), self.span), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            begin, (low, high) = self._drag
            far = event.position().x() - begin.x()
            self._moved = self._moved or abs(far) > 3
            if self._moved:
                shift = far / max(1.0, self.width() - self._left()) * (high - low)
                self._look_at(low - shift, high - shift)
            return
        one = self._at(event.position())
        if one is None:
            QToolTip.hideText()
            return
        began = _clock(one.begin).strftime("%Y-%m-%d %H:%M:%S")
        words = self.tr("{0}, round {1}: {2}\n{3}, {4:.1f} s").format(
            one.operator,
            one.round,
            verdict_look(one.verdict).text,
            began,
            one.end - one.begin,
        )
        QToolTip.showText(
            event.globalPosition().toPoint() + QPoint(12, 12), words, self
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        one = self._at(event.position())
        if self._drag is not None and not self._moved and one is not None:
            self.picked.emit(one.run)
        self._drag = None

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()
        super().leaveEvent(event)

    def _at(self, place: QPointF) -> Evaluated | None:
        """The evaluation under the mouse, or within two pixels of it."""
        for lane in range(len(self.lanes)):
            if self._row(lane).contains(place) and place.x() >= self._left():
                near = [
                    one
                    for one in self._visible(lane)
                    if self._x(one.begin) - 2 <= place.x() <= self._x(one.end) + 2
                ]
                moment = self._moment(place.x())
                return min(
                    near,
                    key=lambda one: abs((one.begin + one.end) / 2 - moment),
                    default=None,
                )
        return None


def _clock(moment: float) -> datetime:
    """Seconds since 1970 in the person's own clock."""
    return datetime.fromtimestamp(moment, UTC).astimezone()
