"""Commands in a row: with icons where there is room, words alone where there is not."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from sage_desktop.ui.actions import plain
from sage_desktop.ui.widgets.making import tool_of
from sage_desktop.ui.widgets.stacking import hbox


class ButtonRow(QWidget):
    """Never shortens a word as long as the words alone fit.

    Args:
        actions: From the left.
        framed: Whether the buttons look like those of a dialog and say all a menu says.
    """

    def __init__(self, actions: Iterable[QAction], *, framed: bool = False) -> None:
        super().__init__()
        self._buttons = [
            (offer_of if framed else tool_of)(action) for action in actions
        ]
        hbox(
            *self._buttons, None, owner=self, margins=0, spacing=0.4 if framed else 0.1
        )
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._whole = 0

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        style = Qt.ToolButtonStyle
        if (
            self._buttons
            and self._buttons[0].toolButtonStyle() == style.ToolButtonTextBesideIcon
        ):
            self._whole = self.sizeHint().width()
        row_width = (
            style.ToolButtonTextBesideIcon
            if self.width() >= self._whole
            else style.ToolButtonTextOnly
        )
        for button in self._buttons:
            if button.toolButtonStyle() != row_width:
                button.setToolButtonStyle(row_width)


def offer_of(action: QAction) -> QToolButton:
    """A framed button that says all a menu says; tool buttons drop the dots of a command that asks first."""
    button = tool_of(action)
    button.setProperty("offer", "true")

    def say() -> None:
        button.setText(plain(action.text()))

    say()
    action.changed.connect(say)  # comes after the button took the short words
    return button
