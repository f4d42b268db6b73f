"""What was tried and what came of it: a line with a sign for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from sage_desktop.services.models.check import Check
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.making import drawn

_tr = partial(QCoreApplication.translate, "CheckList")


class CheckList(QWidget):
    """Lines of words that can be selected, to copy the command that installs what is missing."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(theme().px(0.25))
        self._grid.setColumnStretch(1, 1)
        self.words = ""

    def wait(self, words: str) -> None:
        """Say that it is being tried."""
        self._fill([("clock", "muted", words)])

    def show_checks(self, checks: Sequence[Check]) -> None:
        """Show what came of each."""
        self._fill(
            [
                (
                    "done" if check.ok else "error",
                    "success" if check.ok else "danger",
                    f"{translated(check.name)}: {translated(check.detail)}",
                )
                for check in checks
            ]
        )

    def _fill(self, lines: Sequence[tuple[str, str, str]]) -> None:
        while (entry := self._grid.takeAt(0)) is not None:
            if (widget := entry.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, (drawing, role, words) in enumerate(lines):
            label = QLabel(words, wordWrap=True)
            label.setFont(theme().small_font())
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            state = (
                ""
                if role == "muted"
                else _tr("in order")
                if role == "success"
                else _tr("missing")
            )
            label.setAccessibleName(f"{words} {state}".strip())
            self._grid.addWidget(
                drawn(drawing, role), row, 0, Qt.AlignmentFlag.AlignTop
            )
            self._grid.addWidget(label, row, 1)
        self.words = "\n".join(words for _drawing, _role, words in lines)
