"""How full a memory of one core was, by queue and buffer, below the timeline and on its time scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from core.trace.columns import Counter, Trace
from core.trace.occupancy import MEMORY_BYTES
from sage_desktop.ui.theme import mixed, theme
from sage_desktop.ui.timeline.frame import names_width
from sage_desktop.ui.timeline.view import TOOL_TIP_OFFSET, TimelineView

# Share of the limit that must be in use for the limit to be drawn to scale.
_LEAST_PART = 0.25
# Ends the series of msprof's throughputs, which are no bytes in use.
_RATE = "(MB/s)"
_TONES = (
    "#3f83d6",
    "#d98226",
    "#3f9d4a",
    "#9a5fd0",
    "#1fa39a",
    "#b5658e",
    "#b0a030",
    "#6b7280",
)


class MemoryView(QWidget):
    """The occupancy of a memory, its buffers on top of each other, and what it holds at most.

    Of a trace of msprof it shows the throughputs of its copies instead, where that has them.

    Signals:
        changed: Another core or memory is shown.

    Args:
        view: The timeline it stands below.
    """

    changed = Signal()

    def __init__(self, view: TimelineView) -> None:
        super().__init__()
        self._view = view
        self.core, self.memory = "", "UB"
        self._whole: Counter | None = None
        self._parts: list[Counter] = []
        self.setMinimumHeight(theme().px(6))
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Memory in use"))
        view.moved.connect(self.update)
        theme().changed.connect(self.update)

    def show_core(self, trace: Trace, core: str, memory: str = "") -> None:
        """Show a memory of a core; the one shown before where none is named, or the core's first."""
        of_core = [counter for counter in trace.counters if counter.core == core]
        names = memories_of(of_core)
        name = memory or self.memory
        if names and name not in names:
            name = names[0]
        self.core, self.memory = core, name
        wholes = (counter for counter in of_core if counter.name == name)
        self._whole = next(wholes, None)
        # Queues and buffers have the name of their memory in front of their own.
        start = f"{name} "
        self._parts = [part for part in of_core if part.name.startswith(start)]
        self.setAccessibleDescription(self.words)
        self.update()
        self.changed.emit()

    @property
    def peak(self) -> int:
        """Most bytes in use at a time."""
        if self._whole is None:
            return 0
        return int(self._whole.value.max(initial=0))

    @property
    def limit(self) -> int:
        """Bytes the memory holds, 0 where that is not known."""
        return MEMORY_BYTES.get(self.memory, 0)

    @property
    def words(self) -> str:
        """What is shown, in words."""
        if self._whole is None:
            return self.tr("{0}: nothing is known of its memories").format(self.core)
        if self._shows_rate:
            most = self.tr("{0:,} MB/s").format(self.peak)
        else:
            most = self.tr("{0:.1f} KB").format(self.peak / 1024)
            if self.limit:
                most = self.tr("{0} of {1:.0f} KB").format(most, self.limit / 1024)
        return self.tr("{0} {1}: at most {2}").format(self.core, self.memory, most)

    @property
    def _shows_rate(self) -> bool:
        """Whether a throughput is shown, and no occupancy."""
        return self._whole is not None and self._whole.series.endswith(_RATE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the buffers, the whole and the limit."""
        painter = QPainter(self)
        try:
            painter.fillRect(self.rect(), theme().color("base"))
            painter.setFont(theme().small_font())
            self._paint(painter)
        finally:
            painter.end()

    def _paint(self, painter: QPainter) -> None:
        """The words, and the plot: buffers, a line around the whole of them, the limit."""
        self._paint_words(painter)
        if self._whole is None:
            return
        # The timeline's plot, and not our width: a scroll bar beside it takes some.
        width = self._view.plot.width()
        height = self.height()
        painter.setClipRect(names_width(), 0, width, height)
        limit_fits = not self.limit or _LEAST_PART * self.limit <= self.peak
        most_bytes = 1.1 * max(self.limit, self.peak, 1)
        if not limit_fits:
            most_bytes = 1.1 * self.peak / _LEAST_PART / 2
        edges = np.linspace(self._view.begin, self._view.end, width + 1)
        self._paint_parts(painter, edges, most_bytes)
        values = peaks(self._whole, edges)
        painter.setPen(QPen(theme().color("text"), 1))
        painter.drawPolyline(QPolygonF(self._curve(values, most_bytes)))
        if self.limit:
            y = height - self.limit * height / most_bytes if limit_fits else 1.0
            self._paint_limit(painter, y, to_scale=limit_fits)

    def _paint_words(self, painter: QPainter) -> None:
        """What is shown, in the column of names, and the lines around the plot."""
        look = theme()
        edge_x = names_width() - 1
        margin, width = look.px(0.4), names_width() - look.px(0.8)
        room = QRect(margin, 0, width, self.height())
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.setPen(look.color("text"))
        painter.drawText(room, flags, self.words)
        painter.setPen(look.color("border"))
        painter.drawLine(edge_x, 0, edge_x, self.height())
        painter.drawLine(0, 0, self.width(), 0)

    def _curve(self, values: NDArray[np.float64], most: float) -> list[QPointF]:
        """Points of the plot from left to right, one a pixel; `most` is the value at the upper edge."""
        plot_x, height = names_width(), self.height()
        ys = height - values * (height / most)
        return [QPointF(plot_x + x, y) for x, y in enumerate(ys.tolist())]

    def _paint_parts(
        self, painter: QPainter, edges: NDArray[np.float64], most_bytes: float
    ) -> None:
        """The buffers on top of each other.

        Args:
            painter: Of the view.
            edges: [pixels + 1] times at the edges of the pixels, ns.
            most_bytes: What the upper edge of the view stands for.
        """
        below = np.zeros(len(edges) - 1)
        lower = self._curve(below, most_bytes)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, part in enumerate(self._parts):
            below = below + peaks(part, edges)
            upper = self._curve(below, most_bytes)
            tone = QColor(_TONES[number % len(_TONES)])
            painter.setBrush(mixed(theme().color("base"), tone, 0.6))
            # To the right along the upper edge, back along the lower one.
            painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
            lower = upper

    def _paint_limit(self, painter: QPainter, y: float, *, to_scale: bool) -> None:
        """A dashed line at `y` (px), and below it in words how much the memory holds."""
        look, plot_x = theme(), names_width()
        painter.setPen(QPen(look.color("danger"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(plot_x, y), QPointF(self.width(), y))
        words = self.tr("limit {0:.0f} KB")
        if not to_scale:
            words = self.tr("limit {0:.0f} KB, not to scale")
        text = words.format(self.limit / 1024)
        letters = painter.fontMetrics().boundingRect(text)
        box = letters.adjusted(-3, -1, 3, 1)
        box.moveTopLeft(QPoint(plot_x + look.px(0.3), round(y) + 2))
        # Buffers reach up to the words, which would be lost on their colours.
        painter.fillRect(box, look.color("base"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is in use at the pointer."""
        time = self._view.time_at(event.position().x())
        lines = []
        for part in self._parts:
            value = value_at(part, time)
            name = f"{part.name} · {part.series}"
            if value:
                lines.append(f"{name}: {value:,} B")
        if self._whole is not None and self._shows_rate:
            rate = value_at(self._whole, time)
            lines = [f"{self._whole.name}: {rate:,} MB/s"]
        beside = event.globalPosition().toPoint() + TOOL_TIP_OFFSET
        QToolTip.showText(beside, "\n".join(lines), self)


def memories_of(counters: Sequence[Counter]) -> list[str]:
    """The memories that counters tell of as a whole."""
    wholes = [counter.name for counter in counters if " " not in counter.name]
    return list(dict.fromkeys(wholes))


def value_at(counter: Counter, time: float) -> int:
    """What a counter is at a time."""
    at = int(np.searchsorted(counter.time, time, "right")) - 1
    return int(counter.value[at]) if at >= 0 else 0


def peaks(counter: Counter, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """[edges - 1] the most a counter was between each two edges."""
    values = np.concatenate(([0], counter.value, [0]))
    # Place in `values` of what holds at each edge.
    places = np.searchsorted(counter.time, edges, "right")
    first = places[:-1]
    behind = places[1:] + 1
    bounds = np.column_stack((first, behind)).ravel()
    # Every second result lies between two edges; those between pairs mean nothing.
    highest = np.maximum.reduceat(values, bounds)[::2]
    return np.asarray(highest, dtype=np.float64)
