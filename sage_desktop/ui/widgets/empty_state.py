"""What an empty panel shows instead of nothing: what belongs here and what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.button_row import keep_words


class EmptyState(QWidget):
    """An icon, one line and a hint, in the middle, with a button for each command that is named.

    Args:
        drawing: Name of the icon.
        title: What is not there yet.
        hint: What to do about it.
        offers: The commands the hint speaks of.
    """

    def __init__(
        self, drawing: str, title: str, hint: str, *offers: QAction, parent: QWidget | None = None
    ) -> None:
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
        theme().letter(self.title, "strong", 1.1)
        self.hint = QLabel(hint)
        self.hint.setProperty("muted", "true")
        self.hint.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        for label in (picture, self.title, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(label)
        buttons = QHBoxLayout()
        buttons.addStretch()
        for action in offers:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setProperty("offer", "true")
            keep_words(button, action)
            buttons.addWidget(button)
        buttons.addStretch()
        layout.addSpacing(theme().px(0.5))
        layout.addLayout(buttons)
        layout.addStretch(3)

    def say(self, title: str, hint: str) -> None:
        """Change the words."""
        self.title.setText(title)
        self.hint.setText(hint)
