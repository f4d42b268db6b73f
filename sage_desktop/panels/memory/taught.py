"""What an experience taught: the lines of kernels that show its code, and what those rounds brought."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from core.analysis.blame import Taught, TaughtLine, taught_by
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import clear
from sage_desktop.ui.widgets.form import text_label
from sage_desktop.ui.widgets.lessons import basis_text, effect_text, place_link
from sage_desktop.ui.widgets.making import drawn
from sage_desktop.ui.widgets.stacking import hbox, vbox

_tr = partial(QCoreApplication.translate, "TaughtView")

ROUNDS = 8  # every one has its trajectory followed line by line
_LINES = 6

Lessons = tuple[tuple[Taught, ...], int]
Place = tuple[str, int, str, int]
"""Trajectory, round, path, line from 1."""


def read_taught(uid: str) -> Callable[[sqlite3.Connection], Lessons]:
    """A question for what the item `uid` taught last, and in how many rounds in all."""
    return lambda connection: taught_by(connection, uid, ROUNDS)


class TaughtView(QWidget):
    """Rounds that say they used an item, each with the lines that show its code.

    Signals:
        line_opened: `Place` of a line the person wants to see.
    """

    line_opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("What it taught"))
        self._column = vbox(
            text_label(self.tr("Looking through the rounds…"), muted=True),
            owner=self,
            margins=0,
            spacing=0.25,
        )

    def show_taught(self, found: Lessons) -> None:
        """Show what was found, the last round first."""
        clear(self._column)
        rounds, total = found
        if not rounds:
            self._column.addWidget(
                text_label(self.tr("No round declares that it used this."), muted=True)
            )
            return
        words = self.tr(
            "The agent's declaration, and an automatic look at the code: neither is proof."
        )
        self._column.addWidget(text_label(words, muted=True))
        for entry in rounds:
            self._round(entry)
        if total > len(rounds):
            rest = self.tr("The last {0} of {1} rounds.")
            self._column.addWidget(
                text_label(rest.format(len(rounds), total), muted=True)
            )

    def _round(self, entry: Taught) -> None:
        where = self.tr("{0} · round {1}").format(entry.operator, entry.work.row.round)
        head = text_label(f"{where} · {basis_text(entry.basis)}")
        theme().letter(head, "strong")
        head.setContentsMargins(0, theme().px(0.4), 0, 0)
        self._column.addWidget(head)
        brought = self.tr("Gain of the round, all its changes together: {0}")
        self._column.addWidget(
            text_label(brought.format(effect_text(entry.work.effect)))
        )
        self._column.addWidget(text_label(_kept_text(entry), muted=True))
        for line in entry.lines[:_LINES]:
            self._column.addWidget(self._line(entry, line))
        if len(entry.lines) > _LINES:
            more = self.tr("and %n more line(s)", "", len(entry.lines) - _LINES)
            self._column.addWidget(text_label(more, muted=True))

    def _line(self, entry: Taught, line: TaughtLine) -> QWidget:
        whole = QWidget()
        place: Place = (
            entry.trajectory,
            entry.work.row.round,
            line.path,
            line.line + 1,
        )
        button = place_link(
            line.path, line.line + 1, partial(self.line_opened.emit, place)
        )
        row = hbox(button, owner=whole, margins=0, spacing=0.4)
        if line.now is None:
            gone = drawn("cross", "muted", 0.9)
            gone.setToolTip(
                self.tr("No longer in the kernel of round {0}").format(entry.kept_in)
            )
            gone.setAccessibleName(gone.toolTip())
            row.addWidget(gone)
        code = text_label(line.text.strip(), muted=line.now is None)
        code.setFont(theme().code_font())
        row.addWidget(code, 1)
        return whole


def _kept_text(entry: Taught) -> str:
    """How much of its code is left, or why there is none to show."""
    if not entry.checked:
        return _tr("It has no code to look for: the agent's declaration alone.")
    if not entry.lines:
        return _tr(
            "No line the round wrote shows its code: the agent's declaration alone."
        )
    kept = sum(line.now is not None for line in entry.lines)
    words = _tr(
        "Lines with its code: {0}, of which {1} are still in the kernel of round {2}."
    )
    return words.format(len(entry.lines), kept, entry.kept_in)
