"""A page of the window that is made when somebody first turns to it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


class LazyPage(QWidget):
    """Base of such pages."""

    def activate(self) -> None:
        """Somebody turned to the page."""
