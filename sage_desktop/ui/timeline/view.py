"""The timeline of a kernel: a row for each pipe of each core, up to a few million slices, two traces at once.

Far out a frame is one small image, a row of pixels for each lane, scaled by Qt; close in slices, stalls,
labels and arrows are drawn one by one (`drawing.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from core.trace.columns import Trace
from sage_desktop.ui.theme import theme
from sage_desktop.ui.timeline import drawing
from sage_desktop.ui.timeline.frame import (
    LEAST_ROW,
    MOST_ROW,
    TimelineFrame,
    overview_height,
)
from sage_desktop.ui.timeline.layer import Layer
from sage_desktop.ui.timeline.words import described

_LEAST_NS = 16.0  # of a view
_ZOOM = 0.8


class TimelineView(TimelineFrame):
    """Wheel or W and S zoom, drag or A and D pan, Shift and drag measures, a click chooses a slice.

    F fits the slice chosen, F again everything; `.` and `,` go to the next and the one before, Backspace to
    the view before a zoom, Enter to its line of source; Ctrl and wheel change the height of rows.

    Signals:
        picked: Number of the slice chosen in the trace `front`, -1 for none.
        opened: The same slice, whose line of source is wanted.
        measured: (begin, end) in ns of the range chosen; equal for none.
        moved: What is in view changed: times, rows or their height.
    """

    picked = Signal(int)
    opened = Signal(int)
    measured = Signal(float, float)
    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._before: list[tuple[float, float]] = []
        self._drag: tuple[QPointF, float] | None = None
        self._dragged = False
        self.overview = drawing.Overview()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Timeline"))
        self.setMinimumHeight(theme().px(12))
        theme().changed.connect(self._restyle)

    # ---- what is shown

    def show_traces(self, *traces: Trace) -> None:
        """Show one trace, or two over each other, the second in the lower half of each row."""
        first_lanes = traces[0].lanes
        only_second = [lane for lane in traces[-1].lanes if lane not in first_lanes]
        rows = [*first_lanes, *only_second]
        self.row_lanes = tuple(rows)
        self.layers = [Layer(trace, rows) for trace in traces]
        self.chosen, self.part, self.range, self._before = -1, 0, (0.0, 0.0), []
        self.overview.forget()
        self.begin, self.end = 0.0, self.length
        # All rows at once where they fit, none higher than its name needs.
        row = min(theme().px(1.3), self.plot.height() // max(1, len(rows)))
        self.show_rows(0, max(LEAST_ROW, row))
        self.picked.emit(-1)

    def prepare(self) -> None:
        """Make frames quick; for a thread."""
        for layer in self.layers:
            layer.busy.prepare()

    def _restyle(self) -> None:
        for layer in self.layers:
            layer.restyle()
        self.overview.forget()
        self.measure()
        self.update()

    def show_range(self, begin: float, end: float) -> None:
        """Bring a range of time into view."""
        width = min(max(end - begin, _LEAST_NS), self.length)
        self.begin = min(max(begin, 0.0), self.length - width)
        self.end = self.begin + width
        self.update()
        self.moved.emit()

    def show_rows(self, top: int, row: int | None = None) -> None:
        """Bring rows into view, of another height where one is given."""
        if row is not None:
            self.row = min(max(row, LEAST_ROW), MOST_ROW)
        self.top = min(max(top, 0), max(self.rows - self.rows_in_view, 0))
        self.update()
        self.moved.emit()

    def zoom(self, factor: float, x: float) -> None:
        """Show `factor` times as much; what is at `x` stays there."""
        if not self._before or self._before[-1] != (self.begin, self.end):
            self._before = [*self._before[-63:], (self.begin, self.end)]
        at = self.time_at(x)
        self.show_range(at - (at - self.begin) * factor, at + (self.end - at) * factor)

    def slice_at(self, place: QPointF) -> tuple[int, int]:
        """(part, slice) at a place: which of the traces; its slice there or within two pixels, else -1."""
        if not self.layers or not self.plot.contains(place.toPoint()):
            return 0, -1
        row, below = divmod(int(place.y() - self.plot.top()), self.row)
        row += self.top
        part = below * len(self.layers) // self.row
        layer = self.layers[part]
        lane = layer.lane_of[row] if 0 <= row < self.rows else -1
        if lane < 0:
            return part, -1
        # Two pixels to each side: a slice of one pixel can be hit too.
        begin, end = self.time_at(place.x() - 2), self.time_at(place.x() + 2)
        low, high = layer.busy.visible(lane, begin, end)
        time, trace = self.time_at(place.x()), layer.trace
        near = range(low, min(high, low + 500))
        distances = [max(trace.start[n] - time, time - trace.end[n]) for n in near]
        if not distances:
            return part, -1
        return part, low + distances.index(min(distances))

    def choose(self, number: int, part: int = 0, *, fit: bool = False) -> None:
        """Choose a slice of one of the traces and bring it into view."""
        self.chosen, self.part = number, part
        if number >= 0 and self.layers:
            layer = self.front
            start, end = layer.busy.start[number], layer.busy.end[number]
            row = int(layer.row_by_lane[layer.busy.lane[number]])
            width = self.end - self.begin
            if fit:
                self.show_range(4 * start - 3 * end, 4 * end - 3 * start)
            elif not self.begin <= start <= self.end:
                self.show_range(start - width / 2, start + width / 2)
            if not self.top <= row < self.top + self.rows_in_view:
                self.show_rows(row - self.rows_in_view // 2)
            self.setAccessibleDescription(described(layer.trace, number))
        self.update()
        self.picked.emit(number)

    # ---- events

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a frame."""
        drawing.paint(self, self.overview)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Keep rows in view."""
        self.measure()
        self.show_rows(self.top)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom; with Ctrl rows grow, with Shift they are scrolled."""
        delta = event.angleDelta()
        # Qt turns the wheel sideways while Alt is held; 120 is one notch.
        turn = (delta.y() or delta.x()) / 120
        keys = event.modifiers()
        if keys & Qt.KeyboardModifier.ControlModifier:
            step = max(1, self.row // 6)
            self.show_rows(self.top, self.row + (step if turn > 0 else -step))
        elif keys & Qt.KeyboardModifier.ShiftModifier:
            self.show_rows(self.top - round(turn * 3))
        else:
            self.zoom(_ZOOM**turn, event.position().x())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move and choose; see the class."""
        key = event.key()
        pointer = self.plot.center().x()
        if self.underMouse():
            pointer = self.mapFromGlobal(self.cursor().pos()).x()
        moves: dict[int, Callable[[], object]] = {
            Qt.Key.Key_W: lambda: self.zoom(0.7, pointer),
            Qt.Key.Key_S: lambda: self.zoom(1 / 0.7, pointer),
            Qt.Key.Key_A: lambda: self._pan(-0.15),
            Qt.Key.Key_D: lambda: self._pan(0.15),
            Qt.Key.Key_Up: lambda: self.show_rows(self.top - 1),
            Qt.Key.Key_Down: lambda: self.show_rows(self.top + 1),
            Qt.Key.Key_F: self._fit,
            Qt.Key.Key_Home: lambda: self.show_range(0.0, self.length),
            Qt.Key.Key_Period: lambda: self._step(1),
            Qt.Key.Key_Comma: lambda: self._step(-1),
            Qt.Key.Key_Right: lambda: self._step(1),
            Qt.Key.Key_Left: lambda: self._step(-1),
            Qt.Key.Key_Backspace: self._back,
            Qt.Key.Key_Escape: self._forget,
            Qt.Key.Key_Return: lambda: self.opened.emit(self.chosen),
            Qt.Key.Key_Enter: lambda: self.opened.emit(self.chosen),
        }
        if key in moves and self.layers:
            moves[key]()
        else:
            super().keyPressEvent(event)

    def _pan(self, share: float) -> None:
        """Move by a share of what is in view."""
        step = share * (self.end - self.begin)
        self.show_range(self.begin + step, self.end + step)

    def _fit(self) -> None:
        if self.chosen < 0:
            self.show_range(0.0, self.length)
            return
        before = (self.begin, self.end)
        self.choose(self.chosen, self.part, fit=True)
        if before == (self.begin, self.end):
            self.show_range(0.0, self.length)

    def _step(self, by: int) -> None:
        """Choose the next slice of the lane, or the one before; the first in view where none is chosen."""
        layer = self.front
        if self.chosen < 0:
            lane = next((lane for lane in layer.lane_of[self.top :] if lane >= 0), 0)
            first, _behind = layer.busy.visible(lane, self.begin, self.end)
            self.choose(min(first, len(layer.trace.start) - 1))
            return
        own = layer.trace.of_lane(int(layer.busy.lane[self.chosen]))
        self.choose(min(max(self.chosen + by, own.start), own.stop - 1), self.part)

    def _back(self) -> None:
        if self._before:
            self.show_range(*self._before.pop())

    def _forget(self) -> None:
        self.range = (0.0, 0.0)
        self.measured.emit(0.0, 0.0)
        self.choose(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pan or to measure; in the overview, go there."""
        if not self.layers:
            return
        place = event.position()
        if place.y() < overview_height() and place.x() >= self.plot.left():
            half = (self.end - self.begin) / 2
            at = (place.x() - self.plot.left()) / self.plot.width() * self.length
            self.show_range(at - half, at + half)
            return
        self._drag, self._dragged = (place, self.time_at(place.x())), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, measure, or tell what is below the pointer."""
        place = event.position()
        if self._drag is None:
            part, number = self.slice_at(place)
            words = described(self.layers[part].trace, number) if number >= 0 else ""
            beside = event.globalPosition().toPoint() + QPoint(12, 12)
            QToolTip.showText(beside, words, self)
            return
        began, time = self._drag
        self._dragged = self._dragged or (place - began).manhattanLength() > 4
        if not self._dragged:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            now = self.time_at(place.x())
            self.range = (min(time, now), max(time, now))
            self.measured.emit(*self.range)
            self.update()
        else:
            step = time - self.time_at(place.x())
            self.show_range(self.begin + step, self.end + step)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click chooses what is there."""
        if self._drag is not None and not self._dragged:
            part, number = self.slice_at(event.position())
            self.choose(number, part)
        self._drag = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go to the line of source."""
        part, number = self.slice_at(event.position())
        if number >= 0:
            self.choose(number, part)
            self.opened.emit(number)

    def event(self, event: QEvent) -> bool:
        """Letters are the view's, not shortcuts of the window, while it has the focus."""
        own = (Qt.Key.Key_Backspace, Qt.Key.Key_F, Qt.Key.Key_Return)
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not event.modifiers()
            and event.key() in own
        ):
            event.accept()
            return True
        return super().event(event)
