"""A label that shortens its text with an ellipsis instead of widening its window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from sage_desktop.ui.theme import theme


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
        self.setToolTip(text if self._shortened(text) else "")
        self.update()

    def _shortened(self, text: str) -> bool:
        return self.fontMetrics().horizontalAdvance(text) > max(self.width(), 1)

    def shown(self, line: str) -> str:
        """What of a text there is room for."""
        return self.fontMetrics().elidedText(
            line, Qt.TextElideMode.ElideRight, self.width()
        )

    def sizeHint(self) -> QSize:
        return QSize(theme().px(6), theme().px(1.3))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(2), theme().px(1.3))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        muted = self.property("muted") == "true"
        color = (
            theme().color("muted")
            if muted
            else self.palette().color(QPalette.ColorRole.WindowText)
        )
        painter.setPen(color)
        line = " ".join(self._text.split())
        shown = self.shown(line)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()
        self.setToolTip(self._text if shown != line else "")


class PartsLabel(ElidingLabel):
    """Leaves whole parts out from the end, where they are divided by “·”: half a number says nothing."""

    def shown(self, line: str) -> str:
        parts = line.split(" · ")
        texts = (" · ".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next(
            (
                t
                for t in texts
                if self.fontMetrics().horizontalAdvance(t) <= self.width()
            ),
            "",
        )


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
        self.setAttribute(
            Qt.WidgetAttribute.WA_Hover
        )  # painted again when the mouse comes and goes
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleDescription(hint)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        font = self.font()
        font.setUnderline(self.underMouse() or self.hasFocus())
        if font != self.font():
            self.setFont(font)
        super().paintEvent(event)
        self.setToolTip(f"{self._text}\n{self._hint}")
