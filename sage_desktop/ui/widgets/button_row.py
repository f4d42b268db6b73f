"""Commands in a row: with icons where there is room, words alone where there is not."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from sage_desktop.ui.widgets.making import tool_of
from sage_desktop.ui.widgets.stacking import hbox


class ButtonRow(QWidget):
    """Never shortens a word as long as the words alone fit."""

    def __init__(self, actions: Iterable[QAction]) -> None:
        super().__init__()
        self._buttons = [tool_of(action) for action in actions]
        hbox(*self._buttons, None, owner=self, margins=0, spacing=0.1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._whole = 0

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        style = Qt.ToolButtonStyle
        if self._buttons and self._buttons[0].toolButtonStyle() == style.ToolButtonTextBesideIcon:
            self._whole = self.sizeHint().width()
        wanted = style.ToolButtonTextBesideIcon if self.width() >= self._whole else style.ToolButtonTextOnly
        for button in self._buttons:
            if button.toolButtonStyle() != wanted:
                button.setToolButtonStyle(wanted)
