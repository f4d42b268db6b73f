"""What the generator did with each retrieved experience in a round, and why; one click leads to the item."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QWidget

from core.engine.queries import ResidentUse, RoundAdoption
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import adoption_look, kind_text, signed

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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Adoption records"))
        self._hunks: Mapping[str, tuple[tuple[str, int], ...]] = {}

    def show_records(
        self,
        adoptions: tuple[RoundAdoption, ...],
        residents: tuple[ResidentUse, ...],
        *,
        pinned: bool,
        here: tuple[str, ...] | None,
        stated: bool,
        hunks: Mapping[str, tuple[tuple[str, int], ...]],
    ) -> None:
        """Show the records of one round.

        Args:
            adoptions: What was done with each retrieved item.
            residents: Rules that were followed.
            pinned: Whether a recording prescribed what was retrieved.
            here: What retrieval finds by itself where one did, None when that was not looked for.
            stated: False when the reply was to say which rules it followed and did not.
            hunks: uid -> (path, 0-based line) of changes that show the code of the item.
        """
        self._hunks = hunks
        inside = QWidget()
        inside.setProperty("pane", "base")
        column = vbox(owner=inside, margins=0.6, spacing=0.5)
        if pinned:
            column.addWidget(_note(self._against_recording(tuple(row.uid for row in adoptions), here)))
        if not adoptions:
            column.addWidget(_note(self.tr("Nothing was retrieved in this round.")))
        for row in sorted(adoptions, key=lambda row: (_ORDER.get(row.state, 1), row.rank)):
            column.addWidget(self._card(row))
        if residents:
            heading = QLabel(self.tr("Hot rules followed"))
            theme().letter(heading, "strong")
            column.addWidget(heading)
            for use in residents:
                column.addWidget(self._resident(use))
        if not stated:
            column.addWidget(_note(self.tr("The reply does not say which resident rules it followed.")))
        column.addStretch()
        self.setWidget(inside)

    def _against_recording(self, recorded: tuple[str, ...], here: tuple[str, ...] | None) -> str:
        """What retrieval would have brought in place of what the recording prescribes."""
        words = self.tr("The retrieved items of this round come from the recording.")
        if here is None:
            return words
        if set(here) == set(recorded):
            return words + " " + self.tr("Retrieval here returns the same items.")
        more = ", ".join(uid for uid in here if uid not in recorded) or "\N{EN DASH}"
        less = ", ".join(uid for uid in recorded if uid not in here) or "\N{EN DASH}"
        found = self.tr("Retrieval here would have returned {0} instead of {1}.")
        return words + " " + found.format(more, less)

    def _card(self, row: RoundAdoption) -> QWidget:
        look = adoption_look(row.state)
        parts = [kind_text(row.type), row.category]
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
        return self._frame("flame", "warning", self.tr("Followed"), use.title, use.uid, "", use.rationale)

    def _frame(
        self, drawing: str, role: str, state: str, title: str, uid: str, facts: str, rationale: str
    ) -> QWidget:
        look = theme()
        frame = QFrame()
        frame.setProperty("card", "true")
        frame.setAccessibleName(f"{state}: {title}. {rationale}")
        picture = QLabel()
        side = look.px(1.0)
        picture.setPixmap(icon(drawing, role).pixmap(side, side))
        words = QLabel(state)
        theme().letter(words, "small")
        words.setStyleSheet(f"color: {look.color(role).name()}")
        link = QToolButton()
        link.setText(uid)
        link.setToolTip(self.tr("Show this item in the memory"))
        link.setAccessibleName(self.tr("Show item {0}").format(uid))
        link.setIcon(icon("memory", "muted"))
        link.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme().letter(link, "small")
        link.clicked.connect(lambda: self.opened.emit(uid))
        column = vbox(hbox(picture, words, None, link), owner=frame, margins=0.55, spacing=0.2)
        for text, strong, muted in ((title, True, False), (facts, False, True), (rationale, False, False)):
            if text:
                label = QLabel(text)
                label.setWordWrap(True)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                if strong or muted:
                    look.letter(label, "strong" if strong else "small")
                if muted:
                    label.setProperty("muted", "true")
                column.addWidget(label)
        if self._hunks.get(uid):
            column.addLayout(self._places(self._hunks[uid]))
        return frame

    def _places(self, places: tuple[tuple[str, int], ...]) -> QHBoxLayout:
        """Buttons below each other that lead to the changes in which the code of an item shows."""
        words = QLabel(self.tr("Evidence"))
        words.setProperty("muted", "true")
        theme().letter(words, "small")
        column = vbox(spacing=0)
        for path, line in places[:_MOST_PLACES]:
            button = QToolButton()
            button.setText(f"{path.rsplit('/', 1)[-1]}:{line + 1}")
            button.setToolTip(self.tr("Go to line {0} of {1}").format(line + 1, path))
            theme().letter(button, "small")
            button.clicked.connect(lambda _on=False, path=path, line=line: self.jumped.emit(path, line + 1))
            column.addWidget(button)
        return hbox((words, Qt.AlignmentFlag.AlignTop), column, None, spacing=0.2)


def _note(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setProperty("muted", "true")
    theme().letter(label, "small")
    return label
