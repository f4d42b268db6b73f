"""The comparison of two versions of a file, painted with rows of one height, so that both sides align.

Two columns where there is room, one where there is not. Lines are selected as wholes.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from sage_desktop.diff.document import DiffDocument, FileView
from sage_desktop.diff.engine import Fold, Row
from sage_desktop.diff.highlight import Highlighter, LineToken
from sage_desktop.diff.overview_ruler import OverviewRuler
from sage_desktop.diff.painter import LinePainter, cells
from sage_desktop.theme import theme

_NARROW_COLUMNS = 100  # characters below which two columns help nobody
_SIDES = ("left", "right")


class DiffView(QAbstractScrollArea):
    """Shows a `FileView`.

    Signals:
        moved: The current row changed; carries (number of the change at or before it from 1, all changes).
    """

    moved = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(self.tr("Comparison of two kernel versions"))
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self._view = FileView("", None, None)
        self._options = {"inline": False, "fold": True, "ignore_space": False, "colors": True}
        self._document = DiffDocument(self._view)
        self._highlighters = {side: Highlighter(self) for side in _SIDES}
        for side, highlighter in self._highlighters.items():
            highlighter.progressed.connect(lambda first, last, side=side: self._colored(side, first, last))
        self._painter = LinePainter(theme(), self._tokens)
        self._current = 0
        self._anchor = 0
        self._side = "right"
        self._ruler = OverviewRuler(self)
        self._ruler.jumped.connect(self._jump_to)
        theme().changed.connect(self._restyle)
        self._restyle()

    @property
    def document(self) -> DiffDocument:
        """What is shown now."""
        return self._document

    def show_file(self, view: FileView, *, keep_place: bool = False) -> None:
        """Show another file, at its first change; `keep_place` when it is the same file again, refreshed."""
        place = self.verticalScrollBar().value()
        self._view = view
        self._rebuild(opened=self._document.opened if keep_place else frozenset())
        if self._options["colors"]:
            for side in _SIDES:
                self._highlighters[side].set_text(getattr(view, side) or "")
        if keep_place:
            self.verticalScrollBar().setValue(place)
            return
        self.horizontalScrollBar().setValue(0)
        self._current = self._anchor = 0
        self.verticalScrollBar().setValue(0)
        if self._document.changes:
            self._go_to(self._document.changes[0])

    def set_option(self, name: str, *, on: bool) -> None:
        """Turn `inline`, `fold`, `ignore_space` or `colors` on or off."""
        if self._options[name] == on:
            return
        self._options[name] = on
        for side in _SIDES:
            if name == "colors":
                self._highlighters[side].set_text((getattr(self._view, side) or "") if on else "")
        self._rebuild(opened=frozenset())

    @property
    def inline(self) -> bool:
        """Whether one column is shown, by choice or because there is no room for two."""
        narrow = self.viewport().width() < self._painter.column * _NARROW_COLUMNS
        return self._options["inline"] or narrow

    def next_change(self, step: int) -> None:
        """Go `step` changes forward (negative: back), around the end."""
        changes = self._document.changes
        if not changes:
            return
        if step > 0:
            target = next((c for c in changes if c > self._current), changes[0])
        else:
            target = next((c for c in reversed(changes) if c < self._current), changes[-1])
        self._go_to(target)

    def go_to_line(self, line: int) -> None:
        """Show and select the 0-based `line` of the newer version."""
        position = self._document.position_of_right(line)
        self._measure()
        if position is not None:
            self._side = "right"
            self._go_to(position)

    def find(self, needle: str, step: int = 0) -> bool:
        """Mark every `needle` and go to one: at (step 0), after (1) or before (-1) the current row."""
        self._painter.needle = needle.lower()
        self.viewport().update()
        total = len(self._document.shown)
        if not needle or not total:
            return True
        direction = -1 if step < 0 else 1
        for distance in range(abs(step), total + abs(step)):
            position = (self._current + direction * distance) % total
            texts = (self._document.text(position, side).lower() for side in _SIDES)
            if any(self._painter.needle in text for text in texts):
                self._go_to(position)
                return True
        return False

    def full_height(self) -> int:
        """Height in which everything is visible without scrolling, in two columns or in one."""
        rows = len(self._document.shown)
        if not self._document.inline:
            rows = max(rows, len(self._document.left) + len(self._document.right))
        return rows * self._painter.row_height + self.horizontalScrollBar().sizeHint().height() + 2

    def selected_text(self) -> str:
        """The selected lines of the side last clicked."""
        first, last = sorted((self._anchor, self._current))
        kept = []
        for position in range(first, min(last + 1, len(self._document.shown))):
            entry = self._document.entry(position)
            if isinstance(entry, Fold):
                lines = self._document.comparison.rows[entry.start : entry.end]
                kept += [self._document.right[row.right] for row in lines if row.right is not None]
            elif self._document.inline:
                kept.append(self._document.line_text(position))
            elif (entry.left if self._side == "left" else entry.right) is not None:
                kept.append(self._document.text(position, self._side))
        return "\n".join(kept)

    def copy(self) -> None:
        """Put the selected lines on the clipboard."""
        QGuiApplication.clipboard().setText(self.selected_text())

    def _tokens(self, side: str, line: int) -> list[LineToken]:
        return self._highlighters[side].tokens(line)

    def _colored(self, side: str, first: int, last: int) -> None:
        self._painter.forget(side, first, last)
        self.viewport().update()

    def _restyle(self) -> None:
        self._painter = self._fresh_painter()
        self.setViewportMargins(0, 0, theme().px(0.8), 0)
        self._measure()
        self.viewport().update()

    def _rebuild(self, *, opened: frozenset[int]) -> None:
        self._painter = self._fresh_painter()
        self._document = DiffDocument(
            self._view,
            inline=self.inline,
            fold=self._options["fold"] and not self._fits(),
            ignore_space=self._options["ignore_space"],
            opened=opened,
        )
        self._current = min(self._current, max(0, len(self._document.shown) - 1))
        self._anchor = self._current
        self._measure()
        self._ruler.show_document(self._document)
        self.viewport().update()
        self._tell()

    def _fits(self) -> bool:
        """Whether the whole file is visible at once; nothing is folded then."""
        lines = max((text or "").count("\n") for text in (self._view.left, self._view.right))
        return (lines + 4) * self._painter.row_height < self.viewport().height()

    def _fresh_painter(self) -> LinePainter:
        made = LinePainter(theme(), self._tokens)
        made.needle = self._painter.needle
        return made

    def _measure(self) -> None:
        rows = max(1, self.viewport().height() // self._painter.row_height)
        bar = self.verticalScrollBar()
        bar.setPageStep(rows)
        bar.setRange(0, max(0, len(self._document.shown) - rows + (1 if self._document.shown else 0)))
        longest = max(map(cells, (*self._document.left, *self._document.right)), default=0)
        room = self._code_width("right")
        sideways = self.horizontalScrollBar()
        sideways.setPageStep(round(room))
        sideways.setSingleStep(round(self._painter.column * 4))
        sideways.setRange(0, max(0, round((longest + 4) * self._painter.column - room)))

    def _pane(self, side: str) -> tuple[float, float]:
        width = float(self.viewport().width())
        if self._document.inline:
            return 0.0, width
        return (0.0, width / 2) if side == "left" else (width / 2, width)

    def _gutter(self) -> float:
        return self._painter.gutter_width(max(len(self._document.left), len(self._document.right)))

    def _code_width(self, side: str) -> float:
        start, end = self._pane(side)
        return end - start - self._gutter()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        look = theme()
        painter.fillRect(event.rect(), look.color("base"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = self._painter.row_height
        first = self.verticalScrollBar().value()
        last = min(len(self._document.shown), first + self.viewport().height() // height + 2)
        chosen = range(min(self._anchor, self._current), max(self._anchor, self._current) + 1)
        for position in range(first, last):
            top = (position - first) * height
            entry = self._document.entry(position)
            if isinstance(entry, Fold):
                band = QRectF(0, top, self.viewport().width(), height)
                hidden = entry.end - entry.start
                self._painter.fold(painter, band, self.tr("%n unchanged line(s)", "", hidden))
            else:
                self._paint_row(painter, position, entry, top)
            if position in chosen:
                self._paint_choice(painter, top, single=len(chosen) == 1)
        if not self._document.inline:
            middle = self.viewport().width() // 2
            painter.setPen(look.color("border"))
            painter.drawLine(middle, 0, middle, self.viewport().height())
        painter.end()

    def _paint_choice(self, painter: QPainter, top: float, *, single: bool) -> None:
        look = theme()
        start, end = self._pane(self._side)
        if not single:
            color = look.color("accent")
            color.setAlphaF(0.22)
            painter.fillRect(QRectF(start, top, end - start, self._painter.row_height), color)
        if self.hasFocus() or not single:
            edge = look.px(0.13)
            painter.fillRect(QRectF(start, top, edge, self._painter.row_height), look.color("accent"))

    def _paint_row(self, painter: QPainter, position: int, row: Row, top: float) -> None:
        height = self._painter.row_height
        if self._document.inline:
            side = "left" if row.right is None else "right"
            self._paint_side(painter, position, row, side, QRectF(0, top, self._pane(side)[1], height))
            return
        for side in _SIDES:
            start, end = self._pane(side)
            self._paint_side(painter, position, row, side, QRectF(start, top, end - start, height))

    def _paint_side(self, painter: QPainter, position: int, row: Row, side: str, area: QRectF) -> None:
        line = row.left if side == "left" else row.right
        if line is None:
            self._painter.filler(painter, area)
            return
        fill = self._painter.background(row.kind, side)
        if fill is not None:
            painter.fillRect(area, fill)
        gutter = QRectF(area.left(), area.top(), self._gutter(), area.height())
        self._painter.gutter(painter, gutter, line, row.kind, side)
        code = area.adjusted(gutter.width(), 0, 0, 0)
        marks = row.left_marks if side == "left" else row.right_marks
        text = self._document.text(position, side)
        shift = self.horizontalScrollBar().value()
        end = self._painter.code(painter, code, side, line, text, marks, shift)
        messages = self._document.marks_at(position) if side == "right" else ()
        if messages:
            self._painter.messages(painter, code, gutter, end, messages)

    def _go_to(self, position: int) -> None:
        self._current = self._anchor = position
        entry = self._document.entry(position)
        if isinstance(entry, Row) and entry.right is None:
            self._side = "left"
        elif isinstance(entry, Row) and entry.left is None:
            self._side = "right"
        bar = self.verticalScrollBar()
        first, page = bar.value(), bar.pageStep()
        if not first + 1 <= position < first + page - 2:
            bar.setValue(max(0, position - page // 4))
        self.viewport().update()
        self._tell()

    def _jump_to(self, share: float) -> None:
        self.verticalScrollBar().setValue(
            round(share * len(self._document.shown)) - self.verticalScrollBar().pageStep() // 2
        )

    def _tell(self) -> None:
        changes = self._document.changes
        self.moved.emit(sum(change <= self._current for change in changes), len(changes))
        if self._document.shown:
            self.setAccessibleDescription(self._document.describe(self._current))

    def _open(self, fold: Fold) -> None:
        self._document.open_fold(fold)
        self._measure()
        self._ruler.show_document(self._document)
        self.viewport().update()

    def _position_at(self, y: float) -> int | None:
        position = self.verticalScrollBar().value() + int(y) // self._painter.row_height
        return position if 0 <= position < len(self._document.shown) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = self._position_at(event.position().y())
        if position is None or event.button() != Qt.MouseButton.LeftButton:
            return
        entry = self._document.entry(position)
        if isinstance(entry, Fold):
            self._open(entry)
            return
        if not self._document.inline:
            self._side = "left" if event.position().x() < self.viewport().width() / 2 else "right"
        self._current = position
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = position
        self.viewport().update()
        self._tell()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = self._position_at(event.position().y())
        on_fold = position is not None and isinstance(self._document.entry(position), Fold)
        shape = Qt.CursorShape.PointingHandCursor if on_fold else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)
        if position is not None and event.buttons() & Qt.MouseButton.LeftButton and position != self._current:
            self._current = position
            self.viewport().update()
            self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        page = self.verticalScrollBar().pageStep()
        last = len(self._document.shown) - 1
        key = event.key()
        moves = {
            Qt.Key.Key_Up: self._current - 1,
            Qt.Key.Key_Down: self._current + 1,
            Qt.Key.Key_PageUp: self._current - page,
            Qt.Key.Key_PageDown: self._current + page,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key in moves and last >= 0:
            anchor = self._anchor
            self._go_to(max(0, min(last, moves[Qt.Key(key)])))
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._anchor = anchor
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and last >= 0:
            entry = self._document.entry(self._current)
            if isinstance(entry, Fold):
                self._open(entry)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() + bar.singleStep() * (1 if key == Qt.Key.Key_Right else -1))
        else:
            super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            position = self._position_at(event.pos().y())  # type: ignore[attr-defined]
            marks = self._document.marks_at(position) if position is not None else ()
            text = "\n".join(f"{mark.severity}: {mark.text}" for mark in marks)
            QToolTip.showText(event.globalPos(), text, self.viewport())  # type: ignore[attr-defined]
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ruler.place()
        if self.inline != self._document.inline:
            self._rebuild(opened=self._document.opened)
        self._measure()

    def focusInEvent(self, event: QEvent) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]
        self.viewport().update()

    def focusOutEvent(self, event: QEvent) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(50), theme().px(24))
