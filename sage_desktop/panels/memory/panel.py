"""The memory.

All experiences in a table, one of them in full, hot memory, and the commands of
curation.
"""

from __future__ import annotations

import sqlite3

from PySide6.QtCore import Qt

from core.curation.curator import WAITING
from core.memory.views import queries
from core.memory.views.hot import Departed, last_out
from core.memory.views.rows import HotView, TableFilter
from sage_desktop.panels.memory.commands import Curation, UndoState, undo_state
from sage_desktop.panels.memory.hot_page import HotPage
from sage_desktop.panels.memory.item_page import (
    Details,
    ItemPageView,
    neighbours,
    read_details,
)
from sage_desktop.panels.memory.item_parts import read_taught
from sage_desktop.panels.memory.item_table import (
    FacetCounts,
    ItemTable,
    facet_counts,
)
from sage_desktop.panels.memory.search_page import SearchPage
from sage_desktop.panels.memory.snapshots_page import SnapshotsPage
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.making import on_base
from sage_desktop.ui.widgets.pages import AllTabs, LazyPage
from sage_desktop.ui.widgets.stacking import split, stacked

Overview = tuple[FacetCounts, int, int, HotView, tuple[Departed, ...], UndoState]


class MemoryPanel(LazyPage):
    """Table at the left; item page and hot memory at the right."""

    topics = frozenset({"memory"})

    def __init__(
        self, operations: Operations, actions: ActionRegistry, preferences: Preferences
    ) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._preferences = preferences
        self._uid = ""
        self.left = ItemTable(operations, actions, preferences)
        self.search, self.facets = self.left.search, self.left.facets
        self.model, self.table = self.left.model, self.left.table
        self.curation = Curation(operations, actions, self.left, self)
        self.item_page = ItemPageView(actions)
        self.hot_page = HotPage(operations)
        self.search_page = SearchPage(operations)
        self.snapshots_page = SnapshotsPage(operations)
        self._lay_out()
        self.left.picked.connect(self._picked)
        self.left.selected.connect(lambda _count: self.curation.refresh())
        self.left.filtered.connect(self._read_overview)
        self.curation.changed.connect(self._reopen)
        self.item_page.opened.connect(self.open_item)
        self.item_page.compared.connect(self.curation.compare)
        for page in (self.hot_page, self.search_page):
            page.opened.connect(self.open_item)
        actions.bind_switch("memory.waiting", self.left.decide, checked=False)
        self._show_item(None)

    def _lay_out(self) -> None:
        self.details = AllTabs()
        self.details.addTab(self.item_page, self.tr("Experience"))
        self.details.addTab(self.hot_page, self.tr("Hot Memory"))
        self.details.addTab(self.snapshots_page, self.tr("Snapshots"))
        self.details.addTab(self.search_page, self.tr("Retrieve"))
        self.details.currentChanged.connect(lambda _number: self._read_snapshots())
        self._restyle()
        theme().changed.connect(self._restyle)
        self.splitter = split(
            Qt.Orientation.Horizontal,
            self.left,
            self.details,
            sizes=(44, 36),
            stretch=(1, 1),
        )
        saved = self._preferences.blob("memory/splitter")
        if not saved.isEmpty():
            self.splitter.restoreState(saved)
        self.splitter.splitterMoved.connect(
            lambda *_: self._preferences.set(
                "memory/splitter", self.splitter.saveState()
            )
        )
        self.splitter.splitterMoved.connect(lambda *_: self.left.fit_columns())
        stacked(self, self.left.head, self.splitter)

    def _restyle(self) -> None:
        self.details.setMinimumWidth(theme().px(24))  # in which no tab is shortened

    def activate(self) -> None:
        """Read everything shown again."""
        self.model.reload()
        self._read_overview()
        self._read_snapshots()
        self._reopen("")

    def _read_snapshots(self) -> None:
        if self.details.currentWidget() is self.snapshots_page:
            self.snapshots_page.refresh()

    def _read_overview(self) -> None:
        table_filter = self.model.filter

        def read(db: sqlite3.Connection) -> Overview:
            counts = facet_counts(db, table_filter)
            is_whole = table_filter == TableFilter()
            states = (counts if is_whole else queries.facets(db))["state"]
            waiting = sum(states.get(state.value, 0) for state in WAITING)
            return (
                counts,
                waiting,
                sum(states.values()),
                queries.hot_view(db),
                last_out(db),
                undo_state(db),
            )

        self._operations.query(self, read, self._show_overview, topic="overview")

    def _show_overview(self, answer: Overview) -> None:
        counts, waiting, total, hot, departed, undo = answer
        self.left.show_counts(counts, waiting, total)
        self.hot_page.show_hot(hot, departed)
        self.details.setTabText(
            self.details.indexOf(self.hot_page),
            self.tr("Hot Memory {0}").format(len(hot.residents)),
        )
        self.curation.show_undo(undo)

    def _picked(self, uid: str) -> None:
        if uid != self._uid:
            self._uid = uid
            self._read_item(uid)

    def open_item(self, uid: str) -> None:
        """Show the item `uid`, in the table too when it passes the filter."""
        self._uid = uid
        self.details.setCurrentWidget(self.item_page)
        self._read_item(uid)
        self.left.go_to(uid)

    def _reopen(self, uid: str) -> None:
        if uid:
            self.open_item(uid)
        elif self._uid:
            self._read_item(self._uid)

    def _read_item(self, uid: str) -> None:
        self._operations.query(
            self, lambda db: read_details(db, uid), self._show_item, topic="item"
        )

    def _show_item(self, details: Details | None) -> None:
        before = self.item_page.item
        self.item_page.show_details(details)
        item = self.item_page.item
        self.curation.show_item(item)
        if item is not None and item is not before:
            self._operations.query(
                self, read_taught(item.uid), self.item_page.show_taught, topic="taught"
            )
            self._operations.ask(
                self,
                neighbours(item.uid),
                self.item_page.show_neighbours,
                topic="neighbours",
            )

    def focus_search(self) -> None:
        """Go to the search field."""
        self.search.setFocus()
        self.search.selectAll()
