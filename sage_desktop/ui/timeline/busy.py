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
WORK, WAIT = 0, 1  # channels
Shares = NDArray[np.float32]
Times = NDArray[np.float64]


class Busy:
    """The lanes of a trace; channel 0 is work, channel 1 waiting for a flag or queue.

    Args:
        trace: Its columns; times in ns.

    Attributes:
        lanes: How many.
        length: Of the trace, ns.
        start: [slices] ns.
        end: [slices] ns.
        lane: [slices] number of the lane.
        waits: [slices] when the stall before each begins, ns; at its start where there is none.
        waiting: [slices] whether its pipe did no work.
        works: [slices] when each begins to work, ns.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.lanes = len(trace.lanes)
        self.length = float(max(1, trace.length_ns))
        self.start = trace.start.astype(np.float64)
        self.end = trace.end.astype(np.float64)
        self.lane = trace.lane
        self.waits = self._stall_starts()
        self.waiting = trace.waiting
        # A slice that waits works from its end on.
        self.works = np.where(self.waiting, self.end, self.start)
        # Lane k lives in [k, k + 1) * span, so that one search serves all lanes.
        self._span = self.length * 1.01
        self._starts = self.start + self.lane * self._span
        self._ends = self.end + self.lane * self._span
        self._grid: Shares | None = None

    def _stall_starts(self) -> Times:
        """[slices] when the stall before each begins: not before the last slice of its lane ends."""
        slices_by_lane = np.diff(self.trace.first)
        first_of_lane = self.trace.first[:-1][slices_by_lane > 0]
        earliest = np.concatenate(([0.0], self.end[:-1]))
        earliest[first_of_lane] = 0.0
        earliest = np.minimum(earliest, self.start)
        return np.clip(self.start - self.trace.stalled, earliest, self.start)

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
        ns_per_pixel = (end - begin) / pixels
        if ns_per_pixel < self.length / GRID:
            return self._summed(low, high, begin, end, pixels)
        edges = np.linspace(begin, end, pixels + 1)
        if self._grid is not None:
            return self._from_grid(self._grid[:, :, low:high], edges)
        lanes = high - low
        totals = np.empty((pixels + 1, 2, lanes), np.float32)
        self._read(edges, low, totals)
        per_ns = np.float32(1 / ns_per_pixel)
        return _differences(totals) * per_ns

    def _from_grid(self, grid: Shares, edges: Times) -> Shares:
        """[edges - 1, 2, lanes] shares between edges (ns), read from the grid of these lanes."""
        bins_per_ns, ns_per_bin = GRID / self.length, self.length / GRID
        bins = np.rint(edges * bins_per_ns).astype(np.intp)
        totals = grid.take(bins.clip(0, GRID), axis=0)
        # Edges were moved to the grid: a pixel's share is of the bins it really spans.
        bins_of_pixel = np.maximum(np.diff(bins), 1)
        per_ns = (1 / (bins_of_pixel * ns_per_bin)).astype(np.float32)
        return _differences(totals) * per_ns[:, None, None]

    def _read(self, edges: Times, low: int, totals: Shares) -> None:
        """Write how long each lane had been busy and waiting at some times, ns.

        Args:
            edges: The times, ns.
            low: First lane.
            totals: [edges, 2, lanes] is written.
        """
        for column in range(totals.shape[2]):
            own = self.trace.of_lane(low + column)
            works = self.works[own]
            waits = self.waits[own]
            ends = self.end[own]
            totals[:, WORK, column] = _total_at(edges, works, ends)
            totals[:, WAIT, column] = _total_at(edges, waits, works)

    def _summed(
        self, low: int, high: int, begin: float, end: float, pixels: int
    ) -> Shares:
        """From the slices in view: each adds a ramp to the integral at its start and ends it at its end."""
        ns_per_pixel = (end - begin) / pixels
        lanes = high - low
        slices = self._in_view(low, high, begin, end)
        lane = self.lane[slices] - low
        works = self.works[slices]
        waits = self.waits[slices]
        ends = self.end[slices]
        ramps = (
            (works, WORK, 1),
            (ends, WORK, -1),
            (waits, WAIT, 1),
            (works, WAIT, -1),
        )
        cells, weights = [], []
        for times, channel, sign in ramps:
            x = ((times - begin) / ns_per_pixel).clip(0, pixels)
            pixel = x.astype(np.intp)
            cell = (pixel * 2 + channel) * lanes + lane
            next_cell = cell + 2 * lanes
            # A ramp that begins inside a pixel is split between it and the next one.
            in_next = x - pixel
            cells += [cell, next_cell]
            weights += [sign * (1 - in_next), sign * in_next]
        cell_count = (pixels + 2) * 2 * lanes
        every_cell, every_weight = np.concatenate(cells), np.concatenate(weights)
        slopes = np.bincount(every_cell, every_weight, cell_count)
        slopes_by_pixel = slopes.astype(np.float32).reshape(-1, 2, lanes)
        shares: Shares = np.cumsum(slopes_by_pixel[:pixels], axis=0)
        return shares

    def _in_view(
        self, low: int, high: int, begin: float, end: float
    ) -> NDArray[np.int64]:
        """Numbers of the slices of lanes that end after `begin` and wait or work before `end`."""
        first, last = self._bounds(low, high, begin, end)
        # One slice more: it starts behind the view and may wait in it.
        next_lanes = self.trace.first[low + 1 : high + 1]
        behind = np.minimum(last + 1, next_lanes)
        count = np.maximum(behind - first, 0)
        # Runs of numbers, one after the other: a common count, moved to each run's begin.
        offsets = np.repeat(first - np.cumsum(count) + count, count)
        numbers: NDArray[np.int64] = offsets + np.arange(count.sum())
        return numbers

    def visible(self, lane: int, begin: float, end: float) -> tuple[int, int]:
        """First slice of a lane that ends after `begin`, and the first that starts after `end`."""
        own = self.trace.of_lane(lane)
        ended_before = int(np.searchsorted(self.end[own], begin, "right"))
        started_before = int(np.searchsorted(self.start[own], end, "left"))
        return own.start + ended_before, own.start + started_before

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
        begins, ends = shift + max(begin, 0.0), shift + min(end, self.length)
        first = np.searchsorted(self._ends, begins, "right")
        last = np.searchsorted(self._starts, ends, "left")
        return first, last


def _differences(totals: Shares) -> Shares:
    """[edges - 1, …] by how much totals grow from edge to edge."""
    growth: Shares = totals[1:] - totals[:-1]
    return growth


def _total_at(edges: Times, begins: Times, ends: Times) -> Times:
    """[edges] how long spans lasted until some times, ns; spans are in order and do not overlap."""
    if not len(begins):
        return np.zeros(len(edges))
    lengths = ends - begins
    # At the end of each span the sum includes it, at its begin not yet.
    total = np.repeat(np.cumsum(lengths), 2)
    total[::2] -= lengths
    knots = np.column_stack((begins, ends)).ravel()
    return np.interp(edges, knots, total)
