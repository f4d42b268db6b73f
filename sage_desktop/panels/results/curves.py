"""Latency over rounds: every correct kernel as a point, the best so far as a step line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from sage_desktop.panels.results.reading import Curve, TimedPoint
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.plot import Axis, Dot, Line, Plot
from sage_desktop.ui.widgets.stacking import hbox, split, stacked
from sage_desktop.ui.widgets.verdicts import latency_text, origin_text

_tr = partial(QCoreApplication.translate, "CurvesView")

_FIRST = 6  # curves that are shown until the user selects some
_ROLES = ("accent", "success", "warning", "danger", "muted", "text")


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
        self.plot = Plot(_tr("Latency over rounds"))
        self.plot.clicked.connect(self.clicked)
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
        """Offer `curves`; what was selected before stays selected."""
        selected = {curve.trajectory for curve in self.selected()}
        offered = {curve.trajectory for curve in self._curves}
        self._curves = tuple(curves)
        with QSignalBlocker(self.list):
            self.list.clear()
            for number, curve in enumerate(self._curves):
                item = QListWidgetItem(curve.name)
                item.setToolTip(_name_with_origin(curve))
                # A new curve is shown at once, one that was deselected is not.
                is_new = curve.trajectory not in offered
                on = curve.trajectory in selected or (is_new and number < _FIRST)
                state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
                item.setCheckState(state)
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
        is_round = self.axis.currentData() == 0
        across = Axis(self.axis.currentText(), is_whole=is_round)
        up = Axis(self.scale.currentText(), is_log=self.log.isChecked(), has_lines=True)
        lines: list[Line] = []
        dots: list[Dot] = []
        for number, curve in enumerate(self.selected()):
            pen = _pen(number)
            lines.append(self._best(curve, pen))
            for point in curve.points:
                x, y = self._place(curve, point)
                dots.append(Dot(x, y, pen.color(), _point_text(curve, point)))
        self.plot.draw(across, up, lines, dots)
        self._color_list()

    def _color_list(self) -> None:
        """The list of curves is the legend too: it lies over no point."""
        trajectories = [curve.trajectory for curve in self.selected()]
        with QSignalBlocker(self.list):
            for number, curve in enumerate(self._curves):
                sample = QIcon()
                if curve.trajectory in trajectories:
                    sample = _sample(_pen(trajectories.index(curve.trajectory)))
                self.list.item(number).setIcon(sample)

    def _place(self, curve: Curve, point: TimedPoint) -> tuple[float, float]:
        """Where a point is drawn, in the units of both axes."""
        by_round = self.axis.currentData() == 0
        x = float(point.round) if by_round else point.minutes
        if self.scale.currentData() == "gain":
            return x, curve.points[0].latency_us / point.latency_us
        return x, point.latency_us

    def _best(self, curve: Curve, pen: QPen) -> Line:
        """The best latency so far as a step line."""
        places = [self._place(curve, point) for point in curve.best()]
        best_x, best_y = places[-1]
        last_x, _last_y = self._place(curve, curve.points[-1])
        if last_x > best_x:  # the best holds until the last round
            places.append((last_x, best_y))
        return Line(_steps(places), pen)


def _name_with_origin(curve: Curve) -> str:
    return f"{curve.name} ({origin_text(curve.latency_origin)})"


def _point_text(curve: Curve, point: TimedPoint) -> str:
    """Words about one kernel, for the tip and the clicked signal."""
    number = _tr("round {0}").format(point.round)
    latency = latency_text(point.latency_us)
    origin = origin_text(curve.latency_origin)
    return f"{curve.name}, {number}: {latency} {origin}"


def _pen(number: int) -> QPen:
    """The pen of the curve `number` of those selected, 2 px wide.

    Colours repeat after `_ROLES`; the lines of the repetition are dashed.
    """
    color = theme().color(_ROLES[number % len(_ROLES)])
    is_repeated = number >= len(_ROLES)
    style = Qt.PenStyle.DashLine if is_repeated else Qt.PenStyle.SolidLine
    return QPen(color, 2, style)


def _sample(pen: QPen) -> QIcon:
    """A piece of a curve."""
    side = theme().px(1.2)
    picture = QPixmap(side, side)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setPen(QPen(pen.color(), max(2, side // 6), pen.style()))
    painter.drawLine(0, side // 2, side, side // 2)
    painter.end()
    return QIcon(picture)


def _steps(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of a step line through `places`."""
    corners = [places[0]]
    for x, y in places[1:]:
        # Horizontally to the next place first, then down or up to it.
        _before, level = corners[-1]
        corners += [(x, level), (x, y)]
    return corners
