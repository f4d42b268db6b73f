"""The table of operators: its columns as data, its rows sorted by any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt

from sage_desktop.panels.results.reading import OperatorRow
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.tables import Head, Index, RowModel
from sage_desktop.ui.widgets.verdicts import (
    edited_text,
    latency_text,
    origin_text,
    ratio_text,
)
from sage_desktop.ui.widgets.writing import RIGHT

_tr = partial(QCoreApplication.translate, "OperatorTable")

Value = str | float | None


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        title: Its head.
        tip: What the values mean.
        value: What rows are sorted by; None where it is missing.
        text: What is shown.
        is_number: Whether values are numbers, which stand at the right.
        is_optional: Whether it is only shown where a row has a value.
        is_link: Whether a click leads to the line it names.
    """

    title: str
    tip: str
    value: Callable[[OperatorRow], Value]
    text: Callable[[OperatorRow], str]
    is_number: bool = True
    is_optional: bool = False
    is_link: bool = False


def columns() -> tuple[Column, ...]:
    """All columns, from the left, in the language of the user."""
    return (
        Column(
            _tr("Operator"),
            _tr("Double click or Enter: its rounds on the Trajectory page"),
            lambda row: row.result.operator.casefold(),
            lambda row: row.result.operator,
            is_number=False,
        ),
        Column(
            _tr("State"),
            _tr("Whether a kernel is correct, and whether the metrics count it"),
            _state,
            _state,
            is_number=False,
        ),
        Column(
            _tr("Gain"),
            _tr("Latency of the first correct kernel / of the best one"),
            lambda row: row.result.self_speedup,
            lambda row: ratio_text(row.result.self_speedup),
        ),
        Column(
            _tr("Best"),
            _tr("Latency of the best correct kernel, and where it comes from"),
            lambda row: row.result.t_best,
            _best,
        ),
        Column(
            _tr("Slowest line"),
            _tr(
                "The most expensive line of the best kernel, with its share of the core "
                "that ends last; a click shows it in the review"
            ),
            lambda row: row.costly.share if row.costly is not None else None,
            _costly,
            is_number=False,
            is_optional=True,
            is_link=True,
        ),
        Column(
            _tr("First correct"),
            _tr("Latency of the first correct kernel"),
            lambda row: row.result.t_first,
            lambda row: latency_text(row.result.t_first),
        ),
        Column(
            _tr("Against torch_npu"),
            _tr("Latency of torch_npu / of the best kernel, both on the same device"),
            lambda row: row.result.reference_speedup,
            lambda row: ratio_text(row.result.reference_speedup),
            is_optional=True,
        ),
        Column(
            _tr("CANN in profile"),
            _tr(
                "What CANN's own kernels took for the same calls, in the profile the operator was made of"
            ),
            lambda row: row.effort.profiled,
            lambda row: row.effort.profiled or latency_text(None),
            is_number=False,
            is_optional=True,
        ),
        Column(
            _tr("Rounds"),
            _tr("Evaluated ones"),
            lambda row: row.effort.rounds,
            lambda row: _number(row.effort.rounds),
        ),
        Column(
            _tr("Failed"),
            _tr("Rounds whose kernel does not build or is not correct"),
            lambda row: row.effort.failed,
            lambda row: _number(row.effort.failed),
        ),
        Column(
            _tr("Tokens"),
            _tr("Of prompts and replies, as the server counts them"),
            lambda row: row.effort.tokens,
            lambda row: _number(row.effort.tokens),
            is_optional=True,
        ),
        Column(
            _tr("Cost"),
            _tr("By the prices of the model: Settings, Models"),
            lambda row: row.effort.cost,
            lambda row: _number(row.effort.cost, 4),
            is_optional=True,
        ),
        Column(
            _tr("Minutes"),
            _tr("From its begin to its end"),
            lambda row: row.effort.minutes,
            lambda row: _number(row.effort.minutes, 1),
        ),
        Column(
            _tr("Host"),
            _tr("Machine that judged the best kernel"),
            lambda row: row.effort.host,
            _host,
            is_number=False,
        ),
    )


def _state(row: OperatorRow) -> str:
    result = row.result
    words = _tr("Correct") if result.correct else _tr("No correct kernel")
    if result.incomplete:
        words = _tr("Incomplete")
    if row.edited:
        return f"{words} · {edited_text()}"
    if not row.counted:
        return f"{words} · {_tr('not counted')}"
    return words


def _best(row: OperatorRow) -> str:
    latency = row.result.t_best
    if latency is None:
        return latency_text(None)
    return f"{latency_text(latency)} {origin_text(row.latency_origin)}"


def _costly(row: OperatorRow) -> str:
    line = row.costly
    if line is None:
        return "\N{EN DASH}"
    name = PurePosixPath(line.file).name
    return f"{100 * line.share:.0f} % {line.pipe.upper()} · {name}:{line.line}"


def _number(value: float | None, digits: int = 0) -> str:
    return "\N{EN DASH}" if value is None else f"{value:,.{digits}f}"


def _host(row: OperatorRow) -> str:
    host = row.effort.host
    return _tr("this computer") if host == "local" else host


class OperatorModel(RowModel):
    """Rows in the order of one column."""

    listed: list[OperatorRow]

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns()
        self.heads = tuple(
            Head(column.title, column.tip, column.is_number) for column in self.columns
        )
        self.listed = []
        self._column = 0
        self._descending = False

    def show_rows(self, rows: Sequence[OperatorRow]) -> None:
        """Show other rows in the same order."""
        self.beginResetModel()
        self.listed = self._sorted(rows)
        self.endResetModel()

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Order the rows; those without a value stand last in both directions."""
        if not 0 <= column < len(self.columns):
            return
        self._column = column
        self._descending = order is Qt.SortOrder.DescendingOrder
        self.show_rows(self.listed)

    def _sorted(self, rows: Sequence[OperatorRow]) -> list[OperatorRow]:
        value = self.columns[self._column].value
        filled = [row for row in rows if value(row) not in (None, "")]
        empty = [row for row in rows if value(row) in (None, "")]
        filled.sort(key=value, reverse=self._descending)  # type: ignore[arg-type]
        return filled + empty

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.listed[index.row()]
        column = self.columns[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return column.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(RIGHT) if column.is_number else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{column.title}: {column.text(row)}"
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            correct = row.result.correct
            return icon("done", "success") if correct else icon("failed", "danger")
        is_empty = column.text(row) == "\N{EN DASH}"
        if role == Qt.ItemDataRole.ForegroundRole and column.is_link and not is_empty:
            return theme().color("accent")
        if role == Qt.ItemDataRole.ForegroundRole and is_empty:
            return theme().color("muted")
        return None
