"""One bar an operator: how much faster the best kernel is than something else, on a log2 scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.evaluation.metrics import OperatorResult
from sage_desktop.panels.results.model import ratio
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.verdicts import latency_text, ratio_text
from sage_desktop.ui.widgets.writing import MIDDLE, write


class GainChart(QWidget):
    """Bars from the parity line: to the right faster, to the left slower."""

    def __init__(self) -> None:
        super().__init__()
        self._results: tuple[OperatorResult, ...] = ()
        self._against = "first"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_results(
        self, results: tuple[OperatorResult, ...], *, against: str = "first"
    ) -> None:
        """Show the operators, the largest gain first.

        Args:
            results: What to show.
            against: `first` for the first correct kernel, `reference` for torch_npu on the same device.
        """
        self._against = against
        self._results = tuple(
            sorted(results, key=lambda result: -(self._gain(result) or 0.0))
        )
        told = ", ".join(
            f"{r.operator} {ratio_text(self._gain(r))}" for r in self._results
        )
        self.setAccessibleName(self.tr("Gain by operator: {0}").format(told))
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(30), theme().px(1.9 * len(self._results) + 2.4))

    def _before(self, result: OperatorResult) -> float | None:
        return result.t_reference if self._against == "reference" else result.t_first

    def _gain(self, result: OperatorResult) -> float | None:
        """How many times faster the best kernel is, None until both latencies are known."""
        return ratio(self._before(result), result.t_best)

    def _scale(self) -> int:
        """How many doublings the chart reaches to each side of parity that is needed."""
        logs = [
            abs(math.log2(gain))
            for result in self._results
            if (gain := self._gain(result))
        ]
        return max(1, math.ceil(max(logs, default=1.0)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), look.color("base"))
        left, right = self._margins()
        slower = any((self._gain(result) or 1.0) < 0.995 for result in self._results)
        doublings = self._scale()
        area = QRectF(
            left,
            look.em * 1.6,
            self.width() - left - right,
            self.height() - look.em * 2.0,
        )
        parity = area.left() + (area.width() / 2 if slower else 0.0)
        step = (area.right() - parity) / doublings
        self._grid(
            painter,
            area,
            parity,
            step,
            range(-doublings if slower else 0, doublings + 1),
        )
        for number, result in enumerate(self._results):
            row = QRectF(
                0, area.top() + number * look.em * 1.9, self.width(), look.em * 1.9
            )
            self._bar(painter, row, left, parity, step, result)
        painter.end()

    def _margins(self) -> tuple[float, float]:
        """Room for the names at the left, and for gain and latencies behind the longest bar."""
        look = theme()
        strong, small = (
            QFontMetricsF(look.strong_font()),
            QFontMetricsF(look.small_font()),
        )
        names = max(
            (strong.horizontalAdvance(r.operator) for r in self._results), default=0.0
        ) + look.px(1.2)
        behind = [
            strong.horizontalAdvance(ratio_text(gain))
            + small.horizontalAdvance(self._detail(result))
            for result in self._results
            if (gain := self._gain(result)) is not None
        ]
        return min(names, self.width() * 0.4), max(behind, default=0.0) + look.px(2.5)

    def _detail(self, result: OperatorResult) -> str:
        return f"{latency_text(self._before(result))} → {latency_text(result.t_best)}"

    def _grid(
        self, painter: QPainter, area: QRectF, parity: float, step: float, marks: range
    ) -> None:
        look = theme()
        painter.setFont(look.small_font())
        for mark in marks:
            x = parity + mark * step
            painter.setPen(
                QPen(
                    look.color("muted" if mark == 0 else "border"),
                    1.4 if mark == 0 else 1,
                )
            )
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            label = f"{2**mark}×" if mark >= 0 else f"1/{2**-mark}×"
            place = QRectF(x - look.em * 2, 0, look.em * 4, look.em * 1.4)
            write(painter, place, label, "muted", side=MIDDLE)

    def _bar(
        self,
        painter: QPainter,
        row: QRectF,
        left: float,
        parity: float,
        step: float,
        result: OperatorResult,
    ) -> None:
        look = theme()
        painter.setFont(look.strong_font())
        metrics = painter.fontMetrics()
        room = QRectF(look.px(0.2), row.top(), left - look.px(0.6), row.height())
        name = metrics.elidedText(
            result.operator, Qt.TextElideMode.ElideMiddle, int(room.width())
        )
        write(painter, room, name, "text")
        gain = self._gain(result)
        words = QRectF(parity, row.top(), row.right() - parity, row.height())
        if gain is None:
            text = self.tr("no correct kernel")
            if result.correct and self._against == "reference":
                text = self.tr("n/a: no latency of torch_npu from the same device")
            elif result.correct:
                text = self.tr("no timed kernel")
            write(painter, words.adjusted(look.px(0.5), 0, 0, 0), text, "muted")
            return
        role = "success" if gain > 1.005 else "danger" if gain < 0.995 else "muted"
        width = math.log2(gain) * step
        thick = look.em * 0.85
        bar = QRectF(
            min(parity, parity + width), row.center().y() - thick / 2, abs(width), thick
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color(role))
        painter.drawRoundedRect(bar, look.em * 0.15, look.em * 0.15)
        start = max(parity, bar.right()) + look.px(0.5)
        gained = metrics.horizontalAdvance(ratio_text(gain))
        write(
            painter,
            QRectF(start, row.top(), gained + 1, row.height()),
            ratio_text(gain),
            role,
        )
        behind = QRectF(
            start + gained + look.em * 0.7, row.top(), self.width(), row.height()
        )
        write(painter, behind, self._detail(result), "muted", look.small_font())
