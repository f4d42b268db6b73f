"""All rounds of a trajectory in one line: verdict of each, which two are compared, a click to change that."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.analysis.queries import RoundRow, unproven_gains
from sage_desktop.panels.review.versions import Versions
from sage_desktop.ui.icons import paint_icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.verdicts import (
    StatusStyle,
    edited_text,
    latency_text,
    objective_text,
    origin_text,
    round_look,
    unproven_text,
)
from sage_desktop.ui.widgets.writing import RIGHT, write

# In ems.
_CELL = 1.6  # side of a cell
_NARROWEST = 0.3  # width of a cell where there are many rounds
_CAPTION_GAP = 0.5  # between a caption and its first cell
_CAPTION = 10  # room for a caption
_HEIGHT = 2.2  # with the frame of the focus and the signs that reach over a cell
_TRIES = 4  # narrowing changes the gaps too, so one computation is not exact


def _end_of(cells: Sequence[tuple[QRectF, RoundRow]]) -> float:
    """Where the last cell ends, in pixels from the left."""
    last, _row = cells[-1]
    return last.right()


class RoundStrip(QWidget):
    """One cell a round; the objective stands before the first round that pursues it.

    Signals:
        picked: (round number, whether it is to be the older version).
    """

    picked = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self._rounds: tuple[RoundRow, ...] = ()
        self._best = self._first = 0
        self._state = ""  # of the operator
        self._reason = ""  # why the trajectory ended
        self._older = self._newer = 0  # the compared ones
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Rounds"))

    def show_rounds(self, trajectory: Versions, older: int, newer: int) -> None:
        """Show the rounds and mark the compared ones (0: none)."""
        self._rounds = trajectory.rounds
        self._state = trajectory.queue.state
        self._reason = trajectory.queue.reason
        self._best = trajectory.queue.best_round or 0
        self._first = trajectory.queue.first_correct_round or 0
        self._older, self._newer = older, newer
        self.setAccessibleDescription(self._describe(newer))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(10), theme().px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        width = min(self.full_width(), theme().px(6))
        return QSize(width, theme().px(_HEIGHT))

    def full_width(self) -> int:
        """Pixels in which every round has a cell of full size."""
        cells = self._arranged(theme().em * _CELL)
        return round(_end_of(cells)) + 4 if cells else 0

    def cells(self) -> list[tuple[QRectF, RoundRow]]:
        """All rounds, the last one too: cells become narrower until they have room."""
        width = theme().em * _CELL
        narrowest = theme().em * _NARROWEST
        cells = self._arranged(width)
        if not cells:
            return cells
        for _try in range(_TRIES):
            missing = _end_of(cells) + 3 - self.width()
            if missing <= 0:
                break
            width = max(narrowest, width - missing / len(cells))
            cells = self._arranged(width)
        return cells

    def _arranged(self, width: float) -> list[tuple[QRectF, RoundRow]]:
        """Every round with its cell of `width` pixels, from the left."""
        look = theme()
        gap = min(look.em * 0.28, width * 0.2)
        metrics = QFontMetricsF(look.small_font())
        cells: list[tuple[QRectF, RoundRow]] = []
        height = look.em * _CELL
        top = look.em * (_HEIGHT - _CELL) / 2
        x = 2.0
        before = ""
        for row in self._rounds:
            if row.objective != before:
                # Room for the caption, and for a pause between two objectives.
                x += look.em * 0.8 if before else 0.0
                caption = objective_text(row.objective)
                x += metrics.horizontalAdvance(caption) + look.em * _CAPTION_GAP
            before = row.objective
            cells.append((QRectF(x, top, width, height), row))
            x += width + gap
        return cells

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        before = ""
        for cell, row in self.cells():
            if row.objective != before:
                room = look.em * _CAPTION
                left = cell.left() - look.em * _CAPTION_GAP - room
                area = QRectF(left, 0, room, self.height())
                caption = objective_text(row.objective)
                write(painter, area, caption, "muted", look.small_font(), RIGHT)
            before = row.objective
            self._paint_cell(painter, cell, row)
        painter.end()

    def _paint_cell(self, painter: QPainter, cell: QRectF, row: RoundRow) -> None:
        look = theme()
        verdict = self._look(row)
        radius = look.em * 0.28
        strength = 0.24 if look.dark else 0.12
        painter.setBrush(look.tint(verdict.role, strength))
        painter.setPen(self._frame(row.round))
        painter.drawRoundedRect(cell, radius, radius)
        side = min(cell.width(), look.em * 1.1)
        sign = QRectF(0, 0, side, side)
        sign.moveCenter(cell.center())
        paint_icon(painter, verdict.icon, verdict.role, sign)
        if row.round == self._best:
            self._paint_best(painter, cell)
        if row.author == "person":
            self._paint_person(painter, cell)
        if row.adopted:
            self._paint_adoption(painter, cell)
        if self.hasFocus() and row.round == self._newer:
            painter.setPen(QPen(look.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            around = cell.adjusted(-2.5, -2.5, 2.5, 2.5)
            painter.drawRoundedRect(around, radius, radius)

    def _frame(self, number: int) -> QPen:
        """Whole around the newer version, dotted around the older one."""
        accent = theme().color("accent")
        if number == self._newer:
            return QPen(accent, 2.0)
        if number == self._older:
            return QPen(accent, 1.5, Qt.PenStyle.DotLine)
        return QPen(Qt.PenStyle.NoPen)

    @staticmethod
    def _paint_best(painter: QPainter, cell: QRectF) -> None:
        """A bolt at the upper right corner."""
        look = theme()
        size = look.em * 0.7
        left = cell.right() - size * 0.75
        top = cell.top() - size * 0.35
        place = QRectF(left, top, size, size)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("accent"))
        painter.drawEllipse(place)
        paint_icon(painter, "bolt", "on_accent", place.adjusted(1, 1, -1, -1))

    @staticmethod
    def _paint_person(painter: QPainter, cell: QRectF) -> None:
        """A pen at the lower left corner."""
        look = theme()
        size = look.em * 0.75
        left = cell.left() - size * 0.3
        top = cell.bottom() - size * 0.7
        place = QRectF(left, top, size, size)
        # A disc below the pen: its lines are too thin on the colour of a cell.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("base"))
        painter.drawEllipse(place.adjusted(-1, -1, 1, 1))
        paint_icon(painter, "edit", "accent", place)

    @staticmethod
    def _paint_adoption(painter: QPainter, cell: QRectF) -> None:
        """A dot at the lower right corner."""
        look = theme()
        size = look.em * 0.42
        left = cell.right() - size * 0.7
        top = cell.bottom() - size * 0.7
        place = QRectF(left, top, size, size)
        painter.setPen(QPen(look.color("base"), 1.5))
        painter.setBrush(look.color("success"))
        painter.drawEllipse(place)

    def _look(self, row: RoundRow) -> StatusStyle:
        """A round without a verdict is in work only while its operator is."""
        return round_look(row.verdict, row.candidate, self._state)

    def _describe(self, number: int) -> str:
        """A round in words; empty where there is none of that number."""
        row = next((row for row in self._rounds if row.round == number), None)
        if row is None:
            return ""
        name = self.tr("Round {0}").format(row.round)
        parts = [name, self._look(row).text]
        if row.latency_us is not None:
            latency = latency_text(row.latency_us)
            parts.append(f"{latency} {origin_text(row.latency_origin)}")
        if row.author == "person":
            parts.append(edited_text())
        if row.adopted:
            parts.append(self.tr("%n experience(s) adopted", "", row.adopted))
        if row.round == self._first:
            parts.append(self.tr("first correct"))
        if row.round == self._best:
            parts.append(self.tr("best"))
        if row.round in unproven_gains(self._rounds):
            parts.append(unproven_text())
        return " · ".join(parts)

    def _tip(self, row: RoundRow) -> str:
        """What is known of a round, and what a click on it does or why there is no kernel."""
        cause = row.cause
        if not cause and not row.candidate:
            cause = self._reason
        lines = [self._describe(row.round), translated(cause)]
        if row.candidate:
            lines.append(self.tr("Click: show it. Shift+click: compare with it."))
        return "\n".join(line for line in lines if line)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        older = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        for cell, row in self.cells():
            # A click between two cells or on a sign that reaches over one counts too.
            reach = cell.adjusted(-2, -4, 2, 4)
            if row.candidate and reach.contains(event.position()):
                self.picked.emit(row.round, older)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A round without a kernel has nothing to show but the reason.

        At the release, which takes away a tip that the press has brought.
        """
        for cell, row in self.cells():
            if cell.contains(event.position()) and not row.candidate:
                place = event.globalPosition().toPoint()
                QToolTip.showText(place, self._tip(row), self)

    def step(self, by: int) -> None:
        """Choose the round `by` places after (negative: before) the newer version."""
        numbers = [row.round for row in self._rounds if row.candidate]
        if self._newer in numbers:
            place = numbers.index(self._newer) + by
            if 0 <= place < len(numbers):
                self.picked.emit(numbers[place], False)  # noqa: FBT003 - a signal

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Left:
            self.step(-1)
        elif event.key() == Qt.Key.Key_Right:
            self.step(1)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            for cell, row in self.cells():
                if cell.contains(event.pos()):
                    QToolTip.showText(event.globalPos(), self._tip(row), self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)
