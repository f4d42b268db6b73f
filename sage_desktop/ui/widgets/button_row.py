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
        make, spacing = (offer_of, 0.4) if framed else (tool_of, 0.1)
        self._buttons = [make(action) for action in actions]
        hbox(*self._buttons, None, owner=self, margins=0, spacing=spacing)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._width_with_icons = 0

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        with_icons = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        # The width with icons can be asked for only while they are shown.
        if self._buttons and self._buttons[0].toolButtonStyle() == with_icons:
            self._width_with_icons = self.sizeHint().width()
        style = with_icons
        if self.width() < self._width_with_icons:
            style = Qt.ToolButtonStyle.ToolButtonTextOnly
        for button in self._buttons:
            if button.toolButtonStyle() != style:
                button.setToolButtonStyle(style)


def offer_of(action: QAction) -> QToolButton:
    """A framed button that says all a menu says; tool buttons drop the dots of a command that asks first."""
    button = tool_of(action)
    button.setProperty("offer", "true")

    def set_whole_words() -> None:
        button.setText(plain(action.text()))

    set_whole_words()
    # Comes after the button took the short words.
    action.changed.connect(set_whole_words)
    return button
