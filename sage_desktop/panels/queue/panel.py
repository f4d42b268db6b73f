"""The list of operators: what runs, how far it is, what it gained."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QInputDialog,
    QLabel,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.engine import queries
from core.engine.queries import QueueRow
from sage_desktop.panels.queue.delegate import QueueDelegate, row_height
from sage_desktop.panels.queue.model import (
    BEST,
    CURVE,
    GAIN,
    OPERATOR,
    PROGRESS,
    QueueModel,
    duration_text,
    seconds_worked,
)
from sage_desktop.services.operator_facts import FACETS, NOTHING, Facts, Key, facts_of
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.dock_head import DockHead
from sage_desktop.ui.widgets.empty_state import EmptyState
from sage_desktop.ui.widgets.row_table import RowTable
from sage_desktop.ui.widgets.rows import make_row_table

COMMANDS = ("cancel", "retry", "next", "up", "down")


@dataclass(frozen=True)
class Shown:
    """What was read: entries that pass batch, facet and switch; counts over all; labels as they appear.

    `keys` are source and name of every operator of the queue.
    """

    ids: tuple[int, ...]
    rows: dict[int, QueueRow]
    finished: int
    total: int
    labels: tuple[str, ...]
    keys: frozenset[Key]


class QueuePanel(QWidget):
    """Table of the queue with its commands.

    Signals:
        selected: The `QueueRow` now in front; None when nothing is selected.
        commanded: (command of `COMMANDS`, queue ids in working order).
        counted: (finished entries, all entries).
        moved: (queue ids in working order, id before which they go, None for the end).
        labelled: (queue ids, label of their batch).
    """

    moved = Signal(list, object)
    labelled = Signal(list, str)
    selected = Signal(object)
    commanded = Signal(str, list)
    counted = Signal(int, int)

    def __init__(
        self, operations: Operations, actions: ActionRegistry, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("pane", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._operations = operations
        self._actions = actions
        self._hide_finished = False
        self._facts: dict[Key, Facts] = {}
        self._keys: frozenset[Key] = frozenset()
        self._asked: set[Key] = set()
        self.dialog: QInputDialog | None = None
        self._announced: int | None = None  # the entry `selected` named last
        self._follow = True  # keep showing the operator begun last until the user picks another
        self.model = QueueModel(self)
        self.table = self._make_table()
        self._empty = EmptyState(
            "queue",
            self.tr("The queue is empty"),
            self.tr("Queue → Add Operators (Ctrl+N) chooses some of the catalogue."),
        )
        self._summary = QLabel()
        self._summary.setProperty("muted", "true")
        self._lay_out()
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self.model.tick)
        self._bind()
        theme().changed.connect(self._restyle)
        self._restyle()

    def _make_table(self) -> QTableView:
        table = RowTable()
        table.setModel(self.model)
        table.setItemDelegate(QueueDelegate(self.model, table))
        table.setAccessibleName(self.tr("Queue of operators"))
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        make_row_table(table, OPERATOR)
        table.setDragDropMode(QTableView.DragDropMode.InternalMove)
        table.setDragDropOverwriteMode(False)
        table.setDropIndicatorShown(True)
        self.model.dragged.connect(self._dragged)
        table.customContextMenuRequested.connect(self._context_menu)
        table.selectionModel().currentRowChanged.connect(self._picked)
        table.selectionModel().selectionChanged.connect(lambda *_: self._update_actions())
        return table

    def _lay_out(self) -> None:
        self.head = DockHead(self.tr("Queue"))
        bar = self.head.row
        self.batch = ComboBox()
        self.batch.setAccessibleName(self.tr("Batch"))
        self.batch.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.batch.activated.connect(self.refresh)
        self.batch.hide()
        bar.addWidget(self.batch)
        self.facet = ComboBox()
        self.facet.setAccessibleName(self.tr("Operators shown"))
        self.facet.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.facet.activated.connect(self.refresh)
        self.facet.hide()
        bar.addWidget(self.facet)
        bar.addStretch()
        bar.addWidget(self._summary)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self._stack, 1)

    def _bind(self) -> None:
        for command in COMMANDS:
            self._actions.bind(f"queue.{command}", partial(self._command, command))
        self._actions.bind("queue.label", self._ask_label)
        self._actions.bind_switch("queue.hide_finished", self._set_hide_finished, checked=False)
        self._update_actions()

    def _restyle(self) -> None:
        look = theme()
        self.table.verticalHeader().setDefaultSectionSize(row_height())
        header = self.table.horizontalHeader()
        for column, ems in ((PROGRESS, 4.6), (BEST, 5.2), (GAIN, 3.9), (CURVE, 5.6)):
            header.resizeSection(column, look.px(ems))
        header.setMinimumSectionSize(look.px(3))
        self.table.setMinimumWidth(look.px(20))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Where there is little room the name matters more than the curve and the rounds."""
        room = self.width() / theme().em
        self.table.setColumnHidden(CURVE, room < 26)
        self.table.setColumnHidden(PROGRESS, room < 21)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def refresh(self) -> None:
        """Read the queue again."""
        hide, batch = self._hide_finished, str(self.batch.currentData() or "")
        facet, value = self.facet.currentData() or ("", "")
        facts = self._facts

        def read(connection: sqlite3.Connection) -> Shown:
            ids = queries.queue_ids(connection, hide_finished=hide)
            finished, total = queries.queue_counts(connection)
            rows = queries.queue_rows(connection, ids)
            labels = tuple(dict.fromkeys(row.label for row in rows.values() if row.label))
            if batch in labels:
                ids = tuple(entry for entry in ids if entry in rows and rows[entry].label == batch)
            keys = frozenset((row.source, row.operator) for row in rows.values())
            ids = tuple(entry for entry in ids if entry in rows)
            if facet:
                ids = tuple(
                    entry for entry in ids
                    if facts.get((rows[entry].source, rows[entry].operator), NOTHING).facet(facet) == value
                )  # fmt: skip
            return Shown(ids, {entry: rows[entry] for entry in ids}, finished, total, labels, keys)

        self._operations.query(self, read, self._show, topic="queue")

    def _show_batches(self, labels: tuple[str, ...]) -> None:
        known = tuple(self.batch.itemData(row) for row in range(1, self.batch.count()))
        if known != labels:
            chosen = self.batch.currentData()
            self.batch.clear()
            self.batch.addItem(self.tr("All batches"), "")
            for label in labels:
                self.batch.addItem(label, label)
            self.batch.setCurrentIndex(max(0, self.batch.findData(chosen)))
            self.batch.setVisible(bool(labels))

    def _learn(self, keys: frozenset[Key]) -> None:
        """Read where operators seen for the first time belong."""
        if keys != self._keys:
            self._keys = keys
            self._show_facets()
        unknown = keys - self._facts.keys() - self._asked
        if unknown:
            self._asked |= unknown
            self._operations.run_in_background(self, lambda: facts_of(unknown), self._learnt)

    def _learnt(self, facts: dict[Key, Facts]) -> None:
        self._facts = {**self._facts, **facts}
        self._show_facets()

    def _show_facets(self) -> None:
        """Offer the benchmarks, levels and categories of the queue where there is something to choose."""
        facts = [self._facts.get(key, NOTHING) for key in self._keys]
        found = {name: Counter(entry.facet(name) for entry in facts) for name in FACETS}
        words = {
            "benchmark": self.tr("Benchmark {0} ({1})"),
            "level": self.tr("Level {0} ({1})"),
            "category": self.tr("Category {0} ({1})"),
        }
        chosen = self.facet.currentData()
        self.facet.clear()
        self.facet.addItem(self.tr("All operators"), None)
        for name in FACETS:
            values = {value: count for value, count in sorted(found[name].items()) if value}
            if len(values) < 2:
                continue
            self.facet.insertSeparator(self.facet.count())
            for value, count in values.items():
                self.facet.addItem(words[name].format(value, count), (name, value))
        places = [n for n in range(self.facet.count()) if self.facet.itemData(n) == chosen]
        self.facet.setCurrentIndex(places[0] if chosen and places else 0)
        self.facet.setVisible(self.facet.count() > 1)

    def _show(self, answer: Shown) -> None:
        self._show_batches(answer.labels)
        self._learn(answer.keys)
        ids, rows, finished, total = answer.ids, answer.rows, answer.finished, answer.total
        self.model.set_rows(ids, rows)
        self._stack.setCurrentIndex(0 if ids else 1)
        if total and not ids:
            self._empty.say(self.tr("Nothing to show"), self.tr("Finished or other operators are hidden."))
        words = self.tr("{0} of {1} finished").format(finished, total)
        left = duration_text(_queue_left(rows.values(), total - finished))
        self._summary.setText(self.tr("{0} · about {1} left").format(words, left) if left else words)
        running = [row.id for row in rows.values() if row.state == "running"]
        if running and not self._clock.isActive():
            self._clock.start()
        elif not running:
            self._clock.stop()
        current = self.current_id()
        begun = max((row for row in rows.values() if row.started_at), key=_begun, default=None)
        if self._follow and begun is not None and begun.id != current:
            self.select(begun.id)
        elif current is None and ids:
            self.select(ids[0])
        elif current != self._announced:
            self._announce()
        self._update_actions()
        self.counted.emit(finished, total)

    def current_id(self) -> int | None:
        """Queue id in front, None when nothing is selected."""
        index = self.table.currentIndex()
        return self.model.ids[index.row()] if index.isValid() else None

    def current_row(self) -> QueueRow | None:
        """The row in front."""
        current = self.current_id()
        return None if current is None else self.model.row(current)

    def select(self, entry: int) -> None:
        """Bring queue id `entry` to the front."""
        place = self.model.place(entry)
        if place is None:
            return
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        follow = self._follow
        self.table.selectionModel().setCurrentIndex(self.model.index(place, 0), flags)
        self._follow = follow

    def _picked(self) -> None:
        row = self.current_row()
        self._follow = row is not None and row.state == "running"
        self._announce()

    def _announce(self) -> None:
        row = self.current_row()
        self._announced = row.id if row is not None else None
        self.selected.emit(row)

    def _selected_rows(self) -> list[QueueRow]:
        numbers = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [row for n in numbers if (row := self.model.row(self.model.ids[n])) is not None]

    def _update_actions(self) -> None:
        rows = self._selected_rows()
        writable = self._operations.can_write
        waiting = writable and any(row.state == "queued" for row in rows)
        self._actions.enable(
            {
                "queue.cancel": writable and any(row.state in ("queued", "running") for row in rows),
                "queue.retry": writable and any(row.state in ("done", "failed", "cancelled") for row in rows),
                "queue.next": waiting,
                "queue.up": waiting,
                "queue.down": waiting,
                "queue.label": writable and bool(rows),
            }
        )

    def _command(self, command: str) -> None:
        fits = {
            "cancel": ("queued", "running"),
            "retry": ("done", "failed", "cancelled"),
        }.get(command, ("queued",))
        ids = [row.id for row in self._selected_rows() if row.state in fits]
        if ids:
            self.commanded.emit(command, ids)

    def _dragged(self, ids: list[int], before: int | None) -> None:
        if self._operations.can_write:
            self.moved.emit(ids, before)

    def _ask_label(self) -> None:
        rows = self._selected_rows()
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Label"))
        dialog.setLabelText(self.tr("Name of the batch of %n operator(s); empty for none", "", len(rows)))
        dialog.setTextValue(rows[0].label if rows else "")
        ids = [row.id for row in rows]
        dialog.textValueSelected.connect(lambda text: self.labelled.emit(ids, text))
        self.dialog = dialog
        dialog.open()

    def _set_hide_finished(self, on: bool) -> None:
        self._hide_finished = on
        self.refresh()

    def _context_menu(self, place: QPoint) -> None:
        menu = self._actions.context_menu("queue", self)
        menu.popup(self.table.viewport().mapToGlobal(place))


def _begun(row: QueueRow) -> tuple[bool, str]:
    return row.state == "running", row.started_at


def _queue_left(rows: Collection[QueueRow], unfinished: int) -> float | None:
    """About how long the rest takes: as long as the finished ones took on the average; None without any."""
    now = datetime.now(UTC)
    took = [seconds_worked(row, now) for row in rows if row.state == "done" and row.finished_at]
    known = [seconds for seconds in took if seconds]
    running = any(row.state == "running" for row in rows)
    return sum(known) / len(known) * unfinished if known and unfinished and running else None
