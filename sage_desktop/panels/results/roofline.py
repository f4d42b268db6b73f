"""Roofline: the rounds of an operator as a path under the ceilings of the processor. Needs pyqtgraph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from core.engine.queries import QueueRow
from core.evaluation.roofline import L2_BYTES_PER_S, RooflinePoint
from sage_desktop.panels.results.roofline_model import (
    Roofline,
    read_roofline,
    roofline_rows,
)
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.ask_bar import Subject
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import named, push
from sage_desktop.ui.widgets.stacking import boxed, hbox, split, stacked, vbox
from sage_desktop.ui.widgets.verdicts import origin_text

_tr = partial(QCoreApplication.translate, "RooflineView")

_TOLD = (1.0, 2.0, 5.0, 10.0)  # of each decade
_AROUND = 4.0  # how far the ceilings go on beside the outermost points, as a factor
_TOGETHER = 0.06  # decades; nearer numbers of rounds would be written over each other


def _unit_text(unit: str) -> str:
    return {
        "vector": _tr("vector"),
        "cube": _tr("cube"),
        "bandwidth": _tr("bandwidth"),
    }[unit]


def rate_text(rate: float) -> str:
    """Operations a second: `1.25 TOP/s`."""
    for size, name in ((1e12, "TOP/s"), (1e9, "GOP/s"), (1e6, "MOP/s")):
        if rate >= size:
            return f"{rate / size:.3g} {name}"
    return f"{rate:.3g} OP/s"


class _PlainNumbers(pg.AxisItem):  # type: ignore[misc]
    """A logarithmic axis in plain numbers, or in rates."""

    def __init__(self, side: str, *, rates: bool) -> None:
        super().__init__(side)
        self._rates = rates

    def logTickStrings(
        self, values: Sequence[float], _scale: float, _spacing: float
    ) -> list[str]:
        told = (
            value if round(10 ** (value % 1), 3) in _TOLD else None for value in values
        )
        return [
            "" if v is None else rate_text(10**v) if self._rates else f"{10**v:g}"
            for v in told
        ]


class RooflineView(QWidget):
    """Operator to choose and the rounds in words at the left, the drawing at the right.

    Signals:
        profile_wanted: (`Subject`, case) of a kernel whose profile places its round here.
    """

    profile_wanted = Signal(object, str)

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self.shown: Roofline | None = None
        self.operator = ComboBox(_tr("Operator"), self._read)
        self.words = muted()
        self.profile = push("", self._ask)
        self._entries: dict[str, QueueRow] = {}
        self.list = named(QListWidget(), _tr("Rounds under the roofline"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._mark)
        axes = {
            "left": _PlainNumbers("left", rates=True),
            "bottom": _PlainNumbers("bottom", rates=False),
        }
        self.plot = named(pg.PlotWidget(axisItems=axes), _tr("Roofline"))
        self.plot.setMenuEnabled(enableMenu=False)
        self._marker = pg.ScatterPlotItem()
        self._lay_out()
        restyle_later(self, self._draw)

    def _lay_out(self) -> None:
        head = hbox(QLabel(_tr("Operator")), (self.operator, 1))
        profile = (self.profile, Qt.AlignmentFlag.AlignLeft)
        side = boxed(vbox(head, self.words, profile, (self.list, 1), margins=0.6))
        stacked(
            self,
            split(
                Qt.Orientation.Horizontal,
                side,
                self.plot,
                sizes=(24, 60),
                stretch=(0, 1),
            ),
        )

    def show_operators(self, rows: Sequence[QueueRow]) -> None:
        """Offer the operators that have a timed kernel; the chosen one stays."""
        self._entries = {
            row.trajectory_uid: row for row in rows if row.t_best is not None
        }
        self.operator.offer((row.operator, uid) for uid, row in self._entries.items())
        self._read()

    def _ask(self) -> None:
        row = self._entries.get(self.operator.currentData())
        if self.shown is None or self.shown.askable is None or row is None:
            return
        number, candidate, case = self.shown.askable
        self.profile.setEnabled(False)  # until the page is read again
        self.profile_wanted.emit(
            Subject(row.operator, row.source, candidate, number, row.id), case
        )

    def _read(self) -> None:
        trajectory = self.operator.currentData()
        if trajectory:
            self._operations.query(
                self,
                lambda db: read_roofline(db, trajectory),
                self._show,
                topic="roofline",
            )
        else:
            self._show(None)

    def _show(self, shown: Roofline | None) -> None:
        self.shown = shown
        self.words.setText(self._explained(shown))
        asks = (
            shown is not None
            and shown.ceilings is not None
            and shown.askable is not None
        )
        self.profile.setVisible(asks)
        self.profile.setEnabled(asks)
        if shown is not None and shown.askable is not None:
            self.profile.setText(
                _tr("Run “profile” on Round {0}").format(shown.askable[0])
            )
        self.list.clear()
        if shown is not None and shown.ceilings is not None:
            for point in shown.points:
                item = QListWidgetItem(self._point_text(point, shown))
                moved = _tr("{0}: {1:.3g} MB from and to global memory in {2:.2f} µs")
                item.setToolTip(
                    moved.format(point.case, point.bytes / 1e6, point.time_us)
                )
                self.list.addItem(item)
        # Axes without ceilings would show numbers that mean nothing.
        self.plot.setVisible(
            shown is not None and shown.ceilings is not None and bool(shown.points)
        )
        self._draw()
        told = [self.list.item(n).text() for n in range(self.list.count())]
        self.plot.setAccessibleDescription(" ".join((self.words.text(), *told)))

    @staticmethod
    def _explained(shown: Roofline | None) -> str:
        if shown is None:
            return _tr("No operator has a timed kernel yet.")
        if shown.ceilings is None:
            return _tr("No ceilings are known of {0}.").format(
                translated(shown.device) or "\N{EN DASH}"
            )
        parts = []
        if shown.points:
            words = _tr(
                "{0}: slowest timed case of each round, without the cost of the launch; {1}."
            )
            origins = dict.fromkeys(
                origin_text(point.origin.value) for point in shown.points
            )
            parts.append(words.format(shown.ceilings.processor, ", ".join(origins)))
        if mixed := [
            str(point.round)
            for point in shown.points
            if point.origin is not point.counted
        ]:
            words = _tr(
                "The time of round {0} is measured; its operations and bytes are those the CPU twin counts "
                "for the same kernel and case."
            )
            parts.append(words.format(", ".join(mixed)))
        if shown.moving:
            words = _tr(
                "Rounds that move data and compute nothing have no place here: {0}."
            )
            parts.append(words.format(", ".join(map(str, shown.moving))))
        if shown.silent:
            words = _tr(
                "Rounds that do not say what they moved and computed (earlier release, or a device): {0}. "
                "The diagnostic “profile” of the CPU twin on the slowest timed case of one places it here."
            )
            parts.append(words.format(", ".join(map(str, shown.silent))))
        return " ".join(parts)

    @staticmethod
    def _point_text(point: RooflinePoint, shown: Roofline) -> str:
        assert shown.ceilings is not None
        words = _tr(
            "Round {0}: {1:.3g} operations a byte, {2}, {3:.0%} of the {4} ceiling"
        )
        if point.round == shown.best:
            words = _tr(
                "Round {0} (best): {1:.3g} operations a byte, {2}, {3:.0%} of the {4} ceiling"
            )
        if point.origin is not point.counted:
            words += _tr(", measured time")
        return words.format(
            point.round,
            point.intensity,
            rate_text(point.performance),
            point.share(shown.ceilings),
            _unit_text(point.bound(shown.ceilings)),
        )

    # ---- drawing

    def _draw(self) -> None:
        look = theme()
        self.plot.clear()
        self.plot.setBackground(look.color("base"))
        item = self.plot.getPlotItem()
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setPen(look.color("muted"))
            axis.setTextPen(look.color("text"))
            axis.enableAutoSIPrefix(enable=False)
        item.setLabel("bottom", _tr("operations a byte of global memory"))
        item.setLabel("left", _tr("operations a second"))
        item.setLogMode(x=True, y=True)
        item.showGrid(x=True, y=True, alpha=0.2)
        if (
            self.shown is not None
            and self.shown.ceilings is not None
            and self.shown.points
        ):
            self._draw_ceilings(self.shown)
            self._draw_path(self.shown)
        self._marker = pg.ScatterPlotItem()
        self.plot.addItem(self._marker)
        self._mark(self.list.currentRow())

    def _draw_ceilings(self, shown: Roofline) -> None:
        look, ceilings = theme(), shown.ceilings
        assert ceilings is not None
        peaks = [
            (_tr("vector {0}").format(name), rate, "success")
            for name, rate in ceilings.vector.items()
        ]
        if any(point.unit == "cube" for point in shown.points):
            peaks += [
                (_tr("cube {0}").format(name), rate, "warning")
                for name, rate in ceilings.cube.items()
            ]
        highest = max(rate for _name, rate, _role in peaks)
        least = min(point.intensity for point in shown.points) / _AROUND
        most = (
            max(
                highest / ceilings.hbm_bytes_per_s, *(p.intensity for p in shown.points)
            )
            * _AROUND
        )
        slopes = (
            (_tr("HBM {0:.3g} TB/s"), ceilings.hbm_bytes_per_s, "accent"),
            (_tr("L2 {0:.3g} TB/s"), L2_BYTES_PER_S, "muted"),
        )
        for name, slope, role in slopes:
            end = min(most, highest / slope)
            self._line(
                (least, end),
                (least * slope, end * slope),
                name.format(slope / 1e12),
                look.color(role),
            )
        for name, rate, role in peaks:
            begin = max(least, rate / L2_BYTES_PER_S)
            self._line(
                (begin, most),
                (rate, rate),
                f"{name}: {rate_text(rate)}",
                look.color(role),
            )

    def _line(
        self,
        xs: tuple[float, float],
        ys: tuple[float, float],
        words: str,
        color: QColor,
    ) -> None:
        self.plot.plot(xs, ys, pen=pg.mkPen(color, width=2), antialias=True)
        flat = ys[0] == ys[1]
        label = pg.TextItem(words, color=color, anchor=(1, 1) if flat else (0, 0))
        x, y = (
            (xs[1], ys[1]) if flat else (xs[0], ys[0])
        )  # where a slope begins no round is, see `_AROUND`
        label.setPos(math.log10(x), math.log10(y))
        self.plot.addItem(label)

    def _draw_path(self, shown: Roofline) -> None:
        look = theme()
        for origin in {
            point.origin for point in shown.points
        }:  # measured and modelled times are no path
            own = [point for point in shown.points if point.origin is origin]
            xs, ys = (
                [point.intensity for point in own],
                [point.performance for point in own],
            )
            self.plot.plot(
                xs,
                ys,
                pen=pg.mkPen(look.color("text"), width=1.2, style=Qt.PenStyle.DotLine),
            )
        for point in shown.points:
            text, best = self._point_text(point, shown), point.round == shown.best
            kind = "o" if point.origin is point.counted else "d"
            color = look.color("danger" if best else "text")
            place = (math.log10(point.intensity), math.log10(point.performance))
            dot = pg.ScatterPlotItem(
                x=[place[0]],
                y=[place[1]],
                data=[text],
                brush=pg.mkBrush(color),
                pen=pg.mkPen(color),
                symbol="star" if best else kind,
                size=look.px(1.0 if best else 0.55),
                hoverable=True,
                tip=lambda x, y, data: data,  # noqa: ARG005 - names are pyqtgraph's
            )
            self.plot.addItem(dot)
        for place, rounds in names_of(shown.points):
            name = pg.TextItem(rounds, color=look.color("text"), anchor=(-0.2, 0.5))
            name.setPos(*place)
            self.plot.addItem(name)

    def _mark(self, row: int) -> None:
        """A ring around the round chosen in the list."""
        if self.shown is None or not 0 <= row < len(self.shown.points):
            self._marker.clear()
            return
        point = self.shown.points[row]
        self._marker.setData(
            x=[math.log10(point.intensity)],
            y=[math.log10(point.performance)],
            brush=None,
            pen=pg.mkPen(theme().color("accent"), width=2),
            size=theme().px(1.6),
        )

    def rows(self) -> list[list[object]]:
        """What is shown as a table."""
        return roofline_rows(self.shown)


def names_of(points: Sequence[RooflinePoint]) -> list[tuple[tuple[float, float], str]]:
    """Place (decades) and text of the numbers of rounds; those too close to be read share one: `1, 2, 5`."""
    groups: dict[tuple[float, float], list[int]] = {}
    for point in points:
        place = (math.log10(point.intensity), math.log10(point.performance))
        near = (first for first in groups if math.dist(first, place) < _TOGETHER)
        groups.setdefault(next(near, place), []).append(point.round)
    return [
        (place, ", ".join(map(str, dict.fromkeys(rounds))))
        for place, rounds in groups.items()
    ]
