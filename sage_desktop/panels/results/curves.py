"""Latency over rounds: every correct kernel as a point, the best so far as a step line. Needs pyqtgraph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from sage_desktop.panels.results.reading import Curve
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.stacking import hbox, split, stacked
from sage_desktop.ui.widgets.verdicts import latency_text, origin_text

_tr = partial(QCoreApplication.translate, "CurvesView")

_FIRST = 6  # curves that are shown before anybody chooses
_ROLES = ("accent", "success", "warning", "danger", "muted", "text")


class _PlainNumbers(pg.AxisItem):  # type: ignore[misc]
    """A logarithmic axis that says 200, not 2·10²."""

    def logTickStrings(
        self, values: Sequence[float], _scale: float, _spacing: float
    ) -> list[str]:
        return [f"{10**value:g}" for value in values]

    def logTickValues(
        self, low: float, high: float, _size: float, _standard: object
    ) -> list[tuple[None, list[float]]]:
        """1, 2 and 5 of each decade, or round numbers where less than one is shown."""
        if high <= low:  # nothing is shown yet
            return []
        if high - low < 1:
            shown = _round_numbers(10**low, 10**high)
        else:
            decades = range(math.floor(low), math.ceil(high) + 1)
            shown = [first * 10.0**decade for decade in decades for first in (1, 2, 5)]
        places = [math.log10(value) for value in shown]
        return [(None, [place for place in places if low <= place <= high])]


def _round_numbers(low: float, high: float) -> list[float]:
    """Four to eight multiples of 1, 2 or 5 times a power of ten between two positive numbers."""
    rough = (high - low) / 8
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(first * power for first in (1, 2, 5, 10) if first * power >= rough)
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


class CurvesView(QWidget):
    """Runs to choose at the left, the plot at the right.

    Signals:
        clicked: Words about the point under the mouse button.

    Attributes:
        drawing: The plot, with the list that says which curve is which.
    """

    clicked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._curves: tuple[Curve, ...] = ()
        self.list = named(QListWidget(), _tr("Curves to show"))
        self.list.itemChanged.connect(lambda _item: self._draw())
        self.axis = ComboBox(_tr("Horizontal axis"), self._draw)
        self.axis.addItem(_tr("round"), 0)
        self.axis.addItem(_tr("minutes since the start"), 1)
        self.scale = ComboBox(_tr("Vertical axis"), self._draw)
        self.scale.addItem(_tr("latency in µs"), "latency")
        self.scale.addItem(_tr("gain over the first correct kernel"), "gain")
        self.log = QCheckBox(_tr("&Logarithmic"))
        self.log.setChecked(True)
        self.log.toggled.connect(self._draw)
        self.plot = named(
            pg.PlotWidget(axisItems={"left": _PlainNumbers("left")}),
            _tr("Latency over rounds"),
        )
        self.plot.setMenuEnabled(enableMenu=False)
        # Points at the border and the last number of the axis are seen whole.
        item = self.plot.getPlotItem()
        item.setContentsMargins(0, theme().px(0.5), theme().px(1), 0)
        self._lay_out()
        restyle_later(self, self._draw)

    def _lay_out(self) -> None:
        self.drawing = split(
            Qt.Orientation.Horizontal,
            self.list,
            self.plot,
            sizes=(16, 60),
            stretch=(0, 1),
        )
        stacked(
            self,
            hbox(
                self.axis,
                self.scale,
                self.log,
                None,
                margins=(0.6, 0.4, 0.6, 0.3),
                spacing=0.5,
            ),
            self.drawing,
        )

    def show_curves(self, curves: Sequence[Curve]) -> None:
        """Offer `curves`; what was chosen before stays chosen."""
        trajectories = {curve.trajectory for curve in self.selected()}
        before = {curve.trajectory for curve in self._curves}
        self._curves = tuple(curves)
        with QSignalBlocker(self.list):
            self.list.clear()
            for number, curve in enumerate(self._curves):
                item = QListWidgetItem(curve.name)
                item.setToolTip(f"{curve.name} ({origin_text(curve.latency_origin)})")
                on = curve.trajectory in trajectories or (
                    curve.trajectory not in before and number < _FIRST
                )
                item.setCheckState(
                    Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
                )
                self.list.addItem(item)
        self._draw()

    def selected(self) -> tuple[Curve, ...]:
        """The curves that are shown."""
        return tuple(
            curve
            for number, curve in enumerate(self._curves)
            if self.list.item(number).checkState() is Qt.CheckState.Checked
        )

    def _draw(self) -> None:
        look = theme()
        self.plot.clear()
        self.plot.setBackground(look.color("base"))
        item = self.plot.getPlotItem()
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setPen(look.color("muted"))
            axis.setTextPen(look.color("text"))
        whole = [(5, 0), (1, 0)] if self.axis.currentData() == 0 else None
        item.getAxis("bottom").setTickSpacing(levels=whole)  # there is no half round
        item.setLabel("bottom", self.axis.currentText())
        item.setLabel("left", self.scale.currentText())
        item.showGrid(x=False, y=True, alpha=0.25)
        item.setLogMode(y=self.log.isChecked())
        for number, curve in enumerate(self.selected()):
            color = look.color(_ROLES[number % len(_ROLES)])
            self._add(curve, color, dashed=number >= len(_ROLES))
        self._color_list()

    def _color_list(self) -> None:
        """The list of curves is the legend too: it lies over no point."""
        trajectories = [curve.trajectory for curve in self.selected()]
        with QSignalBlocker(self.list):
            for number, curve in enumerate(self._curves):
                sample = QIcon()
                if curve.trajectory in trajectories:
                    place = trajectories.index(curve.trajectory)
                    color = theme().color(_ROLES[place % len(_ROLES)])
                    sample = _sample(color, dashed=place >= len(_ROLES))
                self.list.item(number).setIcon(sample)

    def _add(self, curve: Curve, color: QColor, *, dashed: bool) -> None:
        place = int(self.axis.currentData())
        first = curve.points[0][2]
        gain = self.scale.currentData() == "gain"

        def height(latency: float) -> float:
            return first / latency if gain else latency

        best = curve.best()
        xs = [float(point[place]) for point in best]
        ys = [height(point[2]) for point in best]
        last = float(curve.points[-1][place])
        if last > xs[-1]:  # the best holds until the last round
            xs.append(last)
            ys.append(ys[-1])
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        steps = _steps(xs, ys)
        name = f"{curve.name} ({origin_text(curve.latency_origin)})"
        self.plot.plot(*steps, pen=pg.mkPen(color, width=2, style=style), name=name)
        dots = pg.ScatterPlotItem(
            x=[float(point[place]) for point in curve.points],
            y=_scaled(
                [height(point[2]) for point in curve.points], log=self.log.isChecked()
            ),
            data=[
                f"{curve.name}, {_tr('round {0}').format(point[0])}: {latency_text(point[2])} "
                f"{origin_text(curve.latency_origin)}"
                for point in curve.points
            ],
            brush=pg.mkBrush(color),
            pen=pg.mkPen(color),
            size=theme().px(0.5),
            hoverable=True,
            tip=lambda x, y, data: data,  # noqa: ARG005 - names are pyqtgraph's
        )
        dots.sigClicked.connect(lambda _plot, spots, *_: self._clicked(spots))
        self.plot.addItem(dots)

    def _clicked(self, spots: Sequence[object]) -> None:
        if len(spots):
            self.clicked.emit(str(spots[0].data()))  # type: ignore[attr-defined]


def _sample(color: QColor, *, dashed: bool) -> QIcon:
    """A piece of a curve."""
    side = theme().px(1.2)
    picture = QPixmap(side, side)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    painter.setPen(QPen(color, max(2, side // 6), style))
    painter.drawLine(0, side // 2, side, side // 2)
    painter.end()
    return QIcon(picture)


def _steps(xs: Sequence[float], ys: Sequence[float]) -> tuple[list[float], list[float]]:
    """The corner points of a step line."""
    x, y = [xs[0]], [ys[0]]
    for number in range(1, len(xs)):
        x += [xs[number], xs[number]]
        y += [ys[number - 1], ys[number]]
    return x, y


def _scaled(values: Sequence[float], *, log: bool) -> list[float]:
    """Scatter items do not follow the log mode of the axis by themselves."""
    return [math.log10(value) for value in values] if log else list(values)
