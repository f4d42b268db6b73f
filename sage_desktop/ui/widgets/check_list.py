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
_SELECTABLE = (
    Qt.TextInteractionFlag.TextSelectableByMouse
    | Qt.TextInteractionFlag.TextSelectableByKeyboard
)


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
        self._clear()
        self._add_line("clock", "muted", words, "")
        self.words = words

    def show_checks(self, checks: Sequence[Check]) -> None:
        """Show what came of each."""
        self._clear()
        lines = []
        for check in checks:
            words = f"{translated(check.name)}: {translated(check.detail)}"
            if check.ok:
                self._add_line("done", "success", words, _tr("in order"))
            else:
                self._add_line("error", "danger", words, _tr("missing"))
            lines.append(words)
        self.words = "\n".join(lines)

    def _clear(self) -> None:
        """Remove all lines; hidden at once, because they are deleted a little later."""
        while (entry := self._grid.takeAt(0)) is not None:
            widget = entry.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _add_line(self, drawing: str, role: str, words: str, state: str) -> None:
        """Add a line; `state` tells screen readers what the drawing shows."""
        label = QLabel(words, wordWrap=True)
        label.setFont(theme().small_font())
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        label.setTextInteractionFlags(_SELECTABLE)
        label.setAccessibleName(f"{words} {state}".strip())
        row = self._grid.count() // 2  # a drawing and words in each
        picture = drawn(drawing, role)
        self._grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(label, row, 1)
