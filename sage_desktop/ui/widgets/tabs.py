"""Tabs of which none is ever hidden: where there is little room they are shortened, not scrolled."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget


class AllTabs(QTabWidget):
    """A tab widget that shows every tab."""

    def __init__(self) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.tabBar().setProperty("dense", "true")

    def name(self, number: int, text: str) -> None:
        """Name a tab; the whole name is its tip too."""
        self.setTabText(number, text)
        self.setTabToolTip(number, text)
