"""How a queue row is painted: state, name and second line, rounds as a bar, latency, gain, curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from sage_desktop.panels.queue.model import (
    BEST,
    CURVE,
    GAIN,
    OPERATOR,
    PROGRESS,
    ROW,
    QueueModel,
    reference_text,
    rounds_text,
    shown_state,
)
from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.rounds.progress_strip import paint_share
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.tables import paint_ground
from sage_desktop.ui.widgets.verdicts import (
    latency_text,
    origin_text,
    ratio_text,
    state_look,
)
from sage_desktop.ui.widgets.writing import LEFT, MIDDLE, RIGHT, write

if TYPE_CHECKING:
    from core.analysis.queries import QueueRow

Index = QModelIndex | QPersistentModelIndex
_SLOTS = 12  # rounds the curve has room for before it tightens
_FASTER = 1.005  # a smaller gain is written as none
_END_ROLES = {"done": "success", "failed": "danger", "cancelled": "muted"}


class QueueDelegate(QStyledItemDelegate):
    """Two-line rows.

    Attributes:
        compact: Only names are listed; the best latency stands below them.
    """

    def __init__(self, model: QueueModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.compact = False
        self._model = model

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(theme().px(4), row_height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        look = theme()
        row = index.data(ROW)
        painter.save()
        area = paint_ground(painter, option, first=index.column() == OPERATOR)
        across, down = look.px(0.4), look.px(0.28)
        inner = area.adjusted(across, down, -across, -down)
        paints = {
            OPERATOR: self._operator,
            PROGRESS: self._progress,
            BEST: self._best,
            GAIN: self._gain,
            CURVE: self._curve,
        }
        paints[index.column()](painter, inner, row)
        painter.restore()

    def _operator(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        look = theme()
        state = state_look(shown_state(row))
        side = look.px(1.2)
        icon_left = area.left() + look.px(0.2)
        icon_top = area.center().y() - side / 2
        icon_area = QRectF(icon_left, icon_top, side, side)
        paint_icon(painter, state.icon, state.role, icon_area)
        words = area.adjusted(side + look.px(0.75), 0, 0, 0)
        waiting = row.state in ("queued", "cancelled")
        self._two_lines(
            painter,
            words,
            row.operator,
            self._subtitle(row),
            look.strong_font(),
            LEFT,
            role="muted" if waiting else "text",
        )
        if row.label:
            self._tag(painter, words, row)

    def _subtitle(self, row: QueueRow) -> str:
        if self.compact and row.state == "done" and row.t_best is not None:
            return f"{latency_text(row.t_best)} {origin_text(row.latency_origin)}"
        return self._model.subtitle(row, brief=self.compact)

    def _tag(self, painter: QPainter, words: QRectF, row: QueueRow) -> None:
        """The batch's label behind the name, where there is room."""
        look = theme()
        name_metrics = QFontMetricsF(look.strong_font())
        name_width = name_metrics.horizontalAdvance(row.operator)
        room = words.width() - name_width - look.px(0.9)
        if room < look.px(2.2):
            return
        metrics = QFontMetricsF(look.small_font())
        padding = look.px(0.6)  # left and right together
        right = Qt.TextElideMode.ElideRight
        text = metrics.elidedText(row.label, right, room - padding)
        left = words.left() + name_width + look.px(0.5)
        top = words.top() + look.px(0.05)
        width = metrics.horizontalAdvance(text) + padding
        height = words.height() / 2 - look.px(0.1)
        tag = QRectF(left, top, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.tint("info", 0.14))
        painter.drawRoundedRect(tag, height / 3, height / 3)
        write(painter, tag, text, "muted", look.small_font(), MIDDLE)

    def _two_lines(
        self,
        painter: QPainter,
        area: QRectF,
        first: str,
        second: str,
        font: QFont,
        flags: Qt.AlignmentFlag,
        *,
        role: str = "text",
    ) -> None:
        half = area.height() / 2
        upper = QRectF(area.left(), area.top(), area.width(), half)
        write(painter, upper, first, role, font, flags, elided=True)
        lower = upper.translated(0, half)
        small = theme().small_font()
        write(painter, lower, second, "muted", small, flags, elided=True)

    def _progress(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        look = theme()
        half = area.height() / 2
        upper = QRectF(area.left(), area.top(), area.width(), half)
        write(painter, upper, rounds_text(row), "muted", look.small_font())
        height = look.px(0.32)
        top = area.top() + half * 1.5 - height / 2
        bar = QRectF(area.left(), top, area.width(), height)
        role = _END_ROLES.get(row.state)
        if role is not None:  # at its end, however many of its rounds it needed
            paint_share(painter, bar, 1.0, role)
        else:
            paint_share(painter, bar, row.rounds / row.budget, "accent")

    def _best(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        if row.t_best is None:
            if row.points:
                write(painter, area, "\N{EN DASH}", "muted", side=RIGHT)
            return
        latency = latency_text(row.t_best)
        origin = origin_text(row.latency_origin)
        self._two_lines(painter, area, latency, origin, painter.font(), RIGHT)

    def _gain(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        if row.speedup is None:
            return
        role, font = "muted", painter.font()
        if row.speedup > _FASTER:
            role, font = "success", theme().strong_font()
        below = ""
        reference = reference_text(row)
        if reference:
            words = QCoreApplication.translate("QueueModel", "ref. {0}")
            below = words.format(reference)
        else:  # the one line stands in the middle
            area = area.translated(0, area.height() / 4)
        gain = ratio_text(row.speedup)
        self._two_lines(painter, area, gain, below, font, RIGHT, role=role)

    def _curve(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        values = []
        for point in row.points:
            is_correct = point.verdict.startswith("pass")
            values.append(point.latency_us if is_correct else None)
        if values:
            inset = theme().px(0.15)
            paint_sparkline(painter, area.adjusted(0, inset, 0, -inset), values, _SLOTS)


def row_height() -> int:
    """Height of a queue row in the present font."""
    return theme().px(2.9)


def paint_sparkline(
    painter: QPainter, area: QRectF, values: Sequence[float | None], slots: int
) -> None:
    """Draw `values` into `area`.

    Args:
        painter: Where to draw.
        area: Room for the curve.
        values: One per round, None for rounds without a timed kernel (a small tick on the base line).
        slots: Rounds the whole width stands for; more values than slots shrink the steps.
    """
    look = theme()
    timed = [value for value in values if value is not None]
    low = min(timed, default=0.0)
    high = max(timed, default=0.0)
    step = area.width() / max(slots, len(values), 1)
    points: list[QPointF] = []  # of the timed rounds
    ticks: list[float] = []  # x of the others
    for index, value in enumerate(values):
        x = area.left() + (index + 0.5) * step
        if value is None:
            ticks.append(x)
            continue
        # A curve without a spread runs in the middle.
        share = 0.5 if high == low else (value - low) / (high - low)
        points.append(QPointF(x, area.bottom() - share * area.height()))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    solid, rounded = Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap
    painter.setPen(QPen(look.color("danger", 0.7), 1.6, solid, rounded))
    tick_top = area.bottom() - area.height() * 0.28
    for x in ticks:
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, tick_top))
    painter.setPen(QPen(look.color("accent"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(points)
    if timed:
        best = points[timed.index(low)]
        painter.setBrush(look.color("accent"))
        painter.setPen(QPen(look.color("base"), 1))
        painter.drawEllipse(best, 3.0, 3.0)
    painter.restore()
