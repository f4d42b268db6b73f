"""The rounds of an operator as a path under the ceilings of the processor. Needs pyqtgraph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from core.evaluation.roofline import Ceilings, RooflinePoint
from sage_desktop.panels.results.reading import Bottleneck
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.widgets.stacking import stacked

_tr = partial(QCoreApplication.translate, "RooflinePlot")

_LABELLED = (1.0, 2.0, 5.0, 10.0)  # ticks of each decade that carry a number
_AROUND = 4.0  # factor by which the ceilings extend beyond the outermost points
_TOGETHER = 0.06  # decades; nearer numbers of rounds would overlap


def rate_text(rate: float) -> str:
    """Operations a second: `1.25 TOP/s`."""
    for size, name in ((1e12, "TOP/s"), (1e9, "GOP/s"), (1e6, "MOP/s")):
        if rate >= size:
            return f"{rate / size:.3g} {name}"
    return f"{rate:.3g} OP/s"


def point_text(point: RooflinePoint, ceilings: Ceilings, *, best: bool) -> str:
    """A round in words: intensity, rate, and its share of the ceiling above it."""
    words = _tr("Round {0}: {1:.3g} operations a byte, {2}, {3:.0%} of the {4} ceiling")
    if best:
        words = _tr(
            "Round {0} (best): {1:.3g} operations a byte, {2}, {3:.0%} of the {4} ceiling"
        )
    if point.is_timed_elsewhere:
        words += _tr(", measured time")
    if point.share(ceilings) > 1:
        words += _tr("; part of the data comes from the L2 cache")
    units = {
        "vector": _tr("vector"),
        "cube": _tr("cube"),
        "bandwidth": _tr("bandwidth"),
    }
    return words.format(
        point.round,
        point.intensity,
        rate_text(point.performance),
        point.share(ceilings),
        units[point.bound(ceilings)],
    )


class _Axis(pg.AxisItem):  # type: ignore[misc]
    """A logarithmic axis in plain numbers, or in rates."""

    def __init__(self, side: str, *, rates: bool) -> None:
        super().__init__(side)
        self._rates = rates

    def logTickStrings(
        self, values: Sequence[float], _scale: float, _spacing: float
    ) -> list[str]:
        return [self._tick(value) for value in values]

    def _tick(self, value: float) -> str:
        if round(10 ** (value % 1), 3) not in _LABELLED:
            return ""
        return rate_text(10**value) if self._rates else f"{10**value:g}"


class RooflinePlot(QWidget):
    """The drawing; without ceilings or points it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self._bottleneck: Bottleneck | None = None
        self._marked: RooflinePoint | None = None
        axes = {
            "left": _Axis("left", rates=True),
            "bottom": _Axis("bottom", rates=False),
        }
        self._plot = pg.PlotWidget(axisItems=axes)
        self._plot.setMenuEnabled(enableMenu=False)
        self._marker = pg.ScatterPlotItem()
        self.setAccessibleName(_tr("Roofline"))
        self._plot.setAccessibleName(_tr("Roofline"))
        # the names of the ceilings stand above and below the outermost lines
        self._plot.getViewBox().setDefaultPadding(0.14)
        self._plot.setMinimumHeight(theme().px(14))
        stacked(self, self._plot)
        restyle_later(self, self._draw)

    def show_bottleneck(self, bottleneck: Bottleneck | None) -> None:
        """Draw the rounds of a trajectory."""
        self._bottleneck, self._marked = bottleneck, None
        # Axes without ceilings would show numbers that mean nothing.
        self._plot.setVisible(self.is_drawn)
        self._draw()

    @property
    def is_drawn(self) -> bool:
        """Whether there is a point to draw, and a ceiling above it."""
        bottleneck = self._bottleneck
        if bottleneck is None or bottleneck.ceilings is None:
            return False
        return bool(bottleneck.points)

    @property
    def marked(self) -> RooflinePoint | None:
        """The round with a ring around it."""
        return self._marked

    def mark(self, point: RooflinePoint | None) -> None:
        """Put a ring around one round."""
        self._marked = point
        if point is None:
            self._marker.clear()
            return
        x, y = _place(point)
        self._marker.setData(
            x=[x],
            y=[y],
            brush=None,
            pen=pg.mkPen(theme().color("accent"), width=2),
            size=theme().px(1.6),
        )

    # ---- drawing

    def _draw(self) -> None:
        look = theme()
        self._plot.clear()
        self._plot.setBackground(look.color("base"))
        item = self._plot.getPlotItem()
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setPen(look.color("muted"))
            axis.setTextPen(look.color("text"))
            axis.enableAutoSIPrefix(enable=False)
        item.setLabel("bottom", _tr("operations a byte of global memory"))
        item.setLabel("left", _tr("operations a second"))
        item.setLogMode(x=True, y=True)
        item.showGrid(x=True, y=True, alpha=0.2)
        bottleneck = self._bottleneck
        ceilings = bottleneck.ceilings if bottleneck is not None else None
        if bottleneck is not None and ceilings is not None and bottleneck.points:
            self._draw_ceilings(ceilings, bottleneck.points)
            self._draw_paths(bottleneck)
            for point in bottleneck.points:
                is_best = point.round == bottleneck.best
                self._draw_point(point, ceilings, best=is_best)
            self._draw_numbers(bottleneck.points)
        # `clear` has taken the ring away too.
        self._marker = pg.ScatterPlotItem()
        self._plot.addItem(self._marker)
        self.mark(self._marked)

    def _draw_ceilings(
        self, ceilings: Ceilings, points: Sequence[RooflinePoint]
    ) -> None:
        """Draw slopes of the bandwidths and, above them, the peaks of the units.

        Intensities are operations a byte, rates operations a second. A bandwidth bounds
        the rate to bandwidth × intensity, a unit to its peak.
        """
        look = theme()
        peaks = _peaks(ceilings, points)
        highest = max(rate for _name, rate, _role in peaks)
        intensities = [point.intensity for point in points]
        # Where the slope of the slower memory reaches the highest peak.
        ridge = highest / ceilings.hbm_bytes_per_s
        least = min(intensities) / _AROUND
        most = max(ridge, *intensities) * _AROUND
        slopes = (
            (_tr("HBM {0:.3g} TB/s"), ceilings.hbm_bytes_per_s, "accent"),
            (_tr("L2 {0:.3g} TB/s"), ceilings.l2_bytes_per_s, "muted"),
        )
        for name, bandwidth, role in slopes:
            end = min(most, highest / bandwidth)
            rates = (least * bandwidth, end * bandwidth)
            words = name.format(bandwidth / 1e12)
            self._line((least, end), rates, words, look.color(role))
        for name, rate, role in peaks:
            # Left of this no memory delivers data fast enough for the peak.
            begin = max(least, rate / ceilings.l2_bytes_per_s)
            words = f"{name}: {rate_text(rate)}"
            self._line((begin, most), (rate, rate), words, look.color(role))

    def _line(
        self,
        xs: tuple[float, float],
        ys: tuple[float, float],
        words: str,
        color: QColor,
    ) -> None:
        """Draw one ceiling with its name."""
        self._plot.plot(xs, ys, pen=pg.mkPen(color, width=2), antialias=True)
        # The name stands where no round is: at the begin of a slope, see `_AROUND`,
        # and at the end of a peak.
        is_peak = ys[0] == ys[1]
        end, anchor = (1, (1, 1)) if is_peak else (0, (0, 0))
        label = pg.TextItem(words, color=color, anchor=anchor)
        label.setPos(math.log10(xs[end]), math.log10(ys[end]))
        self._plot.addItem(label)

    def _draw_paths(self, bottleneck: Bottleneck) -> None:
        """Join the rounds in their order by dotted lines."""
        color = theme().color("text")
        pen = pg.mkPen(color, width=1.2, style=Qt.PenStyle.DotLine)
        # measured and modelled times, or those of two time models, do not make one path
        for origin in {point.origin for point in bottleneck.points}:
            path = [point for point in bottleneck.points if point.origin == origin]
            xs = [point.intensity for point in path]
            ys = [point.performance for point in path]
            self._plot.plot(xs, ys, pen=pen)

    def _draw_point(
        self, point: RooflinePoint, ceilings: Ceilings, *, best: bool
    ) -> None:
        """Draw a round: a star for the best, a diamond for a measured time, else a dot."""
        symbol = "d" if point.is_timed_elsewhere else "o"
        color, size = theme().color("text"), theme().px(0.55)
        if best:
            symbol = "star"
            color, size = theme().color("danger"), theme().px(1.0)
        x, y = _place(point)
        dot = pg.ScatterPlotItem(
            x=[x],
            y=[y],
            data=[point_text(point, ceilings, best=best)],
            brush=pg.mkBrush(color),
            pen=pg.mkPen(color),
            symbol=symbol,
            size=size,
            hoverable=True,
            tip=lambda x, y, data: data,  # noqa: ARG005 - names are pyqtgraph's
        )
        self._plot.addItem(dot)

    def _draw_numbers(self, points: Sequence[RooflinePoint]) -> None:
        """Write the numbers of the rounds beside their points."""
        color = theme().color("text")
        for place, rounds in names_of(points):
            name = pg.TextItem(rounds, color=color, anchor=(-0.2, 0.5))
            name.setPos(*place)
            self._plot.addItem(name)


def _place(point: RooflinePoint) -> tuple[float, float]:
    """Intensity and rate in decades, as items on logarithmic axes need them."""
    return math.log10(point.intensity), math.log10(point.performance)


def _peaks(
    ceilings: Ceilings, points: Sequence[RooflinePoint]
) -> list[tuple[str, float, str]]:
    """(name, operations a second, colour) of each flat ceiling that concerns `points`."""
    peaks = []
    for name, rate in ceilings.vector.items():
        peaks.append((_tr("vector {0}").format(name), rate, "success"))
    if any(point.unit == "cube" for point in points):
        for name, rate in ceilings.cube.items():
            peaks.append((_tr("cube {0}").format(name), rate, "warning"))
    return peaks


def names_of(points: Sequence[RooflinePoint]) -> list[tuple[tuple[float, float], str]]:
    """Place (decades) and numbers of rounds; those too close to be read share one text: `1, 2, 5`."""
    groups: dict[tuple[float, float], list[int]] = {}
    for point in points:
        place = _place(point)
        near = (first for first in groups if math.dist(first, place) < _TOGETHER)
        groups.setdefault(next(near, place), []).append(point.round)
    names = []
    for place, rounds in groups.items():
        distinct = dict.fromkeys(rounds)
        names.append((place, ", ".join(map(str, distinct))))
    return names
