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
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen
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
        inner = area.adjusted(
            look.px(0.4), look.px(0.28), -look.px(0.4), -look.px(0.28)
        )
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
        left = area.left() + look.px(0.2)
        paint_icon(
            painter,
            state.icon,
            state.role,
            QRectF(left, area.center().y() - side / 2, side, side),
        )
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
        name = QFontMetricsF(look.strong_font()).horizontalAdvance(row.operator)
        room = words.width() - name - look.px(0.9)
        metrics = QFontMetricsF(look.small_font())
        if room < look.px(2.2):
            return
        text = metrics.elidedText(
            row.label, Qt.TextElideMode.ElideRight, room - look.px(0.6)
        )
        width = metrics.horizontalAdvance(text) + look.px(0.6)
        height = words.height() / 2 - look.px(0.1)
        tag = QRectF(
            words.left() + name + look.px(0.5),
            words.top() + look.px(0.05),
            width,
            height,
        )
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
        small = theme().small_font()
        write(
            painter,
            upper.translated(0, half),
            second,
            "muted",
            small,
            flags,
            elided=True,
        )

    def _progress(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        look = theme()
        half = area.height() / 2
        place = QRectF(area.left(), area.top(), area.width(), half)
        write(painter, place, rounds_text(row), "muted", look.small_font())
        thick = look.px(0.32)
        bar = QRectF(
            area.left(), area.top() + half * 1.5 - thick / 2, area.width(), thick
        )
        role = {"done": "success", "failed": "danger", "cancelled": "muted"}.get(
            row.state
        )
        if role is not None:  # at its end, however many of its rounds it needed
            paint_share(painter, bar, 1.0, role)
        else:
            paint_share(painter, bar, row.rounds / row.budget, "accent")

    def _best(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        if row.t_best is None:
            write(
                painter, area, "\N{EN DASH}" if row.points else "", "muted", side=RIGHT
            )
            return
        font = painter.font()
        self._two_lines(
            painter,
            area,
            latency_text(row.t_best),
            origin_text(row.latency_origin),
            font,
            RIGHT,
        )

    def _gain(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        if row.speedup is None:
            return
        look = theme()
        faster = row.speedup > 1.005
        font = look.strong_font() if faster else painter.font()
        reference = reference_text(row)
        words = (
            QCoreApplication.translate("QueueModel", "ref. {0}").format(reference)
            if reference
            else ""
        )
        place = (
            area if words else area.adjusted(0, area.height() / 4, 0, area.height() / 4)
        )
        shade = "success" if faster else "muted"
        self._two_lines(
            painter, place, ratio_text(row.speedup), words, font, RIGHT, role=shade
        )

    def _curve(self, painter: QPainter, area: QRectF, row: QueueRow) -> None:
        values = [
            point.latency_us if point.verdict.startswith("pass") else None
            for point in row.points
        ]
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
    step = area.width() / max(slots, len(values), 1)
    low, high = (min(timed), max(timed)) if timed else (0.0, 1.0)
    spread = (high - low) or 1.0

    def place(index: int, value: float) -> QPointF:
        share = 0.5 if high == low else (value - low) / spread
        return QPointF(
            area.left() + (index + 0.5) * step, area.bottom() - share * area.height()
        )

    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    path = QPainterPath()
    previous: int | None = None
    ticks: list[float] = []
    for index, value in enumerate(values):
        if value is None:
            ticks.append(area.left() + (index + 0.5) * step)
            continue
        point = place(index, value)
        if previous is None:
            path.moveTo(point)
        else:
            path.lineTo(point)
        previous = index
    painter.setPen(
        QPen(
            look.color("danger", 0.7),
            1.6,
            Qt.PenStyle.SolidLine,
            Qt.PenCapStyle.RoundCap,
        )
    )
    for x in ticks:
        painter.drawLine(
            QPointF(x, area.bottom()), QPointF(x, area.bottom() - area.height() * 0.28)
        )
    painter.setPen(QPen(look.color("accent"), 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)
    if timed:
        best = min(
            (value, index) for index, value in enumerate(values) if value is not None
        )
        painter.setBrush(look.color("accent"))
        painter.setPen(QPen(look.color("base"), 1))
        painter.drawEllipse(place(best[1], best[0]), 3.0, 3.0)
    painter.restore()
