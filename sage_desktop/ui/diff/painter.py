"""Painting of single rows of a comparison: gutter, sign, coloured text, word marks, folds, messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

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

from core.diff.side_by_side import RowKind, Span
from sage_desktop.ui.diff.cells import (
    TAB_COLUMNS,
    character_at,
    utf16_offset,
    wide_runs,
)
from sage_desktop.ui.diff.document import Mark
from sage_desktop.ui.diff.highlight import LineToken
from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.theme import Theme
from sage_desktop.ui.typed import expect

MARK_ICONS = {
    "error": ("error", "danger"),
    "hazard": ("warning", "warning"),
    "warning": ("warning", "warning"),
    "note": ("info", "info"),
}
_SIDE_ROLE = {"left": "danger", "right": "success"}
_SIGN = {"left": "\N{MINUS SIGN}", "right": "+"}
_INDENT = 0.4  # columns between the gutter and the code
# Pixels of a line that is not wrapped; wider than any.
_AT_ONCE = 1e6


class Fill(NamedTuple):
    """A coloured stretch behind characters; they lose the colours of code, which it would leave unreadable.

    Attributes:
        span: The characters.
        color: What lies behind them.
        to_end: Whether the end of the line belongs to it, as in a selection of several lines.
        framed: Whether a line is drawn around them.
    """

    span: Span
    color: QColor
    to_end: bool = False
    framed: bool = False


class LinePainter:
    """Paints one side of one row; keeps laid-out lines.

    Args:
        look: Theme in use.
        tokens: Coloured tokens of a 0-based line of a side, empty while unknown.
    """

    def __init__(
        self, look: Theme, tokens: Callable[[str, int], list[LineToken]]
    ) -> None:
        self.look = look
        self.font = look.code_font()
        self.metrics = QFontMetricsF(self.font)
        self.row_height = round(self.metrics.height() * 1.28)
        self.column = self.metrics.horizontalAdvance("0")
        # A Chinese character takes two cells; fallback fonts are seldom twice as wide,
        # so the rest of the two cells is added to each character.
        wide = self.metrics.horizontalAdvance("\N{CJK UNIFIED IDEOGRAPH-4E2D}")
        self._wide_space = 2 * self.column - wide
        self._tokens = tokens
        self._layouts: dict[tuple[str, int], QTextLayout] = {}
        self._room = _AT_ONCE

    def wrap_at(self, room: float | None) -> None:
        """Break lines that are wider than `room` pixels, gutter not included; None breaks none."""
        width = _AT_ONCE if room is None else max(self.column * 12, room - self.column)
        if width != self._room:
            self._room = width
            self._layouts.clear()

    @property
    def columns(self) -> int:
        """Characters for which a screen line has room."""
        return int(self._room / self.column)

    def forget(self, side: str, first: int, last: int) -> None:
        """Drop laid-out lines [first, last) of `side`, because their colours changed."""
        for line in range(first, last):
            self._layouts.pop((side, line), None)

    def gutter_width(self, lines: int, *, both: bool = False) -> float:
        """Width of line numbers and sign for a file of `lines` lines; `both`: numbers of both versions."""
        digits = max(2, len(str(lines)))
        return self.column * (digits + 4.8 + (digits + 1.8 if both else 0.0))

    def background(
        self, kind: RowKind, side: str, *, strong: bool = False
    ) -> QColor | None:
        """Fill of a row on `side`; None where it is plain."""
        if kind is RowKind.EQUAL:
            return None
        share = (0.16 if self.look.dark else 0.11) + (0.05 if strong else 0.0)
        return self.look.tint(_SIDE_ROLE[side], share)

    def layout(self, side: str, line: int, text: str) -> QTextLayout:
        """The laid-out line, made once until its colours change."""
        ready = self._layouts.get((side, line))
        if ready is not None:
            return ready
        layout = QTextLayout(text, self.font)
        option = QTextOption()
        wrapped = self._room != _AT_ONCE
        mode = QTextOption.WrapMode
        option.setWrapMode(
            mode.WrapAtWordBoundaryOrAnywhere if wrapped else mode.NoWrap
        )
        option.setTabStopDistance(self.column * TAB_COLUMNS)
        layout.setTextOption(option)
        formats = [self._format(text, token) for token in self._tokens(side, line)]
        formats += [self._wide(text, start, end) for start, end in wide_runs(text)]
        layout.setFormats(formats)
        layout.beginLayout()
        top = 0
        while (part := layout.createLine()).isValid():
            part.setLineWidth(self._room)
            middle = top + (self.row_height - part.height()) / 2
            part.setPosition(QPointF(0, middle))
            top += self.row_height
        layout.endLayout()
        self._layouts[side, line] = layout
        return layout

    def _format(self, text: str, token: LineToken) -> QTextLayout.FormatRange:
        start, length, role = token
        style = QTextCharFormat()
        style.setForeground(self.look.syntax(role))
        return _styled(text, start, start + length, style)

    def _plain(self, text: str, stretch: Span) -> QTextLayout.FormatRange:
        return self._format(text, (stretch.start, stretch.end - stretch.start, "text"))

    def _wide(self, text: str, start: int, end: int) -> QTextLayout.FormatRange:
        """Each character of [start, end) takes two cells, so that what follows stands in its column."""
        style = QTextCharFormat()
        style.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
        style.setFontLetterSpacing(self._wide_space)
        return _styled(text, start, end, style)

    def filler(self, painter: QPainter, area: QRectF) -> None:
        """A row that has no partner on this side: hatched, so that it cannot be taken for an empty line."""
        painter.fillRect(
            area, QBrush(self.look.color("border"), Qt.BrushStyle.BDiagPattern)
        )

    def gutter(
        self,
        painter: QPainter,
        area: QRectF,
        numbers: Sequence[int | None],
        kind: RowKind,
        side: str,
    ) -> None:
        """0-based line numbers, one for each column of the gutter, and for changed lines the sign."""
        fill = self.background(kind, side, strong=True)
        if fill is not None:
            painter.fillRect(area, fill)
        painter.setFont(self.font)
        painter.setPen(self.look.color("muted"))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        icon_end = self.column * 2.2
        step = (area.width() - self.column * 2.6 - icon_end) / len(numbers)
        for place, number in enumerate(numbers, 1):
            if number is not None:
                width = icon_end + step * place
                cell = QRectF(area.left(), area.top(), width, self.row_height)
                painter.drawText(cell, flags, str(number + 1))
        if kind is not RowKind.EQUAL:
            painter.setPen(self.look.color(_SIDE_ROLE[side]))
            sign_x = area.right() - self.column * 2.0
            sign = QRectF(sign_x, area.top(), self.column * 1.4, self.row_height)
            painter.drawText(sign, Qt.AlignmentFlag.AlignCenter, _SIGN[side])

    def moved_fill(self) -> QColor:
        """Behind lines that stand elsewhere in the other version."""
        return self.look.tint("info", 0.13 if self.look.dark else 0.09)

    def note(self, painter: QPainter, area: QRectF, end: QPointF, words: str) -> None:
        """Say something behind a line, which ends at `end`, where there is room for it."""
        font = self.look.small_font()
        start = end.x() + self.column * 3
        if start + QFontMetricsF(font).horizontalAdvance(words) < area.right():
            painter.setFont(font)
            painter.setPen(self.look.color("muted"))
            place = QRectF(start, end.y(), area.right() - start, self.row_height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)

    def move(self, painter: QPainter, area: QRectF, end: QPointF, words: str) -> QRectF:
        """Say behind a line, which ends at `end`, where it was moved; returns where that is written."""
        painter.setFont(self.look.small_font())
        painter.setPen(self.look.color("info"))
        width = QFontMetricsF(painter.font()).horizontalAdvance(words)
        words_x = min(end.x() + self.column * 3, area.right() - width - self.column)
        place = QRectF(words_x, end.y(), width + 2, self.row_height)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, words)
        return place

    def word_fill(self, side: str) -> QColor:
        """Behind the words of a line that differ; they are painted plain."""
        return self.look.tint(_SIDE_ROLE[side], 0.42 if self.look.dark else 0.32)

    def hit_fill(self, *, in_front: bool) -> QColor:
        """Behind a hit of the search; it is painted plain."""
        return self.look.tint("warning", 0.42 if in_front else 0.24)

    def selected_fill(self) -> QColor:
        """Over whatever is selected, half transparent; it is painted plain."""
        return self.look.color("accent", 0.34 if self.look.dark else 0.26)

    def code(
        self,
        painter: QPainter,
        area: QRectF,
        side: str,
        line: int,
        text: str,
        fills: Sequence[Fill],
        shift: float,
    ) -> QPointF:
        """The text of a line, `shift` pixels scrolled to the left; returns where it ends (x, top of y)."""
        laid = self.layout(side, line, text)
        origin = QPointF(area.left() + self.column * _INDENT - shift, area.top())
        painter.save()
        painter.setClipRect(area)
        painter.setPen(Qt.PenStyle.NoPen)
        for fill in fills:
            painter.setBrush(fill.color)
            frame = QPen(self.look.color("warning"), 1.2)
            painter.setPen(frame if fill.framed else QPen(Qt.PenStyle.NoPen))
            for box in self._boxes(laid, text, fill):
                painter.drawRoundedRect(box.translated(origin), 2.5, 2.5)
        painter.setPen(self.look.syntax("text"))
        laid.draw(painter, origin, [self._plain(text, fill.span) for fill in fills])
        painter.restore()
        last = laid.lineAt(laid.lineCount() - 1)
        below = (laid.lineCount() - 1) * self.row_height
        return QPointF(origin.x() + last.naturalTextWidth(), area.top() + below)

    def _boxes(self, laid: QTextLayout, text: str, fill: Fill) -> Iterator[QRectF]:
        """What a stretch of characters covers on each screen line, from the line's beginning."""
        start = utf16_offset(text, fill.span.start)
        end = utf16_offset(text, fill.span.end)
        for number in range(laid.lineCount()):
            part = laid.lineAt(number)
            first, last = part.textStart(), part.textStart() + part.textLength()
            # An end at the break of a wrapped line belongs to the line below.
            ends_here = last >= end and (number == laid.lineCount() - 1 or end < last)
            empty = start == end and not (fill.to_end and ends_here)
            if start > last or end < first or empty:
                continue
            begin_x, end_x = _x_of(part, max(start, first)), _x_of(part, min(end, last))
            if fill.to_end and ends_here:
                end_x += self.column * 0.6
            if end_x > begin_x:
                top = number * self.row_height + 1
                yield QRectF(begin_x, top, end_x - begin_x, self.row_height - 2)

    def character_at(
        self, side: str, line: int, text: str, x: float, y: float = 0.0
    ) -> int:
        """Index of the character of a line at `x` pixels behind the gutter, as if nothing were scrolled.

        `y` counts from the top of the line; it matters where the line is wrapped.
        """
        return self._at(
            side, line, text, x, y, QTextLine.CursorPosition.CursorOnCharacter
        )

    def gap_at(self, side: str, line: int, text: str, x: float, y: float = 0.0) -> int:
        """The place between characters nearest to a point; see `character_at`."""
        return self._at(
            side, line, text, x, y, QTextLine.CursorPosition.CursorBetweenCharacters
        )

    def _at(
        self,
        side: str,
        line: int,
        text: str,
        x: float,
        y: float,
        where: QTextLine.CursorPosition,
    ) -> int:
        laid = self.layout(side, line, text)
        number = min(int(y // self.row_height), laid.lineCount() - 1)
        part = laid.lineAt(max(0, number))
        return character_at(text, part.xToCursor(x - self.column * _INDENT, where))

    def place_of(self, side: str, line: int, text: str, offset: int) -> QPointF:
        """Left end of a caret before the character `offset`, from the beginning of the code's area."""
        laid = self.layout(side, line, text)
        cursor = utf16_offset(text, offset)
        number = 0
        if laid.lineCount() > 1:
            number = max(0, laid.lineForTextPosition(cursor).lineNumber())
        caret_x = _x_of(laid.lineAt(number), cursor) + self.column * _INDENT
        return QPointF(caret_x, number * self.row_height)

    def lines_of(self, side: str, line: int, text: str) -> int:
        """Screen lines a line of the file takes."""
        return self.layout(side, line, text).lineCount()

    def messages(
        self,
        painter: QPainter,
        area: QRectF,
        gutter: QRectF,
        end: QPointF,
        marks: tuple[Mark, ...],
    ) -> None:
        """The messages of a line: an icon in the gutter, the first one in words behind the code."""
        drawing, role = MARK_ICONS.get(marks[0].severity, MARK_ICONS["note"])
        side = self.row_height * 0.82
        top = gutter.top() + (self.row_height - side) / 2
        paint_icon(painter, drawing, role, QRectF(gutter.left() + 2, top, side, side))
        color = self.look.color(role)
        painter.setPen(QPen(color, 1.2, Qt.PenStyle.DotLine))
        under = area.bottom() - 1
        painter.drawLine(QPointF(area.left(), under), QPointF(area.right(), under))
        start = max(end.x() + self.column * 3, area.left() + self.column)
        width = area.right() - start - self.column
        room = QRectF(start, end.y(), width, self.row_height)
        if room.width() < self.column * 8:
            return
        more = f"  (+{len(marks) - 1})" if len(marks) > 1 else ""
        painter.setFont(self.look.small_font())
        painter.setPen(color)
        metrics = QFontMetricsF(painter.font())
        elide = Qt.TextElideMode.ElideRight
        text = metrics.elidedText(marks[0].text + more, elide, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def fold(self, painter: QPainter, area: QRectF, text: str) -> None:
        """A band in place of hidden lines."""
        painter.fillRect(area, self.look.tint("info", 0.12 if self.look.dark else 0.07))
        side = self.row_height * 0.8
        icon_x = area.left() + self.column * 1.2
        sign = QRectF(icon_x, area.center().y() - side / 2, side, side)
        paint_icon(painter, "unfold", "muted", sign)
        painter.setFont(self.look.small_font())
        painter.setPen(self.look.color("muted"))
        place = area.adjusted(self.column * 1.8 + side, 0, 0, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)


def _styled(
    text: str, start: int, end: int, style: QTextCharFormat
) -> QTextLayout.FormatRange:
    """Characters [start, end) of a line in a style, in Qt's counting."""
    span = QTextLayout.FormatRange()
    span.start = utf16_offset(text, start)
    span.length = utf16_offset(text, end) - span.start
    span.format = style
    return span


def _x_of(glyphs: QTextLine, cursor: int) -> float:
    """Where a cursor stands in pixels; Qt gives it with the cursor it is valid for."""
    return float(expect(glyphs.cursorToX(cursor), tuple)[0])
