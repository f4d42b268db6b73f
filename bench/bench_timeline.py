"""The timeline of a kernel on 48 cores beside pyqtgraph: first paint, frames of pan and zoom, the busy grid.

pyqtgraph draws the same slices as one `BarGraphItem` in one colour, without labels, stalls, arrows and
picking: what it offers for rectangles without a raster of one's own. Software rendering off screen,
1600 x 940. Times are of the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtWidgets import QApplication

from core.trace import Lane, Place, Trace
from sage_desktop.ui import theme
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.timeline.view import TimelineView

PIPES = ("SCALAR", "FLOWCTRL", "MTE2", "VECTOR", "MTE3", "CUBE")
CORES, SIZE = 48, (1600, 940)
SHARES = (1.0, 0.1, 0.01, 0.001)


def stress(slices: int) -> Trace:
    """Slices of random lengths on every pipe of every core, a sixth of them with an arrow."""
    random = np.random.default_rng(1)
    cores = [f"core{core // 2}.veccore{core % 2}" for core in range(CORES)]
    lanes = tuple(Lane(core, pipe) for core in cores for pipe in PIPES)
    per_lane = slices // len(lanes) + 1
    count = len(lanes) * per_lane
    # [lanes, slices of a lane] ns
    gaps = random.integers(0, 40, (len(lanes), per_lane))
    durations = random.integers(1, 80, (len(lanes), per_lane))
    ends = np.cumsum(gaps + durations, axis=1)
    starts = (ends - durations).ravel()
    # An arrow leads to the slice of the same number in the next lane; arrows are sorted by when they end.
    source = np.sort(random.choice(count - per_lane, count // 6, replace=False))
    target = source + per_lane
    order = np.argsort(starts[target], kind="stable")
    # Half of the gaps are stalls.
    stalls = gaps * random.integers(0, 2, gaps.shape)
    return Trace(
        lanes,
        np.arange(len(lanes) + 1) * per_lane,
        starts,
        ends.ravel(),
        (durations * 1.8).ravel().astype(np.float64),
        stalls.ravel(),
        np.zeros(count, np.int64),
        random.integers(0, 12, count),
        random.integers(0, 40, count),
        tuple(f"Call{number}" for number in range(12)),
        tuple(Place("op_kernel/a.cpp", 10 + number) for number in range(40)),
        source[order],
        target[order],
        np.zeros(len(order), np.int64),
    )


def cpu_ms(work: Callable[[], object]) -> float:
    """Milliseconds of the processor that `work` takes."""
    began = time.process_time()
    work()
    return 1e3 * (time.process_time() - began)


def frames(
    show: Callable[[float, float], object],
    paint: Callable[[], object],
    length: float,
    steps: int = 10,
) -> list[float]:
    """Pan at four scales, then zoom in to a hundredth of a percent; ms of every frame, sorted.

    Args:
        show: Makes the range of the time axis from its two ends, in ns.
        paint: Paints it at once.
        length: Of the trace, in ns.
        steps: Frames at each scale; zooming has four times as many.
    """
    ranges = []
    for share in SHARES:
        width = length * share
        for step in range(steps):
            begin = (length - width) * step / steps
            ranges.append((begin, begin + width))
    middle = length / 2
    for step in range(4 * steps):
        half = middle * 0.8 ** (10 * step / steps)
        ranges.append((middle - half, middle + half))

    def frame(low: float, high: float) -> None:
        show(low, high)
        paint()

    return sorted(cpu_ms(partial(frame, *ends)) for ends in ranges)


def ours(app: QApplication, trace: Trace) -> tuple[float, float, list[float]]:
    """(first paint, busy grid, frames) of the product's timeline, in ms."""
    view = TimelineView()
    view.resize(*SIZE)
    view.show()
    app.processEvents()

    def begin() -> None:
        view.show_traces(trace)
        view.repaint()

    first = cpu_ms(begin)
    grid = cpu_ms(view.prepare)
    milliseconds: list[float] = []
    for row in (3, 18):
        view.show_rows(0, row)
        milliseconds += frames(view.show_range, view.repaint, view.length)
    view.close()
    return first, grid, sorted(milliseconds)


def peer(app: QApplication, trace: Trace) -> tuple[float, list[float]]:
    """(first paint, frames) of pyqtgraph, in ms."""
    import pyqtgraph

    plot = pyqtgraph.PlotWidget()
    plot.resize(*SIZE)
    plot.show()
    app.processEvents()
    row = trace.lane.astype(np.float64)
    bars = {"x0": trace.start, "x1": trace.end, "y0": row + 0.05, "y1": row + 0.95}

    def begin() -> None:
        plot.addItem(pyqtgraph.BarGraphItem(**bars, pen=None, brush=(63, 131, 214)))
        plot.setYRange(0, len(trace.lanes))
        paint()

    def show(low: float, high: float) -> None:
        plot.setXRange(low, high, padding=0)

    paint = plot.viewport().repaint
    first = cpu_ms(begin)
    milliseconds = frames(show, paint, float(trace.length_ns), steps=2)
    plot.close()
    return first, milliseconds


def main() -> None:
    slices = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        theme.install(app, Preferences(Path(folder) / "window.ini"))
        trace = stress(slices)
        first, grid, own_frames = ours(app, trace)
        peer_first, peer_frames = peer(app, trace)
    size = f"{len(trace.start):,} slices, {len(trace.lanes)} lanes, {len(trace.flow_to):,} arrows"
    sys.stdout.write(f"{size}; ms of the processor\n")
    sys.stdout.write(f"{'':12}{'first paint':>12}{'median':>9}{'p95':>9}{'grid':>9}\n")
    own_median = statistics.median(own_frames)
    peer_median = statistics.median(peer_frames)
    own_row = f"{first:12.0f}{own_median:9.1f}{_p95(own_frames):9.1f}{grid:9.0f}"
    peer_row = f"{peer_first:12.0f}{peer_median:9.1f}{_p95(peer_frames):9.1f}"
    sys.stdout.write(f"{'timeline':12}{own_row}\n")
    sys.stdout.write(f"{'pyqtgraph':12}{peer_row}\n")
    paints = peer_first / first
    frame_ratio = peer_median / own_median
    sys.stdout.write(
        f"pyqtgraph / timeline: first paint {paints:.1f}, frames {frame_ratio:.1f}\n"
    )


def _p95(milliseconds: Sequence[float]) -> float:
    """The 95th percentile of sorted times."""
    return milliseconds[int(0.95 * len(milliseconds))]


if __name__ == "__main__":
    main()
