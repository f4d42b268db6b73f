"""The files of two versions as tabs: which differ, which have findings, which one is in front."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QTabBar

from sage_desktop.panels.review.findings import Message, marks_of
from sage_desktop.panels.review.versions import VersionPair
from sage_desktop.ui.icons import icon


class FileTabs(QTabBar):
    """One tab a file."""

    def __init__(self) -> None:
        super().__init__()
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setAccessibleName(self.tr("Files of the kernel"))

    @property
    def paths(self) -> list[str]:
        """The files offered, in order."""
        return [str(self.tabData(number)) for number in range(self.count())]

    def path(self) -> str:
        """The file in front, empty without any."""
        return str(self.tabData(self.currentIndex()) or "")

    def show_files(
        self, pair: VersionPair, messages: Sequence[Message], front: str
    ) -> None:
        """Offer the files of `pair` with `front` before the others; does not emit `currentChanged`."""
        blocked = QSignalBlocker(self)
        while self.count():
            self.removeTab(0)
        for path in pair.paths:
            number = self.addTab(path)
            self.setTabToolTip(number, path)
            self.setTabData(number, path)
            if marks_of(path, messages):
                self.setTabIcon(number, icon("error", "danger"))
            elif pair.changed(path):
                self.setTabIcon(number, icon("edit", "info"))
                self.setTabToolTip(number, self.tr("{0} (changed)").format(path))
            else:
                self.setTabIcon(number, icon("file", "muted"))
        self.setCurrentIndex(pair.paths.index(front) if front in pair.paths else 0)
        blocked.unblock()
