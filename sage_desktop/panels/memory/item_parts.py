"""The parts of an item's page.

Counters, curve of utility, records, code, what it taught, links to others.
"""

from __future__ import annotations

import sqlite3
import textwrap
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QToolTip, QWidget

from core.analysis.blame import Taught, TaughtLine, taught_by
from core.memory.records import MemoryItem
from core.memory.views.rows import CreditRow
from sage_desktop.panels.memory.appearance import lifecycle_text, state_text
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.diff.view import DiffView
from sage_desktop.ui.rounds.lessons import (
    basis_text,
    effect_text,
    place_link,
)
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import clear
from sage_desktop.ui.widgets.form import heading, muted, text_label
from sage_desktop.ui.widgets.making import drawn, named
from sage_desktop.ui.widgets.stacking import boxed, hbox, vbox
from sage_desktop.ui.widgets.verdicts import objective_word, signed
from sage_desktop.ui.widgets.writing import RIGHT, write

_PROSE = 64  # characters a line of prose


class Figures(QFrame):
    """The counters of an item, each with its name below."""

    def __init__(self, item: MemoryItem) -> None:
        super().__init__()
        self.setProperty("card", "true")
        look = theme()
        grid = QGridLayout(self)
        across, down = look.px(0.7), look.px(0.5)
        grid.setContentsMargins(across, down, across, down)
        grid.setVerticalSpacing(0)
        for number, (value, name, tip) in enumerate(self._figures(item)):
            figure = heading(value, 1.1)
            caption = muted(name, small=True, wraps=False)
            for label in (figure, caption):
                label.setToolTip(tip)
            # Two rows of three figures; a figure takes a row of the grid, its name
            # another, and an empty one keeps the rows apart.
            row, column = divmod(number, 3)
            grid.addWidget(figure, 3 * row, column)
            grid.addWidget(caption, 3 * row + 1, column)
        grid.setRowMinimumHeight(2, look.px(0.5))
        words = (lifecycle_text(item.sigma), state_text(item.state))
        self.setAccessibleName(" · ".join(words))

    def _figures(self, item: MemoryItem) -> tuple[tuple[str, str, str], ...]:
        """(value, name, tool tip) of every counter."""
        operators = item.adopted_operators
        frequency_tip = self.tr("over {0} episodes").format(item.n_elig)
        if item.p_hat_ema is not None:
            frequency_tip = self.tr("moving average of use as a resident")
        # Only an item with a rule has a length, and a density by it.
        tokens = density = "\N{EN DASH}"
        if item.L_m:
            tokens = str(item.L_m)
            density = f"{item.density * 1000:.2f}"
        return (
            (signed(item.u_m), self.tr("utility u"), ""),
            (f"{item.n_ado} / {item.n_ret}", self.tr("adopted / retrieved"), ""),
            (str(len(operators)), self.tr("operators"), ", ".join(operators)),
            (f"{item.p_hat:.2f}", self.tr("frequency p"), frequency_tip),
            (tokens, self.tr("tokens"), item.tokenizer_id),
            (density, self.tr("density ×10⁻³"), self.tr("u p / tokens")),
        )


def record_row(drawing: str, role: str, where: str, rationale: str) -> QWidget:
    """One adoption or use: drawing, where, and why."""
    picture = drawn(drawing, role)
    head = text_label(where, muted=True)
    theme().letter(head, "small")
    texts = vbox(head, text_label(rationale), spacing=0)
    row = hbox(
        (picture, Qt.AlignmentFlag.AlignTop),
        (texts, 1),
        margins=(0, 0.1, 0, 0.2),
        spacing=0.5,
    )
    return boxed(row)


def wrapped(text: str) -> str:
    """Prose as lines short enough for a comparison.

    Text with lines of its own stays as it is.
    """
    return text if "\n" in text else textwrap.fill(text, _PROSE)


def code_view(wrong: str, correct: str, name: str, *, colors: bool = True) -> DiffView:
    """Two texts as a comparison in one column, in full height."""
    view = named(DiffView(), name)
    view.set_option("colors", on=colors)
    view.set_option("fold", on=False)
    view.set_option("inline", on=True)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.show_file(FileView("", wrong or None, correct or None))
    view.setFixedHeight(view.full_height())
    return view


def text_view(name: str) -> DiffView:
    """A comparison of prose.

    All of it, its long lines wrapped, without colours of code.
    """
    view = named(DiffView(), name)
    for option, on in (("fold", False), ("colors", False), ("wrap", True)):
        view.set_option(option, on=on)
    return view


class UtilityCurve(QWidget):
    """A step line.

    Filled points are adoptions, hollow ones retrievals without adoption.
    """

    def __init__(self) -> None:
        super().__init__()
        self._credits: tuple[CreditRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_credits(self, credits: tuple[CreditRow, ...]) -> None:  # noqa: A002 - the domain's word
        """Show the credit events of an item, oldest first."""
        self._credits = credits
        last = f"{credits[-1].u_after:+.3f}" if credits else "0"
        words = self.tr("Utility over %n credit event(s), now {0}", "", len(credits))
        self.setAccessibleName(words.format(last))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(16), theme().px(8))

    def _area(self) -> QRectF:
        """Where the curve is, in pixels; the numbers of the axis stand at its left."""
        look = theme()
        room = QRectF(self.rect())
        margin = look.px(0.8)
        return room.adjusted(look.px(3.2), look.px(0.6), -margin, -margin)

    def _extremes(self) -> tuple[float, float]:
        """Smallest and largest utility, zero among them."""
        values = [0.0]
        for credit in self._credits:
            values += [credit.u_before, credit.u_after]
        return min(values), max(values)

    def _range(self) -> tuple[float, float]:
        """Utility at the bottom and at the top of the area."""
        low, high = self._extremes()
        margin = max(0.05, (high - low) * 0.12)
        # An item that never did harm needs no room below zero.
        below = margin if low < 0 else 0.02
        return low - below, high + margin

    def points(self) -> list[QPointF]:
        """Where the credit events are painted."""
        area = self._area()
        step = area.width() / max(1, len(self._credits))
        points = []
        for number, credit in enumerate(self._credits):
            # Shortly before the next step: the line after the last point is seen.
            x = area.left() + (number + 0.85) * step
            points.append(QPointF(x, self._y(credit.u_after)))
        return points

    def _y(self, utility: float) -> float:
        """Where a utility is painted, in pixels from the top."""
        area = self._area()
        low, high = self._range()
        share = (utility - low) / (high - low)
        return area.bottom() - share * area.height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme().small_font())
        self._paint_axis(painter)
        if self._credits:
            self._paint_line(painter)
            self._paint_points(painter)
        else:
            words = self.tr("No credit yet")
            painter.drawText(self._area(), Qt.AlignmentFlag.AlignCenter, words)
        painter.end()

    def _paint_axis(self, painter: QPainter) -> None:
        """Lines at zero and at the extremes, each with its number at the left."""
        look = theme()
        area = self._area()
        zero = self._y(0.0)
        label_width = area.left() - look.px(0.4)
        for utility in sorted({0.0, *self._extremes()}):
            y = self._y(utility)
            if utility and abs(y - zero) < look.em:
                continue  # its number would lie over the zero
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            label = QRectF(0, y - look.em / 2, label_width, look.em)
            words = f"{utility:+.2f}" if utility else "0"
            write(painter, label, words, "muted", side=RIGHT)

    def _paint_line(self, painter: QPainter) -> None:
        """The utility from before the first credit event until now, in steps."""
        area = self._area()
        y = self._y(self._credits[0].u_before)
        line = QPolygonF([QPointF(area.left(), y)])
        for point in self.points():
            line.append(QPointF(point.x(), y))
            line.append(point)
            y = point.y()
        line.append(QPointF(area.right(), y))
        painter.setPen(QPen(theme().color("accent"), 1.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(line)

    def _paint_points(self, painter: QPainter) -> None:
        look = theme()
        radius = look.em * 0.24
        for credit, point in zip(self._credits, self.points(), strict=True):
            role = "success" if credit.xi > 0 else "danger"
            painter.setPen(QPen(look.color(role), 1.8))
            painter.setBrush(look.color(role if credit.adopted else "base"))
            painter.drawEllipse(point, radius, radius)

    def tip(self, number: int) -> str:
        """What happened at credit event `number`."""
        credit = self._credits[number]
        state = self.tr("adopted") if credit.adopted else self.tr("not adopted")
        objective = objective_word(credit.objective)
        return (
            f"{credit.operator} · {objective} · {state}\n"
            f"z {credit.z:+.3f}   ξ {credit.xi:+.4f}   η {credit.eta:.3f}\n"
            f"u {credit.u_before:+.4f} → {credit.u_after:+.4f}"
        )

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            reach = theme().em * 0.7
            for number, point in enumerate(self.points()):
                if abs(point.x() - event.pos().x()) < reach:
                    QToolTip.showText(event.globalPos(), self.tip(number), self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)


_tr = partial(QCoreApplication.translate, "TaughtView")

ROUNDS = 8  # every one has its trajectory followed line by line
_LINES = 6

Lessons = tuple[tuple[Taught, ...], int]
Place = tuple[str, int, str, int]
"""Trajectory, round, path, line from 1."""


def read_taught(uid: str) -> Callable[[sqlite3.Connection], Lessons]:
    """A question for what the item `uid` taught last, and in how many rounds in all."""
    return lambda connection: taught_by(connection, uid, ROUNDS)


class TaughtView(QWidget):
    """Rounds that say they used an item, each with the lines that show its code.

    Signals:
        line_opened: `Place` of a line the person wants to see.
    """

    line_opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("What it taught"))
        self._column = vbox(
            text_label(self.tr("Looking through the rounds…"), muted=True),
            owner=self,
            margins=0,
            spacing=0.25,
        )

    def show_taught(self, lessons: Lessons) -> None:
        """Show the rounds, the last one first."""
        clear(self._column)
        rounds, total = lessons
        if not rounds:
            self._say(self.tr("No round declares that it used this."))
            return
        self._say(
            self.tr(
                "The agent's declaration, and an automatic look at the code: neither is proof."
            )
        )
        for entry in rounds:
            self._round(entry)
        if total > len(rounds):
            rest = self.tr("The last {0} of {1} rounds.")
            self._say(rest.format(len(rounds), total))

    def _say(self, words: str) -> None:
        """Add a remark."""
        self._column.addWidget(text_label(words, muted=True))

    def _round(self, entry: Taught) -> None:
        """Add a round: which it is, what it gained, and the lines that show the item."""
        where = self.tr("{0} · round {1}").format(entry.operator, entry.work.row.round)
        head = text_label(f"{where} · {basis_text(entry.basis)}")
        theme().letter(head, "strong")
        head.setContentsMargins(0, theme().px(0.4), 0, 0)
        self._column.addWidget(head)
        gain = self.tr("Gain of the round, all its changes together: {0}")
        effect = effect_text(entry.work)
        self._column.addWidget(text_label(gain.format(effect)))
        self._say(_kept_text(entry))
        for line in entry.lines[:_LINES]:
            self._column.addWidget(self._line(entry, line))
        if len(entry.lines) > _LINES:
            self._say(self.tr("and %n more line(s)", "", len(entry.lines) - _LINES))

    def _line(self, entry: Taught, line: TaughtLine) -> QWidget:
        """A line as a link to its place, marked where it is no longer in the kernel."""
        whole = QWidget()
        number = line.line + 1
        place: Place = (entry.trajectory, entry.work.row.round, line.path, number)
        button = place_link(line.path, number, partial(self.line_opened.emit, place))
        row = hbox(button, owner=whole, margins=0, spacing=0.4)
        if line.now is None:
            words = self.tr("No longer in the kernel of round {0}")
            tip = words.format(entry.kept_in)
            cross = drawn("cross", "muted", 0.9)
            cross.setToolTip(tip)
            cross.setAccessibleName(tip)
            row.addWidget(cross)
        code = text_label(line.text.strip(), muted=line.now is None)
        code.setFont(theme().code_font())
        row.addWidget(code, 1)
        return whole


def _kept_text(entry: Taught) -> str:
    """How much of its code is left, or why there is none to show."""
    if not entry.checked:
        return _tr("It has no code to look for: the agent's declaration alone.")
    if not entry.lines:
        return _tr(
            "No line the round wrote shows its code: the agent's declaration alone."
        )
    if not entry.shown:
        return _tr("No line its record names shows its code: the declaration alone.")
    unchanged = sum(line.now is not None for line in entry.lines)
    words = _tr(
        "Lines with its code: {0}, of which {1} are still in the kernel of round {2}."
    )
    return words.format(len(entry.lines), unchanged, entry.kept_in)
