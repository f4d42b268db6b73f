"""The rows of the table of runs: filtered and sorted in memory, so that thousands answer at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt

from sage_desktop.panels.results.run_columns import Column
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.row_model import Head, Index, RowModel
from sage_desktop.ui.widgets.writing import RIGHT

if TYPE_CHECKING:
    from core.engine.run_table import Run


class RunModel(RowModel):
    """Runs that pass, in the order of one column."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[Column, ...] = ()
        self.listed: list[Run] = []  # shown
        self._every: Sequence[Run] = ()
        self._passes: Callable[[Run], bool] = lambda _run: True
        self._order = ("began", False)

    def show_runs(
        self,
        runs: Sequence[Run],
        columns: tuple[Column, ...],
        passes: Callable[[Run], bool],
    ) -> None:
        """Show those of `runs` that pass."""
        self.beginResetModel()
        self.columns, self._every, self._passes = columns, runs, passes
        tip = self.tr("Click to sort; in the search field it is called {0}")
        self.heads = tuple(
            Head(one.title, tip.format(f"{one.key}:"), one.is_number) for one in columns
        )
        self._fill()
        self.endResetModel()

    def narrow(self, passes: Callable[[Run], bool]) -> None:
        """Show those of the same runs that pass."""
        self.beginResetModel()
        self._passes = passes
        self._fill()
        self.endResetModel()

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Order the rows; what is not known stands last in both directions."""
        if not 0 <= column < len(self.columns):
            return
        self.beginResetModel()
        self._order = (self.columns[column].key, order is Qt.SortOrder.AscendingOrder)
        self._fill()
        self.endResetModel()

    def _fill(self) -> None:
        key, ascending = self._order
        runs = [run for run in self._every if self._passes(run)]
        column = next((one for one in self.columns if one.key == key), None)
        if column is None:
            self.listed = runs
            return
        value = column.value
        known = [run for run in runs if value(run) not in (None, "")]
        rest = [run for run in runs if value(run) in (None, "")]
        known.sort(key=lambda run: _sortable(value(run)), reverse=not ascending)
        self.listed = known + rest

    # ---- Qt's questions

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        run, column = self.listed[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole or role == Qt.ItemDataRole.ToolTipRole:
            return column.text(run)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(RIGHT) if column.is_number else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{column.title}: {column.text(run)}"
        if role == Qt.ItemDataRole.DecorationRole and column.key == "operator":
            return icon("done", "success") if run.correct else icon("failed", "danger")
        if role == Qt.ItemDataRole.ForegroundRole and column.text(run) == "\N{EN DASH}":
            return theme().color("muted")
        return None


def _sortable(value: str | float | None) -> tuple[bool, float, str]:
    return (
        (False, value, "")
        if isinstance(value, int | float)
        else (True, 0.0, str(value).casefold())
    )
