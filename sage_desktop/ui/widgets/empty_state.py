"""What an empty panel shows instead of nothing: what belongs here and what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QToolButton, QVBoxLayout, QWidget

from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import on_base, tool_of
from sage_desktop.ui.widgets.stacking import hbox


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
        on_base(self)
        side = theme().px(3)
        picture = QLabel()

        def paint() -> None:
            picture.setPixmap(icon(drawing, "muted").pixmap(side, side))

        paint()
        theme().changed.connect(paint)
        self.title = heading(title, 1.1)
        self.hint = muted(hint)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        for label in (picture, self.title, self.hint):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            layout.addWidget(label)
        buttons = hbox(None)
        for action in offers:
            button = tool_of(action)
            button.setProperty("offer", "true")
            _keep_words(button, action)
            buttons.addWidget(button)
        buttons.addStretch()
        layout.addSpacing(theme().px(0.5))
        layout.addLayout(buttons)
        layout.addStretch(3)

    def say(self, title: str, hint: str) -> None:
        """Change the words."""
        self.title.setText(title)
        self.hint.setText(hint)


def _keep_words(button: QToolButton, action: QAction) -> None:
    """Let a button say all a menu says; tool buttons drop the dots of a command that asks first."""

    def say() -> None:
        button.setText(action.text().replace("&", ""))

    say()
    action.changed.connect(say)  # comes after the button took the short words
