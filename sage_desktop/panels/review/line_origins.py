"""Who wrote the line of the caret: its round, the experience that taught it, and what that brought."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.analysis.blame import Blame, Evidence, Lesson, LineBlame, read_blame
from sage_desktop.panels.review.versions import Choice, OtherRun, VersionPair
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.lessons import (
    basis_text,
    effect_text,
    evidence_text,
    item_link,
    short_effect,
)
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import text_label
from sage_desktop.ui.widgets.making import drawn, tool
from sage_desktop.ui.widgets.pages import scrolled
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import verdict_look

_TAUGHT = (Evidence.LINE, Evidence.CHANGE)


class LineOrigins(QObject):
    """Reads who wrote the lines of both versions and, while it is switched on, tells it of the caret's line.

    Signals:
        item_opened: uid of an experience the user wants to see.
        round_chosen: Number of a round the user wants to see.
    """

    item_opened = Signal(str)
    round_chosen = Signal(int)

    def __init__(
        self,
        operations: Operations,
        actions: ActionRegistry,
        preferences: Preferences,
        diff: DiffView,
    ) -> None:
        super().__init__(diff)
        self._operations = operations
        self._preferences = preferences
        self._diff = diff
        self._runs: dict[
            str, tuple[str, int]
        ] = {}  # side -> trajectory and round shown there
        self._read: Mapping[str, Blame] = {}  # by trajectory
        self.bar = OriginBar()
        self.bar.item_opened.connect(self.item_opened)
        self.bar.round_chosen.connect(self.round_chosen)
        self._on = preferences.flag("review/origins", default=False)
        self.bar.setVisible(self._on)
        actions.bind_switch("review.origins", self._switch, checked=self._on)
        diff.moved.connect(lambda *_: self._follow())
        diff.set_note(self.note)

    def show_pair(self, trajectory: str, pair: VersionPair, older: Choice) -> None:
        """Tell of these two versions from now on; `older` is what the older one was chosen by."""
        self._runs = {"right": (trajectory, pair.right.round)}
        if pair.left is not None:
            other = (
                older.trajectory
                if pair.of_other_run and isinstance(older, OtherRun)
                else trajectory
            )
            self._runs["left"] = (other, pair.left.round)
        if self._on:
            self._ask()

    def _switch(self, on: bool) -> None:
        self._preferences.set("review/origins", on)
        self._on = on
        self.bar.setVisible(on)
        if on:
            self._ask()
        self._follow()
        self._diff.viewport().update()

    def _ask(self) -> None:
        wanted = sorted({run for run, _number in self._runs.values()})

        def read(connection: sqlite3.Connection) -> dict[str, Blame]:
            return {run: read_blame(connection, run) for run in wanted}

        self._operations.query(self, read, self._show, topic="origins")

    def _show(self, found: Mapping[str, Blame]) -> None:
        self._read = found
        self._follow()
        self._diff.viewport().update()

    def of(self, side: str, line: int) -> LineBlame | None:
        """Who wrote the 0-based `line` of the file shown on `side`; None while that is not known."""
        run, number = self._runs.get(side, ("", 0))
        found = self._read.get(run) if self._on else None
        return (
            found.of_line(number, self._diff.document.view.path, line)
            if found is not None
            else None
        )

    def _follow(self) -> None:
        if self._on:
            side, line = self._diff.place
            self.bar.show_line(line + 1, self.of(side, line))

    def note(self, side: str, line: int) -> str:
        """What stands behind the line of the caret."""
        found = self.of(side, line)
        if found is None:
            return ""
        uids = ", ".join(lesson.uid for lesson, _check in found.taught_by)
        parts = (
            self.tr("round {0}").format(found.origin.version),
            uids,
            short_effect(found.work.effect),
        )
        return " · ".join(part for part in parts if part)


class OriginBar(QFrame):
    """Below the code: everything known of the line of the caret.

    Signals:
        item_opened: uid of an experience.
        round_chosen: Number of a round.
    """

    item_opened = Signal(str)
    round_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Origin of the line"))
        self._shown: object = ()
        self._area = scrolled()
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        vbox(self._area, owner=self, margins=0)
        self.setFixedHeight(theme().px(9.0))

    def show_line(self, number: int, found: LineBlame | None) -> None:
        """Tell of line `number` (from 1); None where nobody is known to have written it."""
        if (number, found) == self._shown and self._area.widget() is not None:
            return
        self._shown = (number, found)
        inside = QWidget()
        column = vbox(owner=inside, margins=0.5, spacing=0.25)
        if found is None:
            column.addWidget(
                _label(
                    self.tr("No round is known to have written this line."), muted=True
                )
            )
            self.setAccessibleDescription(
                self.tr("No round is known to have written this line.")
            )
        else:
            self._fill(column, number, found)
        column.addStretch()
        self._area.setWidget(inside)

    def _fill(self, column: QVBoxLayout, number: int, found: LineBlame) -> None:
        work = found.work
        look = verdict_look(work.row.verdict)
        version = found.origin.version
        named_round = self.tr("round {0}").format(version)
        go = partial(self.round_chosen.emit, version)
        button = tool(
            go, named_round, "review", "muted", tip=self.tr("Show this round")
        )
        head = hbox(
            _label(self.tr("Line {0} was written in").format(number), strong=True),
            button,
            drawn(look.icon, look.role),
            _label(look.text),
            None,
        )
        column.addLayout(head)
        brought = self.tr("Gain of the round, all its changes together: {0}").format(
            effect_text(work.effect)
        )
        column.addWidget(_label(brought, wraps=True))
        for lesson, evidence in found.taught_by:
            column.addLayout(self._lesson(lesson, evidence))
            column.addWidget(_label(lesson.rationale, muted=True, wraps=True))
        rest = [pair for pair in found.lessons if pair[1] not in _TAUGHT]
        if work.row.author == "person":
            column.addWidget(
                _label(self.tr("A person edited the kernel in this round."), muted=True)
            )
        elif not found.lessons:
            column.addWidget(
                _label(
                    self.tr("This round declares no experience as used."), muted=True
                )
            )
        elif rest:
            column.addWidget(
                _label(
                    self.tr("Also declared in this round, not seen near this line:"),
                    muted=True,
                )
            )
        for lesson, evidence in rest:
            column.addLayout(self._lesson(lesson, evidence))
        if found.lessons:
            words = self.tr(
                "The agent's declaration, and an automatic look at the code: neither is proof."
            )
            column.addWidget(_label(words, muted=True, wraps=True))
        told = [
            f"{lesson.uid} {lesson.title}, {evidence_text(check)}"
            for lesson, check in found.taught_by
        ]
        place = self.tr("Line {0} was written in").format(number)
        self.setAccessibleDescription(
            f"{place} {button.text()}, {look.text}. {brought}. {'; '.join(told)}"
        )

    def _lesson(self, lesson: Lesson, evidence: Evidence) -> QHBoxLayout:
        seen = evidence in _TAUGHT
        words = f"{lesson.title} \N{EN DASH} {basis_text(lesson.basis)}; {evidence_text(evidence)}"
        return hbox(
            drawn("check" if seen else "help", "success" if seen else "muted"),
            item_link(lesson.uid, self.item_opened.emit),
            (_label(words, wraps=True), 1),
            spacing=0.4,
        )


def _label(
    text: str, *, strong: bool = False, muted: bool = False, wraps: bool = False
) -> QLabel:
    label = text_label(text, muted=muted)
    label.setWordWrap(wraps)
    if not wraps:
        label.setMinimumWidth(0)  # none of its words is cut off
    theme().letter(label, "strong" if strong else "small")
    return label
