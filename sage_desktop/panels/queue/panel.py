"""The list of operators: what runs, how far it is, what it gained."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QStackedWidget,
    QTableView,
    QWidget,
)

from sage_desktop.panels.queue.delegate import QueueDelegate, row_height
from sage_desktop.panels.queue.filters import QueueFilters
from sage_desktop.panels.queue.model import (
    BEST,
    CURVE,
    GAIN,
    OPERATOR,
    PROGRESS,
    QueueModel,
    counts_text,
    duration_text,
    seconds_left,
    seconds_worked,
)
from sage_desktop.panels.queue.now_card import NowCard, StopCard, Work
from sage_desktop.services.operator_facts import Key
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.eliding_label import PartsLabel
from sage_desktop.ui.widgets.filter_box import FilterBox
from sage_desktop.ui.widgets.making import named, on_base
from sage_desktop.ui.widgets.pages import DockHead
from sage_desktop.ui.widgets.stacking import boxed, hbox, stacked, vbox
from sage_desktop.ui.widgets.tables import RowTable, make_row_table
from sage_desktop.ui.widgets.verdicts import latency_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QInputDialog, QMessageBox

    from core.analysis.queries import QueueCounts, QueueRow
    from core.engine.events import EngineEvent
    from core.workspace import Workspace

_SEARCH_FROM = 12  # entries: fewer are seen at a glance
_NUMBERS_FROM = 19  # ems of width: below it the numbers stand under the name
_ROOM_FOR = {CURVE: 26, PROGRESS: 23, BEST: _NUMBERS_FROM, GAIN: _NUMBERS_FROM}
_TIME_FROM = 3  # seconds that one step takes before its time is shown
_MOST_NAMES = 8  # operators a question names
_STATES_OF = {  # command -> states of the entries it is about
    "cancel": ("queued", "running"),
    "retry": ("done", "failed", "cancelled"),
    "next": ("queued",),
}
Change = Callable[["Workspace"], None]


@dataclass(frozen=True)
class QueueContent:
    """The queue as it was read.

    Attributes:
        ids: Entries that pass batch, facet, switch and search, in working order.
        rows: Of these entries.
        counts: Over all entries.
        labels: Batches in the order of their first entries.
        keys: Source and name of every operator of the queue.
    """

    ids: tuple[int, ...]
    rows: dict[int, QueueRow]
    counts: QueueCounts
    labels: tuple[str, ...]
    keys: frozenset[Key]


class QueuePanel(QWidget):
    """Table of the queue with its commands.

    Signals:
        selected: The `QueueRow` now in front; None when nothing is selected.
        cancelled: Queue ids in working order that the engine is to cancel.
        counted: The `QueueCounts` of the whole queue.
        clicked: A person clicked one row, to see that operator.
    """

    selected = Signal(object)
    cancelled = Signal(list)
    counted = Signal(object)
    clicked = Signal()

    def __init__(self, operations: Operations, actions: ActionRegistry) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._actions = actions
        self._hide_finished = False
        self.filters = QueueFilters(operations, self)
        self.dialog: QInputDialog | None = None
        self.question: QMessageBox | None = None
        self._work = Work()
        self._announced: int | None = None  # the entry `selected` named last
        self._begun_last: int | None = None
        self._to_reveal = 0  # an entry to select once it is listed; 0 for none
        self.unfinished = 0  # entries that wait or run
        # Operators, and items, of which a person is asked.
        self._asked: frozenset[str] = frozenset()
        self._stop_reason = ""  # why the last run ended before its queue did
        # Keep showing the operator begun last until the user picks another.
        self._follow = True
        self.model = QueueModel(self)
        self.table = self._make_table()
        self._empty = EmptyState(
            "queue",
            self.tr("The queue is empty"),
            self.tr("Add operators of the catalogue, or describe one of your own."),
            actions["queue.add"],
            actions["queue.custom"],
        )
        self.summary = PartsLabel(muted=True)
        self._lay_out()
        self._clock = QTimer(self, interval=1000)
        self._clock.timeout.connect(self._tick)
        self._bind()
        theme().changed.connect(self._restyle)
        self._restyle()

    def _make_table(self) -> RowTable:
        table = named(RowTable(), self.tr("Queue of operators"))
        table.setModel(self.model)
        self._delegate = QueueDelegate(self.model, table)
        table.setItemDelegate(self._delegate)
        table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        make_row_table(table, OPERATOR)
        table.setDragDropMode(QTableView.DragDropMode.InternalMove)
        table.setDragDropOverwriteMode(False)
        table.setDropIndicatorShown(True)
        self.model.dragged.connect(self._dragged)
        self._actions.serve_context_menu(table, "queue")
        table.clicked.connect(self._tell_click)
        table.activated.connect(lambda _index: self.clicked.emit())
        table.selectionModel().currentRowChanged.connect(self._picked)
        table.selectionModel().selectionChanged.connect(
            lambda *_: self._update_actions()
        )
        return table

    def _lay_out(self) -> None:
        self.head = DockHead(self.tr("Queue"))
        self.head.row.addWidget(self.summary, 1)
        self.filters.changed.connect(self.refresh)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)
        self.now = NowCard()
        self.search = FilterBox(self.tr("Search the queue"))
        self.search.changed.connect(self.refresh)
        lists = hbox(self.filters.batch, (self.filters.facet, 1), spacing=0.3)
        self.search_row = boxed(vbox(self.search, lists, margins=0, spacing=0.3))
        self.search_row.hide()
        self.stop = StopCard(self._actions["queue.run"], self._actions["queue.setup"])
        # The cards come and go below the list: its rows stay where they are pointed at.
        cards = vbox(self.stop, self.now, margins=(0.4, 0.2), spacing=0.2)
        search_row = vbox(self.search_row, margins=(0.4, 0), spacing=0)
        stacked(self, self.head, search_row, self._stack, cards, grows=2)

    def _bind(self) -> None:
        for command in _STATES_OF:
            self._actions.bind(f"queue.{command}", partial(self._command, command))
        self._actions.bind("queue.label", self._ask_label)
        self._actions.bind_switch(
            "queue.hide_finished", self._set_hide_finished, checked=False
        )
        self._update_actions()

    def _restyle(self) -> None:
        look = theme()
        self.table.verticalHeader().setDefaultSectionSize(row_height())
        header = self.table.horizontalHeader()
        for column, ems in ((PROGRESS, 4.3), (BEST, 5.0), (GAIN, 3.8), (CURVE, 5.6)):
            header.resizeSection(column, look.px(ems))
        header.setMinimumSectionSize(look.px(3))
        self.table.setMinimumWidth(look.px(10))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Where there is little room the name matters more than the numbers."""
        room = self.width() / theme().em
        for column, least in _ROOM_FOR.items():
            self.table.setColumnHidden(column, room < least)
        self._delegate.compact = room < _NUMBERS_FROM
        self.table.horizontalHeader().setVisible(not self._delegate.compact)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def refresh(self) -> None:
        """Read the queue again."""
        hide, narrow = self._hide_finished, self.filters.passing()
        words = self.search.text().lower().split()

        def read(connection: sqlite3.Connection) -> QueueContent:
            from core.analysis import queries

            ids = queries.queue_ids(connection, hide_finished=hide)
            counts = queries.queue_counts(connection)
            rows = queries.queue_rows(connection, ids)
            every_label = [row.label for row in rows.values()]
            labels = tuple(dict.fromkeys(filter(None, every_label)))
            keys = frozenset((row.source, row.operator) for row in rows.values())
            passing = narrow(ids, rows, labels)
            listed = tuple(entry for entry in passing if _matches(rows[entry], words))
            listed_rows = {entry: rows[entry] for entry in listed}
            return QueueContent(listed, listed_rows, counts, labels, keys)

        self._operations.query(self, read, self._show, topic="queue")

    def _show(self, content: QueueContent) -> None:
        """Show the queue as read: rows, totals, and which entry is in front."""
        self.filters.offer(content.labels, content.keys)
        ids, rows, counts = content.ids, content.rows, content.counts
        self._show_search(len(ids), counts.total)
        self.model.set_rows(ids, rows)
        self._stack.setCurrentIndex(0 if ids else 1)
        if counts.total and not ids:
            self._empty.say(
                self.tr("Nothing to show"),
                self.tr("Finished or other operators are hidden."),
            )
        self.unfinished = counts.unfinished
        self._show_stop()
        words = counts_text(counts)
        rest = duration_text(_seconds_to_do(rows.values(), counts.unfinished))
        if rest:
            words = self.tr("{0} · about {1} left").format(words, rest)
        self.summary.set_text(words)
        # Only times of operators in work change by themselves.
        is_running = any(row.state == "running" for row in rows.values())
        if is_running and not self._clock.isActive():
            self._clock.start()
        elif not is_running:
            self._clock.stop()
        self._choose_front(ids, rows)
        self._update_actions()
        self._show_now()
        self.counted.emit(counts)

    def _choose_front(self, ids: Sequence[int], rows: Mapping[int, QueueRow]) -> None:
        """Select an entry after the queue was read.

        The one to reveal comes first, then the one begun last where that is followed,
        then the first where none is selected.
        """
        current = self.current_id()
        started = [row for row in rows.values() if row.started_at]
        latest_start = max(started, key=_start_order, default=None)
        self._begun_last = latest_start.id if latest_start is not None else None
        if self._to_reveal in ids:
            self.reveal(self._to_reveal)
        elif self._follow and latest_start is not None and latest_start.id != current:
            # The commands of an open menu are about what it was opened on.
            if QApplication.activePopupWidget() is None:
                self.select(latest_start.id)
        elif current is None and ids:
            self.select(ids[0])
        elif current != self._announced:
            self._announce()

    def _show_search(self, matches: int, total: int) -> None:
        """Show search and filters over a long queue, and while they narrow one."""
        searches = bool(self.search.text())
        narrows = searches or self.filters.narrows()
        self.search_row.setVisible(total >= _SEARCH_FROM or narrows)
        self.search.set_count(matches if searches else None)

    def take_event(self, event: EngineEvent) -> None:
        """What the engine does at this moment."""
        if self._work.take(event):
            self._stop_reason = ""
            self._show_now()

    def show_asked(self, subjects: Collection[str]) -> None:
        """Say of these operators that they wait for a person's reply."""
        self._asked = frozenset(subjects)
        self._show_now()

    def show_stop(self, reason: str) -> None:
        """Say why the run stands still, as long as something waits and nothing runs."""
        self._stop_reason = reason
        self._show_stop()

    def _show_stop(self) -> None:
        self.stop.show_reason(self._stop_reason if self.unfinished else "")

    def _tick(self) -> None:
        self.model.tick()
        self._show_now()

    def _show_now(self) -> None:
        """The operator in front where it is in work, else the one begun last."""
        entries = self._work.entries
        if not entries:
            self.now.hide()
            return
        current = self.current_id()
        entry = current if current in entries else next(reversed(entries))
        now = entries[entry]
        if now.operator in self._asked:
            now = replace(now, note=self.tr("Waiting for your reply"))
        spent = rest = ""
        budget = 0
        row = self.model.row(entry)
        if row is not None:  # a row that is filtered out is not read
            moment = datetime.now(UTC)
            spent = duration_text(seconds_worked(row, moment))
            rest = duration_text(seconds_left(row, moment))
            budget = row.budget
        seconds = 0.0
        if now.doing_since:
            seconds = self._work.clock() - now.doing_since
        step_time = duration_text(seconds) if seconds >= _TIME_FROM else ""
        more = len(entries) - 1
        self.now.show_work(now, more, budget, spent, rest, step_time)

    def current_id(self) -> int | None:
        """Queue id in front, None when nothing is selected."""
        index = self.table.currentIndex()
        return self.model.listed[index.row()] if index.isValid() else None

    def current_row(self) -> QueueRow | None:
        """The row in front."""
        current = self.current_id()
        return None if current is None else self.model.row(current)

    def select(self, entry: int) -> None:
        """Bring queue id `entry` to the front."""
        place = self.model.place(entry)
        if place is None:
            return
        flags = (
            QItemSelectionModel.SelectionFlag.ClearAndSelect
            | QItemSelectionModel.SelectionFlag.Rows
        )
        # Selecting acts as if the user had picked the row, which may end following.
        follow = self._follow
        self.table.selectionModel().setCurrentIndex(self.model.index(place, 0), flags)
        self._follow = follow

    def reveal(self, entry: int) -> None:
        """Bring queue id `entry` to the front, listed at present or not.

        One that is filtered out comes once the queue is read again without filters.
        """
        if self.model.place(entry) is not None:
            self._to_reveal = 0
            self.select(entry)
            self._follow = self._is_followed(self.current_row())
            return
        self._to_reveal = entry
        self.filters.clear()
        self.search.clear()
        self._actions["queue.hide_finished"].setChecked(False)
        self.refresh()

    def hold(self) -> None:
        """Keep the operator in front there until the user picks the one begun last again."""
        self._follow = False

    def _picked(self) -> None:
        self._follow = self._is_followed(self.current_row())
        self._announce()

    def _is_followed(self, row: QueueRow | None) -> bool:
        """Whether operators that begin later come to the front by themselves after `row` was picked.

        They do after the running one begun last: its user watches the run. A user who
        picks any other row wants to see that one.
        """
        if row is None or row.state != "running":
            return False
        return row.id == self._begun_last

    def _announce(self) -> None:
        row = self.current_row()
        self._announced = row.id if row is not None else None
        self._show_now()
        self.selected.emit(row)

    def selected_operators(self) -> list[str]:
        """The selected operators that have a correct kernel."""
        rows = self._selected_rows()
        return [row.operator for row in rows if row.t_best is not None]

    def finished_operators(self, since: str) -> list[str]:
        """Operators with a correct kernel whose work ended at or after an ISO time."""
        return [
            row.operator
            for row in self.model.rows()
            if row.t_best is not None and row.finished_at and row.finished_at >= since
        ]

    def failed(self) -> list[int]:
        """Queue ids of the listed operators that failed."""
        return [row.id for row in self.model.rows() if row.state == "failed"]

    def retry(self, ids: Sequence[int], then: Callable[[], None]) -> None:
        """Queue ended operators again, and do something when they wait."""
        self._operations.write(
            self, _retry(ids), lambda _none: then(), topics=frozenset({"queue"})
        )

    def _tell_click(self) -> None:
        """Clicks that add to the selection are about several operators."""
        if QApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
            self._follow = self._is_followed(self.current_row())
            self.clicked.emit()

    def _selected_rows(self) -> list[QueueRow]:
        ids = [self.model.listed[number] for number in self.table.chosen_rows()]
        rows = [self.model.row(entry) for entry in ids]
        return [row for row in rows if row is not None]

    def _update_actions(self) -> None:
        rows = self._selected_rows()
        writable = self._operations.can_write
        states = {row.state for row in rows}
        enabled = {
            f"queue.{command}": writable and not states.isdisjoint(fitting)
            for command, fitting in _STATES_OF.items()
        }
        enabled["queue.label"] = writable and bool(rows)
        enabled["queue.use"] = any(row.t_best is not None for row in rows)
        self._actions.enable(enabled)

    def _command(self, command: str) -> None:
        selected = self._selected_rows()
        rows = [row for row in selected if row.state in _STATES_OF[command]]
        if rows and command == "cancel":
            self._ask_cancel(rows)
        elif command == "retry" and any(map(_has_finished_kernel, rows)):
            self._ask_retry(rows)
        elif rows:
            ids = [row.id for row in rows]
            self._write(_retry(ids) if command == "retry" else _run_next(ids))

    def _ask_retry(self, rows: list[QueueRow]) -> None:
        """A retry starts from the beginning: name the kernels that Review no longer opens."""
        from sage_desktop.ui.messages.confirm import confirm

        words = self.tr("Retry {0} Operators").format(len(rows))
        if len(rows) == 1:
            words = self.tr("Retry {0}").format(rows[0].operator)
        kernels = [
            self.tr("{0}: {1} in round {2}").format(
                row.operator, latency_text(row.t_best), row.best_round
            )
            for row in rows
            if _has_finished_kernel(row)
        ]
        more = ["…"] if len(kernels) > _MOST_NAMES else []
        lines = "\n".join([*kernels[:_MOST_NAMES], *more])
        hint = self.tr(
            "A new run begins. Until it has a kernel, Review does not show the finished one; from then on "
            "its best kernel is there to compare with. Use This Kernel and export write the new run's. "
            "Results and memory keep what they have."
        )
        ids = [row.id for row in rows]
        retry = (words, lambda: self._write(_retry(ids)))
        keep = (self.tr("Keep"), lambda: None)
        self.question = confirm(self, f"{words}?", f"{lines}\n\n{hint}", retry, keep)

    def _ask_cancel(self, rows: list[QueueRow]) -> None:
        from sage_desktop.ui.messages.confirm import confirm

        words = self.tr("Cancel {0} Operators").format(len(rows))
        if len(rows) == 1:
            words = self.tr("Cancel {0}").format(rows[0].operator)
        hint = self.tr(
            "It cannot be resumed. What it has learned is kept; the unfinished part earns no credit. "
            "Stop Run interrupts without ending anything."
        )
        if len(rows) > 1:
            names = ", ".join(row.operator for row in rows[:_MOST_NAMES])
            more = ", …" if len(rows) > _MOST_NAMES else ""
            hint = f"{names}{more}\n\n{hint}"
        ids = [row.id for row in rows]
        cancel = (words, lambda: self.cancelled.emit(ids))
        keep = (self.tr("Keep"), lambda: None)
        self.question = confirm(self, f"{words}?", hint, cancel, keep, "cancelled")

    def _dragged(self, ids: list[int], before: int | None) -> None:
        if self._operations.can_write:
            from core.engine import queue

            self._write(lambda workspace: queue.move(workspace, ids, before))

    def _ask_label(self) -> None:
        from PySide6.QtWidgets import QInputDialog

        from core.engine import queue

        rows = self._selected_rows()
        ids = [row.id for row in rows]

        def set_label(label: str) -> None:
            self._write(lambda workspace: queue.set_label(workspace, ids, label))

        question = self.tr(
            "Name of the batch of %n operator(s); empty for none", "", len(rows)
        )
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Label"))
        dialog.setLabelText(question)
        dialog.setTextValue(rows[0].label if rows else "")
        dialog.textValueSelected.connect(set_label)
        self.dialog = dialog
        dialog.open()

    def _write(self, change: Change) -> None:
        self._operations.write(self, change, topics=frozenset({"queue"}))

    def _set_hide_finished(self, on: bool) -> None:
        self._hide_finished = on
        self.refresh()


def _matches(row: QueueRow, words: Collection[str]) -> bool:
    """Whether every word is in the operator, its batch, its source or its state."""
    text = f"{row.operator} {row.label} {row.source} {row.state}".lower()
    return all(word in text for word in words)


def _start_order(row: QueueRow) -> tuple[bool, str]:
    """Running ones last, each by its start: the last of all is the one begun last."""
    return row.state == "running", row.started_at


def _seconds_to_do(rows: Collection[QueueRow], unfinished: int) -> float | None:
    """Seconds the unfinished entries take together, if each takes as long as the finished ones on average.

    None where none is finished, unfinished or running.
    """
    now = datetime.now(UTC)
    finished = [row for row in rows if row.state == "done" and row.finished_at]
    every_duration = [seconds_worked(row, now) for row in finished]
    durations = [seconds for seconds in every_duration if seconds]
    is_running = any(row.state == "running" for row in rows)
    if not (durations and unfinished and is_running):
        return None
    average = sum(durations) / len(durations)
    return average * unfinished


def _has_finished_kernel(row: QueueRow) -> bool:
    """Whether a retry would begin another run beside one that has a correct kernel."""
    return row.t_best is not None and bool(row.finished_at)


def _retry(ids: Sequence[int]) -> Change:
    from core.engine import queue

    def change(workspace: Workspace) -> None:
        for entry in ids:
            queue.retry(workspace, entry)

    return change


def _run_next(ids: Sequence[int]) -> Change:
    """Put entries in front of all that wait, in the order they have."""
    from core.engine import queue

    def change(workspace: Workspace) -> None:
        for entry in reversed(ids):
            queue.run_next(workspace, entry)

    return change
