"""Plain tables of the memory's pages: the first column stretches, the others hold numbers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem

from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.rows import align_numbers, make_reading_table


def plain_table(name: str, headers: Sequence[str]) -> QTableWidget:
    """A table that is only read; `name` is told to screen readers."""
    table = named(QTableWidget(0, len(headers)), name)
    table.setHorizontalHeaderLabels(list(headers))
    align_numbers(table, 1)
    table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
    table.setWordWrap(False)
    make_reading_table(table).setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    return table


def fill(table: QTableWidget, rows: Sequence[Sequence[str]]) -> None:
    """Show `rows`, one text a cell; the first is its own tool tip."""
    table.setRowCount(len(rows))
    table.verticalHeader().setDefaultSectionSize(theme().px(1.8))
    for number, texts in enumerate(rows):
        for column, text in enumerate(texts):
            cell = QTableWidgetItem(text)
            if column == 0:
                cell.setToolTip(text)
            else:
                cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            table.setItem(number, column, cell)
