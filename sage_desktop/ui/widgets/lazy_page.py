"""A page of the window that is made when somebody first turns to it."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QWidget


class LazyPage(QWidget):
    """Base of such pages. `topics`: what of the workspace it shows; it is activated when that changes."""

    topics: ClassVar[frozenset[str]] = frozenset()

    def activate(self) -> None:
        """Somebody turned to the page, or what it shows changed while it is in front."""
