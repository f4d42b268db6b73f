"""Painting of single rows of a comparison: gutter, sign, coloured text, word marks, folds, messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
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
from sage_desktop.ui.widgets.writing import MIDDLE, RIGHT, write

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
        width = _AT_ONCE
        if room is not None:
            width = max(self.column * 12, room - self.column)
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
        columns = digits + 4.8  # with room for an icon and the sign
        if both:
            columns += digits + 1.8
        return self.column * columns

    def background(
        self, kind: RowKind, side: str, *, strong: bool = False
    ) -> QColor | None:
        """Fill of a row on `side`; None where it is plain."""
        if kind is RowKind.EQUAL:
            return None
        share = 0.16 if self.look.dark else 0.11
        if strong:
            share += 0.05
        return self.look.tint(_SIDE_ROLE[side], share)

    def layout(self, side: str, line: int, text: str) -> QTextLayout:
        """The laid-out line, made once until its colours change."""
        cached = self._layouts.get((side, line))
        if cached is not None:
            return cached
        layout = QTextLayout(text, self.font)
        layout.setTextOption(self._text_option())
        tokens = self._tokens(side, line)
        formats = [self._format(text, token) for token in tokens]
        for start, end in wide_runs(text):
            formats.append(self._wide(text, start, end))
        layout.setFormats(formats)
        self._break_lines(layout)
        self._layouts[side, line] = layout
        return layout

    def _text_option(self) -> QTextOption:
        """Where lines break, and how wide tabs are."""
        option = QTextOption()
        mode = QTextOption.WrapMode.NoWrap
        if self._room != _AT_ONCE:
            mode = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
        option.setWrapMode(mode)
        option.setTabStopDistance(self.column * TAB_COLUMNS)
        return option

    def _break_lines(self, layout: QTextLayout) -> None:
        """Give a layout its screen lines, each in the middle of a row."""
        layout.beginLayout()
        top = 0
        while (part := layout.createLine()).isValid():
            part.setLineWidth(self._room)
            margin = (self.row_height - part.height()) / 2
            part.setPosition(QPointF(0, top + margin))
            top += self.row_height
        layout.endLayout()

    def _format(self, text: str, token: LineToken) -> QTextLayout.FormatRange:
        """The colour of a token of code."""
        start, length, role = token
        style = QTextCharFormat()
        style.setForeground(self.look.syntax(role))
        return _styled(text, start, start + length, style)

    def _plain(self, text: str, stretch: Span) -> QTextLayout.FormatRange:
        """Characters without the colours of code."""
        length = stretch.end - stretch.start
        return self._format(text, (stretch.start, length, "text"))

    def _wide(self, text: str, start: int, end: int) -> QTextLayout.FormatRange:
        """Each character of [start, end) takes two cells, so that what follows stands in its column."""
        style = QTextCharFormat()
        style.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
        style.setFontLetterSpacing(self._wide_space)
        return _styled(text, start, end, style)

    def filler(self, painter: QPainter, area: QRectF) -> None:
        """A row that has no partner on this side: hatched, so that it cannot be taken for an empty line."""
        hatching = QBrush(self.look.color("border"), Qt.BrushStyle.BDiagPattern)
        painter.fillRect(area, hatching)

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
        icon_width = self.column * 2.2
        sign_width = self.column * 2.6
        room = area.width() - icon_width - sign_width
        number_width = room / len(numbers)
        for place, number in enumerate(numbers, 1):
            if number is not None:
                # From the edge of the gutter: a long number reaches into the icon's room.
                width = icon_width + number_width * place
                cell = QRectF(area.left(), area.top(), width, self.row_height)
                write(painter, cell, str(number + 1), "muted", self.font, RIGHT)
        if kind is not RowKind.EQUAL:
            sign_x = area.right() - self.column * 2.0
            cell = QRectF(sign_x, area.top(), self.column * 1.4, self.row_height)
            role = _SIDE_ROLE[side]
            write(painter, cell, _SIGN[side], role, self.font, MIDDLE)

    def moved_fill(self) -> QColor:
        """Behind lines that stand elsewhere in the other version."""
        share = 0.13 if self.look.dark else 0.09
        return self.look.tint("info", share)

    def note(self, painter: QPainter, area: QRectF, end: QPointF, words: str) -> None:
        """Say something behind a line, which ends at `end`, where there is room for it."""
        font = self.look.small_font()
        words_x = end.x() + self.column * 3
        words_width = QFontMetricsF(font).horizontalAdvance(words)
        room = area.right() - words_x
        if words_x + words_width < area.right():
            box = QRectF(words_x, end.y(), room, self.row_height)
            write(painter, box, words, "muted", font)

    def move(self, painter: QPainter, area: QRectF, end: QPointF, words: str) -> QRectF:
        """Say behind a line, which ends at `end`, where it was moved; returns where that is written."""
        font = self.look.small_font()
        width = QFontMetricsF(font).horizontalAdvance(words)
        # Never cut: over the end of a long line where there is no room behind it.
        behind_line = end.x() + self.column * 3
        last_x = area.right() - width - self.column
        words_x = min(behind_line, last_x)
        box = QRectF(words_x, end.y(), width + 2, self.row_height)
        write(painter, box, words, "info", font)
        return box

    def word_fill(self, side: str) -> QColor:
        """Behind the words of a line that differ; they are painted plain."""
        share = 0.42 if self.look.dark else 0.32
        return self.look.tint(_SIDE_ROLE[side], share)

    def hit_fill(self, *, in_front: bool) -> QColor:
        """Behind a hit of the search; it is painted plain."""
        share = 0.42 if in_front else 0.24
        return self.look.tint("warning", share)

    def selected_fill(self) -> QColor:
        """Over whatever is selected, half transparent; it is painted plain."""
        opacity = 0.34 if self.look.dark else 0.26
        return self.look.color("accent", opacity)

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
        layout = self.layout(side, line, text)
        text_x = area.left() + self.column * _INDENT - shift
        origin = QPointF(text_x, area.top())
        painter.save()
        painter.setClipRect(area)
        self._paint_fills(painter, layout, origin, text, fills)
        painter.setPen(self.look.syntax("text"))
        plain = [self._plain(text, fill.span) for fill in fills]
        layout.draw(painter, origin, plain)
        painter.restore()
        last = layout.lineCount() - 1
        end_x = text_x + layout.lineAt(last).naturalTextWidth()
        return QPointF(end_x, area.top() + last * self.row_height)

    def _paint_fills(
        self,
        painter: QPainter,
        layout: QTextLayout,
        origin: QPointF,
        text: str,
        fills: Sequence[Fill],
    ) -> None:
        """What lies behind the characters of a line whose layout begins at `origin`."""
        frame = QPen(self.look.color("warning"), 1.2)
        no_frame = Qt.PenStyle.NoPen
        for fill in fills:
            painter.setBrush(fill.color)
            painter.setPen(frame if fill.framed else no_frame)
            for box in self._boxes(layout, text, fill):
                painter.drawRoundedRect(box.translated(origin), 2.5, 2.5)

    def _boxes(self, layout: QTextLayout, text: str, fill: Fill) -> Iterator[QRectF]:
        """What a stretch of characters covers on each screen line, from the line's beginning."""
        start = utf16_offset(text, fill.span.start)
        end = utf16_offset(text, fill.span.end)
        last_line = layout.lineCount() - 1
        for number in range(layout.lineCount()):
            part = layout.lineAt(number)
            first = part.textStart()
            last = first + part.textLength()
            # An end at the break of a wrapped line belongs to the line below.
            ends_here = end < last or (end == last and number == last_line)
            reaches_on = fill.to_end and ends_here
            is_empty = start == end and not reaches_on
            if start > last or end < first or is_empty:
                continue
            begin_x = _x_of(part, max(start, first))
            end_x = _x_of(part, min(end, last))
            if reaches_on:
                end_x += self.column * 0.6
            if end_x > begin_x:
                top = number * self.row_height + 1
                height = self.row_height - 2
                yield QRectF(begin_x, top, end_x - begin_x, height)

    def character_at(
        self, side: str, line: int, text: str, x: float, y: float = 0.0
    ) -> int:
        """Index of the character of a line at `x` pixels behind the gutter, as if nothing were scrolled.

        `y` counts from the top of the line; it matters where the line is wrapped.
        """
        where = QTextLine.CursorPosition.CursorOnCharacter
        return self._index_at(side, line, text, x, y, where)

    def gap_at(self, side: str, line: int, text: str, x: float, y: float = 0.0) -> int:
        """The place between characters nearest to a point; see `character_at`."""
        where = QTextLine.CursorPosition.CursorBetweenCharacters
        return self._index_at(side, line, text, x, y, where)

    def _index_at(
        self,
        side: str,
        line: int,
        text: str,
        x: float,
        y: float,
        where: QTextLine.CursorPosition,
    ) -> int:
        """The character at a point of a line; `where` says whether characters or gaps are meant."""
        layout = self.layout(side, line, text)
        last = layout.lineCount() - 1
        number = max(0, min(int(y // self.row_height), last))
        part = layout.lineAt(number)
        cursor = part.xToCursor(x - self.column * _INDENT, where)
        return character_at(text, cursor)

    def place_of(self, side: str, line: int, text: str, offset: int) -> QPointF:
        """Left end of a caret before the character `offset`, from the beginning of the code's area."""
        layout = self.layout(side, line, text)
        cursor = utf16_offset(text, offset)
        number = 0
        if layout.lineCount() > 1:
            part = layout.lineForTextPosition(cursor)
            number = max(0, part.lineNumber())
        indent = self.column * _INDENT
        caret_x = _x_of(layout.lineAt(number), cursor) + indent
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
        first = marks[0]
        further = len(marks) - 1
        drawing, role = MARK_ICONS.get(first.severity, MARK_ICONS["note"])
        icon_side = self.row_height * 0.82
        icon_y = gutter.top() + (self.row_height - icon_side) / 2
        icon_box = QRectF(gutter.left() + 2, icon_y, icon_side, icon_side)
        paint_icon(painter, drawing, role, icon_box)
        line_y = area.bottom() - 1
        painter.setPen(QPen(self.look.color(role), 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(area.left(), line_y, area.right(), line_y))
        behind_line = end.x() + self.column * 3
        words_x = max(behind_line, area.left() + self.column)
        width = area.right() - words_x - self.column
        if width < self.column * 8:
            return
        words = first.text
        if further:
            words = f"{words}  (+{further})"
        box = QRectF(words_x, end.y(), width, self.row_height)
        write(painter, box, words, role, self.look.small_font(), elided=True)

    def fold(self, painter: QPainter, area: QRectF, text: str) -> None:
        """A band in place of hidden lines."""
        share = 0.12 if self.look.dark else 0.07
        painter.fillRect(area, self.look.tint("info", share))
        icon_side = self.row_height * 0.8
        icon_x = area.left() + self.column * 1.2
        icon_y = area.center().y() - icon_side / 2
        icon_box = QRectF(icon_x, icon_y, icon_side, icon_side)
        paint_icon(painter, "unfold", "muted", icon_box)
        text_room = self.column * 1.8 + icon_side
        text_box = area.adjusted(text_room, 0, 0, 0)
        write(painter, text_box, text, "muted", self.look.small_font())


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
