"""What an empty panel shows instead of nothing: what belongs here and what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme


class EmptyState(QWidget):
    """An icon, one line and a hint, in the middle."""

    def __init__(self, drawing: str, title: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("pane", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        side = theme().px(3)
        picture = QLabel()

        def paint() -> None:
            picture.setPixmap(icon(drawing, "muted").pixmap(side, side))

        paint()
        theme().changed.connect(paint)
        self.title = QLabel(title)
        self.title.setFont(theme().strong_font(1.1))
        self.hint = QLabel(hint)
        self.hint.setProperty("muted", "true")
        self.hint.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        for label in (picture, self.title, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(label)
        layout.addStretch(3)

    def say(self, title: str, hint: str) -> None:
        """Change the words."""
        self.title.setText(title)
        self.hint.setText(hint)
