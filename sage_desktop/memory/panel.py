"""The memory: all experiences in a table, one of them in full, hot memory, and the commands of curation."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QSplitter,
    QStackedWidget,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from core.memory import queries
from core.memory.queries import HotView, ItemPage, TableFilter
from core.memory.records import ItemState, Lifecycle
from sage_desktop.actions import ActionRegistry
from sage_desktop.memory import curating
from sage_desktop.memory.delegate import ItemDelegate, item_row_height
from sage_desktop.memory.editor import ItemEditor
from sage_desktop.memory.hot_page import HotPage
from sage_desktop.memory.item_page import ItemPageView
from sage_desktop.memory.looks import lifecycle_text, state_text
from sage_desktop.memory.model import DENSITY, FREQUENCY, ITEM, OPERATORS, UTILITY, ItemModel
from sage_desktop.operations import Operations
from sage_desktop.settings import Preferences
from sage_desktop.theme import theme
from sage_desktop.widgets.combo import ComboBox
from sage_desktop.widgets.empty_state import EmptyState
from sage_desktop.widgets.filter_box import FilterBox
from sage_desktop.widgets.verdicts import kind_text

_SWITCHES = {"pin": "unpin", "bar": "unbar", "disable": "enable"}
_TOPICS = frozenset({"memory"})


class MemoryPanel(QWidget):
    """Table at the left; item page and hot memory at the right."""

    def __init__(
        self,
        operations: Operations,
        actions: ActionRegistry,
        preferences: Preferences,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("pane", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._operations = operations
        self._actions = actions
        self._preferences = preferences
        self._uid = ""
        self.editor: ItemEditor | None = None
        self.search = FilterBox(self.tr("Search experiences"))
        self.search.changed.connect(self._refilter)
        self.facets = {name: ComboBox() for name in ("sigma", "type", "state")}
        self.model = ItemModel(operations, self)
        self.model.loaded.connect(self._loaded)
        self.table = self._make_table()
        self.item_page = ItemPageView(actions)
        self.hot_page = HotPage()
        self.hot_page.opened.connect(self.open_item)
        self._lay_out()
        self._bind()
        self._show_item(None)
        theme().changed.connect(self._restyle)
        self._restyle()

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setItemDelegate(ItemDelegate(table))
        table.setAccessibleName(self.tr("Experiences"))
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setMouseTracking(True)
        table.setTabKeyNavigation(False)
        table.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._context_menu)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(ITEM, QHeaderView.ResizeMode.Stretch)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(UTILITY, Qt.SortOrder.DescendingOrder)
        header.setSectionsClickable(True)
        header.sortIndicatorChanged.connect(self.model.sort)
        table.selectionModel().currentRowChanged.connect(self._picked)
        return table

    def _lay_out(self) -> None:
        look = theme()
        bar = QHBoxLayout()
        for name, words in (
            ("sigma", self.tr("Lifecycle")),
            ("type", self.tr("Type")),
            ("state", self.tr("State")),
        ):
            box = self.facets[name]
            box.setAccessibleName(words)
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(look.px(9.5))
            box.activated.connect(self._refilter)
            bar.addWidget(box)
        bar.addStretch()
        head = QVBoxLayout()
        head.setContentsMargins(look.px(0.6), look.px(0.4), look.px(0.6), look.px(0.4))
        head.setSpacing(look.px(0.35))
        head.addWidget(self.search)
        head.addLayout(bar)
        self._empty = EmptyState(
            "memory", self.tr("No experience found"), self.tr("Change the search or the filters.")
        )
        left = QWidget()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._stack, 1)
        self.details = QTabWidget()
        self.details.setDocumentMode(True)
        self.details.addTab(self.item_page, self.tr("Experience"))
        self.details.addTab(self.hot_page, self.tr("Hot Memory"))
        self.details.setMinimumWidth(look.px(24))
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(left)
        self.splitter.addWidget(self.details)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([look.px(44), look.px(36)])
        saved = self._preferences.blob("memory/splitter")
        if not saved.isEmpty():
            self.splitter.restoreState(saved)
        self.splitter.splitterMoved.connect(
            lambda *_: self._preferences.set("memory/splitter", self.splitter.saveState())
        )
        self.splitter.splitterMoved.connect(lambda *_: self._fit_columns())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)

    def _bind(self) -> None:
        bind = self._actions.bind
        for name in ("promote", "demote"):
            bind(f"memory.{name}", lambda name=name: self._change(name))
        for name, opposite in _SWITCHES.items():
            action = self._actions[f"memory.{name}"]
            action.triggered.connect(
                lambda on, name=name, opposite=opposite: self._change(name if on else opposite)
            )
        bind("memory.edit", self._edit)
        bind("edit.undo", lambda: self._operations.write(self, curating.undo, topics=_TOPICS))
        bind("edit.redo", lambda: self._operations.write(self, curating.redo, topics=_TOPICS))
        self._actions.enable({"edit.undo": False, "edit.redo": False})

    def _restyle(self) -> None:
        look = theme()
        self.table.verticalHeader().setDefaultSectionSize(item_row_height())
        header = self.table.horizontalHeader()
        for column in range(UTILITY, DENSITY + 1):
            header.resizeSection(column, look.px(5.0))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Where there is little room the title matters more than the rarer numbers."""
        room = self.table.viewport().width() / theme().em
        for column, needed in ((OPERATORS, 42), (FREQUENCY, 47), (DENSITY, 37)):
            self.table.setColumnHidden(column, room < needed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def refresh(self) -> None:
        """Read everything shown again."""
        self.model.reload()
        wanted = self.model.filter
        self._operations.query(
            self,
            lambda db: (queries.facets(db, replace(wanted, types=(), lifecycles=(), states=())),
                        queries.hot_view(db), curating.undo_state(db)),
            self._show_overview,
            topic="overview",
        )  # fmt: skip
        if self._uid:
            self._read_item(self._uid)

    def _show_overview(self, answer: tuple[dict[str, dict[str, int]], HotView, curating.UndoState]) -> None:
        counts, hot, undo = answer
        words = {"sigma": lifecycle_text, "type": kind_text, "state": state_text}
        everything = {
            "sigma": self.tr("Any lifecycle"),
            "type": self.tr("Any type"),
            "state": self.tr("Any state"),
        }
        for name, box in self.facets.items():
            chosen = box.currentData() or ""
            box.clear()
            box.addItem(everything[name], "")
            for value, count in counts[name].items():
                box.addItem(f"{words[name](value)}  {count:,}", value)
            box.setCurrentIndex(max(0, box.findData(chosen)))
        self.hot_page.show_hot(hot)
        self.details.setTabText(1, self.tr("Hot Memory {0}").format(len(hot.residents)))
        writable = self._operations.can_write
        self._actions.enable(
            {"edit.undo": writable and bool(undo.undo), "edit.redo": writable and bool(undo.redo)}
        )
        self._actions["edit.undo"].setText(self.tr("&Undo {0}").format(undo.undo).rstrip())
        self._actions["edit.redo"].setText(self.tr("&Redo {0}").format(undo.redo).rstrip())

    def _refilter(self) -> None:
        chosen = {name: box.currentData() or "" for name, box in self.facets.items()}
        self.model.set_filter(
            TableFilter(
                text=self.search.text(),
                lifecycles=(Lifecycle(chosen["sigma"]),) if chosen["sigma"] else (),
                types=(chosen["type"],) if chosen["type"] else (),
                states=(ItemState(chosen["state"]),) if chosen["state"] else (),
            )
        )

    def _loaded(self, found: int) -> None:
        self._stack.setCurrentIndex(0 if found else 1)
        self.search.set_count(found if self.search.text() else None)
        if found and not self._uid:
            self._select(0)

    def _select(self, number: int) -> None:
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().setCurrentIndex(self.model.index(number, 0), flags)

    def _picked(self) -> None:
        index = self.table.currentIndex()
        row = self.model.item(index.row()) if index.isValid() else None
        if row is not None and row.uid != self._uid:
            self._uid = row.uid
            self._read_item(row.uid)

    def open_item(self, uid: str) -> None:
        """Show the item `uid`, in the table too when it passes the filter."""
        self._uid = uid
        self.details.setCurrentIndex(0)
        self._read_item(uid)
        place = self.model.place(uid)
        if place is not None:
            self._select(place)
        else:
            self.table.clearSelection()

    def _read_item(self, uid: str) -> None:
        self._operations.query(self, lambda db: queries.item_page(db, uid), self._show_item, topic="item")

    def _show_item(self, page: ItemPage | None) -> None:
        self.item_page.show_page(page)
        writable = page is not None and self._operations.can_write
        item = page.item if page is not None else None
        hot = item is not None and item.hot_region
        states = {f"memory.{name}": writable for name in ("pin", "bar", "edit", "disable")}
        states["memory.promote"] = writable and not hot
        states["memory.demote"] = writable and hot
        self._actions.enable(states)
        if item is not None:
            self._actions["memory.pin"].setChecked(item.pinned)
            self._actions["memory.bar"].setChecked(item.barred)
            self._actions["memory.disable"].setChecked(item.state is ItemState.DISABLED)

    def _change(self, name: str) -> None:
        uid = self._uid
        self._operations.write(self, curating.command(name, uid), topics=_TOPICS)
        self._read_item(uid)  # a refused change must not leave its switch turned

    def _edit(self) -> None:
        page = self.item_page.page
        if page is None:
            return
        self.editor = ItemEditor(page.item, self)
        self.editor.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.editor.accepted.connect(self._save)
        self.editor.open()

    def _save(self) -> None:
        page, editor = self.item_page.page, self.editor
        if page is None or editor is None:
            return
        change = curating.edit(
            page.item.uid, editor.experience(), editor.new_rule(), editor.reason.text().strip()
        )
        self._operations.write(self, change, topics=_TOPICS)

    def focus_search(self) -> None:
        """Go to the search field."""
        self.search.setFocus()
        self.search.selectAll()

    def _context_menu(self, place: QPoint) -> None:
        menu = self._actions.context_menu("memory", self)
        menu.popup(self.table.viewport().mapToGlobal(place))
