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
        self._requested: set[int] = set()  # first rows of the pages asked for
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
        """Show the items that pass; `words` are marked in them."""
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
            # The rows on screen too: they would be empty for a moment.
            needed = dict.fromkeys([*ids[:PAGE], *visible])
            return ids, queries.item_rows(db, list(needed))

        self.is_reading = True
        self._operations.query(self, read, self._take, topic="ids")

    def _take(self, answer: tuple[list[int], dict[int, ItemRow]]) -> None:
        ids, rows = answer
        self.is_reading = False
        self._requested.clear()
        if ids == self.listed:
            self._rows = rows
            if ids:
                first, last = self.index(0, 0), self.index(len(ids) - 1, TOKENS)
                self.dataChanged.emit(first, last)
        else:
            with keeping_places(self, self.listed, ids):
                self.listed, self._rows = ids, rows
        self.loaded.emit(len(ids))

    def _fetch(self, number: int) -> None:
        """Read the page of row `number`, once."""
        first = number - number % PAGE
        if first in self._requested:
            return
        self._requested.add(first)
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
            kind, category = kind_text(row.type), category_text(row.category)
            return f"{row.title}\n{row.uid} · {kind} · {category}"
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
        column = index.column()
        area = paint_ground(painter, option, first=column == ITEM)
        row = index.data(ROW)
        down = look.px(0.24)
        inner = area.adjusted(look.px(0.4), down, -look.px(0.5), -down)
        if row is None:  # its page is being read
            if column == ITEM:
                write(painter, inner, "…", "muted")
        elif column == ITEM:
            model = index.model()
            words = model.words if isinstance(model, ItemModel) else ()
            self._paint_item(painter, inner, row, words)
        elif column == UTILITY:
            paint_utility(painter, inner, row.u_m)
        else:
            role = "text" if row.n_ret else "muted"
            write(painter, inner, cell_text(row, column), role, side=RIGHT)
        painter.restore()

    def _paint_item(
        self, painter: QPainter, area: QRectF, row: ItemRow, words: tuple[str, ...]
    ) -> None:
        """Icon, title, and in the second line what kind of item it is."""
        look = theme()
        sign = item_look(row)
        side = look.px(1.15)
        icon_top = area.center().y() - side / 2
        icon_area = QRectF(area.left() + look.px(0.15), icon_top, side, side)
        paint_icon(painter, sign.icon, sign.role, icon_area)
        upper = area.adjusted(side + look.px(0.7), 0, 0, -area.height() / 2)
        lower = upper.translated(0, upper.height())
        painter.setPen(look.color("text"))
        _write_marked(painter, upper, row.title, words)
        painter.setPen(look.color("muted"))
        painter.setFont(look.small_font())
        _write_marked(painter, lower, self._second_line(row), words)

    def _second_line(self, row: ItemRow) -> str:
        tags = [f"#{tag}" for tag in row.tags]
        parts = [row.uid, *tags, kind_text(row.type), category_text(row.category)]
        if row.pinned:
            parts.append(self.tr("pinned"))
        if row.barred:
            parts.append(self.tr("blocked"))
        return " · ".join(parts)


def _write_marked(
    painter: QPainter, area: QRectF, text: str, words: tuple[str, ...]
) -> None:
    """Write a line in font and pen of `painter`, with `words` marked in it."""
    metrics = QFontMetricsF(painter.font())
    elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    for begin, end in marks(elided, words):
        left = area.left() + metrics.horizontalAdvance(elided[:begin])
        width = metrics.horizontalAdvance(elided[begin:end])
        mark = QRectF(left, area.top(), width, area.height())
        painter.fillRect(mark, theme().tint("warning", 0.35))
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, elided)


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
    left, width = area.left(), area.width()
    half = area.height() / 2
    number_area = QRectF(left, area.top(), width, half * 1.1)
    write(painter, number_area, signed(value), "text" if value else "muted")
    # The whole scale, from -0.2 to 1.
    height = look.px(0.26)
    scale = QRectF(left, area.top() + half * 1.55, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.tint("text", 0.08))
    painter.drawRoundedRect(scale, height / 2, height / 2)
    # The part of it from zero to the value.
    zero = left + width / 6
    length = max(-1 / 6, min(5 / 6, value / 1.2)) * width
    painter.setBrush(look.color("success" if value > 0 else "danger"))
    bar_left = min(zero, zero + length)
    painter.drawRect(QRectF(bar_left, scale.top(), abs(length), height))
    painter.setPen(look.color("muted"))
    top, bottom = scale.top() - 2, scale.bottom() + 2
    painter.drawLine(QPointF(zero, top), QPointF(zero, bottom))


def item_row_height() -> int:
    """Height of an item row in the present font."""
    return theme().px(2.7)
