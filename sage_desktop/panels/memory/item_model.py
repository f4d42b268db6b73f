"""The experiences as a table model whose rows come in pages, and how one is painted."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

from PySide6.QtCore import (
    QObject,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from core.memory.views import queries
from core.memory.views.rows import ItemRow, ItemSort, TableFilter
from sage_desktop.panels.memory.appearance import item_look
from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.tables import (
    Head,
    Index,
    RowModel,
    keeping_places,
    paint_ground,
)
from sage_desktop.ui.widgets.verdicts import category_text, kind_text, signed
from sage_desktop.ui.widgets.writing import RIGHT, write

ROW = Qt.ItemDataRole.UserRole
ITEM, UTILITY, RETRIEVED, ADOPTED, OPERATORS, FREQUENCY, DENSITY, TOKENS = range(8)
_SORTS = (
    ItemSort.TITLE,
    ItemSort.UTILITY,
    ItemSort.RETRIEVED,
    ItemSort.ADOPTED,
    ItemSort.OPERATORS,
    ItemSort.FREQUENCY,
    ItemSort.DENSITY,
    ItemSort.TOKENS,
)
PAGE = 100


class ItemModel(RowModel):
    """Ids of all items that pass the filter.

    `ROW` gives an `ItemRow`, None while it is being fetched.

    Signals:
        loaded: How many items pass, after the ids were read.

    Attributes:
        words: Plain text that was searched for, marked where it is shown.
        is_reading: Whether ids are being read, after which rows may stand elsewhere.
    """

    loaded = Signal(int)

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.heads = (
            Head(self.tr("Experience"), self.tr("Title, type and category")),
            Head(
                self.tr("Utility"),
                self.tr("u: what adopting this experience was worth, from −0.2 to 1"),
            ),
            Head(
                self.tr("Retrieved"),
                self.tr("Episodes in which it was retrieved"),
                is_number=True,
            ),
            Head(
                self.tr("Adopted"),
                self.tr("Episodes in which it was adopted"),
                is_number=True,
            ),
            Head(
                self.tr("Operators"),
                self.tr("Different operators that adopted it"),
                is_number=True,
            ),
            Head(
                self.tr("Frequency"),
                self.tr("p: share of episodes that use it"),
                is_number=True,
            ),
            Head(
                self.tr("Density"),
                self.tr(
                    "U(m): utility times frequency for each token in hot memory, in thousandths"
                ),
                is_number=True,
            ),
            Head(
                self.tr("Tokens"),
                self.tr("L: tokens of the rule in hot memory"),
                is_number=True,
            ),
        )
        self._operations = operations
        self.listed: list[int] = []
        self._rows: dict[int, ItemRow] = {}
        self._asked: set[int] = set()
        self._filter = TableFilter()
        self.words: tuple[str, ...] = ()
        self.is_reading = False
        self._sort = ItemSort.UTILITY
        self._descending = True

    @property
    def filter(self) -> TableFilter:
        """What is shown."""
        return self._filter

    def set_filter(
        self, table_filter: TableFilter, words: tuple[str, ...] = ()
    ) -> None:
        """Show the items that pass `shown`; `words` are marked in them."""
        self._filter = table_filter
        self.words = words
        self.reload()

    @property
    def order(self) -> tuple[ItemSort, bool]:
        """What the rows are sorted by, and whether the largest comes first."""
        return self._sort, self._descending

    def sort(
        self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder
    ) -> None:
        """Let SQL sort by `column`.

        The natural wish for numbers is the largest first.
        """
        self._sort = _SORTS[column]
        self._descending = order == Qt.SortOrder.DescendingOrder
        self.reload()

    def reload(self) -> None:
        """Read ids and the rows at the top again; the table keeps its place."""
        table_filter, sort, descending = self._filter, self._sort, self._descending
        visible = [entry for entry in self.listed if entry in self._rows][:PAGE]

        def read(db: sqlite3.Connection) -> tuple[list[int], dict[int, ItemRow]]:
            ids = queries.item_ids(db, table_filter, sort, descending=descending)
            return ids, queries.item_rows(
                db, list(dict.fromkeys([*ids[:PAGE], *visible]))
            )

        self.is_reading = True
        self._operations.query(self, read, self._take, topic="ids")

    def _take(self, answer: tuple[list[int], dict[int, ItemRow]]) -> None:
        ids, rows = answer
        self.is_reading = False
        self._asked.clear()
        if ids == self.listed:
            self._rows = rows
            if ids:
                self.dataChanged.emit(
                    self.index(0, 0), self.index(len(ids) - 1, TOKENS)
                )
        else:
            with keeping_places(self, self.listed, ids):
                self.listed, self._rows = ids, rows
        self.loaded.emit(len(ids))

    def _fetch(self, number: int) -> None:
        first = number - number % PAGE
        if first in self._asked:
            return
        self._asked.add(first)
        ids = self.listed[first : first + PAGE]

        def arrived(rows: dict[int, ItemRow]) -> None:
            self._rows.update(rows)
            last = min(first + PAGE, len(self.listed)) - 1
            if last >= first:
                self.dataChanged.emit(self.index(first, 0), self.index(last, TOKENS))

        self._operations.query(self, lambda db: queries.item_rows(db, ids), arrived)

    @property
    def fetched(self) -> int:
        """How many rows were read and are kept."""
        return len(self._rows)

    def item(self, number: int) -> ItemRow | None:
        """The row at `number`; asks for its page when it is not there yet."""
        row = self._rows.get(self.listed[number])
        if row is None:
            self._fetch(number)
        return row

    def ids_at(self, numbers: Sequence[int]) -> list[int]:
        """Ids of the items in some rows."""
        return [self.listed[number] for number in numbers if number < len(self.listed)]

    def place(self, uid: str) -> int | None:
        """Row number of the item `uid` among the rows fetched until now."""
        item = next(
            (number for number, row in self._rows.items() if row.uid == uid), None
        )
        return self.listed.index(item) if item in self.listed else None

    def data(self, index: Index, role: int = 0) -> object:
        if role not in (ROW, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        row = self.item(index.row())
        if role == ROW or row is None:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.title}\n{row.uid} · {kind_text(row.type)} · {category_text(row.category)}"
        return cell_text(row, index.column())


def cell_text(row: ItemRow, column: int) -> str:
    """The text of a cell."""
    return (
        row.title,
        signed(row.u_m),
        str(row.n_ret),
        str(row.n_ado),
        str(row.operators),
        f"{row.p_hat:.2f}",
        f"{row.density * 1000:.2f}" if row.L_m else "\N{EN DASH}",
        str(row.L_m) if row.L_m else "\N{EN DASH}",
    )[column]


class ItemDelegate(QStyledItemDelegate):
    """Two-line rows."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(theme().px(4), item_row_height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        look = theme()
        painter.save()
        area = paint_ground(painter, option, first=index.column() == ITEM)
        row = index.data(ROW)
        inner = area.adjusted(
            look.px(0.4), look.px(0.24), -look.px(0.5), -look.px(0.24)
        )
        if row is None:
            write(painter, inner, "…" if index.column() == ITEM else "", "muted")
        elif index.column() == ITEM:
            model = index.model()
            self._item(
                painter, inner, row, model.words if isinstance(model, ItemModel) else ()
            )
        elif index.column() == UTILITY:
            paint_utility(painter, inner, row.u_m)
        else:
            role = "text" if row.n_ret else "muted"
            write(painter, inner, cell_text(row, index.column()), role, side=RIGHT)
        painter.restore()

    def _item(
        self, painter: QPainter, area: QRectF, row: ItemRow, words: tuple[str, ...]
    ) -> None:
        look = theme()
        sign = item_look(row)
        side = look.px(1.15)
        place = QRectF(
            area.left() + look.px(0.15), area.center().y() - side / 2, side, side
        )
        paint_icon(painter, sign.icon, sign.role, place)
        half = area.height() / 2
        left = area.left() + side + look.px(0.7)
        width = area.right() - left
        parts = [
            row.uid,
            *(f"#{tag}" for tag in row.tags),
            kind_text(row.type),
            category_text(row.category),
        ]
        parts += [self.tr("pinned")] if row.pinned else []
        parts += [self.tr("blocked")] if row.barred else []
        second = " · ".join(parts)
        for text, font, top, role in (
            (row.title, painter.font(), area.top(), "text"),
            (second, look.small_font(), area.top() + half, "muted"),
        ):
            painter.setFont(font)
            painter.setPen(look.color(role))
            measure = QFontMetricsF(font)
            elided = measure.elidedText(text, Qt.TextElideMode.ElideRight, width)
            for begin, end in marks(elided, words):
                start = left + measure.horizontalAdvance(elided[:begin])
                wide = measure.horizontalAdvance(elided[begin:end])
                painter.fillRect(
                    QRectF(start, top, wide, half), look.tint("warning", 0.35)
                )
            painter.drawText(
                QRectF(left, top, width, half), Qt.AlignmentFlag.AlignVCenter, elided
            )


def marks(text: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where `words` stand in `text`, whatever their case.

    (begin, end) of each occurrence.
    """
    return [
        match.span()
        for word in words
        for match in re.finditer(re.escape(word), text, re.IGNORECASE)
    ]


def paint_utility(painter: QPainter, area: QRectF, value: float) -> None:
    """A number and, below it, a bar from zero.

    To the right for use, to the left for harm.
    """
    look = theme()
    role = "success" if value > 0 else "danger" if value < 0 else "muted"
    half = area.height() / 2
    upper = QRectF(area.left(), area.top(), area.width(), half * 1.1)
    write(painter, upper, signed(value), "text" if value else "muted")
    thick = look.px(0.26)
    zero = area.left() + area.width() / 6  # the scale runs from -0.2 to 1
    bar = QRectF(area.left(), area.top() + half * 1.55, area.width(), thick)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.tint("text", 0.08))
    painter.drawRoundedRect(bar, thick / 2, thick / 2)
    span = max(-1 / 6, min(5 / 6, value / 1.2)) * area.width()
    painter.setBrush(look.color(role))
    painter.drawRect(QRectF(min(zero, zero + span), bar.top(), abs(span), thick))
    painter.setPen(look.color("muted"))
    painter.drawLine(QPointF(zero, bar.top() - 2), QPointF(zero, bar.bottom() + 2))


def item_row_height() -> int:
    """Height of an item row in the present font."""
    return theme().px(2.7)
