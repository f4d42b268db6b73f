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
        self._shown: Bottleneck | None = None
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
        self._shown, self._marked = bottleneck, None
        # Axes without ceilings would show numbers that mean nothing.
        self._plot.setVisible(self.is_drawn)
        self._draw()

    @property
    def is_drawn(self) -> bool:
        """Whether there is a point to draw, and a ceiling above it."""
        bottleneck = self._shown
        return (
            bottleneck is not None
            and bottleneck.ceilings is not None
            and bool(bottleneck.points)
        )

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
        self._marker.setData(
            x=[math.log10(point.intensity)],
            y=[math.log10(point.performance)],
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
        bottleneck = self._shown
        if (
            bottleneck is not None
            and bottleneck.ceilings is not None
            and bottleneck.points
        ):
            self._draw_ceilings(bottleneck.ceilings, bottleneck.points)
            self._draw_path(bottleneck, bottleneck.ceilings)
        self._marker = pg.ScatterPlotItem()
        self._plot.addItem(self._marker)
        self.mark(self._marked)

    def _draw_ceilings(
        self, ceilings: Ceilings, points: Sequence[RooflinePoint]
    ) -> None:
        look = theme()
        peaks = [
            (_tr("vector {0}").format(name), rate, "success")
            for name, rate in ceilings.vector.items()
        ]
        if any(point.unit == "cube" for point in points):
            peaks += [
                (_tr("cube {0}").format(name), rate, "warning")
                for name, rate in ceilings.cube.items()
            ]
        highest = max(rate for _name, rate, _role in peaks)
        intensities = [point.intensity for point in points]
        ridge = highest / ceilings.hbm_bytes_per_s
        least = min(intensities) / _AROUND
        most = max(ridge, *intensities) * _AROUND
        slopes = (
            (_tr("HBM {0:.3g} TB/s"), ceilings.hbm_bytes_per_s, "accent"),
            (_tr("L2 {0:.3g} TB/s"), ceilings.l2_bytes_per_s, "muted"),
        )
        for name, slope, role in slopes:
            end = min(most, highest / slope)
            xs, ys = (least, end), (least * slope, end * slope)
            self._line(xs, ys, name.format(slope / 1e12), look.color(role))
        for name, rate, role in peaks:
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
        self._plot.plot(xs, ys, pen=pg.mkPen(color, width=2), antialias=True)
        flat = ys[0] == ys[1]
        label = pg.TextItem(words, color=color, anchor=(1, 1) if flat else (0, 0))
        # the name stands where no round is: at the begin of a slope, see `_AROUND`
        end = 1 if flat else 0
        label.setPos(math.log10(xs[end]), math.log10(ys[end]))
        self._plot.addItem(label)

    def _draw_path(self, bottleneck: Bottleneck, ceilings: Ceilings) -> None:
        look = theme()
        dots = pg.mkPen(look.color("text"), width=1.2, style=Qt.PenStyle.DotLine)
        # measured and modelled times, or those of two time models, do not make one path
        for origin in {point.origin for point in bottleneck.points}:
            own = [point for point in bottleneck.points if point.origin == origin]
            xs = [point.intensity for point in own]
            ys = [point.performance for point in own]
            self._plot.plot(xs, ys, pen=dots)
        for point in bottleneck.points:
            best = point.round == bottleneck.best
            color = look.color("danger" if best else "text")
            symbol = "d" if point.is_timed_elsewhere else "o"
            dot = pg.ScatterPlotItem(
                x=[math.log10(point.intensity)],
                y=[math.log10(point.performance)],
                data=[point_text(point, ceilings, best=best)],
                brush=pg.mkBrush(color),
                pen=pg.mkPen(color),
                symbol="star" if best else symbol,
                size=look.px(1.0 if best else 0.55),
                hoverable=True,
                tip=lambda x, y, data: data,  # noqa: ARG005 - names are pyqtgraph's
            )
            self._plot.addItem(dot)
        for place, rounds in names_of(bottleneck.points):
            name = pg.TextItem(rounds, color=look.color("text"), anchor=(-0.2, 0.5))
            name.setPos(*place)
            self._plot.addItem(name)


def names_of(points: Sequence[RooflinePoint]) -> list[tuple[tuple[float, float], str]]:
    """Place (decades) and numbers of rounds; those too close to be read share one text: `1, 2, 5`."""
    groups: dict[tuple[float, float], list[int]] = {}
    for point in points:
        place = (math.log10(point.intensity), math.log10(point.performance))
        near = (first for first in groups if math.dist(first, place) < _TOGETHER)
        groups.setdefault(next(near, place), []).append(point.round)
    return [
        (place, ", ".join(map(str, dict.fromkeys(rounds))))
        for place, rounds in groups.items()
    ]
