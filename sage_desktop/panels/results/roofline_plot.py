"""The rounds of an operator as a path under the ceilings of the processor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from core.evaluation.roofline import Ceilings, RooflinePoint
from sage_desktop.panels.results.reading import Bottleneck
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.widgets.plot import Axis, Dot, Line, Note, Plot, Shape
from sage_desktop.ui.widgets.stacking import stacked

_tr = partial(QCoreApplication.translate, "RooflinePlot")

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


class RooflinePlot(QWidget):
    """The drawing; without ceilings or points it is empty."""

    def __init__(self) -> None:
        super().__init__()
        self._bottleneck: Bottleneck | None = None
        self._marked: RooflinePoint | None = None
        self.setAccessibleName(_tr("Roofline"))
        # the names of the ceilings stand above and below the outermost lines
        self._plot = Plot(_tr("Roofline"), padding=0.14)
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
        self._draw()

    # ---- drawing

    def _draw(self) -> None:
        bottleneck = self._bottleneck
        ceilings = bottleneck.ceilings if bottleneck is not None else None
        if bottleneck is None or ceilings is None or not bottleneck.points:
            return
        across = Axis(
            _tr("operations a byte of global memory"), is_log=True, has_lines=True
        )
        up = Axis(
            _tr("operations a second"), is_log=True, has_lines=True, text=rate_text
        )
        lines, notes = _ceilings(ceilings, bottleneck.points)
        lines += _paths(bottleneck)
        dots = [
            _dot(point, ceilings, best=point.round == bottleneck.best)
            for point in bottleneck.points
        ]
        if self._marked is not None:
            dots.append(_ring(self._marked))
        notes += _numbers(bottleneck.points)
        self._plot.draw(across, up, lines, dots, notes)


def _ceilings(
    ceilings: Ceilings, points: Sequence[RooflinePoint]
) -> tuple[list[Line], list[Note]]:
    """Slopes of the bandwidths and, above them, the peaks of the units, with their names.

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
    lines: list[Line] = []
    notes: list[Note] = []
    slopes = (
        (_tr("HBM {0:.3g} TB/s"), ceilings.hbm_bytes_per_s, "accent"),
        (_tr("L2 {0:.3g} TB/s"), ceilings.l2_bytes_per_s, "muted"),
    )
    # The name stands where no round is: at the begin of a slope, see `_AROUND`,
    # and at the end of a peak.
    for name, bandwidth, role in slopes:
        end = min(most, highest / bandwidth)
        color = look.color(role)
        places = [(least, least * bandwidth), (end, end * bandwidth)]
        lines.append(Line(places, QPen(color, 2)))
        words = name.format(bandwidth / 1e12)
        notes.append(Note(*places[0], words, color, anchor=(0, 0)))
    for name, rate, role in peaks:
        # Left of this no memory delivers data fast enough for the peak.
        begin = max(least, rate / ceilings.l2_bytes_per_s)
        color = look.color(role)
        places = [(begin, rate), (most, rate)]
        lines.append(Line(places, QPen(color, 2)))
        words = f"{name}: {rate_text(rate)}"
        notes.append(Note(*places[1], words, color, anchor=(1, 1)))
    return lines, notes


def _paths(bottleneck: Bottleneck) -> list[Line]:
    """Dotted lines that join the rounds in their order."""
    pen = QPen(theme().color("text"), 1.2, Qt.PenStyle.DotLine)
    lines = []
    # measured and modelled times, or those of two time models, do not make one path
    for origin in {point.origin for point in bottleneck.points}:
        path = [point for point in bottleneck.points if point.origin == origin]
        places = [(point.intensity, point.performance) for point in path]
        lines.append(Line(places, pen))
    return lines


def _dot(point: RooflinePoint, ceilings: Ceilings, *, best: bool) -> Dot:
    """A round: a star for the best, a diamond for a measured time, else a dot."""
    shape = Shape.DIAMOND if point.is_timed_elsewhere else Shape.CIRCLE
    color, size = theme().color("text"), 0.55
    if best:
        shape = Shape.STAR
        color, size = theme().color("danger"), 1.0
    words = point_text(point, ceilings, best=best)
    return Dot(point.intensity, point.performance, color, words, shape, size)


def _ring(point: RooflinePoint) -> Dot:
    """What marks a round."""
    color = theme().color("accent")
    return Dot(point.intensity, point.performance, color, shape=Shape.RING, size=1.6)


def _numbers(points: Sequence[RooflinePoint]) -> list[Note]:
    """The numbers of the rounds beside their points."""
    color = theme().color("text")
    return [
        Note(x, y, rounds, color, anchor=(0, 0.5), gap=1.0)
        for (x, y), rounds in names_of(points)
    ]


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
    """(intensity, rate) and numbers of rounds; those too close to be read share one text: `1, 2, 5`."""
    groups: dict[RooflinePoint, list[int]] = {}
    for point in points:
        near = (first for first in groups if _distance(first, point) < _TOGETHER)
        groups.setdefault(next(near, point), []).append(point.round)
    names = []
    for first, rounds in groups.items():
        place = first.intensity, first.performance
        distinct = dict.fromkeys(rounds)
        names.append((place, ", ".join(map(str, distinct))))
    return names


def _distance(one: RooflinePoint, other: RooflinePoint) -> float:
    """Between two points on logarithmic axes, in decades."""
    across = math.log10(one.intensity / other.intensity)
    up = math.log10(one.performance / other.performance)
    return math.hypot(across, up)
