"""A tiny curve for table cells: one latency per round, gaps where a kernel failed, the best one marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from sage_desktop.ui.theme import theme


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
