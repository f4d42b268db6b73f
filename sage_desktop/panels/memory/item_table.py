"""The left side of the memory.

Search, facets with counts, the table, and what to do with several rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QInputDialog,
    QMenu,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from core.curation.curator import WAITING
from core.memory.records import Lifecycle
from core.memory.views import queries
from core.memory.views.rows import TableFilter
from core.memory.views.search_words import parse
from sage_desktop.panels.memory.appearance import lifecycle_text
from sage_desktop.panels.memory.item_model import (
    ADOPTED,
    DENSITY,
    FREQUENCY,
    ITEM,
    OPERATORS,
    RETRIEVED,
    TOKENS,
    UTILITY,
    ItemDelegate,
    ItemModel,
    item_row_height,
)
from sage_desktop.ui.actions import ActionRegistry, plain
from sage_desktop.ui.icons import icon
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.rounds.progress_strip import ProgressStrip
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.filter_box import FilterBox
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import named, tool_of
from sage_desktop.ui.widgets.pages import PageHead
from sage_desktop.ui.widgets.stacking import boxed, hbox, stacked, vbox
from sage_desktop.ui.widgets.tables import RowTable, make_row_table
from sage_desktop.ui.widgets.verdicts import kind_text

FacetCounts = dict[str, dict[str, int]]
# The lists beside the search; state, category and origin are words of the search.
_FACETS = ("sigma", "type")
_FIELDS = {"sigma": "lifecycles", "type": "types"}
_SEARCHED = ("state", "category", "origin")
_BULK = ("accept", "reject", "promote", "demote", "block", "archive", "compare")
_NUMBERS = (UTILITY, RETRIEVED, ADOPTED, OPERATORS, FREQUENCY, DENSITY, TOKENS)
# Ems of width from which a column is shown, unless the user chose the columns.
_ROOM_FOR = {
    RETRIEVED: 27.0,
    ADOPTED: 32.0,
    OPERATORS: 52.0,
    FREQUENCY: 58.0,
    DENSITY: 58.0,
    TOKENS: 66.0,
}
# Ems of width that let one command of the bulk bar show its name, and each more.
_LABELS_FROM, _LABEL = 26.0, 4.5
_KEYS = (("A", "memory.accept"), ("R", "memory.reject"), ("E", "memory.edit"))


def facet_counts(db: sqlite3.Connection, table_filter: TableFilter) -> FacetCounts:
    """How many items each value of a facet would show beside the other facets."""
    counts = queries.facets(db, table_filter)
    for name, field in _FIELDS.items():
        if getattr(table_filter, field):
            free: dict[str, tuple[()]] = {field: ()}
            counts[name] = queries.facets(db, replace(table_filter, **free))[name]  # type: ignore[arg-type]
    return counts


class ItemTable(QWidget):
    """Everything that decides which items are shown and which are selected.

    Signals:
        picked: uid of the row the person went to.
        selected: How many rows are selected now.
        filtered: Other items are shown.
    """

    picked = Signal(str)
    selected = Signal(int)
    filtered = Signal()

    def __init__(
        self, operations: Operations, actions: ActionRegistry, preferences: Preferences
    ) -> None:
        super().__init__()
        self._actions = actions
        self._deciding = False  # whether only items that wait for a decision are listed
        self._total: int | None = None
        self._waiting = 0  # items that wait for a decision, listed or not
        self._last_row = 0
        self._sought = ""  # uid of an item that was asked for and had no row then
        self._brought = False  # whether the rows being read move the one asked for
        self.search = FilterBox(
            self.tr("Search experiences; type: tag: operator: state: utility:>0 …")
        )
        self.search.setToolTip(self._query_help())
        self.search.changed.connect(self.refilter)
        self.facets = {name: ComboBox() for name in _FACETS}
        self.model = ItemModel(operations, self)
        self.model.loaded.connect(self._loaded)
        self.table = self._make_table()
        titles = {
            column: str(self.model.headerData(column, Qt.Orientation.Horizontal))
            for column in _NUMBERS
        }
        self.bar = TableBar(preferences, titles)
        self.bar.applied.connect(self.apply)
        self.bar.arranged.connect(lambda _columns: self.fit_columns())
        self.fault = muted()
        self.fault.hide()
        self.keys = [self._key(keys, action) for keys, action in _KEYS]
        self._lay_out()
        theme().changed.connect(self._restyle)
        self._restyle()

    def _key(self, keys: str, action: str) -> QShortcut:
        """A single key that works only while deciding, and never while typing."""
        shortcut = QShortcut(QKeySequence(keys), self.table)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self._actions[action].trigger)
        shortcut.setEnabled(False)
        return shortcut

    def _make_table(self) -> RowTable:
        table = named(RowTable(), self.tr("Experiences"))
        table.setModel(self.model)
        table.setItemDelegate(ItemDelegate(table))
        table.setSelectionMode(RowTable.SelectionMode.ExtendedSelection)
        header = make_row_table(table, ITEM)
        self._actions.serve_context_menu(table, "memory")
        header.setSortIndicatorShown(True)
        header.setSortIndicator(UTILITY, Qt.SortOrder.DescendingOrder)
        header.setSectionsClickable(True)
        header.sortIndicatorChanged.connect(self.model.sort)
        table.selectionModel().currentRowChanged.connect(self._went)
        table.selectionModel().selectionChanged.connect(lambda *_: self._count_chosen())
        return table

    def _lay_out(self) -> None:
        look = theme()
        for name, box in self.facets.items():
            box.setAccessibleName(self._facet(name)[0])
            box.setSizeAdjustPolicy(
                ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.setMinimumContentsLength(9)
            box.activated.connect(self.refilter)
        self._show_waiting(0)
        self.waiting = tool_of(self._actions["memory.waiting"])
        self.head = PageHead(self.tr("Memory"))
        self.head.state.addWidget(self.bar.count, 1)
        self.head.controls.addWidget(self.search, 1)
        for control in (*self.facets.values(), self.waiting, self.bar):
            self.head.controls.addWidget(control)
        self.setMinimumWidth(look.px(8))
        self._empty = EmptyState("memory", "", "")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)
        self.progress = ProgressStrip()
        fault = vbox(self.fault, margins=(0.6, 0), spacing=0)
        stacked(self, fault, self._make_bulk_bar(), self.progress, self._stack)

    def _make_bulk_bar(self) -> QWidget:
        self.count = heading("")
        actions, alone = self._actions, Qt.ToolButtonStyle.ToolButtonIconOnly
        bulk = [actions[f"memory.{name}"] for name in _BULK]
        self._bulk_buttons = [
            named(tool_of(one, alone), plain(one.text())) for one in bulk
        ]
        row = hbox(
            self.count,
            0.4,
            *self._bulk_buttons,
            None,
            margins=(0.6, 0, 0.6, 0.3),
            spacing=0.1,
        )
        self.bulk = boxed(row)
        self.bulk.hide()
        return self.bulk

    def _restyle(self) -> None:
        self.table.verticalHeader().setDefaultSectionSize(item_row_height())
        header = self.table.horizontalHeader()
        for column in range(UTILITY, TOKENS + 1):
            has_long_title = column in (OPERATORS, FREQUENCY)
            ems = 5.7 if has_long_title else 5.0
            header.resizeSection(column, theme().px(ems))
        self.fit_columns()

    def fit_columns(self) -> None:
        """Where there is little room the title matters more than the rarer numbers."""
        room = self.width() / theme().em
        columns = self.bar.chosen_columns()
        if columns is None:
            columns = frozenset(
                column for column in _NUMBERS if room >= _ROOM_FOR.get(column, 0.0)
            )
        for column in _NUMBERS:
            self.table.setColumnHidden(column, column not in columns)
        self.bar.note_visible(columns)
        for number, button in enumerate(self._bulk_buttons):
            style = Qt.ToolButtonStyle.ToolButtonIconOnly
            if room >= _LABELS_FROM + _LABEL * number:
                style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            button.setToolButtonStyle(style)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def show_counts(self, counts: FacetCounts, waiting: int, total: int) -> None:
        """Offer the values of every facet with their counts.

        `waiting` of `total` items wait for a decision.
        """
        self._total = total
        self.bar.show_count(self.model.rowCount(), total)
        for name, box in self.facets.items():
            _name, everything, text = self._facet(name)
            entries = [(everything, "")]
            entries += [
                (f"{text(value)}  {count:,}", value)
                for value, count in counts[name].items()
            ]
            box.offer(entries)
        self._waiting = waiting
        self._show_waiting(waiting)
        self._say_empty()

    def _show_waiting(self, count: int) -> None:
        """Say on the button how many items wait for a decision."""
        words = self.tr("Waiting: {0:,}").format(count)
        self._actions["memory.waiting"].setIconText(words)

    def _facet(self, name: str) -> tuple[str, str, Callable[[str], str]]:
        """Words for a facet, for all of its values, and for one of them."""
        return {
            "sigma": (self.tr("Lifecycle"), self.tr("Any lifecycle"), lifecycle_text),
            "type": (self.tr("Type"), self.tr("Any type"), kind_text),
        }[name]

    def refilter(self) -> None:
        """Show what search field, facets and the waiting switch ask for."""
        facets = {name: box.currentData() or "" for name, box in self.facets.items()}
        by_facets = TableFilter(
            lifecycles=(Lifecycle(facets["sigma"]),) if facets["sigma"] else (),
            types=(facets["type"],) if facets["type"] else (),
            states=WAITING if self._deciding else (),
        )
        query = parse(self.search.text(), by_facets)
        expected = {
            "number": self.tr("{0}: a number is needed, for example >0"),
            "flag": self.tr("{0}: yes or no is needed"),
            "value": self.tr("{0}: a value is needed"),
        }
        faults = [expected[kind].format(word) for word, kind in query.faults]
        self.fault.setText("\n".join(faults))
        self.fault.setVisible(bool(faults))
        self.bar.offer_saving({"text": self.search.text().strip(), **facets})
        self.model.set_filter(query.filter, query.words)
        self.filtered.emit()

    def apply(self, saved: dict[str, str]) -> None:
        """Show what a saved filter asks for."""
        for name, box in self.facets.items():
            place = box.findData(saved.get(name, ""))
            box.setCurrentIndex(max(0, place))
        words = [saved.get("text", "")]
        # An earlier release had lists for more than the two.
        words += [f'{name}:"{saved[name]}"' for name in _SEARCHED if saved.get(name)]
        self.search.setText(" ".join(filter(None, words)))
        self.refilter()

    def _query_help(self) -> str:
        return self.tr(
            "Every word must occur. Words with a colon ask for more, a minus in front for the opposite:\n"
            "type: category: state: lifecycle: origin: uid: tag: operator: (adopted by)\n"
            "utility:>0 retrieved: adopted: operators: frequency: density: tokens: with <, <=, =, >=, >\n"
            "hot:yes pinned:yes blocked:no; values with blanks in double quotes"
        )

    def decide(self, on: bool) -> None:
        """List what waits for a decision, and let single keys decide.

        Or show everything again.
        """
        self._deciding = on
        for key in self.keys:
            key.setEnabled(on)
        self.refilter()
        if on:
            self.table.setFocus()

    def _loaded(self, count: int) -> None:
        self._say_empty()
        self._stack.setCurrentIndex(0 if count else 1)
        self.search.set_count(count if self.search.text() else None)
        self.bar.show_count(count, self._total)
        if count and self._sought and not self._deciding:
            self.go_to(self._sought)
        elif self._brought and self.table.currentIndex().isValid():
            self.table.scrollTo(self.table.currentIndex())
        elif count and not self.table.currentIndex().isValid():
            self.select(min(self._last_row, count - 1) if self._deciding else 0)
        self._brought = False
        self._count_chosen()

    def _say_empty(self) -> None:
        """Say why no item is listed; what waits may be hidden by words or filters."""
        is_filtered = any(box.currentData() for box in self.facets.values())
        is_narrowed = is_filtered or bool(self.search.text().strip())
        if not self._deciding:
            self._empty.say(
                self.tr("No experience found"),
                self.tr("Change the search or the filters."),
            )
        elif self._waiting and is_narrowed:
            self._empty.say(
                self.tr("Hidden by the search or the filters: {0:,} that wait").format(
                    self._waiting
                ),
                self.tr("Clear them to decide, or press F7 to see all items again."),
            )
        else:
            self._empty.say(
                self.tr("Nothing waits for a decision"),
                self.tr("Press F7 to see all items again."),
            )

    def select(self, number: int) -> None:
        """Go to a row and select it alone."""
        flags = (
            QItemSelectionModel.SelectionFlag.ClearAndSelect
            | QItemSelectionModel.SelectionFlag.Rows
        )
        self.table.selectionModel().setCurrentIndex(self.model.index(number, 0), flags)

    def go_to(self, uid: str) -> None:
        """Select the row of `uid` when it is shown, otherwise nothing."""
        place = self.model.place(uid)
        if place is not None:
            self._sought = ""
            self.select(place)
            self._brought = self.model.is_reading
        else:
            self._sought = uid  # it may be among the rows that are still read
            self.table.clearSelection()

    def selected_ids(self) -> list[int]:
        """Ids of the selected items in the order of the table."""
        return self.model.ids_at(self.table.chosen_rows())

    def chosen_count(self) -> int:
        """How many items are selected."""
        return sum(part.height() for part in self.table.chosen_ranges())

    def _count_chosen(self) -> None:
        count = self.chosen_count()
        self.bulk.setVisible(count > 1)
        self.count.setText(self.tr("{0:,} selected").format(count))
        self.selected.emit(count)

    def _went(self) -> None:
        """Another row is in front, by the user or by `select`."""
        index = self.table.currentIndex()
        if not index.isValid():
            return
        self._last_row, self._sought = index.row(), ""
        row = self.model.item(index.row())
        if row is not None:
            self.picked.emit(row.uid)


Filter = dict[str, str]  # `text`, and what each list of values chooses
_FILTERS, _COLUMNS = "memory/filters", "memory/columns"


class TableBar(QWidget):
    """What a person arranges about the table is remembered.

    Signals:
        applied: A saved filter, as it was given to `offer_saving`.
        arranged: The columns to show; None for what fits.
    """

    applied = Signal(dict)
    arranged = Signal(object)

    def __init__(self, preferences: Preferences, columns: Mapping[int, str]) -> None:
        super().__init__()
        self._preferences, self._columns = preferences, dict(columns)
        self._present: Filter = {}
        self._visible: frozenset[int] = frozenset()
        self.question: QInputDialog | None = None
        self.count = muted(wraps=False)
        self.saved, self.saved_menu = self._button(self.tr("Saved Filters"), "filter")
        self.columns, self.columns_menu = self._button(self.tr("Columns"), "details")
        self.saved_menu.aboutToShow.connect(self.fill_saved)
        self.columns_menu.aboutToShow.connect(self.fill_columns)
        hbox(self.saved, self.columns, owner=self, margins=0, spacing=0.1)

    def _button(self, words: str, drawing: str) -> tuple[QToolButton, QMenu]:
        button, menu = QToolButton(), QMenu(self)
        button.setIcon(icon(drawing))
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(menu)
        return button, menu

    def show_count(self, count: int, total: int | None) -> None:
        """Say how many items are listed, and of how many, where that was read."""
        words = f"{count:,}"
        if total is not None:
            words = self.tr("{0:,} of {1:,} items").format(count, total)
        self.count.setText(words)

    # ---- filters

    def offer_saving(self, present: Filter) -> None:
        """What Save Filter would keep."""
        self._present = present

    def filters(self) -> dict[str, Filter]:
        """Saved filters by name."""
        # A file of the user's, which anything may have written: what fits is taken.
        try:
            saved = json.loads(self._preferences.text(_FILTERS, "{}"))
        except ValueError:
            return {}
        if not isinstance(saved, dict):
            return {}
        filters: dict[str, Filter] = {}
        for name, entry in saved.items():
            if isinstance(entry, dict):
                filters[name] = {str(key): str(text) for key, text in entry.items()}
        return filters

    def fill_saved(self) -> None:
        """List the saved filters."""
        menu, saved = self.saved_menu, self.filters()
        menu.clear()
        for name, entry in saved.items():
            menu.addAction(_plain(name), partial(self.applied.emit, entry))
        if saved:
            menu.addSeparator()
        saving = menu.addAction(self.tr("Save This Filter…"), self._ask_name)
        saving.setEnabled(any(self._present.values()))
        if saved:
            removing = menu.addMenu(self.tr("Remove"))
            for name in saved:
                removing.addAction(_plain(name), partial(self._remove, name))

    def _ask_name(self) -> None:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Save This Filter"))
        dialog.setLabelText(self.tr("Name of the filter"))
        dialog.setTextValue(self._present.get("text", ""))
        dialog.textValueSelected.connect(self.save)
        self.question = dialog
        dialog.open()

    def save(self, name: str) -> None:
        """Keep the present filter under `name`; one of that name is replaced."""
        if name.strip():
            self._store({**self.filters(), name.strip(): self._present})

    def _remove(self, name: str) -> None:
        filters = self.filters()
        filters.pop(name, None)
        self._store(filters)

    def _store(self, filters: Mapping[str, Filter]) -> None:
        self._preferences.set(_FILTERS, json.dumps(filters))

    # ---- columns

    def chosen_columns(self) -> frozenset[int] | None:
        """The columns the person chose; None while the width decides."""
        try:
            columns = json.loads(self._preferences.text(_COLUMNS, "null"))
        except ValueError:
            return None
        if not isinstance(columns, list):
            return None
        return frozenset(columns) & self._columns.keys()

    def fill_columns(self) -> None:
        """List the columns with a tick at those that are shown."""
        columns = self.chosen_columns()
        if columns is None:
            columns = self._visible
        menu = self.columns_menu
        menu.clear()
        for column in self._columns:
            menu.addAction(self._column_action(column, columns))
        menu.addSeparator()
        menu.addAction(self.tr("What Fits"), lambda: self._choose(None))

    def note_visible(self, columns: frozenset[int]) -> None:
        """Know which columns the table shows now."""
        self._visible = columns

    def _column_action(self, column: int, columns: frozenset[int]) -> QAction:
        """Shows or hides one column beside `columns`, those that are shown."""

        def turn(on: bool) -> None:
            self._choose(columns | {column} if on else columns - {column})

        action = QAction(self._columns[column], self.columns_menu)
        action.setCheckable(True)
        action.setChecked(column in columns)
        action.toggled.connect(turn)
        return action

    def _choose(self, columns: frozenset[int] | None) -> None:
        if columns is None:
            self._preferences.forget(_COLUMNS)
        else:
            self._preferences.set(_COLUMNS, json.dumps(sorted(columns)))
        self.arranged.emit(columns)


def _plain(name: str) -> str:
    """A name for a menu, in which & would mark the letter behind it."""
    return name.replace("&", "&&")
