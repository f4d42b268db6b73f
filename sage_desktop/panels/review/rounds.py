"""All rounds of a trajectory in one line: verdict of each, which two are compared, a click to change that."""

from __future__ import annotations

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

_CELL = 1.6  # side of a cell, in line heights
_CAPTION_GAP = 0.5
_HEIGHT = 2.2  # with the frame of the focus and the signs that reach over a cell


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
        self._left = self._right = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Rounds"))

    def show_rounds(self, trajectory: Versions, left: int, right: int) -> None:
        """Show the rounds and mark the compared ones (0: none)."""
        self._rounds = trajectory.rounds
        self._state = trajectory.queue.state
        self._reason = trajectory.queue.reason
        self._best = trajectory.queue.best_round or 0
        self._first = trajectory.queue.first_correct_round or 0
        self._left, self._right = left, right
        self.setAccessibleDescription(self._describe(right))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(10), theme().px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.wanted_width(), theme().px(6)), theme().px(_HEIGHT))

    def wanted_width(self) -> int:
        """Pixels in which every round has a cell of full size."""
        cells = self._arranged(theme().em * _CELL)
        return round(cells[-1][0].right()) + 4 if cells else 0

    def cells(self) -> list[tuple[QRectF, RoundRow]]:
        """All rounds, the last one too: cells become narrower until they have room."""
        side = theme().em * _CELL
        cells = self._arranged(side)
        for _try in range(4):
            over = cells[-1][0].right() + 3 - self.width() if cells else 0.0
            if over <= 0:
                break
            side = max(theme().em * 0.3, side - over / len(cells))
            cells = self._arranged(side)
        return cells

    def _arranged(self, side: float) -> list[tuple[QRectF, RoundRow]]:
        look = theme()
        gap = min(look.em * 0.28, side * 0.2)
        captions = QFontMetricsF(look.small_font())
        cells: list[tuple[QRectF, RoundRow]] = []
        top = look.em * (_HEIGHT - _CELL) / 2
        x = 2.0
        before = ""
        for row in self._rounds:
            if row.objective != before:
                x += look.em * 0.8 if before else 0.0
                caption = captions.horizontalAdvance(objective_text(row.objective))
                x += caption + look.em * _CAPTION_GAP
            before = row.objective
            cells.append((QRectF(x, top, side, look.em * _CELL), row))
            x += side + gap
        return cells

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        before = ""
        for cell, row in self.cells():
            if row.objective != before:
                room = look.em * 10
                caption = QRectF(
                    cell.left() - room - look.em * _CAPTION_GAP,
                    0,
                    room,
                    self.height(),
                )
                words = objective_text(row.objective)
                write(painter, caption, words, "muted", look.small_font(), RIGHT)
            before = row.objective
            self._paint_cell(painter, cell, row)
        painter.end()

    def _paint_cell(self, painter: QPainter, cell: QRectF, row: RoundRow) -> None:
        look = theme()
        verdict = self._look(row)
        radius = look.em * 0.28
        painter.setBrush(look.tint(verdict.role, 0.24 if look.dark else 0.12))
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
        if self.hasFocus() and row.round == self._right:
            painter.setPen(QPen(look.color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            around = cell.adjusted(-2.5, -2.5, 2.5, 2.5)
            painter.drawRoundedRect(around, radius, radius)

    def _frame(self, number: int) -> QPen:
        """Whole around the newer version, dotted around the older one."""
        accent = theme().color("accent")
        if number == self._right:
            return QPen(accent, 2.0)
        if number == self._left:
            return QPen(accent, 1.5, Qt.PenStyle.DotLine)
        return QPen(Qt.PenStyle.NoPen)

    @staticmethod
    def _paint_best(painter: QPainter, cell: QRectF) -> None:
        """A bolt at the upper right corner."""
        look = theme()
        size = look.em * 0.7
        left, top = cell.right() - size * 0.75, cell.top() - size * 0.35
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
        left, top = cell.left() - size * 0.3, cell.bottom() - size * 0.7
        place = QRectF(left, top, size, size)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.color("base"))
        painter.drawEllipse(place.adjusted(-1, -1, 1, 1))
        paint_icon(painter, "edit", "accent", place)

    @staticmethod
    def _paint_adoption(painter: QPainter, cell: QRectF) -> None:
        """A dot at the lower right corner."""
        look = theme()
        size = look.em * 0.42
        corner = cell.bottomRight()
        place = QRectF(corner.x() - size * 0.7, corner.y() - size * 0.7, size, size)
        painter.setPen(QPen(look.color("base"), 1.5))
        painter.setBrush(look.color("success"))
        painter.drawEllipse(place)

    def _look(self, row: RoundRow) -> StatusStyle:
        """A round without a verdict is in work only while its operator is."""
        return round_look(row.verdict, row.candidate, self._state)

    def _describe(self, number: int) -> str:
        row = next((row for row in self._rounds if row.round == number), None)
        if row is None:
            return ""
        parts = [self.tr("Round {0}").format(row.round), self._look(row).text]
        if row.latency_us is not None:
            parts.append(
                f"{latency_text(row.latency_us)} {origin_text(row.latency_origin)}"
            )
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
        cause = row.cause or ("" if row.candidate else self._reason)
        hint = self.tr("Click: show it. Shift+click: compare with it.")
        lines = [self._describe(row.round), translated(cause)]
        if row.candidate:
            lines.append(hint)
        return "\n".join(line for line in lines if line)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for cell, row in self.cells():
            if not cell.adjusted(-2, -4, 2, 4).contains(event.position()):
                continue
            older = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if row.candidate:
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
        if self._right in numbers:
            place = numbers.index(self._right) + by
            if 0 <= place < len(numbers):
                self.picked.emit(numbers[place], False)  # noqa: FBT003 - a signal

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.step(1 if event.key() == Qt.Key.Key_Right else -1)
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
