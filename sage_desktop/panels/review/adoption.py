"""What the generator did with each retrieved experience in a round, and why; one click leads to the item."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.analysis.queries import ResidentUse, RoundAdoption
from sage_desktop.panels.review.versions import Hunks
from sage_desktop.ui.rounds.lessons import item_link, place_link
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import muted, text_label
from sage_desktop.ui.widgets.making import drawn, named, on_base
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import (
    StatusStyle,
    adoption_look,
    category_text,
    kind_text,
    signed,
)

_MOST_PLACES = 3
_FOLLOWED = StatusStyle("flame", "warning", "Followed")
_ORDER = {"adopted": 0, "unresolved": 1, "not_adopted": 2}


class AdoptionList(QScrollArea):
    """Cards, one an item, in rank order; residents that were followed below.

    Signals:
        opened: uid of the item the user wants to see.
        jumped: (path, 1-based line) of a change that shows the code of an item.
    """

    opened = Signal(str)
    jumped = Signal(str, int)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Adoption records"))
        self._hunks: Mapping[str, Hunks] = {}
        self._doubts: frozenset[str] = frozenset()

    def show_records(
        self,
        adoptions: tuple[RoundAdoption, ...],
        residents: tuple[ResidentUse, ...],
        *,
        pinned: bool,
        here: tuple[str, ...] | None,
        stated: bool,
        hunks: Mapping[str, Hunks],
        doubts: frozenset[str] = frozenset(),
    ) -> None:
        """Show the records of one round.

        Args:
            adoptions: What was done with each retrieved item.
            residents: Rules that were followed.
            pinned: Whether a recording prescribed what was retrieved.
            here: What retrieval finds by itself where one did, None when that was not looked for.
            stated: False when the reply was to say which rules it followed and did not.
            hunks: uid -> changes that show the code of the item.
            doubts: uids whose record the change of the round speaks against.
        """
        self._hunks = hunks
        self._doubts = doubts
        inside = on_base(QWidget())
        column = vbox(owner=inside, margins=0.6, spacing=0.5)
        if pinned:
            recorded = tuple(row.uid for row in adoptions)
            words = self._against_recording(recorded, here)
            column.addWidget(muted(words, small=True))
        if not adoptions:
            words = self.tr("Nothing was retrieved in this round.")
            column.addWidget(muted(words, small=True))
        adopted_first = sorted(
            adoptions, key=lambda row: (_ORDER.get(row.state, 1), row.rank)
        )
        for row in adopted_first:
            column.addWidget(self._card(row))
        if residents:
            heading = QLabel(self.tr("Hot rules followed"))
            theme().letter(heading, "strong")
            column.addWidget(heading)
            for use in residents:
                column.addWidget(self._resident(use))
        if not stated:
            words = self.tr("The reply does not say which resident rules it followed.")
            column.addWidget(muted(words, small=True))
        column.addStretch()
        self.setWidget(inside)

    def _against_recording(
        self, recorded: tuple[str, ...], here: tuple[str, ...] | None
    ) -> str:
        """What retrieval would have brought in place of what the recording prescribes."""
        words = self.tr("The retrieved items of this round come from the recording.")
        if here is None:
            return words
        if set(here) == set(recorded):
            same = self.tr("Retrieval here returns the same items.")
            return f"{words} {same}"
        more = ", ".join(uid for uid in here if uid not in recorded)
        less = ", ".join(uid for uid in recorded if uid not in here)
        if not more:
            other = self.tr("Retrieval here would have left out {1}.")
        elif not less:
            other = self.tr("Retrieval here would have returned {0} as well.")
        else:
            other = self.tr("Retrieval here would have returned {0} instead of {1}.")
        return f"{words} {other.format(more, less)}"

    def _card(self, row: RoundAdoption) -> QWidget:
        """An item that was retrieved: what was done with it, and what speaks for or against that."""
        look = adoption_look(row.state)
        parts = [kind_text(row.type), category_text(row.category)]
        if row.score is not None:
            parts.append(self.tr("score {0:.1f}").format(row.score))
        parts.append(f"u {signed(row.utility)}")
        facts = " · ".join(part for part in parts if part)
        frame, column = self._frame(look, row.title, row.uid, facts, row.rationale)
        if row.uid in self._doubts:
            column.addLayout(self._doubt(row))
        places = self._hunks.get(row.uid)
        if places:
            column.addLayout(self._places(places))
        return frame

    def _resident(self, use: ResidentUse) -> QWidget:
        frame, _column = self._frame(_FOLLOWED, use.title, use.uid, "", use.rationale)
        return frame

    def _frame(
        self, look: StatusStyle, title: str, uid: str, facts: str, rationale: str
    ) -> tuple[QWidget, QVBoxLayout]:
        """A card with its column, to which more can be added."""
        frame = named(QFrame(), f"{look.text}: {title}. {rationale}")
        frame.setProperty("card", "true")
        state = QLabel(look.text)
        theme().letter(state, "small")
        color = theme().color(look.role).name()
        state.setStyleSheet(f"color: {color}")
        link = item_link(uid, self.opened.emit)
        head = hbox(drawn(look.icon, look.role), state, None, link)
        column = vbox(head, owner=frame, margins=0.55, spacing=0.2)
        for text, letters in ((title, "strong"), (facts, "small"), (rationale, "")):
            if text:
                label = text_label(text, muted=letters == "small")
                if letters:
                    theme().letter(label, letters)
                column.addWidget(label)
        return frame, column

    def _doubt(self, row: RoundAdoption) -> QHBoxLayout:
        """How the change of the round speaks against what the record says."""
        words = self.tr("Doubtful: the changed lines show its code")
        if row.state == "adopted":
            words = self.tr("Doubtful: no changed line shows its code")
        label = muted(words, small=True)
        return hbox(drawn("warning", "warning"), (label, 1), spacing=0.3)

    def _places(self, places: Hunks) -> QHBoxLayout:
        """Buttons below each other that lead to the changes in which the code of an item shows."""
        words = muted(self.tr("Evidence"), small=True, wraps=False)
        column = vbox(spacing=0)
        for path, line in places[:_MOST_PLACES]:
            number = line + 1
            jump = partial(self.jumped.emit, path, number)
            column.addWidget(place_link(path, number, jump))
        return hbox((words, Qt.AlignmentFlag.AlignTop), column, None, spacing=0.2)
