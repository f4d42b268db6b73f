"""The origin of the line at the caret: its round, the experience that taught it, and what that brought."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

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

if TYPE_CHECKING:
    from core.analysis.blame import Blame, Evidence, Lesson, LineBlame


class LineOrigins(QObject):
    """Reads the origins of the lines of both versions; while switched on, shows that of the caret's line.

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
        self._runs: dict[str, tuple[str, int]] = {}  # side -> trajectory and round
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
        """Be about these two versions; `older` is what the older one was chosen by."""
        self._runs = {"right": (trajectory, pair.newer.round)}
        if pair.older is not None:
            older_run = trajectory
            if pair.of_other_run and isinstance(older, OtherRun):
                older_run = older.trajectory
            self._runs["left"] = (older_run, pair.older.round)
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
        runs = sorted({run for run, _number in self._runs.values()})

        from core.analysis.blame import read_blame

        def read(connection: sqlite3.Connection) -> dict[str, Blame]:
            return {run: read_blame(connection, run) for run in runs}

        self._operations.query(self, read, self._show, topic="origins")

    def _show(self, blames: Mapping[str, Blame]) -> None:
        self._read = blames
        self._follow()
        self._diff.viewport().update()

    def of(self, side: str, line: int) -> LineBlame | None:
        """Origin of the 0-based `line` of the file shown on `side`; None while that is not known."""
        run, number = self._runs.get(side, ("", 0))
        blame = self._read.get(run) if self._on else None
        if blame is None:
            return None
        return blame.of_line(number, self._diff.document.view.path, line)

    def _follow(self) -> None:
        if self._on:
            side, line = self._diff.place
            self.bar.show_line(line + 1, self.of(side, line))

    def note(self, side: str, line: int) -> str:
        """What stands behind the line of the caret."""
        blame = self.of(side, line)
        if blame is None:
            return ""
        parts = (
            self.tr("round {0}").format(blame.origin.version),
            ", ".join(lesson.uid for lesson, _check in blame.taught_by),
            short_effect(blame.work.effect),
        )
        return " · ".join(part for part in parts if part)


class OriginBar(QFrame):
    """Below the code: everything known about the line at the caret.

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

    def show_line(self, number: int, blame: LineBlame | None) -> None:
        """Show the origin of line `number` (from 1); None where no round is known to have written it."""
        if (number, blame) == self._shown and self._area.widget() is not None:
            return
        self._shown = (number, blame)
        inside = QWidget()
        column = vbox(owner=inside, margins=0.5, spacing=0.25)
        if blame is None:
            words = self.tr("No round is known to have written this line.")
            column.addWidget(_label(words, muted=True))
            self.setAccessibleDescription(words)
        else:
            self._fill(column, number, blame)
        column.addStretch()
        self._area.setWidget(inside)

    def _fill(self, column: QVBoxLayout, number: int, blame: LineBlame) -> None:
        """Round and gain, the lessons seen at the line or declared for it, then what else the round declared."""
        work = blame.work
        place = self.tr("Line {0} was written in").format(number)
        gain = self.tr("Gain of the round, all its changes together: {0}").format(
            effect_text(work)
        )
        column.addLayout(self._head(place, blame))
        column.addWidget(_label(gain, wraps=True))
        taught_by = blame.taught_by
        for lesson, evidence in taught_by:
            column.addLayout(self._lesson(lesson, evidence))
            column.addWidget(_label(lesson.rationale, muted=True, wraps=True))
        unseen = [pair for pair in blame.lessons if pair not in taught_by]
        rest = ""
        if work.row.author == "person":
            rest = self.tr("A person edited the kernel in this round.")
        elif not blame.lessons:
            rest = self.tr("This round declares no experience as used.")
        elif unseen:
            rest = self.tr("Also declared in this round, not seen near this line:")
        if rest:
            column.addWidget(_label(rest, muted=True))
        for lesson, evidence in unseen:
            column.addLayout(self._lesson(lesson, evidence))
        if blame.lessons:
            words = self.tr(
                "The agent's declaration, and an automatic look at the code: neither is proof."
            )
            column.addWidget(_label(words, muted=True, wraps=True))
        lessons = [
            f"{lesson.uid} {lesson.title}, {evidence_text(evidence)}"
            for lesson, evidence in taught_by
        ]
        outcome = self.tr("round {0}").format(blame.origin.version)
        if work.row.verdict:
            verdict = verdict_look(work.row.verdict).text
            outcome = f"{outcome}, {verdict}"
        accessible = f"{place} {outcome}. {gain}. {'; '.join(lessons)}"
        self.setAccessibleDescription(accessible)

    def _head(self, place: str, blame: LineBlame) -> QHBoxLayout:
        """The line, a button that leads to its round, and the verdict of that, where it has one."""
        version = blame.origin.version
        verdict = blame.work.row.verdict
        button = tool(
            partial(self.round_chosen.emit, version),
            self.tr("round {0}").format(version),
            "review",
            "muted",
            tip=self.tr("Show this round"),
        )
        row = hbox(_label(place, strong=True), button)
        if verdict:
            look = verdict_look(verdict)
            row.addWidget(drawn(look.icon, look.role))
            row.addWidget(_label(look.text))
        row.addStretch()
        return row

    def _lesson(self, lesson: Lesson, evidence: Evidence) -> QHBoxLayout:
        """An experience: whether its code is seen at the line, a link to it, and on what that rests."""
        drawing = drawn("help", "muted")
        if evidence in _seen():
            drawing = drawn("check", "success")
        basis = f"{basis_text(lesson.basis)}; {evidence_text(evidence)}"
        words = f"{lesson.title} \N{EN DASH} {basis}"
        return hbox(
            drawing,
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


def _seen() -> tuple[Evidence, ...]:
    """What the automatic check says where it sees the code of a lesson at a line."""
    from core.analysis.blame import Evidence

    return Evidence.LINE, Evidence.CHANGE
