"""Tables of whole rows: models whose columns are data, the view, and what is painted below a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
)
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
)

from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.writing import LEFT, MIDDLE, RIGHT, write

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


@contextmanager
def keeping_places(
    model: QAbstractTableModel, before: Sequence[int], after: Sequence[int]
) -> Iterator[None]:
    """Let a model put rows of the ids `after` in place of `before`; selection and scroll place go along."""
    model.layoutAboutToBeChanged.emit()
    old = model.persistentIndexList()
    ids = [before[index.row()] for index in old]
    yield
    # Thousands of rows are walked through only where something is selected.
    rows = {entry: row for row, entry in enumerate(after)} if old else {}
    new = []
    for index, entry in zip(old, ids, strict=True):
        place = NOWHERE
        if entry in rows:
            place = model.index(rows[entry], index.column())
        new.append(place)
    model.changePersistentIndexList(old, new)
    model.layoutChanged.emit()


def paint_ground(
    painter: QPainter, option: QStyleOptionViewItem, *, first: bool
) -> QRectF:
    """Paint selection, hover and the line below a cell; a bar marks a selected row in its `first` column.

    Returns:
        The area of the cell.
    """
    look = theme()
    area = QRectF(option.rect)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if option.state & QStyle.StateFlag.State_Selected:
        share = 0.2 if look.dark else 0.1
        painter.fillRect(area, look.tint("accent", share))
        if first:
            bar = QRectF(area)
            bar.setWidth(look.px(0.16))
            painter.fillRect(bar, look.color("accent"))
    elif option.state & QStyle.StateFlag.State_MouseOver:
        painter.fillRect(area, look.tint("text", 0.03))
    painter.setPen(look.tint("border", 0.7))
    painter.drawLine(area.bottomLeft(), area.bottomRight())
    return area


def make_reading_table(table: QTableView) -> QHeaderView:
    """Let a table be read row by row; returns its header, with columns as wide as their texts."""
    table.setShowGrid(False)
    table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setDefaultAlignment(LEFT)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    return header


def align_numbers(table: QTableWidget, first: int) -> None:
    """Let the titles from column `first` on stand above the numbers below them."""
    for column in range(first, table.columnCount()):
        present(table.horizontalHeaderItem(column)).setTextAlignment(RIGHT)


def make_row_table(table: QTableView, stretched: int) -> QHeaderView:
    """Let a table show whole rows, column `stretched` taking the room that is left; returns its header."""
    header = make_reading_table(table)
    table.setMouseTracking(True)
    table.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
    return header


class PlainTable(QTableWidget):
    """A table that is only read.

    Attributes:
        room_for: Column -> ems of width below which it gives way to the others.
    """

    def __init__(self, columns: int) -> None:
        super().__init__(0, columns)
        self.room_for: Mapping[int, float] = {}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.width() / theme().em
        for column, least in self.room_for.items():
            self.setColumnHidden(column, room < least)


def plain_table(
    name: str, headers: Sequence[str], texts: int = 1, tips: Sequence[str] = ()
) -> PlainTable:
    """A table that is only read.

    Args:
        name: What screen readers call it.
        headers: Titles of the columns.
        texts: How many columns hold words, from the left; the others hold numbers.
        tips: Explain the headers, as many as there are.
    """
    table = named(PlainTable(len(headers)), name)
    table.setHorizontalHeaderLabels(list(headers))
    align_numbers(table, texts)
    table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
    table.setWordWrap(False)
    for column, tip in enumerate(tips):
        present(table.horizontalHeaderItem(column)).setToolTip(tip)
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


@dataclass(frozen=True)
class Head:
    """Of a column: title and tool tip in the language of the user; numbers stand at the right."""

    title: str
    tip: str = ""
    is_number: bool = False


class RowModel(QAbstractTableModel):
    """Base of tables of rows.

    Attributes:
        heads: Of the columns, from the left.
        listed: What the rows show, or the ids of that, from above.
    """

    heads: tuple[Head, ...] = ()
    listed: Sequence[Any] = ()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.listed)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.heads)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        is_column = 0 <= section < len(self.heads)
        if orientation != Qt.Orientation.Horizontal or not is_column:
            return None
        head = self.heads[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return head.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return head.tip or None
        if role == Qt.ItemDataRole.TextAlignmentRole and head.is_number:
            return int(RIGHT)
        return None


class RowTable(QTableView):
    """Of a grid Home and End would lead along the row, where there is nothing to choose.

    Attributes:
        nothing: What is said where there is no row.
    """

    nothing = ""

    def chosen_ranges(self) -> list[QItemSelectionRange]:
        """What is selected, as ranges of rows: a handful even where thousands are."""
        selection = self.selectionModel().selection()
        return [selection.at(number) for number in range(selection.count())]

    def chosen_rows(self) -> list[int]:
        """Numbers of the rows selected, from above."""
        rows: set[int] = set()
        for part in self.chosen_ranges():
            rows.update(range(part.top(), part.bottom() + 1))
        return sorted(rows)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        is_empty = self.model() is not None and not self.model().rowCount()
        if self.nothing and is_empty:
            area = QRectF(self.viewport().rect())
            painter = QPainter(self.viewport())
            write(painter, area, self.nothing, "muted", side=MIDDLE)
            painter.end()

    def moveCursor(
        self, action: QTableView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        rows = self.model().rowCount()
        ends = {
            QTableView.CursorAction.MoveHome: 0,
            QTableView.CursorAction.MoveEnd: rows - 1,
        }
        if action in ends and rows:
            column = max(0, self.currentIndex().column())
            return self.model().index(ends[action], column)
        return super().moveCursor(action, modifiers)

    def setSelectionModel(self, selection: QItemSelectionModel) -> None:
        """Let the header have an empty selection of its own.

        Each time it is painted it asks for every column whether all of its rows are selected, one by one;
        where thousands are, that takes longer than all the rest. Columns are never selected here.
        """
        super().setSelectionModel(selection)
        header = self.horizontalHeader()
        header.setSelectionModel(QItemSelectionModel(selection.model(), header))
