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
from collections.abc import Callable
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
    lanes = tuple(
        Lane(f"core{core // 2}.veccore{core % 2}", pipe)
        for core in range(CORES)
        for pipe in PIPES
    )
    each = slices // len(lanes) + 1
    gap = random.integers(0, 40, (len(lanes), each))
    long = random.integers(1, 80, (len(lanes), each))
    end = np.cumsum(gap + long, axis=1)
    start, count = (end - long).ravel(), len(lanes) * each
    # An arrow leads to the slice of the same number in the next lane; arrows are sorted by when they end.
    source = np.sort(random.choice(count - each, count // 6, replace=False))
    order = np.argsort(start[source + each], kind="stable")
    # Half of the gaps are stalls.
    stall = gap * random.integers(0, 2, gap.shape)
    return Trace(
        lanes,
        np.arange(len(lanes) + 1) * each,
        start,
        end.ravel(),
        long.ravel() * 1.8,
        stall.ravel(),
        np.zeros(count, np.int64),
        random.integers(0, 12, count),
        random.integers(0, 40, count),
        tuple(f"Call{n}" for n in range(12)),
        tuple(Place("op_kernel/a.cpp", 10 + n) for n in range(40)),
        source[order],
        (source + each)[order],
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
    for step in range(4 * steps):
        half = length * 0.8 ** (10 * step / steps) / 2
        ranges.append((length / 2 - half, length / 2 + half))

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
    first = cpu_ms(lambda: (view.show_traces(trace), view.repaint()))
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
    for name, paint, every, more in (
        ("timeline", first, own_frames, f"{grid:9.0f}"),
        ("pyqtgraph", peer_first, peer_frames, ""),
    ):
        median, p95 = statistics.median(every), every[int(0.95 * len(every))]
        sys.stdout.write(f"{name:12}{paint:12.0f}{median:9.1f}{p95:9.1f}{more}\n")
    paints = peer_first / first
    ratio = statistics.median(peer_frames) / statistics.median(own_frames)
    sys.stdout.write(
        f"pyqtgraph / timeline: first paint {paints:.1f}, frames {ratio:.1f}\n"
    )


if __name__ == "__main__":
    main()
