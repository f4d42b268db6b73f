"""One trace as a view draws it: which of its lanes stands in which row, and rows as an image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtGui import QImage

from core.trace.columns import Lane, Trace
from sage_desktop.ui.timeline.busy import Busy
from sage_desktop.ui.timeline.look import SHADES, pipe_numbers, shade_table


class Layer:
    """A trace by the rows of a view.

    Args:
        trace: What is drawn.
        rows: The lane of each row; one that the trace does not have stays empty.
    """

    def __init__(self, trace: Trace, rows: Sequence[Lane]) -> None:
        self.trace = trace
        self.busy = Busy(trace)
        number = {lane: place for place, lane in enumerate(trace.lanes)}
        self.lane_of = [number.get(lane, -1) for lane in rows]
        self.row_by_lane = np.zeros(len(trace.lanes), dtype=np.int64)
        self.row_by_lane[[lane for lane in self.lane_of if lane >= 0]] = [
            row for row, lane in enumerate(self.lane_of) if lane >= 0
        ]
        self.flow_time = self.busy.start[trace.flow_to]  # ascending
        self._straight = self.lane_of == list(range(len(trace.lanes)))
        self.restyle()

    def restyle(self) -> None:
        """Take the colours of the theme."""
        self._table, self._pipes = shade_table(self.trace), pipe_numbers(self.trace)

    def pixels(
        self, low: int, high: int, begin: float, end: float, width: int
    ) -> np.ndarray:
        """Colours of rows, RGB32: [rows, width]. What is in a pixel at all has the faintest shade or more."""
        lanes = np.array(self.lane_of[low:high], dtype=np.intp)
        if self._straight:
            shares, pipes = (
                self.busy.coverage(low, high, begin, end, width),
                self._pipes[low:high],
            )
        else:
            there = lanes >= 0
            first, behind = (
                (int(lanes[there].min()), int(lanes[there].max()) + 1)
                if there.any()
                else (0, 1)
            )
            some = self.busy.coverage(first, behind, begin, end, width)
            shares = np.where(
                there, some[:, :, np.where(there, lanes - first, 0)], np.float32(0)
            )
            pipes = self._pipes[np.where(there, lanes, 0)]
        most = SHADES - 1
        # Rounded up: a slice far thinner than a pixel still leaves a trace.
        steps = np.minimum(shares * np.float32(most) + np.float32(0.98), most).astype(
            np.uint16
        )
        shade = np.ascontiguousarray(
            (steps[:, 0] * np.uint16(SHADES) + steps[:, 1] + pipes).T
        )
        colors: np.ndarray = self._table.take(shade)
        return colors


def image_of(colors: np.ndarray) -> QImage:
    """An image of [rows, width] RGB32 colours, for as long as these are kept."""
    rows, width = colors.shape
    return QImage(colors.data, width, rows, width * 4, QImage.Format.Format_RGB32)
