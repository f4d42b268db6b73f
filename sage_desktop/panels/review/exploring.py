"""Opens the mismatch explorer and keeps it at the version under review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core.evaluation.records import Evaluation
from sage_desktop.ui.actions import ActionRegistry

if TYPE_CHECKING:
    from sage_desktop.panels.review.mismatch_explorer import MismatchExplorer


class Exploring(QObject):
    """The one explorer there is for a review.

    Signals:
        line_wanted: (round, path, line from 1).
        writers_wanted: Name of the case whose launch is to be traced.
    """

    line_wanted = Signal(int, str, int)
    writers_wanted = Signal(str)

    def __init__(self, actions: ActionRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self._actions = actions
        self._round = 0
        self._evaluation: Evaluation | None = None
        self.dialog: MismatchExplorer | None = None
        actions.bind("review.mismatch", self.open)
        actions.enable({"review.mismatch": False})

    def show_evaluation(
        self, number: int, evaluation: Evaluation | None, *, wrong: bool
    ) -> None:
        """Be about another version; `wrong`: a visible case of it has a picture of wrong elements."""
        changed = (number, evaluation) != (self._round, self._evaluation)
        self._round, self._evaluation = number, evaluation
        self._actions.enable({"review.mismatch": wrong})
        if self.dialog is not None and changed:
            self.dialog.show_evaluation(number, evaluation, self.dialog.case)

    def open(self, case: str = "") -> None:
        """Show the explorer, with a case in front."""
        if self.dialog is None:
            from sage_desktop.panels.review.mismatch_explorer import (
                MismatchExplorer,
            )  # numpy: on use

            self.dialog = MismatchExplorer(self._parent)
            self.dialog.line_wanted.connect(self.line_wanted)
            self.dialog.writers_wanted.connect(self.writers_wanted)
            self.dialog.finished.connect(self._closed)
        self.dialog.show_evaluation(self._round, self._evaluation, case)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.image.setFocus()

    def _closed(self) -> None:
        self.dialog = None
