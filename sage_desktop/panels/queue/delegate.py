"""How a queue row is painted: state, name and second line, rounds as a bar, latency, gain, curve."""

from __future__ import annotations

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.analysis.queries import QueueRow
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
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.progress_strip import paint_share
from sage_desktop.ui.widgets.rows import paint_ground
from sage_desktop.ui.widgets.sparkline import paint_sparkline
from sage_desktop.ui.widgets.verdicts import (
    latency_text,
    origin_text,
    ratio_text,
    state_look,
)
from sage_desktop.ui.widgets.writing import LEFT, MIDDLE, RIGHT, write

Index = QModelIndex | QPersistentModelIndex
_SLOTS = 12  # rounds the curve has room for before it tightens


class QueueDelegate(QStyledItemDelegate):
    """Two-line rows."""

    def __init__(self, model: QueueModel, parent: QWidget) -> None:
        super().__init__(parent)
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
            self._model.subtitle(row),
            look.strong_font(),
            LEFT,
            role="muted" if waiting else "text",
        )
        if row.label:
            self._tag(painter, words, row)

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
