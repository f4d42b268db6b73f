"""A comparison that keeps the head of the function one reads in at its upper edge."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent

from sage_desktop.ui.diff.engine import Fold, RowKind
from sage_desktop.ui.diff.scopes import functions
from sage_desktop.ui.diff.search import SIDES
from sage_desktop.ui.diff.selection import side_of
from sage_desktop.ui.diff.surface import DiffSurface
from sage_desktop.ui.theme import theme


@lru_cache(maxsize=16)
def _functions(text: str) -> list[int | None]:
    return functions(text.split("\n"))


class ScopedDiff(DiffSurface):
    """Paints the head over the first row where that head is above the view."""

    def sticky(self) -> dict[str, int]:
        """0-based line of the head shown over each side."""
        document = self._document
        first = self._visible().start
        if first >= len(document.shown):
            return {}
        entry = document.entry(first)
        row = (
            document.comparison.rows[entry.end - 1]
            if isinstance(entry, Fold)
            else entry
        )
        heads = {}
        for side in (side_of(document, first, "right"),) if document.inline else SIDES:
            line = row.line(side)
            text = getattr(self._view, side)
            head = _functions(text)[line] if text and line is not None else None
            if head is not None:
                heads[side] = head
        return heads

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        heads = self.sticky()
        if not heads:
            return
        look = theme()
        painter = QPainter(self.viewport())
        for side, line in heads.items():
            start, end = self._pane(side)
            area = QRectF(start, 0, end - start, self._painter.row_height)
            painter.fillRect(area, look.color("raised"))
            shown = self._time_column(side).width
            gutter = QRectF(start + shown, 0, self._gutter(side) - shown, area.height())
            numbers: tuple[int | None, ...] = (line,)
            if self._two_gutters():
                numbers = (line, None) if side == "left" else (None, line)
            self._painter.gutter(painter, gutter, numbers, RowKind.EQUAL, side)
            text = getattr(self._document, side)[line]
            painter.save()
            painter.setClipRect(area)
            shift = self.horizontalScrollBar().value()
            self._painter.code(
                painter,
                area.adjusted(self._gutter(side), 0, 0, 0),
                side,
                line,
                text,
                (),
                shift,
            )
            painter.restore()
            painter.fillRect(
                QRectF(start, area.bottom() - 1, area.width(), 1), look.color("border")
            )
        painter.end()

    def head_at(self, x: float, y: float) -> tuple[str, int] | None:
        """Side and line of the head under a point."""
        if y >= self._painter.row_height:
            return None
        for side, line in self.sticky().items():
            start, end = self._pane(side)
            if start <= x < end:
                return side, line
        return None
