"""How much of each pixel a lane was busy, whatever the zoom. No Qt.

The slices of a pipe never overlap, so the time a lane was busy before t is a piecewise linear function of t,
and a pixel shows the difference of that function at its two edges. Far out the function is read from a grid
over the whole trace, made once; close in it is summed from the slices in view. So a frame costs
O(lanes x pixels), or O(slices in view) once few are left, and never O(slices).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import Trace

GRID = 32_768  # bins over the whole trace
Shares = NDArray[np.float32]


class Busy:
    """The lanes of a trace; channel 0 is work, channel 1 waiting for a flag or queue.

    Args:
        trace: Its columns; times in ns.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.lanes = len(trace.lanes)
        self.length = float(max(1, trace.length_ns))
        self.start = trace.start.astype(np.float64)
        self.end = trace.end.astype(np.float64)
        self.lane = trace.lane
        # Where the slice before each one of its lane ends: a wait cannot begin earlier.
        before = np.concatenate(([0.0], self.end[:-1]))
        first_of_lane = trace.first[:-1][np.diff(trace.first) > 0]
        before[first_of_lane] = 0.0
        earliest = np.minimum(before, self.start)
        self.waits = np.clip(self.start - trace.stalled, earliest, self.start)
        self.waiting = trace.waiting
        # A slice that waits works from its end on.
        self.works = np.where(self.waiting, self.end, self.start)
        # Lane k lives in [k, k + 1) * span, so that one search serves all lanes.
        self._span = self.length * 1.01
        self._starts = self.start + self.lane * self._span
        self._ends = self.end + self.lane * self._span
        self._grid: Shares | None = None

    @property
    def is_prepared(self) -> bool:
        """Whether the grid over the whole trace is there."""
        return self._grid is not None

    def prepare(self) -> None:
        """Make the grid; in a thread, because it takes a third of a second for 300 lanes.

        Frames are right without it, and slower.
        """
        edges = np.linspace(0, self.length, GRID + 1)
        # Neighbouring lanes are neighbours in memory, as a frame reads them.
        grid = np.empty((GRID + 1, 2, self.lanes), np.float32)
        self._read(edges, 0, grid)
        self._grid = grid

    def coverage(
        self, low: int, high: int, begin: float, end: float, pixels: int
    ) -> Shares:
        """Share of each pixel that lanes worked and waited.

        Args:
            low: First lane.
            high: Lane behind the last.
            begin: Left edge, ns.
            end: Right edge, ns.
            pixels: Between them.

        Returns:
            [pixels, 2, high - low], 0 to 1.
        """
        per_pixel = (end - begin) / pixels
        if per_pixel < self.length / GRID:
            return self._summed(low, high, begin, end, pixels)
        if self._grid is None:
            edges = np.linspace(begin, end, pixels + 1)
            cells = np.empty((pixels + 1, 2, high - low), np.float32)
            self._read(edges, low, cells)
            return (cells[1:] - cells[:-1]) * np.float32(1 / per_pixel)
        edges = np.linspace(begin, end, pixels + 1)
        at = np.rint(edges * (GRID / self.length)).astype(np.intp)
        cells = self._grid[:, :, low:high].take(at.clip(0, GRID), axis=0)
        # Edges were moved to the grid: a pixel's share is of the bins it really spans.
        width = np.maximum(np.diff(at), 1) * (self.length / GRID)
        per_ns = (1 / width).astype(np.float32)
        return (cells[1:] - cells[:-1]) * per_ns[:, None, None]

    def _read(self, edges: NDArray[np.float64], low: int, into: Shares) -> None:
        """How long each lane had been busy and waiting at some times: [edges, 2, lanes]."""
        for lane in range(low, low + into.shape[2]):
            own = self.trace.of_lane(lane)
            spans = (
                (self.works[own], self.end[own]),
                (self.waits[own], self.works[own]),
            )
            for channel, (begins, ends) in enumerate(spans):
                if not len(begins):
                    into[:, channel, lane - low] = 0
                    continue
                total = np.repeat(np.cumsum(ends - begins), 2)
                total[::2] -= ends - begins
                knots = np.column_stack((begins, ends)).ravel()
                into[:, channel, lane - low] = np.interp(edges, knots, total)

    def _summed(
        self, low: int, high: int, begin: float, end: float, pixels: int
    ) -> Shares:
        """From the slices in view: each adds a ramp to the integral at its start and ends it at its end."""
        per_pixel, lanes = (end - begin) / pixels, high - low
        own = self._in_view(low, high, begin, end)
        lane = self.lane[own] - low
        cells, weights = [], []
        starts, ends, waits = self.works[own], self.end[own], self.waits[own]
        ramps_at = ((starts, 0, 1), (ends, 0, -1), (waits, 1, 1), (starts, 1, -1))
        for times, channel, sign in ramps_at:
            x = ((times - begin) / per_pixel).clip(0, pixels)
            column = x.astype(np.intp)
            cell = (column * 2 + channel) * lanes + lane
            # A ramp that begins inside a pixel is split between it and the next one.
            cells += [cell, cell + 2 * lanes]
            weights += [sign * (1 - x + column), sign * (x - column)]
        count = (pixels + 2) * 2 * lanes
        flat = np.bincount(np.concatenate(cells), np.concatenate(weights), count)
        ramps = flat.astype(np.float32).reshape(-1, 2, lanes)
        shares: Shares = np.cumsum(ramps[:pixels], axis=0)
        return shares

    def _in_view(
        self, low: int, high: int, begin: float, end: float
    ) -> NDArray[np.int64]:
        """Numbers of the slices of lanes that end after `begin` and wait or work before `end`."""
        first, last = self._bounds(low, high, begin, end)
        # One slice more: it starts behind the view and may wait in it.
        behind = np.minimum(last + 1, self.trace.first[low + 1 : high + 1])
        count = np.maximum(behind - first, 0)
        # Runs of numbers, one after the other: a common count, moved to each run's begin.
        offsets = np.repeat(first - np.cumsum(count) + count, count)
        numbers: NDArray[np.int64] = offsets + np.arange(count.sum())
        return numbers

    def visible(self, lane: int, begin: float, end: float) -> tuple[int, int]:
        """First slice of a lane that ends after `begin`, and the first that starts after `end`."""
        low, high = int(self.trace.first[lane]), int(self.trace.first[lane + 1])
        return (
            low + int(np.searchsorted(self.end[low:high], begin, "right")),
            low + int(np.searchsorted(self.start[low:high], end, "left")),
        )

    def counts(self, begin: float, end: float) -> NDArray[np.int64]:
        """[lanes] how many slices are in view."""
        first, last = self._bounds(0, self.lanes, begin, end)
        counts: NDArray[np.int64] = np.maximum(last - first, 0)
        return counts

    def _bounds(
        self, low: int, high: int, begin: float, end: float
    ) -> tuple[NDArray[np.intp], ...]:
        """By lane the first slice that ends after `begin`, and the first that starts at `end` or later."""
        shift = np.arange(low, high) * self._span
        first = np.searchsorted(self._ends, shift + max(begin, 0.0), "right")
        last = np.searchsorted(self._starts, shift + min(end, self.length), "left")
        return first, last
