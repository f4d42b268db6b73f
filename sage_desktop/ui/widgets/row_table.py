"""A table in which whole rows are chosen: Home and End lead to the first and the last of them."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QRectF,
    Qt,
)
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QTableView

from sage_desktop.ui.widgets.writing import MIDDLE, write


class RowTable(QTableView):
    """Of a grid Home and End would lead along the row, where there is nothing to choose.

    Attributes:
        nothing: What is said where there is no row.
    """

    nothing = ""

    def chosen_ranges(self) -> list[QItemSelectionRange]:
        """What is selected, as ranges of rows: a handful even where thousands are."""
        chosen = self.selectionModel().selection()
        return [chosen.at(number) for number in range(chosen.count())]

    def chosen_rows(self) -> list[int]:
        """Numbers of the rows selected, from above."""
        return sorted(
            {
                row
                for part in self.chosen_ranges()
                for row in range(part.top(), part.bottom() + 1)
            }
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.nothing and self.model() is not None and not self.model().rowCount():
            painter = QPainter(self.viewport())
            write(
                painter,
                QRectF(self.viewport().rect()),
                self.nothing,
                "muted",
                side=MIDDLE,
            )
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
