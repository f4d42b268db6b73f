"""Asks a diagnostic about the kernel in front: a button with the tools, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from sage_desktop.ui.icons import icon
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.making import tool
from sage_desktop.ui.widgets.stacking import hbox


@dataclass(frozen=True)
class Subject:
    """The kernel a diagnostic is about.

    Attributes:
        operator: Its name.
        source: Where that is found.
        candidate: Digest of the kernel.
        round: Of the trajectory it belongs to.
        entry: Of the queue; 0 where it stands in none.
    """

    operator: str
    source: str
    candidate: str
    round: int
    entry: int = 0


class AskBar(QWidget):
    """Button with a menu of tools, words on the one under way, and a button that stops it.

    Signals:
        asked: Name of a tool; empty when case and host are to be chosen first.
        stopped: The person calls the diagnostic under way off.
    """

    asked = Signal(str)
    stopped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.tools = QToolButton()
        self.tools.setText(self.tr("Run Diagnostic"))
        self.tools.setToolTip(
            self.tr("Run a diagnostic on this kernel; costs no round")
        )
        self.tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.tools.setIcon(icon("search"))
        self.tools.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.tools.setMenu(self.menu)
        self.words = ElidingLabel(muted=True)
        self.stop = tool(self.stopped, self.tr("Stop"), "stop")
        row = (self.tools, (self.words, 1), self.stop, None)
        hbox(*row, owner=self, margins=(0.3, 0.1))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.offer({})
        self.show_work("", busy=False)

    def offer(self, tools: Mapping[str, str]) -> None:
        """Offer tools by name with what each shows."""
        self.menu.clear()
        for name, what in tools.items():
            action = self.menu.addAction(f"{name}  \N{EN DASH}  {translated(what)}")
            action.triggered.connect(lambda _on=False, name=name: self.asked.emit(name))
        self.menu.addSeparator()
        choose = self.menu.addAction(self.tr("Choose Case and Host…"))
        choose.triggered.connect(lambda _on=False: self.asked.emit(""))

    def show_work(self, words: str, *, busy: bool) -> None:
        """Say what is going on; while `busy` nothing more can be asked."""
        self.words.set_text(words)
        # The bar takes no more room than it needs.
        self.words.setVisible(bool(words))
        self.stop.setVisible(busy)
        self.tools.setEnabled(not busy)
