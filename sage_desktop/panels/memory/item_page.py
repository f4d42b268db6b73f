"""Everything about one experience.

What it says, what it was worth, who used it and why.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.curation.curator import WAITING
from core.memory.content import Revision, revisions
from core.memory.reading import read_items
from core.memory.records import ContentChange, ItemFilter, MemoryItem
from core.memory.views import queries
from core.memory.views.rows import (
    AdoptionRow,
    EventRow,
    ItemPage,
    UseRow,
)
from core.method.parameters import MethodParameters
from core.search_terms import tokenize
from core.workspace import Workspace
from sage_desktop.panels.memory.appearance import item_look, origin_text, step_words
from sage_desktop.panels.memory.item_parts import (
    Figures,
    Lessons,
    TaughtView,
    UtilityCurve,
    code_view,
    record_row,
    wrapped,
)
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.icons import icon
from sage_desktop.ui.promotions import standing_text
from sage_desktop.ui.rounds.lessons import item_link
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.typed import clear
from sage_desktop.ui.widgets.button_row import ButtonRow
from sage_desktop.ui.widgets.form import heading, muted, text_label
from sage_desktop.ui.widgets.making import drawn, drawn_tool, on_base, tool, tool_of
from sage_desktop.ui.widgets.stacking import boxed, hbox, vbox
from sage_desktop.ui.widgets.verdicts import (
    adoption_look,
    category_text,
    kind_text,
    objective_word,
    signed,
)

if TYPE_CHECKING:
    from core.memory.retrieval.retriever import Retriever


_MOST_RECORDS = 60
_MOST_REVISIONS = 12
_COMMANDS = (
    "memory.pin",
    "memory.block",
    "memory.promote",
    "memory.demote",
    "memory.edit",
    "memory.archive",
)
NEIGHBOURS = 6
_MOST_WORDS = 60  # of an item's text that make the question for its neighbours


class ItemPageView(QScrollArea):
    """One item as a page that scrolls.

    Signals:
        opened: uid of another item the person wants to see.
        compared: (uid of this item, uid of another one) to look at side by side.
        line_opened: `item_parts.Place` of a line it taught.

    Attributes:
        neighbours: The items most like the one that is shown.
    """

    opened = Signal(str)
    compared = Signal(str, str)
    line_opened = Signal(object)

    def __init__(self, actions: ActionRegistry) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Experience"))
        self._actions = actions
        self.details: Details | None = None
        self.curve = UtilityCurve()
        self._neighbour_column = QVBoxLayout()
        self.neighbours: tuple[Neighbour, ...] = ()
        self.taught = TaughtView()
        self._lessons: Lessons | None = None
        restyle_later(self, self._rebuild)

    @property
    def page(self) -> ItemPage | None:
        """What is shown."""
        return self.details.page if self.details is not None else None

    @property
    def item(self) -> MemoryItem | None:
        """The item that is shown."""
        return self.details.page.item if self.details is not None else None

    def show_details(self, details: Details | None) -> None:
        """Show an item; an unchanged one is left as it stands."""
        if details == self.details and self.widget() is not None:
            return
        before = self.item
        self.details = details
        after = self.item
        place = 0
        if before is not None and after is not None and before.uid == after.uid:
            # The same item with something new: one reads on where one was.
            place = self.verticalScrollBar().value()
            # that nothing was taught may be no longer so
            if self._lessons is not None and not self._lessons[0]:
                self._lessons = None
        else:
            self.neighbours = ()
            self._lessons = None
        self._rebuild()
        self.verticalScrollBar().setValue(place)

    def show_neighbours(self, neighbours: tuple[Neighbour, ...]) -> None:
        """Say which items are like this one."""
        self.neighbours = neighbours
        self._fill_neighbours()

    def show_taught(self, lessons: Lessons) -> None:
        """Say which lines of which kernels this item taught."""
        self._lessons = lessons
        self.taught.show_taught(lessons)

    def _rebuild(self) -> None:
        inside = on_base(QWidget())
        column = vbox(owner=inside, margins=0.9, spacing=0.45)
        if self.details is not None:
            self._fill(column, self.details)
        column.addStretch()
        focused = QApplication.focusWidget()
        has_focus = focused is not None and self.isAncestorOf(focused)
        self.setWidget(inside)
        # The button pressed is gone; Qt would give the focus to its neighbour.
        if has_focus:
            self.setFocus()

    def _fill(self, column: QVBoxLayout, details: Details) -> None:
        page = details.page
        item = page.item
        column.addLayout(self._head(item))
        if item.state in WAITING:
            column.addWidget(self._waiting_card(item))
        column.addWidget(self._buttons(item))
        column.addWidget(Figures(item))
        column.addWidget(text_label(standing_text(page), muted=True))
        if page.time_model:
            words = self.tr("Earned under time model {0}").format(page.time_model)
            column.addWidget(text_label(words, muted=True))
        if page.unproven:
            words = self.tr(
                "Rests on gains inside what the time model knows: not resident by them"
            )
            column.addWidget(text_label(words, muted=True))
        self._adopters(column, details)
        self._tags(column, details)
        self._utility(column, details)
        self._rule_and_source(column, item)
        self._taught(column)
        self._symptom_and_code(column, item)
        self._similar_items(column)
        self._records(column, page.adoptions, page.uses)
        self._history(column, page.events, item)
        self._revisions(column, page.history)

    def _tags(self, column: QVBoxLayout, details: Details) -> None:
        if details.tags:
            tags = " ".join(f"#{tag}" for tag in details.tags)
            column.addWidget(text_label(self.tr("Tags: {0}").format(tags)))

    def _utility(self, column: QVBoxLayout, details: Details) -> None:
        """The curve of its utility, and what came with it without traces."""
        self._section(column, self.tr("Utility"))
        self.curve = UtilityCurve()
        self.curve.show_credits(details.page.credits)
        column.addWidget(self.curve)
        if details.prior is not None:
            utility, retrievals = details.prior
            words = self.tr(
                "Imported with utility {0} from {1} retrievals that have no traces here."
            )
            words = words.format(signed(utility), retrievals)
            column.addWidget(text_label(words, muted=True))

    def _symptom_and_code(self, column: QVBoxLayout, item: MemoryItem) -> None:
        if item.error_message:
            self._section(column, self.tr("Symptom"))
            column.addWidget(text_label(item.error_message))
        wrong, correct = item.code_diff.wrong_code, item.code_diff.correct_code
        if wrong or correct:
            title = self.tr("Wrong and correct code")
            self._section(column, title)
            column.addWidget(code_view(wrong, correct, title))

    def _similar_items(self, column: QVBoxLayout) -> None:
        self._section(column, self.tr("Items like this one"))
        self._neighbour_column = vbox(spacing=0.2)
        column.addLayout(self._neighbour_column)
        self._fill_neighbours()

    def _waiting_card(self, item: MemoryItem) -> QWidget:
        """Why an item waits for a decision, and the two ways to decide."""
        card = QFrame()
        card.setProperty("card", "true")
        words = self.tr(
            "This item waits for your decision: it is not used until you accept it."
        )
        title = text_label(words)
        theme().letter(title, "strong")
        column = vbox(title, owner=card)
        if item.state_reason:
            column.addWidget(text_label(item.state_reason))
        row = QHBoxLayout()
        for action, key in (("memory.accept", "A"), ("memory.reject", "R")):
            button = tool_of(self._actions[action])
            row.addWidget(button)
            row.addWidget(text_label(key, muted=True))
        row.addStretch()
        column.addLayout(row)
        hint = self.tr("The keys work in the list after F7 (Review Pending Items).")
        column.addWidget(text_label(hint, muted=True))
        return card

    def _adopters(self, column: QVBoxLayout, details: Details) -> None:
        """Who adopted the item."""
        if not details.adopters:
            return
        names = []
        for name, rounds in details.adopters:
            if rounds:
                names.append(self.tr("{0} in %n round(s)", "", rounds).format(name))
            else:  # known from elsewhere: its rounds are not in this workspace
                names.append(name)
        words = self.tr("Adopted by {0}").format(", ".join(names))
        column.addWidget(text_label(words))

    def _rule_and_source(self, column: QVBoxLayout, item: MemoryItem) -> None:
        """The rule, and what it was made from.

        The summary alone while there is no rule.
        """
        resident = self.tr("Rule in hot memory")
        rule = resident if item.hot_region else self.tr("Rule")
        if item.rule_text:
            self._section(column, rule)
            column.addWidget(text_label(item.rule_text))
        if item.rule_text and item.rule_example:
            column.addWidget(code_view("", item.rule_example, rule))
        if item.summary:
            source = self.tr("Source") if item.rule_text else self.tr("Summary")
            self._section(column, source)
            column.addWidget(text_label(item.summary))

    def _taught(self, column: QVBoxLayout) -> None:
        self._section(column, self.tr("What it taught"))
        self.taught = TaughtView()
        self.taught.line_opened.connect(self.line_opened)
        column.addWidget(self.taught)
        if self._lessons is not None:
            self.taught.show_taught(self._lessons)

    def _fill_neighbours(self) -> None:
        clear(self._neighbour_column)
        if self.item is None:
            return
        for neighbour in self.neighbours:
            self._neighbour_column.addWidget(self._neighbour_row(neighbour))
        if not self.neighbours:
            words = self.tr("No similar active item.")
            self._neighbour_column.addWidget(text_label(words, muted=True))

    def _neighbour_row(self, neighbour: Neighbour) -> QWidget:
        """How like the other item is, its title, a link, a button to compare."""
        tip = self.tr("Relevance to the words of this item, from 0 to 100")
        likeness = muted(f"{neighbour.likeness:.0f}", wraps=False)
        likeness.setToolTip(tip)
        likeness.setMinimumWidth(theme().px(1.6))
        button = drawn_tool(
            lambda: self._compare(neighbour.uid),
            "review",
            self.tr("Compare with {0}").format(neighbour.uid),
            role="muted",
        )
        row = hbox(
            likeness,
            (text_label(neighbour.title), 1),
            item_link(neighbour.uid, self.opened.emit),
            button,
            margins=0,
            spacing=0.4,
        )
        return boxed(row)

    def _compare(self, other: str) -> None:
        if self.item is not None:
            self.compared.emit(self.item.uid, other)

    def _head(self, item: MemoryItem) -> QVBoxLayout:
        """State and kind in one line, the title below."""
        sign = item_look(item)
        picture = drawn(sign.icon, sign.role, 1.2)
        state = QLabel(sign.text)
        color = theme().color(sign.role).name()
        state.setStyleSheet(f"color: {color}")
        kind, category = kind_text(item.type), category_text(item.category)
        facts = text_label(f"{item.uid} · {kind} · {category}", muted=True)
        first = hbox(picture, state, (facts, 1))
        title = text_label(item.title)
        theme().letter(title, "strong", 1.2)
        return vbox(first, title, spacing=0.2)

    def _buttons(self, item: MemoryItem) -> QWidget:
        # A resident is demoted, any other item promoted.
        senseless = "memory.promote" if item.hot_region else "memory.demote"
        names = [name for name in _COMMANDS if name != senseless]
        return ButtonRow(self._actions[name] for name in names)

    def _section(self, column: QVBoxLayout, title: str) -> None:
        label = heading(title)
        label.setContentsMargins(0, theme().px(0.5), 0, 0)
        column.addWidget(label)

    def _records(
        self,
        column: QVBoxLayout,
        adoptions: tuple[AdoptionRow, ...],
        uses: tuple[UseRow, ...],
    ) -> None:
        """The last adoptions and uses of the rule, the latest first."""
        if adoptions:
            title = self.tr("Adoption records ({0})").format(len(adoptions))
            self._section(column, title)
        for record in reversed(adoptions[-_MOST_RECORDS:]):
            sign = adoption_look(record.state)
            objective = objective_word(record.objective)
            where = self.tr("{0} · {1} · round {2}")
            where = where.format(record.operator, objective, record.round)
            words = f"{where} · {sign.text}"
            column.addWidget(record_row(sign.icon, sign.role, words, record.rationale))
        if uses:
            self._section(column, self.tr("Uses of the rule ({0})").format(len(uses)))
        for use in reversed(uses[-_MOST_RECORDS:]):
            where = self.tr("{0} · round {1}").format(use.operator, use.round)
            column.addWidget(record_row("flame", "warning", where, use.rationale))

    def _history(
        self, column: QVBoxLayout, events: tuple[EventRow, ...], item: MemoryItem
    ) -> None:
        """Where the item comes from, and what happened to it, the latest first."""
        self._section(column, self.tr("Origin and history"))
        origin = self.tr("This experience was {0}").format(origin_text(item.origin))
        if item.source:
            origin = f"{origin}: {item.source}"
        column.addWidget(text_label(origin))
        for event in reversed(events):
            step = step_words(event.kind)
            if event.undone_by:
                step += self.tr(" (undone)")
            reason = f": {event.reason}" if event.reason else ""
            if event.seq == item.demoted_seq:
                reason += self.tr(" (holds until newer evidence passes the gates)")
            actor = translated(event.actor)
            line = f"{_second(event.at)} · {step} · {actor}{reason}"
            column.addWidget(text_label(line, muted=True))

    def _revisions(self, column: QVBoxLayout, history: Sequence[ContentChange]) -> None:
        """What the content was before.

        Made on demand, since comparisons take time to make.
        """
        changes = revisions(history)
        if not changes:
            return
        words = self.tr("Earlier content ({0} changes)").format(len(changes))
        place = QVBoxLayout()
        latest = changes[:_MOST_REVISIONS]
        button = tool(
            lambda: self._show_revisions(button, place, latest),
            words,
            "right-small",
            "muted",
        )
        column.addWidget(button)
        column.addLayout(place)

    def _show_revisions(
        self, button: QToolButton, place: QVBoxLayout, changes: Sequence[Revision]
    ) -> None:
        button.setEnabled(False)
        button.setIcon(icon("down-small", "muted"))
        for revision in changes:
            head = f"{_second(revision.at)} · {revision.field}"
            place.addWidget(text_label(head, muted=True))
            before, after = wrapped(revision.before), wrapped(revision.after)
            place.addWidget(code_view(before, after, head, colors=False))


def _second(at: str) -> str:
    """An ISO time to the second, as it is read."""
    return at[:19].replace("T", " ")


@dataclass(frozen=True)
class Details:
    """An item with what stands between it and others.

    Attributes:
        page: The item, its evidence and its events.
        prior: (u, n_ret) that came with it without traces, None when there is none.
        tags: Words a person gave it.
    """

    page: ItemPage
    prior: tuple[float, int] | None = None
    tags: tuple[str, ...] = ()

    @property
    def adopters(self) -> tuple[tuple[str, int], ...]:
        """Operators that adopted the item, and in how many rounds, the most first."""
        records = [
            record
            for record in self.page.adoptions
            if record.state == "adopted" and record.counted
        ]
        by_operator = Counter(record.operator for record in records)
        # Adoptions that were imported have no records here.
        without_records = dict.fromkeys(self.page.item.adopted_operators, 0)
        rounds = without_records | by_operator
        return tuple(sorted(rounds.items(), key=lambda entry: (-entry[1], entry[0])))


@dataclass(frozen=True)
class Neighbour:
    """An item like another one.

    `likeness` is the relevance s_rel in [0, 100] to the other's text.
    """

    uid: str
    title: str
    likeness: float


def read_details(db: sqlite3.Connection, uid: str) -> Details:
    """Read an item; raises NoSuchItem."""
    page = queries.item_page(db, uid)
    item = page.item.id
    tags = queries.item_tags(db, [item]).get(item, ())
    return Details(page, queries.imported_prior(db, uid), tags)


@lru_cache(maxsize=2)  # the window reads through two connections
def _retriever(workspace: Workspace) -> Retriever:
    """One a connection.

    Its index takes ten seconds to build with 100,000 items, then follows changes.
    """
    from core.memory.retrieval.retriever import Retriever

    return Retriever(workspace)


def neighbours(uid: str) -> Callable[[Workspace], tuple[Neighbour, ...]]:
    """A question for the active items most like `uid`, by their words."""

    def read(workspace: Workspace) -> tuple[Neighbour, ...]:
        item = read_items(workspace.db, [uid])[0]
        text = f"{item.title} {item.error_message} {item.summary}"
        question = " ".join(tokenize(text)[:_MOST_WORDS])
        # By relevance alone: what other items were worth says nothing of likeness.
        relevance = replace(MethodParameters(), gamma=0.0)
        other_items = ItemFilter(skip=frozenset({uid}), residents=frozenset())
        retriever = _retriever(workspace)
        hits = retriever.retrieve(question, NEIGHBOURS, relevance, other_items)
        items = read_items(workspace.db, [hit.uid for hit in hits])
        return tuple(
            Neighbour(hit.uid, other.title, hit.s_rel or 0.0)
            for hit, other in zip(hits, items, strict=True)
        )

    return read
