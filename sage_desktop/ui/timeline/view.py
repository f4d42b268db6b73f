"""The timeline of a kernel: a row for each pipe of each core, up to a few million slices, two traces at once.

Far out a frame is one small image, a row of pixels for each lane, scaled by Qt; close in slices, stalls,
labels and arrows are drawn one by one (`slices.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
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

TOOL_TIP_OFFSET = QPoint(12, 12)  # px from the pointer
_LEAST_NS = 16.0  # of a view
_ZOOM = 0.8  # of a notch of the wheel
_KEY_ZOOM = 0.7
_KEY_PAN = 0.15  # of what is in view
_MOST_VIEWS = 64  # kept for Backspace
_HIT_PX = 2  # to each side of the pointer: a slice of one pixel can be hit too
# Slices at a place of which the nearest is taken: far out there may be thousands.
_MOST_CANDIDATES = 500
_DRAG_PX = 4  # by which the mouse may move in a click


class TimelineView(TimelineFrame):
    """Wheel or W and S zoom, drag or A and D pan, Shift and drag measures, a click selects a slice.

    F fits the selected slice, F again everything; `.` and `,` go to the next and the one before, Backspace to
    the view before a zoom, Enter to its line of source; Ctrl and wheel change the height of rows.

    Signals:
        picked: Number of the selected slice in the trace `front`, -1 for none.
        opened: The same slice, whose line of source is wanted.
        measured: (begin, end) in ns of the measured range; equal for none.
        moved: What is in view changed: times, rows or their height.
    """

    picked = Signal(int)
    opened = Signal(int)
    measured = Signal(float, float)
    moved = Signal()

    def __init__(self) -> None:
        super().__init__()
        # Views before zooms, (begin, end) in ns, the last one behind.
        self._before: list[tuple[float, float]] = []
        # Where the mouse was pressed, and the time at that place, ns.
        self._drag: tuple[QPointF, float] | None = None
        # Whether it moved since, so that its release is no click.
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
        self.selected_slice, self.trace_number = -1, 0
        self.range = (0.0, 0.0)
        self._before = []
        self.overview.forget()
        self.begin, self.end = 0.0, self.length
        # All rows at once where they fit, none higher than its name needs.
        row_height = self.plot.height() // max(1, len(rows))
        row_height = min(row_height, theme().px(1.3))
        self.show_rows(0, row_height)
        self.picked.emit(-1)

    def prepare(self) -> None:
        """Make frames quick; for a thread."""
        for layer in self.layers:
            layer.busy.prepare()

    def _restyle(self) -> None:
        """Take the fonts and colours of the theme."""
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

    def show_rows(self, top: int, height: int | None = None) -> None:
        """Bring rows into view, of another height (px) where one is given."""
        if height is not None:
            self.row_height = min(max(height, LEAST_ROW), MOST_ROW)
        last_top = max(self.rows - self.rows_in_view, 0)
        self.top = min(max(top, 0), last_top)
        self.update()
        self.moved.emit()

    def zoom(self, factor: float, x: float) -> None:
        """Show `factor` times as much; what is at `x` (px) stays there."""
        view = (self.begin, self.end)
        if self._before[-1:] != [view]:
            self._before = [*self._before, view][-_MOST_VIEWS:]
        fixed = self.time_at(x)
        begin = fixed - (fixed - self.begin) * factor
        end = fixed + (self.end - fixed) * factor
        self.show_range(begin, end)

    def slice_at(self, place: QPointF) -> tuple[int, int]:
        """(trace_number, slice) at a place: which of the traces; its slice there or within two pixels, else -1."""
        if not self.layers or not self.plot.contains(place.toPoint()):
            return 0, -1
        y = int(place.y() - self.plot.top())
        rows_above, y_in_row = divmod(y, self.row_height)
        row = self.top + rows_above
        trace_number = y_in_row * len(self.layers) // self.row_height
        lane = -1
        if 0 <= row < self.rows:
            lane = self.layers[trace_number].lane_of[row]
        if lane < 0:
            return trace_number, -1
        return trace_number, self._slice_near(place.x(), trace_number, lane)

    def _slice_near(self, x: float, trace_number: int, lane: int) -> int:
        """Number of the slice of a lane that is nearest to `x` (px); -1 where none is near."""
        layer = self.layers[trace_number]
        begin = self.time_at(x - _HIT_PX)
        end = self.time_at(x + _HIT_PX)
        first, behind = layer.busy.visible(lane, begin, end)
        near = slice(first, min(behind, first + _MOST_CANDIDATES))
        if near.start >= near.stop:
            return -1
        time = self.time_at(x)
        starts = layer.trace.start[near]
        ends = layer.trace.end[near]
        # Negative inside a slice.
        distances = np.maximum(starts - time, time - ends)
        return first + int(np.argmin(distances))

    def select_slice(
        self, number: int, trace_number: int = 0, *, fit: bool = False
    ) -> None:
        """Select a slice of one of the traces and bring it into view."""
        self.selected_slice, self.trace_number = number, trace_number
        if number >= 0 and self.layers:
            self._show_slice(number, fit=fit)
            trace = self.front.trace
            self.setAccessibleDescription(described(trace, number))
        self.update()
        self.picked.emit(number)

    def _show_slice(self, number: int, *, fit: bool) -> None:
        """Bring a slice of the trace `front` into view; `fit` sets the zoom by it."""
        layer = self.front
        start = layer.busy.start[number]
        end = layer.busy.end[number]
        if fit:
            # Three times its length on each side.
            margin = 3 * (end - start)
            self.show_range(start - margin, end + margin)
        elif not self.begin <= start <= self.end:
            half = (self.end - self.begin) / 2
            self.show_range(start - half, start + half)
        row = int(layer.row_by_lane[layer.busy.lane[number]])
        if not self.top <= row < self.top + self.rows_in_view:
            self.show_rows(row - self.rows_in_view // 2)

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
        notches = (delta.y() or delta.x()) / 120
        keys = event.modifiers()
        if keys & Qt.KeyboardModifier.ControlModifier:
            growth = max(1, self.row_height // 6)
            if notches <= 0:
                growth = -growth
            self.show_rows(self.top, self.row_height + growth)
        elif keys & Qt.KeyboardModifier.ShiftModifier:
            self.show_rows(self.top - round(notches * 3))
        else:
            self.zoom(_ZOOM**notches, event.position().x())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move and select; see the class."""
        command = self._key_commands().get(event.key())
        if command is not None and self.layers:
            command()
        else:
            super().keyPressEvent(event)

    def _key_commands(self) -> dict[int, Callable[[], object]]:
        """Key -> what it does; see the class."""
        keys = Qt.Key
        return {
            keys.Key_W: partial(self._zoom_at_pointer, _KEY_ZOOM),
            keys.Key_S: partial(self._zoom_at_pointer, 1 / _KEY_ZOOM),
            keys.Key_A: partial(self._pan, -_KEY_PAN),
            keys.Key_D: partial(self._pan, _KEY_PAN),
            keys.Key_Up: lambda: self.show_rows(self.top - 1),
            keys.Key_Down: lambda: self.show_rows(self.top + 1),
            keys.Key_F: self._fit,
            keys.Key_Home: self._show_everything,
            keys.Key_Period: partial(self._step, 1),
            keys.Key_Comma: partial(self._step, -1),
            keys.Key_Right: partial(self._step, 1),
            keys.Key_Left: partial(self._step, -1),
            keys.Key_Backspace: self._back,
            keys.Key_Escape: self._forget,
            keys.Key_Return: self._open,
            keys.Key_Enter: self._open,
        }

    def _open(self) -> None:
        self.opened.emit(self.selected_slice)

    def _zoom_at_pointer(self, factor: float) -> None:
        """Around the pointer; around the middle while it is elsewhere."""
        x = self.plot.center().x()
        if self.underMouse():
            x = self.mapFromGlobal(self.cursor().pos()).x()
        self.zoom(factor, x)

    def _show_everything(self) -> None:
        self.show_range(0.0, self.length)

    def _pan(self, share: float) -> None:
        """Move by a share of what is in view."""
        step = share * (self.end - self.begin)
        self.show_range(self.begin + step, self.end + step)

    def _fit(self) -> None:
        """The selected slice; everything where none is, or where it fits already."""
        if self.selected_slice < 0:
            self._show_everything()
            return
        before = (self.begin, self.end)
        self.select_slice(self.selected_slice, self.trace_number, fit=True)
        if before == (self.begin, self.end):
            self._show_everything()

    def _step(self, by: int) -> None:
        """Select the next slice of the lane, or the one before; the first in view where none is selected."""
        layer = self.front
        if self.selected_slice < 0:
            lanes = (lane for lane in layer.lane_of[self.top :] if lane >= 0)
            lane = next(lanes, 0)
            first, _behind = layer.busy.visible(lane, self.begin, self.end)
            last_slice = len(layer.trace.start) - 1
            self.select_slice(min(first, last_slice))
            return
        lane = int(layer.busy.lane[self.selected_slice])
        of_lane = layer.trace.of_lane(lane)
        number = max(self.selected_slice + by, of_lane.start)
        self.select_slice(min(number, of_lane.stop - 1), self.trace_number)

    def _back(self) -> None:
        if self._before:
            self.show_range(*self._before.pop())

    def _forget(self) -> None:
        """Drop the range measured and the selected slice."""
        self.range = (0.0, 0.0)
        self.measured.emit(0.0, 0.0)
        self.select_slice(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to pan or to measure; in the overview, go there."""
        if not self.layers:
            return
        place = event.position()
        plot_x = self.plot.left()
        if place.y() < overview_height() and place.x() >= plot_x:
            share = (place.x() - plot_x) / self.plot.width()
            middle = share * self.length
            half = (self.end - self.begin) / 2
            self.show_range(middle - half, middle + half)
            return
        self._drag = (place, self.time_at(place.x()))
        self._dragged = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan, measure, or tell what is below the pointer."""
        place = event.position()
        if self._drag is None:
            self._show_tool_tip(place, event.globalPosition().toPoint())
            return
        press, press_time = self._drag
        if (place - press).manhattanLength() > _DRAG_PX:
            self._dragged = True
        if not self._dragged:
            return
        time = self.time_at(place.x())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.range = (min(press_time, time), max(press_time, time))
            self.measured.emit(*self.range)
            self.update()
        else:
            # The time that was pressed stays below the pointer.
            step = press_time - time
            self.show_range(self.begin + step, self.end + step)

    def _show_tool_tip(self, place: QPointF, on_screen: QPoint) -> None:
        """Describe the slice at `place`; where none is, a tip that stands there goes."""
        trace_number, number = self.slice_at(place)
        words = ""
        if number >= 0:
            words = described(self.layers[trace_number].trace, number)
        QToolTip.showText(on_screen + TOOL_TIP_OFFSET, words, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click selects what is there."""
        if self._drag is not None and not self._dragged:
            trace_number, number = self.slice_at(event.position())
            self.select_slice(number, trace_number)
        self._drag = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go to the line of source."""
        trace_number, number = self.slice_at(event.position())
        if number >= 0:
            self.select_slice(number, trace_number)
            self.opened.emit(number)

    def event(self, event: QEvent) -> bool:
        """Letters are the view's, not shortcuts of the window, while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and _is_own_key(event):
            event.accept()
            return True
        return super().event(event)


def _is_own_key(event: QEvent) -> bool:
    """Whether a key of the view was pressed that is a shortcut of the window elsewhere."""
    return (
        isinstance(event, QKeyEvent)
        and not event.modifiers()
        and event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_F, Qt.Key.Key_Return)
    )
