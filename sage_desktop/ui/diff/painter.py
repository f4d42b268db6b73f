"""Painting of single rows of a comparison: gutter, sign, coloured text, word marks, folds, messages."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)

from sage_desktop.ui.diff.document import Mark
from sage_desktop.ui.diff.engine import RowKind, Span
from sage_desktop.ui.diff.highlight import LineToken
from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.theme import Theme
from sage_desktop.ui.typed import expect

TAB_COLUMNS = 4
MARK_ICONS = {
    "error": ("error", "danger"),
    "hazard": ("warning", "warning"),
    "warning": ("warning", "warning"),
    "note": ("info", "info"),
}
_SIDE_ROLE = {"left": "danger", "right": "success"}
_SIGN = {"left": "\N{MINUS SIGN}", "right": "+"}


def utf16_offset(line: str, index: int) -> int:
    """Position of the character `index` of `line` in Qt's counting (UTF-16 units)."""
    if line.isascii():
        return index
    return index + sum(character > "\uffff" for character in line[:index])


def wide_runs(line: str) -> Iterator[tuple[int, int]]:
    """[start, end) of the stretches of characters that take two cells: Chinese, full-width forms."""
    if line.isascii():
        return
    start = None
    for place, character in enumerate(line):
        wide = unicodedata.east_asian_width(character) in "WF"
        if wide and start is None:
            start = place
        elif not wide and start is not None:
            yield start, place
            start = None
    if start is not None:
        yield start, len(line)


@lru_cache(maxsize=1 << 14)  # asked of every line whenever the view is measured
def cells(line: str) -> int:
    """Columns a line takes in a fixed-width font: two for a Chinese character, up to four for a tab."""
    line = line.expandtabs(TAB_COLUMNS)
    return len(line) + sum(end - start for start, end in wide_runs(line))


class LinePainter:
    """Paints one side of one row; keeps laid-out lines.

    Args:
        look: Theme in use.
        tokens: Coloured tokens of a 0-based line of a side, empty while unknown.
    """

    def __init__(self, look: Theme, tokens: Callable[[str, int], list[LineToken]]) -> None:
        self.look = look
        self.font = look.code_font()
        self.metrics = QFontMetricsF(self.font)
        self.row_height = round(self.metrics.height() * 1.28)
        self.column = self.metrics.horizontalAdvance("0")
        # fallback fonts are seldom twice as wide; what is left of the two cells is added to each character
        self._wide_space = 2 * self.column - self.metrics.horizontalAdvance("\N{CJK UNIFIED IDEOGRAPH-4E2D}")
        self._tokens = tokens
        self._layouts: dict[tuple[str, int], QTextLayout] = {}
        self.needle = ""

    def forget(self, side: str, first: int, last: int) -> None:
        """Drop laid-out lines [first, last) of `side`, because their colours changed."""
        for line in range(first, last):
            self._layouts.pop((side, line), None)

    def gutter_width(self, lines: int) -> float:
        """Width of line numbers and sign for a file of `lines` lines."""
        return self.column * (max(2, len(str(lines))) + 4.8)

    def background(self, kind: RowKind, side: str, *, strong: bool = False) -> QColor | None:
        """Fill of a row on `side`; None where it is plain."""
        if kind is RowKind.EQUAL:
            return None
        share = (0.16 if self.look.dark else 0.11) + (0.05 if strong else 0.0)
        return self.look.tint(_SIDE_ROLE[side], share)

    def layout(self, side: str, line: int, text: str) -> QTextLayout:
        """The laid-out line, made once until its colours change."""
        found = self._layouts.get((side, line))
        if found is not None:
            return found
        made = QTextLayout(text, self.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTabStopDistance(self.column * TAB_COLUMNS)
        made.setTextOption(option)
        formats = [self._format(text, token) for token in self._tokens(side, line)]
        made.setFormats([*formats, *(self._wide(text, start, end) for start, end in wide_runs(text))])
        made.beginLayout()
        made.createLine().setLineWidth(1e6)
        made.endLayout()
        self._layouts[side, line] = made
        return made

    def _format(self, text: str, token: LineToken) -> QTextLayout.FormatRange:
        start, length, role = token
        span = QTextLayout.FormatRange()
        span.start = utf16_offset(text, start)
        span.length = utf16_offset(text, start + length) - span.start
        style = QTextCharFormat()
        style.setForeground(self.look.syntax(role))
        span.format = style
        return span

    def _wide(self, text: str, start: int, end: int) -> QTextLayout.FormatRange:
        """Each character of [start, end) takes two cells, so that what follows stands in its column."""
        span = QTextLayout.FormatRange()
        span.start = utf16_offset(text, start)
        span.length = utf16_offset(text, end) - span.start
        style = QTextCharFormat()
        style.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
        style.setFontLetterSpacing(self._wide_space)
        span.format = style
        return span

    def filler(self, painter: QPainter, area: QRectF) -> None:
        """A row that has no partner on this side: hatched, so that it cannot be taken for an empty line."""
        painter.fillRect(area, QBrush(self.look.color("border"), Qt.BrushStyle.BDiagPattern))

    def gutter(self, painter: QPainter, area: QRectF, number: int, kind: RowKind, side: str) -> None:
        """Line number and, for changed lines, the sign."""
        fill = self.background(kind, side, strong=True)
        if fill is not None:
            painter.fillRect(area, fill)
        painter.setFont(self.font)
        painter.setPen(self.look.color("muted"))
        numbers = area.adjusted(0, 0, -self.column * 2.6, 0)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(numbers, flags, str(number + 1))
        if kind is not RowKind.EQUAL:
            painter.setPen(self.look.color(_SIDE_ROLE[side]))
            sign = QRectF(area.right() - self.column * 2.0, area.top(), self.column * 1.4, area.height())
            painter.drawText(sign, Qt.AlignmentFlag.AlignCenter, _SIGN[side])

    def code(
        self,
        painter: QPainter,
        area: QRectF,
        side: str,
        line: int,
        text: str,
        marks: tuple[Span, ...],
        shift: float,
    ) -> float:
        """The text of a line, `shift` pixels scrolled to the left; returns where it ends."""
        laid = self.layout(side, line, text)
        glyphs = laid.lineAt(0)
        top = area.top() + (area.height() - glyphs.height()) / 2
        origin = QPointF(area.left() + self.column * 0.4 - shift, top)
        spans = [(span, self.look.tint(_SIDE_ROLE[side], 0.42 if self.look.dark else 0.32)) for span in marks]
        spans += [(span, self.look.tint("warning", 0.45)) for span in self._found(text)]
        painter.save()
        painter.setClipRect(area)
        for span, fill in spans:
            start = _x_of(glyphs, utf16_offset(text, span.start))
            end = _x_of(glyphs, utf16_offset(text, span.end))
            box = QRectF(origin.x() + start, area.top() + 1, end - start, area.height() - 2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawRoundedRect(box, 2.5, 2.5)
        painter.setPen(self.look.syntax("text"))
        laid.draw(painter, origin)
        painter.restore()
        return origin.x() + glyphs.naturalTextWidth()

    def character_at(self, side: str, line: int, text: str, x: float) -> int:
        """Index of the character of a line at `x` pixels behind the gutter, as if nothing were scrolled."""
        cursor = (
            self.layout(side, line, text)
            .lineAt(0)
            .xToCursor(x - self.column * 0.4, QTextLine.CursorPosition.CursorOnCharacter)
        )
        return next((i for i in range(len(text)) if utf16_offset(text, i + 1) > cursor), len(text))

    def _found(self, text: str) -> list[Span]:
        if not self.needle:
            return []
        spans, lowered, start = [], text.lower(), 0
        while (start := lowered.find(self.needle, start)) >= 0:
            spans.append(Span(start, start + len(self.needle)))
            start += len(self.needle)
        return spans

    def messages(
        self, painter: QPainter, area: QRectF, gutter: QRectF, end: float, marks: tuple[Mark, ...]
    ) -> None:
        """The messages of a line: an icon in the gutter, the first one in words behind the code."""
        drawing, role = MARK_ICONS.get(marks[0].severity, MARK_ICONS["note"])
        side = self.row_height * 0.82
        paint_icon(
            painter, drawing, role, QRectF(gutter.left() + 2, gutter.center().y() - side / 2, side, side)
        )
        start = max(end + self.column * 3, area.left() + self.column)
        room = QRectF(start, area.top(), area.right() - start - self.column, area.height())
        color = self.look.color(role)
        painter.setPen(QPen(color, 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(area.left(), area.bottom() - 1), QPointF(area.right(), area.bottom() - 1))
        if room.width() < self.column * 8:
            return
        more = f"  (+{len(marks) - 1})" if len(marks) > 1 else ""
        painter.setFont(self.look.small_font())
        painter.setPen(color)
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(marks[0].text + more, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def fold(self, painter: QPainter, area: QRectF, text: str) -> None:
        """A band in place of hidden lines."""
        painter.fillRect(area, self.look.tint("info", 0.12 if self.look.dark else 0.07))
        side = self.row_height * 0.8
        left = area.left() + self.column * 1.2
        paint_icon(painter, "unfold", "muted", QRectF(left, area.center().y() - side / 2, side, side))
        painter.setFont(self.look.small_font())
        painter.setPen(self.look.color("muted"))
        painter.drawText(
            area.adjusted(self.column * 1.8 + side, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text
        )


def _x_of(glyphs: QTextLine, cursor: int) -> float:
    """Where a cursor stands in pixels; Qt gives it with the cursor it is valid for."""
    return float(expect(glyphs.cursorToX(cursor), tuple)[0])
