"""What the generator did with each retrieved experience in a round, and why; one click leads to the item."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QWidget

from core.analysis.queries import ResidentUse, RoundAdoption
from sage_desktop.panels.review.versions import Hunks
from sage_desktop.ui.rounds.lessons import item_link, place_link
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import muted, text_label
from sage_desktop.ui.widgets.making import drawn, named, on_base
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import (
    adoption_look,
    category_text,
    kind_text,
    signed,
)

_MOST_PLACES = 3
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
            column.addWidget(
                muted(
                    self._against_recording(tuple(row.uid for row in adoptions), here),
                    small=True,
                )
            )
        if not adoptions:
            column.addWidget(
                muted(self.tr("Nothing was retrieved in this round."), small=True)
            )
        for row in sorted(
            adoptions, key=lambda row: (_ORDER.get(row.state, 1), row.rank)
        ):
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
            return words + " " + self.tr("Retrieval here returns the same items.")
        more = ", ".join(uid for uid in here if uid not in recorded) or "\N{EN DASH}"
        less = ", ".join(uid for uid in recorded if uid not in here) or "\N{EN DASH}"
        other = self.tr("Retrieval here would have returned {0} instead of {1}.")
        return words + " " + other.format(more, less)

    def _card(self, row: RoundAdoption) -> QWidget:
        look = adoption_look(row.state)
        parts = [kind_text(row.type), category_text(row.category)]
        if row.score is not None:
            parts.append(self.tr("score {0:.1f}").format(row.score))
        parts.append(f"u {signed(row.utility)}")
        return self._frame(
            look.icon,
            look.role,
            look.text,
            row.title,
            row.uid,
            " · ".join(p for p in parts if p),
            row.rationale,
        )

    def _resident(self, use: ResidentUse) -> QWidget:
        return self._frame(
            "flame",
            "warning",
            self.tr("Followed"),
            use.title,
            use.uid,
            "",
            use.rationale,
        )

    def _frame(
        self,
        drawing: str,
        role: str,
        state: str,
        title: str,
        uid: str,
        facts: str,
        rationale: str,
    ) -> QWidget:
        look = theme()
        frame = named(QFrame(), f"{state}: {title}. {rationale}")
        frame.setProperty("card", "true")
        words = QLabel(state)
        theme().letter(words, "small")
        words.setStyleSheet(f"color: {look.color(role).name()}")
        link = item_link(uid, self.opened.emit)
        head = hbox(drawn(drawing, role), words, None, link)
        column = vbox(head, owner=frame, margins=0.55, spacing=0.2)
        for text, letters in ((title, "strong"), (facts, "small"), (rationale, "")):
            if text:
                label = text_label(text, muted=letters == "small")
                if letters:
                    look.letter(label, letters)
                column.addWidget(label)
        if uid in self._doubts:
            column.addLayout(self._doubt())
        if self._hunks.get(uid):
            column.addLayout(self._places(self._hunks[uid]))
        return frame

    def _doubt(self) -> QHBoxLayout:
        """A sign that the change of the round does not fit what the record says."""
        words = muted(
            self.tr("Doubtful: the changed lines speak against it"), small=True
        )
        return hbox(drawn("warning", "warning"), (words, 1), spacing=0.3)

    def _places(self, places: Hunks) -> QHBoxLayout:
        """Buttons below each other that lead to the changes in which the code of an item shows."""
        words = muted(self.tr("Evidence"), small=True, wraps=False)
        column = vbox(spacing=0)
        for path, line in places[:_MOST_PLACES]:
            column.addWidget(
                place_link(path, line + 1, partial(self.jumped.emit, path, line + 1))
            )
        return hbox((words, Qt.AlignmentFlag.AlignTop), column, None, spacing=0.2)
