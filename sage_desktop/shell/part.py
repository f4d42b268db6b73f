"""What serves commands of the window: what all of its kind work with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from sage_desktop.shell.main_window import MainWindow


class ShellPart(QObject):
    """Lives as long as the window; a bug it meets goes out by `crashed` of its operations."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._operations = window.operations
        self._preferences = window.preferences
