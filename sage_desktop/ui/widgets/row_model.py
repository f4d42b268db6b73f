"""Table models whose columns are data: what stands in the head of each, and what it means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from sage_desktop.ui.widgets.writing import RIGHT

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


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
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(
            self.heads
        ):
            return None
        head = self.heads[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return head.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return head.tip or None
        return (
            int(RIGHT)
            if role == Qt.ItemDataRole.TextAlignmentRole and head.is_number
            else None
        )
