"""A label that shortens its text with an ellipsis instead of widening its window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from sage_desktop.ui.theme import theme


class ElidingLabel(QWidget):
    """One line of text. The property `muted` chooses the second-line colour."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show `text`."""
        self._text = text
        self.setAccessibleName(text)
        self.setToolTip(text if self._shortened(text) else "")
        self.update()

    def _shortened(self, text: str) -> bool:
        return self.fontMetrics().horizontalAdvance(text) > max(self.width(), 1)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(6), theme().px(1.3))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(2), theme().px(1.3))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        muted = self.property("muted") == "true"
        color = theme().color("muted") if muted else self.palette().color(QPalette.ColorRole.WindowText)
        painter.setPen(color)
        line = " ".join(self._text.split())
        shown = self.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()
        self.setToolTip(self._text if shown != line else "")
