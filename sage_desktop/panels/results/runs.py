"""The page of all runs: a table to search, sort and compare, and below it the same runs drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from sage_desktop.panels.results.host_timeline import HostTimeline
from sage_desktop.panels.results.model import table_text
from sage_desktop.panels.results.parallel import ParallelView, axes_of
from sage_desktop.panels.results.run_columns import Column, columns, conditions_of
from sage_desktop.panels.results.run_compare import RunCompareDialog
from sage_desktop.panels.results.run_model import RunModel
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.filter_box import FilterBox
from sage_desktop.ui.widgets.making import named, push
from sage_desktop.ui.widgets.row_table import RowTable
from sage_desktop.ui.widgets.rows import make_reading_table
from sage_desktop.ui.widgets.scrolled import scrolled
from sage_desktop.ui.widgets.stacking import hbox, split, stacked

if TYPE_CHECKING:
    from core.engine.run_table import Evaluated, Run

_NOT_DRAWN = (
    "operator",
    "began",
    "state",
    "edited",
    "first",
    "best",
    "judge",
    "device",
    "method",
    "asking",
)
_MOST_COMPARED = 8
_MOST_CHOSEN = 500  # rows whose lines are stressed


class RunsPage(QWidget):
    """Search field, columns, table, and two drawings of what the table shows.

    Signals:
        opened: Uid of the run whose rounds a person wants to see.
    """

    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._runs: Sequence[Run] = ()
        self._evaluated: Sequence[Evaluated] = ()
        self._columns: tuple[Column, ...] = ()
        self._hidden: dict[str, bool] = {}  # by key, of columns somebody switched
        self.compared: RunCompareDialog | None = None
        self.search = FilterBox(
            self.tr("Search runs, e.g. gain:>1.5 correct:no model:qwen")
        )
        self.search.changed.connect(lambda _text: self._narrow())
        self.chooser = QPushButton(self.tr("Columns"))
        self.chooser.setMenu(QMenu(self))
        self.compare = push(self.tr("Compare…"), self._compare)
        self.model = RunModel(self)
        self.table = self._table()
        self.drawing = ComboBox(self.tr("Drawing"))
        self.drawing.addItems(
            [self.tr("Parallel coordinates"), self.tr("Hosts and devices")]
        )
        self.words = ElidingLabel(muted=True)
        self.clear = QPushButton(self.tr("Clear Ranges"))
        self.parallel = ParallelView()
        self.hosts = HostTimeline()
        self.pages = QStackedWidget()
        self._lay_out()
        self._bind()
        self._chosen_changed()

    def _table(self) -> RowTable:
        table = named(RowTable(), self.tr("Runs"))
        table.setModel(self.model)
        header = make_reading_table(table)
        table.setSortingEnabled(True)
        table.setWordWrap(False)
        table.verticalHeader().setDefaultSectionSize(theme().px(1.7))
        table.setVerticalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        table.setHorizontalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionsMovable(True)
        header.setSortIndicator(1, Qt.SortOrder.DescendingOrder)
        return table

    def _lay_out(self) -> None:
        head = hbox(
            (self.search, 1),
            self.chooser,
            self.compare,
            margins=(0.9, 0.5, 0.9, 0.4),
            spacing=0.5,
        )
        bar = hbox(
            self.drawing, (self.words, 1), self.clear, margins=(0.9, 0.3), spacing=0.6
        )
        self.pages.addWidget(self.parallel)
        self.pages.addWidget(scrolled(self.hosts))
        upper, lower = (
            stacked(QWidget(), head, self.table),
            stacked(QWidget(), bar, self.pages),
        )
        halves = split(Qt.Orientation.Vertical, upper, lower, stretch=(3, 2))
        halves.setChildrenCollapsible(False)
        stacked(self, halves)

    def _bind(self) -> None:
        self.drawing.activated.connect(self._turn)
        self.clear.clicked.connect(self.parallel.clear_ranges)
        self.parallel.ranged.connect(self._narrow)
        self.parallel.picked.connect(self.choose)
        self.hosts.picked.connect(self.choose)
        self.table.selectionModel().selectionChanged.connect(
            lambda _now, _before: self._chosen_changed()
        )
        self.model.modelReset.connect(self._chosen_changed)
        self.parallel.told.connect(self._say)
        self.table.activated.connect(self._open)
        self.table.setToolTip(
            self.tr("Double click or Enter: its rounds on the Trajectory page")
        )
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(self.model.listed[index.row()].uid)

    # ---- what is shown

    def show_runs(self, runs: Sequence[Run], evaluated: Sequence[Evaluated]) -> None:
        """Show these; search, order, ranges and selection stay."""
        from core.engine.run_table import varying_parameters

        first = not self._columns
        self._runs, self._evaluated = runs, evaluated
        found = columns(varying_parameters(runs))
        changed = [column.key for column in found] != [
            column.key for column in self._columns
        ]
        self._columns = found
        self.parallel.set_axes(
            axes_of(runs, [column for column in found if column.key not in _NOT_DRAWN])
        )
        chosen = {run.uid for run in self.chosen()}
        self.model.show_runs(runs, found, self._passes())
        if changed:
            self._fill_chooser()
            self._fit()
        if first:
            self.table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
        self._select(chosen)
        self._draw()

    def _passes(self) -> Callable[[Run], bool]:
        tests = conditions_of(self.search.text(), self._columns)
        return lambda run: (
            all(test(run) for test in tests) and self.parallel.passes(run)
        )

    def _narrow(self) -> None:
        chosen = {run.uid for run in self.chosen()}
        self.model.narrow(self._passes())
        self._select(chosen)
        self._draw()

    def _draw(self) -> None:
        shown = {run.uid for run in self.model.listed}
        none = self.tr("No run matches this search and these ranges.")
        self.table.nothing = (
            none if self._runs else self.tr("Nothing has been run yet.")
        )
        self.table.setAccessibleDescription("" if shown else self.table.nothing)
        narrowed = len(shown) < len(self._runs)
        self.search.set_count(len(shown) if narrowed else None)
        self.clear.setEnabled(bool(self.parallel.ranges))
        self._turn()

    def _turn(self) -> None:
        """Draw what is in front; the other drawing when it is turned to."""
        on_hosts = self.drawing.currentIndex() == 1
        self.pages.setCurrentIndex(self.drawing.currentIndex())
        self.clear.setVisible(not on_hosts)
        if on_hosts:
            shown = {run.uid for run in self.model.listed}
            self.hosts.show_evaluations(
                [one for one in self._evaluated if one.run in shown]
            )
        else:
            self.parallel.show_runs(self.model.listed)
        self._say(
            self.parallel.accessibleDescription() if self.parallel.hasFocus() else ""
        )

    def _say(self, axis: str) -> None:
        """What can be done with the drawing; while the keyboard is in it, where it is."""
        if self.drawing.currentIndex() == 1:
            self.words.set_text(
                self.tr("Wheel zooms, drag moves; a click finds the run.")
            )
        elif axis:
            keys = self.tr(
                "\N{LEFTWARDS ARROW} \N{RIGHTWARDS ARROW} axis, \N{UPWARDS ARROW} "
                "\N{DOWNWARDS ARROW} lower end, with Shift upper end, Del all"
            )
            self.words.set_text(f"{axis}   ·   {keys}")
        else:
            self.words.set_text(
                self.tr(
                    "Drag along an axis to keep a range; a click on a line finds the run."
                )
            )

    def _fit(self) -> None:
        header = self.table.horizontalHeader()
        metrics, look = self.table.fontMetrics(), theme()
        for number, column in enumerate(self._columns):
            hidden = self._hidden.get(column.key, not column.usual)
            self.table.setColumnHidden(number, hidden)
            texts = [
                f"{column.title}   ",
                *(column.text(run) for run in self.model.listed[:200]),
            ]
            widest = max(metrics.horizontalAdvance(text) for text in texts)
            more = look.px(3) if number == 0 else look.px(1.2)
            header.resizeSection(number, min(look.px(16), widest + more))

    def _fill_chooser(self) -> None:
        menu = self.chooser.menu()
        menu.clear()
        for number, column in enumerate(self._columns[1:], start=1):
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self._hidden.get(column.key, not column.usual))
            action.toggled.connect(
                lambda on, number=number: self._show_column(number, on=on)
            )

    def _show_column(self, number: int, *, on: bool) -> None:
        self._hidden[self._columns[number].key] = not on
        self.table.setColumnHidden(number, not on)

    # ---- what is chosen

    def chosen(self) -> list[Run]:
        """The runs selected, from above."""
        rows = self.table.chosen_rows()
        return [self.model.listed[row] for row in rows if row < len(self.model.listed)]

    def choose(self, uid: str) -> None:
        """Select a run and go to it."""
        row = next(
            (at for at, run in enumerate(self.model.listed) if run.uid == uid), None
        )
        if row is not None:
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, 0))

    def _select(self, uids: set[str]) -> None:
        rows = (
            [row for row, run in enumerate(self.model.listed) if run.uid in uids]
            if uids
            else []
        )
        if not rows:
            return
        wanted, first, last = QItemSelection(), rows[0], self.model.columnCount() - 1
        for row, following in zip(rows, [*rows[1:], -1], strict=True):
            if (
                following != row + 1
            ):  # rows beside each other are one range, and all ranges one change
                wanted.append(
                    QItemSelectionRange(
                        self.model.index(first, 0), self.model.index(row, last)
                    )
                )
                first = following
        self.table.selectionModel().select(
            wanted, QItemSelectionModel.SelectionFlag.Select
        )

    def _chosen_changed(self) -> None:
        chosen = self.chosen()
        self.compare.setEnabled(2 <= len(chosen) <= _MOST_COMPARED)
        self.compare.setToolTip(
            self.tr(
                "Parameters, metrics and cost of the 2 to {0} runs selected"
            ).format(_MOST_COMPARED)
        )
        uids = [run.uid for run in chosen[:_MOST_CHOSEN]]
        self.parallel.choose(uids)
        self.hosts.choose(uids)

    def _compare(self) -> None:
        self.compared = RunCompareDialog(self.chosen(), self._columns, self)
        self.compared.open()

    # ---- out

    def rows(self) -> list[list[object]]:
        """What the table shows, with every column; numbers as they are."""
        return self._rows_of(self.model.listed)

    def _rows_of(self, runs: Sequence[Run]) -> list[list[object]]:
        rows: list[list[object]] = [["uid", *(column.key for column in self._columns)]]
        for run in runs:
            values = (column.value(run) for column in self._columns)
            rows.append(
                [run.uid, *("" if value is None else value for value in values)]
            )
        return rows

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(table_text(self._rows_of(self.chosen())))

    def picture(self) -> QWidget:
        """What a picture of the page shows."""
        return self.hosts if self.drawing.currentIndex() else self.parallel
