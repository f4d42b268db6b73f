"""A label that shortens its text with an ellipsis instead of widening its window."""

from __future__ import annotations

import textwrap

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from sage_desktop.ui.theme import theme

_PRESS_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_TIP_COLUMNS = 100  # characters


def wrapped(text: str) -> str:
    """Lines of a tip that lies over no more than a part of the window: Qt breaks none of a plain text."""
    lines = [
        textwrap.fill(line, _TIP_COLUMNS, break_on_hyphens=False)
        for line in text.splitlines()
    ]
    return "\n".join(lines)


class ElidingLabel(QWidget):
    """One line of text. The property `muted` chooses the second-line colour."""

    def __init__(self, text: str = "", *, muted: bool = False) -> None:
        super().__init__()
        self.setProperty("muted", "true" if muted else "")
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
        needed = self.fontMetrics().horizontalAdvance(text)
        is_cut = needed > max(self.width(), 1)
        self.setToolTip(wrapped(text) if is_cut else "")
        self.update()

    def visible_part(self, line: str) -> str:
        """What of a text there is room for."""
        elide = Qt.TextElideMode.ElideRight
        return self.fontMetrics().elidedText(line, elide, self.width())

    def sizeHint(self) -> QSize:
        return theme().size(6, 1.3)

    def minimumSizeHint(self) -> QSize:
        return theme().size(2, 1.3)

    def paintEvent(self, _event: QPaintEvent) -> None:
        color = self.palette().color(QPalette.ColorRole.WindowText)
        if self.property("muted") == "true":
            color = theme().color("muted")
        line = " ".join(self._text.split())
        part = self.visible_part(line)
        painter = QPainter(self)
        painter.setPen(color)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, part)
        painter.end()
        self.setToolTip(wrapped(self._text) if part != line else "")


class PartsLabel(ElidingLabel):
    """Leaves whole parts out from the end, where they are divided by “·”: half a number says nothing."""

    def visible_part(self, line: str) -> str:
        parts = line.split(" · ")
        while parts:
            text = " · ".join(parts)
            if self.fontMetrics().horizontalAdvance(text) <= self.width():
                return text
            parts.pop()
        return ""


class LinkLabel(ElidingLabel):
    """One line of text that leads somewhere when it is clicked, or Enter is pressed on it.

    Args:
        hint: What a click does.

    Signals:
        clicked: It was clicked.
    """

    clicked = Signal()

    def __init__(self, hint: str) -> None:
        super().__init__()
        self._hint = hint
        # Painted again when the mouse comes and goes.
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleDescription(hint)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_inside = self.rect().contains(event.position().toPoint())
        if is_inside and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _PRESS_KEYS:
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        font = self.font()
        font.setUnderline(self.underMouse() or self.hasFocus())
        if font != self.font():
            self.setFont(font)
        super().paintEvent(event)
        self.setToolTip(f"{wrapped(self._text)}\n{self._hint}")
