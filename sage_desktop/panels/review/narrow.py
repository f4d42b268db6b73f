"""The line over a comparison that shows one column for want of room, and the button that keeps two."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.making import tool
from sage_desktop.ui.widgets.stacking import hbox


class NarrowNotice(QWidget):
    """Says why one column is shown; hidden where two were not asked for.

    Signals:
        widened: The user wants two columns however narrow they are.
    """

    widened = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = ElidingLabel(
            self.tr("One column: too narrow for both versions side by side."),
            muted=True,
        )
        tip = self.tr("Keep two columns however narrow they are; remembered")
        self.button = tool(self.widened, self.tr("Side by Side"), "review", tip=tip)
        hbox((words, 1), self.button, owner=self, margins=(0.8, 0, 0.4, 0))
        self.hide()
