"""Plain tables of the memory's pages: columns of texts stretch, the others hold numbers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem

from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.rows import align_numbers, make_reading_table
from sage_desktop.ui.widgets.writing import RIGHT


def plain_table(name: str, headers: Sequence[str], texts: int = 1) -> QTableWidget:
    """A table that is only read; `name` is told to screen readers. All but `texts` columns hold numbers."""
    table = named(QTableWidget(0, len(headers)), name)
    table.setHorizontalHeaderLabels(list(headers))
    align_numbers(table, texts)
    table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
    table.setWordWrap(False)
    header = make_reading_table(table)
    for column in range(texts):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    return table


def fill(table: QTableWidget, rows: Sequence[Sequence[str]], texts: int = 1) -> None:
    """Show `rows`, one text a cell; the first `texts` of a row are their own tool tips."""
    table.setRowCount(len(rows))
    table.verticalHeader().setDefaultSectionSize(theme().px(1.8))
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            cell = QTableWidgetItem(text)
            if column < texts:
                cell.setToolTip(text)
            else:
                cell.setTextAlignment(RIGHT)
            table.setItem(number, column, cell)
