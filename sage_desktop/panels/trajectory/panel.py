"""The rounds of an operator as a time line, and every word that passed between SAGE and the generator."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHeaderView,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.analysis import queries
from core.analysis.inquiries import BY_MODEL, BY_USER, Inquiry, LookUp
from core.analysis.model_calls import ModelCall
from core.analysis.queries import QueueRow, RoundAdoption, RoundRow
from core.models.pieces import Piece
from sage_desktop.panels.trajectory.live import LiveTurns
from sage_desktop.panels.trajectory.model import (
    RoundEntry,
    Story,
    read_call,
    read_diagnostic,
    read_story,
)
from sage_desktop.panels.trajectory.texts import CallTexts
from sage_desktop.ui.icons import icon
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.ask_bar import AskBar, Subject
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.making import named, on_base
from sage_desktop.ui.widgets.pages import LazyPage, PageHead
from sage_desktop.ui.widgets.stacking import split, stacked
from sage_desktop.ui.widgets.verdicts import (
    adoption_look,
    edited_text,
    latency_text,
    objective_text,
    origin_text,
    purpose_text,
    round_look,
    unproven_text,
)
from sage_desktop.ui.widgets.writing import RIGHT

_T = TypeVar("_T")
_STEP = (
    Qt.ItemDataRole.UserRole
)  # what a row stands for: round, adoption, call, diagnostic or look-up
_ICONS = {
    "diagnose": "search",
    "correction": "warning",
    "abstract": "flame",
    "distil": "memory",
}


class TrajectoryPanel(LazyPage):
    """Time line at the left, the texts of the selected call at the right.

    Signals:
        item_opened: uid of a memory item the user wants to see.
        round_opened: Number of a round whose kernel the user wants to see.
    """

    item_opened = Signal(str)
    round_opened = Signal(int)

    def __init__(self, operations: Operations, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        on_base(self)
        self._operations = operations
        self._story: Story | None = None
        self._shown_call = 0
        self._entry = 0  # of the queue
        self._turns = LiveTurns()
        self.head = PageHead()
        self.name = self.head.name
        self.facts = ElidingLabel(muted=True)
        self.bar = AskBar()
        self.bar.setMaximumWidth(theme().px(26))
        self.tree = self._make_tree()
        self.texts = CallTexts()
        self.reply = self.texts.reply
        self.prompt = self.texts.prompt
        self.reasoning = self.texts.reasoning
        self._lay_out()

    def _make_tree(self) -> QTreeWidget:
        tree = named(QTreeWidget(columnCount=3), self.tr("Timeline of the rounds"))
        tree.setHeaderLabels([self.tr("Step"), self.tr("Outcome"), self.tr("Time")])
        tree.setUniformRowHeights(True)
        tree.setIndentation(theme().px(1.2))
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        tree.currentItemChanged.connect(self._picked)
        tree.itemActivated.connect(self._activated)
        return tree

    def _lay_out(self) -> None:
        self.head.state.addWidget(self.facts, 1)
        self.head.state.addWidget(self.bar)
        halves = split(Qt.Orientation.Horizontal, self.tree, self.texts, sizes=(36, 44))
        full = stacked(QWidget(), self.head, halves)
        empty = EmptyState(
            "trajectory",
            self.tr("No rounds yet"),
            self.tr("Select an operator that has started."),
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(full)

    def show_operator(self, row: QueueRow | None) -> None:
        """Bring an operator to the front."""
        self._entry = row.id if row is not None else 0
        before = self._story.queue.trajectory_uid if self._story is not None else ""
        if before and (row is None or row.trajectory_uid != before):
            self._leave()
        if row is None or not row.trajectory_uid:
            self._story = None
            self._stack.setCurrentIndex(0)
            return
        self._operations.query(
            self, lambda db: read_story(db, row), self._show, topic="story"
        )

    def _leave(self) -> None:
        """Another operator comes to the front: nothing of the one before stays under its name."""
        self._shown_call = 0
        self.tree.clear()
        self.facts.set_text("")
        self.texts.show_text("")

    def refresh(self) -> None:
        """Read again what happened to the operator in front."""
        entry = self._entry

        def show(rows: dict[int, QueueRow]) -> None:
            # Another operator may have been brought to the front meanwhile.
            if entry in rows and entry == self._entry:
                self.show_operator(rows[entry])

        self._operations.query(
            self, lambda db: queries.queue_rows(db, [entry]), show, topic="entry"
        )

    def _show(self, story: Story) -> None:
        before, self._story = self._story, story
        uid = story.queue.trajectory_uid
        same = before is not None and before.queue.trajectory_uid == uid
        follows = same and self.texts.following
        self._show_turn(story, again=not same)
        self._stack.setCurrentIndex(1)
        self.name.setText(story.queue.operator)
        self.facts.set_text(self._facts(story))
        if before is not None and before.time_line == story.time_line:
            return
        # A user who followed the reply as it was written sees the call it became.
        call_id = self._shown_call if same and not follows else 0
        self._fill_tree(story)
        self._select(call_id)

    def _fill_tree(self, story: Story) -> None:
        """List the rounds with their steps, and what was learnt in the end."""
        self.tree.clear()
        unproven = story.unproven
        for entry in story.rounds:
            is_unproven = entry.row.round in unproven
            item = self._round_item(entry, story.queue, unproven=is_unproven)
            self.tree.addTopLevelItem(item)
        if story.learning:
            top = QTreeWidgetItem([self.tr("What was learnt"), "", ""])
            top.setIcon(0, icon("memory", "accent"))
            for call in story.learning:
                top.addChild(self._call_item(call))
            self.tree.addTopLevelItem(top)
        self.tree.expandToDepth(0)

    def _show_turn(self, story: Story, *, again: bool) -> None:
        """The reply in the making of the operator in front, or none."""
        uid = story.queue.trajectory_uid
        working = story.queue.state == "running"
        self._turns.forget_stored(uid, story.calls, working=working)
        turn = self._turns.of(uid)
        if turn is None:
            self.texts.end_stream()
        elif again:
            (purpose, round_number, _attempt), pieces = turn
            self.texts.begin_stream(purpose, round_number, pieces)

    def _facts(self, story: Story) -> str:
        """Model, calls, tokens and cost of a trajectory, and who evaluates."""
        queue = story.queue
        parts = [
            translated(queue.provider),
            self.tr("model calls: {0}").format(len(story.calls)),
        ]
        if story.tokens is not None:
            # what it needs, the first window does not
            from sage_desktop.services.models.profiles import cost_of

            prompt_tokens, completion_tokens = story.tokens
            words = self.tr("{0:,} tokens in, {1:,} out")
            parts.append(words.format(prompt_tokens, completion_tokens))
            cost = cost_of(
                self._preferences,
                queue.provider,
                prompt_tokens,
                story.cached,
                completion_tokens,
            )
            if cost is not None:
                words = self.tr("cost {0:.4f} by the prices of the model")
                parts.append(words.format(cost))
        parts += [translated(queue.evaluator), translated(queue.reason)]
        return " · ".join(part for part in parts if part)

    def _round_item(
        self, entry: RoundEntry, queue: QueueRow, *, unproven: bool
    ) -> QTreeWidgetItem:
        """A round with its outcome; its steps are below it."""
        row = entry.row
        look = round_look(row.verdict, row.candidate, queue.state)
        name = self.tr("Round {0} · {1}")
        title = name.format(row.round, objective_text(row.objective))
        outcome = self._outcome(row, queue, unproven=unproven)
        item = QTreeWidgetItem([title, outcome, ""])
        # Only the weight is set, so that the size follows the text.
        strong = QFont()
        strong.setWeight(QFont.Weight.DemiBold)
        item.setFont(0, strong)
        item.setData(0, _STEP, row)
        item.setToolTip(0, self.tr("Double-click or Enter: open its kernel in Review"))
        item.setIcon(1, icon(look.icon, look.role))
        item.setToolTip(1, translated(row.cause))
        item.addChildren(self._steps(entry))
        return item

    def _outcome(self, row: RoundRow, queue: QueueRow, *, unproven: bool) -> str:
        """Verdict, latency and what else is worth knowing of a round."""
        parts = [round_look(row.verdict, row.candidate, queue.state).text]
        # A round that was not judged, of an operator that stopped: why it did.
        if not row.verdict and queue.state != "running" and queue.reason:
            parts.append(translated(queue.reason))
        if row.latency_us is not None:
            latency = latency_text(row.latency_us)
            parts.append(f"{latency} {origin_text(row.latency_origin)}")
        if unproven:
            parts.append(unproven_text())
        if row.author == "person":
            parts.append(edited_text())
        return " · ".join(parts)

    def _steps(self, entry: RoundEntry) -> list[QTreeWidgetItem]:
        """What happened in a round, in this order; what the user ran stands last."""
        diagnoses = [call for call in entry.calls if call.purpose == "diagnose"]
        steps = [self._call_item(call) for call in diagnoses]
        if entry.retrieved:
            steps.append(self._retrieval_item(entry))
        steps += [self._step_item(step) for step in entry.exchange]
        by_user = [row for row in entry.diagnostics if row.by == BY_USER]
        steps += [self._diagnostic_item(row) for row in by_user]
        return steps

    def _retrieval_item(self, entry: RoundEntry) -> QTreeWidgetItem:
        """What was retrieved, adopted items first; folded at first."""
        words = self.tr("{0} retrieved, {1} adopted")
        words = words.format(len(entry.retrieved), entry.adopted)
        item = QTreeWidgetItem([self.tr("Retrieval"), words, ""])
        item.setIcon(0, icon("memory", "muted"))
        adopted_first = sorted(
            entry.retrieved, key=lambda record: (record.state != "adopted", record.rank)
        )
        for record in adopted_first:
            look = adoption_look(record.state)
            child = QTreeWidgetItem([record.uid, record.title, ""])
            child.setIcon(0, icon(look.icon, look.role))
            child.setToolTip(1, f"{look.text}\n{record.title}\n{record.rationale}")
            child.setData(0, _STEP, record)
            item.addChild(child)
        return item

    def _step_item(self, step: ModelCall | Inquiry | LookUp) -> QTreeWidgetItem:
        if isinstance(step, ModelCall):
            return self._call_item(step)
        if isinstance(step, LookUp):
            return self._look_up_item(step)
        return self._diagnostic_item(step)

    def _look_up_item(self, row: LookUp) -> QTreeWidgetItem:
        words = ", ".join(row.queries)
        item = QTreeWidgetItem([self.tr("Look-up"), words, ""])
        item.setIcon(0, icon("search", "muted"))
        item.setToolTip(1, words)
        item.setData(0, _STEP, row)
        return item

    def _diagnostic_item(self, row: Inquiry) -> QTreeWidgetItem:
        words = self.tr("You ran {0}")
        if row.by == BY_MODEL:
            words = self.tr("Diagnostic {0}")
        title = words.format(row.tool)
        summary = translated(row.summary)
        item = QTreeWidgetItem([title, summary, _seconds(row.seconds)])
        drawing = icon("search", "info") if row.ok else icon("warning", "warning")
        item.setIcon(0, drawing)
        item.setToolTip(1, f"{row.case}\n{summary}".strip())
        item.setTextAlignment(2, RIGHT)
        item.setData(0, _STEP, row)
        return item

    def _call_item(self, call: ModelCall) -> QTreeWidgetItem:
        outcome = ""
        if call.prompt_tokens is not None:
            words = self.tr("{0:,} → {1:,} tokens")
            outcome = words.format(call.prompt_tokens, call.completion_tokens or 0)
        elif call.round == 0:
            outcome = call.subject
        purpose = purpose_text(call.purpose)
        item = QTreeWidgetItem([purpose, outcome, _seconds(call.seconds)])
        item.setIcon(0, icon(_ICONS.get(call.purpose, "edit"), "muted"))
        item.setTextAlignment(2, RIGHT)
        item.setData(0, _STEP, call)
        return item

    def _select(self, call_id: int) -> None:
        """Select the call shown before, otherwise the last one."""
        calls = self._call_items()
        item = calls.get(call_id)
        if item is None and calls:
            item = list(calls.values())[-1]
        if item is not None:
            self.tree.setCurrentItem(item)

    def _call_items(self) -> dict[int, QTreeWidgetItem]:
        """The items of model calls by the id of the call, in the order of the tree."""
        items = {}
        for number in range(self.tree.topLevelItemCount()):
            top = present(self.tree.topLevelItem(number))
            for place in range(top.childCount()):
                item = present(top.child(place))
                step = item.data(0, _STEP)
                if isinstance(step, ModelCall):
                    items[step.id] = item
        return items

    def _picked(self, item: QTreeWidgetItem | None) -> None:
        step = item.data(0, _STEP) if item is not None else None
        match step:
            case Inquiry():
                self._shown_call = 0
                self._read(lambda db: read_diagnostic(db, step), self.texts.show_text)
            case LookUp():
                self._shown_call = 0
                self._read(
                    lambda db: queries.blob_text(db, step.answer), self.texts.show_text
                )
            case RoundAdoption():
                self._shown_call = 0
                state = adoption_look(step.state).text
                parts = (f"{step.uid}  {step.title}", state, step.rationale)
                self.texts.show_text("\n\n".join(parts))
            case ModelCall() if step.id != self._shown_call:
                self._shown_call = step.id
                self._read(
                    lambda db: read_call(db, step),
                    lambda text: self.texts.show_call(text, step),
                )

    def _read(
        self, read: Callable[[sqlite3.Connection], _T], show: Callable[[_T], object]
    ) -> None:
        """Show a text when it has been read, unless another operator is in front by then."""
        entry = self._entry

        def arrived(text: _T) -> None:
            if entry == self._entry:
                show(text)

        self._operations.query(self, read, arrived, topic="call")

    def _activated(self, item: QTreeWidgetItem) -> None:
        step = item.data(0, _STEP)
        if isinstance(step, RoundAdoption):
            self.item_opened.emit(step.uid)
        elif isinstance(step, RoundRow) and step.candidate:
            self.round_opened.emit(step.round)

    @property
    def subject(self) -> Subject | None:
        """The kernel of the round selected, the last one when none is, for a diagnostic to look into."""
        if self._story is None:
            return None
        rows = [entry.row for entry in self._story.rounds if entry.row.candidate]
        if not rows:
            return None
        selected = self._selected_round()
        row = selected if selected in rows else rows[-1]
        queue = self._story.queue
        return Subject(queue.operator, queue.source, row.candidate, row.round, queue.id)

    def _selected_round(self) -> RoundRow | None:
        """The round selected, or that of the step selected."""
        item = self.tree.currentItem()
        while item is not None and item.parent() is not None:
            item = item.parent()
        row: RoundRow | None = item.data(0, _STEP) if item is not None else None
        return row

    def stream(
        self,
        trajectory: str,
        purpose: str,
        round_number: int,
        *pieces: Piece,
        attempt: int = 0,
    ) -> None:
        """Pieces of a reply came; shown when it belongs to the operator in front."""
        begins = self._turns.add(trajectory, (purpose, round_number, attempt), pieces)
        if self._story is None or self._story.queue.trajectory_uid != trajectory:
            return
        if begins:
            self.texts.begin_stream(purpose, round_number, pieces)
        else:
            self.texts.live.add(pieces)


def _seconds(seconds: float) -> str:
    """How long a step took; empty for a reply that is played back."""
    return f"{seconds:.1f} s" if seconds >= 0.05 else ""
