"""Everything about one experience: what it says, what it was worth, who used it and why."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.memory.records import ContentChange, Lifecycle, MemoryItem
from core.memory.views.rows import (
    AdoptionRow,
    EventRow,
    ItemPage,
    SinceDemotion,
    UseRow,
)
from core.method.parameters import MethodParameters
from sage_desktop.panels.memory.curating import step_words
from sage_desktop.panels.memory.curve import UtilityCurve
from sage_desktop.panels.memory.details import Details, Neighbour, Revision, revisions
from sage_desktop.panels.memory.item_parts import (
    Figures,
    code_view,
    neighbour_row,
    record_row,
    wrapped,
)
from sage_desktop.panels.memory.item_table import WAITING
from sage_desktop.panels.memory.looks import item_look, origin_text
from sage_desktop.panels.memory.taught import Lessons, TaughtView
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.typed import clear
from sage_desktop.ui.widgets.button_row import ButtonRow
from sage_desktop.ui.widgets.form import heading, text_label
from sage_desktop.ui.widgets.making import drawn, on_base, tool, tool_of
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import (
    adoption_look,
    category_text,
    kind_text,
    objective_word,
    signed,
)

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


class ItemPageView(QScrollArea):
    """One item as a page that scrolls.

    Signals:
        opened: uid of another item the person wants to see.
        compared: (uid of this item, uid of another one) to look at side by side.
        line_opened: `taught.Place` of a line it taught.
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
        self._neighbours = QVBoxLayout()
        self._found: tuple[Neighbour, ...] = ()
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
        before, after = self.item, details.page.item if details is not None else None
        same = before is not None and after is not None and before.uid == after.uid
        place = self.verticalScrollBar().value() if same else 0
        self.details = details
        self._found = self._found if same else ()
        self._lessons = self._lessons if same else None
        self._rebuild()
        self.verticalScrollBar().setValue(place)

    def show_neighbours(self, found: tuple[Neighbour, ...]) -> None:
        """Say which items are like this one."""
        self._found = found
        self._fill_neighbours()

    def show_taught(self, found: Lessons) -> None:
        """Say which lines of which kernels this item taught."""
        self._lessons = found
        self.taught.show_taught(found)

    def _rebuild(self) -> None:
        inside = on_base(QWidget())
        column = vbox(owner=inside, margins=0.9, spacing=0.45)
        if self.details is not None:
            self._fill(column, self.details)
        column.addStretch()
        self.setWidget(inside)

    def _fill(self, column: QVBoxLayout, details: Details) -> None:
        page = details.page
        item = page.item
        column.addLayout(self._head(item))
        if item.state in WAITING:
            column.addWidget(self._waiting_card(item))
        column.addWidget(self._buttons(item))
        column.addWidget(Figures(item))
        column.addWidget(text_label(self._standing(item, page.demotion), muted=True))
        self._adopters(column, details)
        if details.tags:
            tags = " ".join(f"#{tag}" for tag in details.tags)
            column.addWidget(text_label(self.tr("Tags: {0}").format(tags)))
        self._section(column, self.tr("Utility"))
        self.curve = UtilityCurve()
        self.curve.show_credits(page.credits)
        column.addWidget(self.curve)
        if details.prior is not None:
            words = self.tr(
                "Imported with utility {0} from {1} retrievals that have no traces here."
            )
            column.addWidget(
                text_label(
                    words.format(signed(details.prior[0]), details.prior[1]), muted=True
                )
            )
        self._rule_and_source(column, item)
        self._taught(column)
        if item.error_message:
            self._section(column, self.tr("Symptom"))
            column.addWidget(text_label(item.error_message))
        if item.code_diff.wrong_code or item.code_diff.correct_code:
            self._section(column, self.tr("Wrong and correct code"))
            code = item.code_diff
            column.addWidget(
                code_view(
                    code.wrong_code,
                    code.correct_code,
                    self.tr("Wrong and correct code"),
                )
            )
        self._section(column, self.tr("Items like this one"))
        self._neighbours = vbox(spacing=0.2)
        column.addLayout(self._neighbours)
        self._fill_neighbours()
        self._records(column, page.adoptions, page.uses)
        self._history(column, page.events, item)
        self._revisions(column, page.history)

    def _waiting_card(self, item: MemoryItem) -> QWidget:
        """Why an item waits for a decision, and the two ways to decide."""
        card = QFrame()
        card.setProperty("card", "true")
        title = text_label(
            self.tr(
                "This item waits for your decision: it is not used until you accept it."
            )
        )
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
        column.addWidget(
            text_label(
                self.tr(
                    "The keys work in the list after F7 (Decide on Waiting Items)."
                ),
                muted=True,
            )
        )
        return card

    def _adopters(self, column: QVBoxLayout, details: Details) -> None:
        """Who adopted the item."""
        if details.adopters:
            names = ", ".join(
                f"{name} ({count})" if count else name
                for name, count in details.adopters
            )
            column.addWidget(
                text_label(self.tr("Adopted by (rounds): {0}").format(names))
            )

    def _rule_and_source(self, column: QVBoxLayout, item: MemoryItem) -> None:
        """The rule beside what it was made from; the summary alone while there is no rule."""
        parts = []
        if item.rule_text:
            parts.append(
                (self.tr("Rule in hot memory"), item.rule_text, item.rule_example)
            )
        if item.summary:
            title = self.tr("Source") if item.rule_text else self.tr("Summary")
            parts.append((title, item.summary, ""))
        row = hbox(spacing=1.0)
        for title, text, example in parts:
            side = vbox(spacing=0.3)
            self._section(side, title)
            side.addWidget(text_label(text))
            if example:
                side.addWidget(code_view("", example, title))
            side.addStretch()
            row.addLayout(side, 1)
        column.addLayout(row)

    def _taught(self, column: QVBoxLayout) -> None:
        self._section(column, self.tr("What it taught"))
        self.taught = TaughtView()
        self.taught.line_opened.connect(self.line_opened)
        column.addWidget(self.taught)
        if self._lessons is not None:
            self.taught.show_taught(self._lessons)

    def _fill_neighbours(self) -> None:
        item = self.item
        clear(self._neighbours)
        if item is None:
            return
        for found in self._found:
            self._neighbours.addWidget(
                neighbour_row(
                    found, self.opened.emit, partial(self.compared.emit, item.uid)
                )
            )
        if not self._found:
            self._neighbours.addWidget(
                text_label(self.tr("No similar active item."), muted=True)
            )

    def _head(self, item: MemoryItem) -> QVBoxLayout:
        look = theme()
        sign = item_look(item)
        picture = drawn(sign.icon, sign.role, 1.2)
        words = QLabel(sign.text)
        words.setStyleSheet(f"color: {look.color(sign.role).name()}")
        first = hbox(
            picture,
            words,
            (
                text_label(
                    f"{item.uid} · {kind_text(item.type)} · {category_text(item.category)}",
                    muted=True,
                ),
                1,
            ),
        )
        title = text_label(item.title)
        theme().letter(title, "strong", 1.2)
        return vbox(first, title, spacing=0.2)

    def _buttons(self, item: MemoryItem) -> QWidget:
        senseless = "memory.promote" if item.hot_region else "memory.demote"
        return ButtonRow(
            self._actions[action] for action in _COMMANDS if action != senseless
        )

    def _standing(self, item: MemoryItem, demotion: SinceDemotion | None) -> str:
        """Why the item is where it is, in one sentence."""
        defaults = MethodParameters()
        if item.hot_region:
            pinned = self.tr(" It is pinned.") if item.pinned else ""
            return (
                self.tr("Resident in hot memory: its rule is part of every prompt.")
                + pinned
            )
        if item.barred:
            return self.tr(
                "Blocked from hot memory by a person; it can still be retrieved."
            )
        if demotion is not None:
            words = self.tr(
                "Demoted by a person until newer evidence passes the gates. "
                "Since then: adopted {0} of {1}, by {2} of {3} operators, utility {4}."
            )
            counts = (
                demotion.adopted,
                demotion.K_ado,
                demotion.operators,
                demotion.K_op,
            )
            return words.format(*counts, signed(demotion.u))
        if item.sigma is Lifecycle.VALIDATED:
            rule = (
                self.tr("Waiting for its rule.")
                if not item.rule_text
                else self.tr("Waiting for room in the budget.")
            )
            return self.tr("Passed the gates.") + " " + rule
        return self.tr(
            "Gates to hot memory: adopted {0} of {1}, by {2} of {3} operators, utility above zero: {4}."
        ).format(
            item.n_ado,
            defaults.K_ado,
            len(item.adopted_operators),
            defaults.K_op,
            self.tr("yes") if item.u_m > 0 else self.tr("no"),
        )

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
        if adoptions:
            self._section(
                column, self.tr("Adoption records ({0})").format(len(adoptions))
            )
        for record in reversed(adoptions[-_MOST_RECORDS:]):
            sign = adoption_look(record.state)
            objective = objective_word(record.objective)
            where = self.tr("{0} · {1} · round {2}").format(
                record.operator, objective, record.round
            )
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
        self._section(column, self.tr("Origin and history"))
        source = f": {item.source}" if item.source else ""
        column.addWidget(
            text_label(
                self.tr("This experience was {0}").format(origin_text(item.origin))
                + source
            )
        )
        for event in reversed(events):
            undone = self.tr(" (undone)") if event.undone_by else ""
            reason = f": {event.reason}" if event.reason else ""
            if event.seq == item.demoted_seq:
                reason += self.tr(" (holds until newer evidence passes the gates)")
            what, who = step_words(event.kind), translated(event.actor)
            line = f"{event.at[:19].replace('T', ' ')} · {what}{undone} · {who}{reason}"
            column.addWidget(text_label(line, muted=True))

    def _revisions(self, column: QVBoxLayout, history: Sequence[ContentChange]) -> None:
        """What the content was before; made when somebody asks, since comparisons take time to make."""
        found = revisions(history)
        if not found:
            return
        words = self.tr("Earlier content ({0} changes)").format(len(found))
        place = QVBoxLayout()
        shown = found[:_MOST_REVISIONS]
        button = tool(
            lambda: self._show_revisions(button, place, shown),
            words,
            "right-small",
            "muted",
        )
        column.addWidget(button)
        column.addLayout(place)

    def _show_revisions(
        self, button: QToolButton, place: QVBoxLayout, found: Sequence[Revision]
    ) -> None:
        button.setEnabled(False)
        button.setIcon(icon("down-small", "muted"))
        for revision in found:
            head = f"{revision.at[:19].replace('T', ' ')} · {revision.field}"
            place.addWidget(text_label(head, muted=True))
            before, after = wrapped(revision.before), wrapped(revision.after)
            place.addWidget(code_view(before, after, head, colors=False))
