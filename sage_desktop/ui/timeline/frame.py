"""What of which traces a timeline shows, and where: the state of the view, without events and drawing."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from core.trace.columns import Lane, Trace
from sage_desktop.ui.theme import theme
from sage_desktop.ui.timeline.layer import Layer

LEAST_ROW, MOST_ROW = 3, 40  # px


def names_width() -> int:
    """Of the column of names."""
    return theme().px(11)


def overview_height() -> int:
    """Of the picture of the whole trace on top."""
    return theme().px(2.6)


class TimelineFrame(QWidget):
    """Times in ns, rows in order, places in pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.layers: list[Layer] = []
        self.row_lanes: tuple[Lane, ...] = ()
        self.begin, self.end = 0.0, 1.0
        self.top, self.row = 0, LEAST_ROW
        self.chosen, self.part = -1, 0  # a slice, and in which of the traces
        self.range = (0.0, 0.0)
        self.plot = QRect()  # where slices are drawn
        self.measure()

    @property
    def trace(self) -> Trace | None:
        """The first trace."""
        return self.layers[0].trace if self.layers else None

    @property
    def front(self) -> Layer:
        """The trace of the slice chosen, the first one where none is; there is one."""
        return self.layers[self.part]

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
        return max(1, self.plot.height() // self.row)

    def measure(self) -> None:
        """Say where slices are drawn: `plot`."""
        # Beside the names, below overview and ruler.
        plot_x, top = names_width(), overview_height() + theme().px(1.6)
        width, height = self.width() - plot_x, self.height() - top
        self.plot = QRect(plot_x, top, max(1, width), max(1, height))

    def x_of(self, time: float) -> float:
        """Where a time is, px."""
        plot, length = self.plot, self.end - self.begin
        return plot.left() + (time - self.begin) * plot.width() / length

    def y_of(self, row: int) -> int:
        """The upper edge of a row, px."""
        return self.plot.top() + (row - self.top) * self.row

    def time_at(self, x: float) -> float:
        """The time at a place, ns."""
        plot = self.plot
        return self.begin + (x - plot.left()) * (self.end - self.begin) / plot.width()
