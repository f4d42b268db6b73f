"""How full the hot memory is: tokens used of the budget B, one segment per resident rule."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.writing import write


class BudgetBar(QWidget):
    """A bar of segments with the numbers in words above it."""

    def __init__(self) -> None:
        super().__init__()
        self._segments: tuple[int, ...] = ()
        self._used = 0
        self._budget = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_tokens(self, segments: Sequence[int], used: int, budget: int) -> None:
        """Show residents of `segments` tokens each, `used` tokens of the rendered block, of `budget`."""
        self._segments, self._used, self._budget = tuple(segments), used, budget
        text = self.text()
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.update()

    def text(self) -> str:
        """The numbers in words."""
        share = 100 * self._used / self._budget if self._budget else 0.0
        return self.tr("{used:,} of {budget:,} tokens ({share:.1f} %)").format(
            used=self._used, budget=self._budget, share=share
        )

    def sizeHint(self) -> QSize:
        return QSize(theme().px(10), theme().px(2.2))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words = QRectF(0, 0, self.width(), look.em * 1.2)
        write(painter, words, self.text(), "muted", look.small_font())
        bar = QRectF(0, look.em * 1.35, self.width(), look.em * 0.5)
        outline = QPainterPath()
        outline.addRoundedRect(bar, bar.height() / 2, bar.height() / 2)
        painter.setClipPath(outline)
        painter.fillRect(bar, look.tint("text", 0.09))
        x = bar.left()
        for index, tokens in enumerate(self._segments):
            width = bar.width() * tokens / max(self._budget, 1)
            painter.fillRect(
                QRectF(x, bar.top(), width, bar.height()),
                look.tint("accent", 1.0 - 0.3 * (index % 2)),
            )
            x += width
        if self._segments:
            painter.setPen(look.color("base"))
            painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))
        painter.end()
