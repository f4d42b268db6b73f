"""The utility of one experience over its credit events; each point tells which episode moved it and why."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.memory.views.rows import CreditRow
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.verdicts import objective_word
from sage_desktop.ui.widgets.writing import RIGHT, write


class UtilityCurve(QWidget):
    """A step line; filled points are adoptions, hollow ones retrievals without adoption."""

    def __init__(self) -> None:
        super().__init__()
        self._credits: tuple[CreditRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_credits(self, credits: tuple[CreditRow, ...]) -> None:  # noqa: A002 - the domain's word
        """Show the credit events of an item, oldest first."""
        self._credits = credits
        last = f"{credits[-1].u_after:+.3f}" if credits else "0"
        words = self.tr("Utility over %n credit event(s), now {0}", "", len(credits))
        self.setAccessibleName(words.format(last))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(16), theme().px(8))

    def _area(self) -> QRectF:
        look = theme()
        return QRectF(self.rect()).adjusted(
            look.px(3.2), look.px(0.6), -look.px(0.8), -look.px(0.8)
        )

    def _extremes(self) -> tuple[float, float]:
        """Smallest and largest utility, zero among them."""
        values = [
            0.0,
            *(
                value
                for credit in self._credits
                for value in (credit.u_before, credit.u_after)
            ),
        ]
        return min(values), max(values)

    def _range(self) -> tuple[float, float]:
        low, high = self._extremes()
        margin = max(0.05, (high - low) * 0.12)
        return low - (margin if low < 0 else 0.02), high + margin

    def points(self) -> list[QPointF]:
        """Where the credit events are painted."""
        area = self._area()
        low, high = self._range()
        step = area.width() / max(1, len(self._credits))
        return [
            QPointF(
                area.left() + (n + 1) * step - step * 0.15,
                self._height(credit.u_after, area, low, high),
            )
            for n, credit in enumerate(self._credits)
        ]

    @staticmethod
    def _height(value: float, area: QRectF, low: float, high: float) -> float:
        return area.bottom() - (value - low) / (high - low) * area.height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        low, high = self._range()
        painter.setFont(look.small_font())
        for value in sorted({0.0, *self._extremes()}):
            y = self._height(value, area, low, high)
            if value and abs(y - self._height(0.0, area, low, high)) < look.em:
                continue  # its number would lie over the zero
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            label = QRectF(0, y - look.em / 2, area.left() - look.px(0.4), look.em)
            write(
                painter, label, f"{value:+.2f}" if value else "0", "muted", side=RIGHT
            )
        if not self._credits:
            painter.drawText(
                area, Qt.AlignmentFlag.AlignCenter, self.tr("No credit yet")
            )
            painter.end()
            return
        line = QPolygonF(
            [
                QPointF(
                    area.left(),
                    self._height(self._credits[0].u_before, area, low, high),
                )
            ]
        )
        for point in self.points():
            line.append(QPointF(point.x(), line.last().y()))
            line.append(point)
        line.append(QPointF(area.right(), line.last().y()))
        painter.setPen(QPen(look.color("accent"), 1.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(line)
        for credit, point in zip(self._credits, self.points(), strict=True):
            role = "success" if credit.xi > 0 else "danger"
            painter.setPen(QPen(look.color(role), 1.8))
            painter.setBrush(look.color(role if credit.adopted else "base"))
            painter.drawEllipse(point, look.em * 0.24, look.em * 0.24)
        painter.end()

    def tip(self, number: int) -> str:
        """What happened at credit event `number`."""
        credit = self._credits[number]
        state = self.tr("adopted") if credit.adopted else self.tr("not adopted")
        objective = objective_word(credit.objective)
        return (
            f"{credit.operator} · {objective} · {state}\n"
            f"z {credit.z:+.3f}   ξ {credit.xi:+.4f}   η {credit.eta:.3f}\n"
            f"u {credit.u_before:+.4f} → {credit.u_after:+.4f}"
        )

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            reach = theme().em * 0.7
            for number, point in enumerate(self.points()):
                if abs(point.x() - event.pos().x()) < reach:
                    QToolTip.showText(event.globalPos(), self.tip(number), self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)
