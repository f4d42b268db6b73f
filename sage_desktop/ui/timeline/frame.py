"""What of which traces a timeline shows, and where: the state of the view, without events and drawing."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from core.trace.columns import Lane, Trace
from sage_desktop.ui.theme import theme
from sage_desktop.ui.timeline.layer import Layer

LEAST_ROW, MOST_ROW = 3, 40  # px of a row's height


def names_width() -> int:
    """Of the column of names, px."""
    return theme().px(11)


def overview_height() -> int:
    """Of the picture of the whole trace on top, px."""
    return theme().px(2.6)


class TimelineFrame(QWidget):
    """What is in view: times in ns, rows in order, places in pixels.

    Attributes:
        layers: The traces, one or two.
        row_lanes: The lane of each row.
        begin: Left edge of the plot, ns.
        end: Right edge of the plot, ns.
        top: The first row in view.
        row_height: Of every row, px.
        selected_slice: Number in its trace; -1 for none.
        trace_number: Of the trace it belongs to, 0 or 1.
        range: (begin, end) of the range measured, ns; equal for none.
        plot: Where slices are drawn.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layers: list[Layer] = []
        self.row_lanes: tuple[Lane, ...] = ()
        self.begin, self.end = 0.0, 1.0
        self.top, self.row_height = 0, LEAST_ROW
        self.selected_slice, self.trace_number = -1, 0
        self.range = (0.0, 0.0)
        self.plot = QRect()
        self.measure()

    @property
    def trace(self) -> Trace | None:
        """The first trace."""
        return self.layers[0].trace if self.layers else None

    @property
    def front(self) -> Layer:
        """The trace of the selected slice, the first one where none is; there is one."""
        return self.layers[self.trace_number]

    @property
    def length(self) -> float:
        """Of the longest trace, ns."""
        return max((layer.busy.length for layer in self.layers), default=1.0)

    @property
    def rows(self) -> int:
        """Lanes of all traces."""
        return len(self.row_lanes)

    @property
    def rows_in_view(self) -> int:
        """Whole rows that fit."""
        return max(1, self.plot.height() // self.row_height)

    def measure(self) -> None:
        """Set `plot`: beside the names, below overview and ruler."""
        ruler_height = theme().px(1.6)
        plot_x, plot_y = names_width(), overview_height() + ruler_height
        width = max(1, self.width() - plot_x)
        height = max(1, self.height() - plot_y)
        self.plot = QRect(plot_x, plot_y, width, height)

    def x_of(self, time: float) -> float:
        """Where a time is, px."""
        since_begin = time - self.begin
        length = self.end - self.begin
        return self.plot.left() + since_begin * self.plot.width() / length

    def y_of(self, row: int) -> int:
        """The upper edge of a row, px."""
        return self.plot.top() + (row - self.top) * self.row_height

    def time_at(self, x: float) -> float:
        """The time at a place, ns."""
        pixels = x - self.plot.left()
        length = self.end - self.begin
        return self.begin + pixels * length / self.plot.width()
