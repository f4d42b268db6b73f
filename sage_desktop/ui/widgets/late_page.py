"""A page of the window that is made when somebody first turns to it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


class LatePage(QWidget):
    """Base of such pages."""

    def come_to_front(self) -> None:
        """Somebody turned to the page."""
