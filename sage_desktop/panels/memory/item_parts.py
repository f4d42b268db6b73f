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
        grid.setContentsMargins(look.px(0.7), look.px(0.5), look.px(0.7), look.px(0.5))
        grid.setVerticalSpacing(0)
        density = f"{item.density * 1000:.2f}" if item.L_m else "\N{EN DASH}"
        for number, (value, name, tip) in enumerate(
            (
                (signed(item.u_m), self.tr("utility u"), ""),
                (f"{item.n_ado} / {item.n_ret}", self.tr("adopted / retrieved"), ""),
                (
                    str(len(item.adopted_operators)),
                    self.tr("operators"),
                    ", ".join(item.adopted_operators),
                ),
                (
                    f"{item.p_hat:.2f}",
                    self.tr("frequency p"),
                    self.tr("over {0} episodes").format(item.n_elig)
                    if item.p_hat_ema is None
                    else self.tr("moving average of use as a resident"),
                ),
                (
                    str(item.L_m) if item.L_m else "\N{EN DASH}",
                    self.tr("tokens"),
                    item.tokenizer_id,
                ),
                (density, self.tr("density ×10⁻³"), self.tr("u p / tokens")),
            )
        ):
            figure = heading(value, 1.1)
            caption = muted(name, small=True, wraps=False)
            for label in (figure, caption):
                label.setToolTip(tip)
            row, column = 3 * (number // 3), number % 3
            grid.addWidget(figure, row, column)
            grid.addWidget(caption, row + 1, column)
        grid.setRowMinimumHeight(2, look.px(0.5))
        words = (lifecycle_text(item.sigma), state_text(item.state))
        self.setAccessibleName(" · ".join(words))


def record_row(drawing: str, role: str, where: str, rationale: str) -> QWidget:
    """One adoption or use: drawing, where, and why."""
    picture = drawn(drawing, role)
    head = text_label(where, muted=True)
    theme().letter(head, "small")
    return boxed(
        hbox(
            (picture, Qt.AlignmentFlag.AlignTop),
            (vbox(head, text_label(rationale), spacing=0), 1),
            margins=(0, 0.1, 0, 0.2),
            spacing=0.5,
        )
    )


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
        look = theme()
        return QRectF(self.rect()).adjusted(
            look.px(3.2), look.px(0.6), -look.px(0.8), -look.px(0.8)
        )

    def _extremes(self) -> tuple[float, float]:
        """Smallest and largest utility, zero among them."""
        values = [
            0.0,
            *(
                value
                for credit in self._credits
                for value in (credit.u_before, credit.u_after)
            ),
        ]
        return min(values), max(values)

    def _range(self) -> tuple[float, float]:
        low, high = self._extremes()
        margin = max(0.05, (high - low) * 0.12)
        return low - (margin if low < 0 else 0.02), high + margin

    def points(self) -> list[QPointF]:
        """Where the credit events are painted."""
        area = self._area()
        low, high = self._range()
        step = area.width() / max(1, len(self._credits))
        return [
            QPointF(
                area.left() + (n + 1) * step - step * 0.15,
                self._height(credit.u_after, area, low, high),
            )
            for n, credit in enumerate(self._credits)
        ]

    @staticmethod
    def _height(value: float, area: QRectF, low: float, high: float) -> float:
        return area.bottom() - (value - low) / (high - low) * area.height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        low, high = self._range()
        painter.setFont(look.small_font())
        for value in sorted({0.0, *self._extremes()}):
            y = self._height(value, area, low, high)
            if value and abs(y - self._height(0.0, area, low, high)) < look.em:
                continue  # its number would lie over the zero
            painter.setPen(QPen(look.color("border"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            label = QRectF(0, y - look.em / 2, area.left() - look.px(0.4), look.em)
            write(
                painter, label, f"{value:+.2f}" if value else "0", "muted", side=RIGHT
            )
        if not self._credits:
            painter.drawText(
                area, Qt.AlignmentFlag.AlignCenter, self.tr("No credit yet")
            )
            painter.end()
            return
        line = QPolygonF(
            [
                QPointF(
                    area.left(),
                    self._height(self._credits[0].u_before, area, low, high),
                )
            ]
        )
        for point in self.points():
            line.append(QPointF(point.x(), line.last().y()))
            line.append(point)
        line.append(QPointF(area.right(), line.last().y()))
        painter.setPen(QPen(look.color("accent"), 1.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(line)
        for credit, point in zip(self._credits, self.points(), strict=True):
            role = "success" if credit.xi > 0 else "danger"
            painter.setPen(QPen(look.color(role), 1.8))
            painter.setBrush(look.color(role if credit.adopted else "base"))
            painter.drawEllipse(point, look.em * 0.24, look.em * 0.24)
        painter.end()

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
            self._column.addWidget(
                text_label(self.tr("No round declares that it used this."), muted=True)
            )
            return
        words = self.tr(
            "The agent's declaration, and an automatic look at the code: neither is proof."
        )
        self._column.addWidget(text_label(words, muted=True))
        for entry in rounds:
            self._round(entry)
        if total > len(rounds):
            rest = self.tr("The last {0} of {1} rounds.")
            self._column.addWidget(
                text_label(rest.format(len(rounds), total), muted=True)
            )

    def _round(self, entry: Taught) -> None:
        where = self.tr("{0} · round {1}").format(entry.operator, entry.work.row.round)
        head = text_label(f"{where} · {basis_text(entry.basis)}")
        theme().letter(head, "strong")
        head.setContentsMargins(0, theme().px(0.4), 0, 0)
        self._column.addWidget(head)
        brought = self.tr("Gain of the round, all its changes together: {0}")
        self._column.addWidget(
            text_label(brought.format(effect_text(entry.work.effect)))
        )
        self._column.addWidget(text_label(_kept_text(entry), muted=True))
        for line in entry.lines[:_LINES]:
            self._column.addWidget(self._line(entry, line))
        if len(entry.lines) > _LINES:
            more = self.tr("and %n more line(s)", "", len(entry.lines) - _LINES)
            self._column.addWidget(text_label(more, muted=True))

    def _line(self, entry: Taught, line: TaughtLine) -> QWidget:
        whole = QWidget()
        place: Place = (
            entry.trajectory,
            entry.work.row.round,
            line.path,
            line.line + 1,
        )
        button = place_link(
            line.path, line.line + 1, partial(self.line_opened.emit, place)
        )
        row = hbox(button, owner=whole, margins=0, spacing=0.4)
        if line.now is None:
            cross = drawn("cross", "muted", 0.9)
            cross.setToolTip(
                self.tr("No longer in the kernel of round {0}").format(entry.kept_in)
            )
            cross.setAccessibleName(cross.toolTip())
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
    unchanged = sum(line.now is not None for line in entry.lines)
    words = _tr(
        "Lines with its code: {0}, of which {1} are still in the kernel of round {2}."
    )
    return words.format(len(entry.lines), unchanged, entry.kept_in)
