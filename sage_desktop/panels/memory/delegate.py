"""How an experience is painted in the table: lifecycle, title and second line, utility as a bar, numbers."""

from __future__ import annotations

import re

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from core.memory.views.rows import ItemRow
from sage_desktop.panels.memory.looks import item_look
from sage_desktop.panels.memory.model import ITEM, ROW, UTILITY, ItemModel, cell_text
from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.rows import paint_ground
from sage_desktop.ui.widgets.verdicts import category_text, kind_text, signed
from sage_desktop.ui.widgets.writing import RIGHT, write

Index = QModelIndex | QPersistentModelIndex


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
            shown = measure.elidedText(text, Qt.TextElideMode.ElideRight, width)
            for begin, end in marks(shown, words):
                start = left + measure.horizontalAdvance(shown[:begin])
                wide = measure.horizontalAdvance(shown[begin:end])
                painter.fillRect(
                    QRectF(start, top, wide, half), look.tint("warning", 0.35)
                )
            painter.drawText(
                QRectF(left, top, width, half), Qt.AlignmentFlag.AlignVCenter, shown
            )


def marks(text: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where `words` stand in `text`, whatever their case: (begin, end) of each occurrence."""
    return [
        found.span()
        for word in words
        for found in re.finditer(re.escape(word), text, re.IGNORECASE)
    ]


def paint_utility(painter: QPainter, area: QRectF, value: float) -> None:
    """A number and, below it, a bar from zero: to the right for use, to the left for harm."""
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
