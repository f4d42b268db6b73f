"""One trace as a view draws it: which of its lanes stands in which row, and rows as an image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from core.trace.columns import Lane, Trace
from sage_desktop.ui.timeline.busy import Busy, Shares
from sage_desktop.ui.timeline.look import SHADES, pipe_numbers, shade_table


class Layer:
    """A trace by the rows of a view.

    Args:
        trace: What is drawn.
        rows: The lane of each row; one that the trace does not have stays empty.

    Attributes:
        busy: How much of each pixel its lanes were busy.
        lane_of: [rows] number of the lane in the trace, -1 where it has none.
        row_by_lane: [lanes] the row of each.
        flow_time: [arrows] when their targets start, ns, ascending.
    """

    def __init__(self, trace: Trace, rows: Sequence[Lane]) -> None:
        self.trace = trace
        self.busy = Busy(trace)
        numbers = {lane: number for number, lane in enumerate(trace.lanes)}
        self.lane_of = [numbers.get(lane, -1) for lane in rows]
        self.row_by_lane = np.zeros(len(trace.lanes), dtype=np.int64)
        for row, lane in enumerate(self.lane_of):
            if lane >= 0:
                self.row_by_lane[lane] = row
        self.flow_time = self.busy.start[trace.flow_to]
        self._has_every_row = self.lane_of == list(range(len(trace.lanes)))
        self.restyle()

    def restyle(self) -> None:
        """Take the colours of the theme."""
        self._table = shade_table(self.trace)
        self._shades_of_lane = pipe_numbers(self.trace)

    def pixels(
        self, low: int, high: int, begin: float, end: float, width: int
    ) -> np.ndarray:
        """Colours of rows, RGB32. What is in a pixel at all has the faintest shade or more.

        Args:
            low: First row.
            high: Row behind the last.
            begin: Left edge, ns.
            end: Right edge, ns.
            width: Pixels between them.

        Returns:
            [high - low, width]
        """
        if self._has_every_row:
            shares = self.busy.coverage(low, high, begin, end, width)
            first_shades = self._shades_of_lane[low:high]
        else:
            lanes = np.array(self.lane_of[low:high], dtype=np.intp)
            shares = self._shares_of(lanes, begin, end, width)
            first_shades = self._shades_of_lane[lanes.clip(0)]
        darkest = SHADES - 1
        # Rounded up: a slice far thinner than a pixel still leaves a trace.
        steps = shares * np.float32(darkest) + np.float32(0.98)
        steps = np.minimum(steps, darkest).astype(np.uint16)
        work = steps[:, 0]
        wait = steps[:, 1]
        shades = work * np.uint16(SHADES) + wait + first_shades
        colors: np.ndarray = self._table.take(np.ascontiguousarray(shades.T))
        return colors

    def _shares_of(
        self, lanes: NDArray[np.intp], begin: float, end: float, width: int
    ) -> Shares:
        """[width, 2, lanes] of lanes in any order; 0 for those that the trace does not have."""
        is_there = lanes >= 0
        if not is_there.any():
            return np.zeros((width, 2, len(lanes)), dtype=np.float32)
        first = int(lanes[is_there].min())
        last = int(lanes[is_there].max())
        shares = self.busy.coverage(first, last + 1, begin, end, width)
        columns = np.where(is_there, lanes - first, 0)
        return np.where(is_there, shares[:, :, columns], np.float32(0))


def image_of(colors: np.ndarray) -> QImage:
    """An image of [rows, width] RGB32 colours, for as long as these are kept."""
    rows, width = colors.shape
    bytes_per_row = width * colors.itemsize
    return QImage(colors.data, width, rows, bytes_per_row, QImage.Format.Format_RGB32)
