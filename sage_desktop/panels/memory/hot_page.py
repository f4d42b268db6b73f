"""Hot memory.

How full the budget is, which rules are resident, who is next, what stands in the
prompt.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import (
    QLabel,
    QSizePolicy,
    QSlider,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from core.memory.views.hot import Absence, Departed, HotChoice, hot_choice
from core.memory.views.rows import HotView, ItemRow
from sage_desktop.ui.icons import icon
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import code_box, named, on_base
from sage_desktop.ui.widgets.pages import AllTabs
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.tables import PlainTable, fill, plain_table
from sage_desktop.ui.widgets.verdicts import signed
from sage_desktop.ui.widgets.writing import write

_UID = Qt.ItemDataRole.UserRole
_PINNED = Qt.ItemDataRole.UserRole + 1
_STEP = 250  # tokens between two places of the slider


class HotPage(QWidget):
    """The budget and what another would do, residents, candidates, removed rules.

    Signals:
        opened: uid of an item the user wants to see.
    """

    opened = Signal(str)

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self._view: HotView | None = None
        on_base(self)
        self.bar = BudgetBar()
        self.residents = self._table(self.tr("Resident rules"))
        self.waiting = self._table(self.tr("Candidates"))
        self.left_behind = self._table(self.tr("Recently removed"))
        self.note = muted()
        self.block = code_box(self.tr("Hot block of the prompt"))
        self.block.setPlaceholderText(self.tr("No rule is resident yet."))
        self.tabs = AllTabs()
        self.tabs.addTab(self.residents, self.tr("Residents"))
        self.tabs.addTab(self.waiting, self.tr("Candidates"))
        self.tabs.addTab(self.left_behind, self.tr("Removed"))
        self.tabs.addTab(self.block, self.tr("Prompt"))
        vbox(
            vbox(
                self.bar, self._make_what_if(), self.note, margins=(0.9, 0.9, 0.9, 0.3)
            ),
            (self.tabs, 1),
            owner=self,
            margins=0,
        )

    def _table(self, name: str) -> PlainTable:
        table = plain_table(
            name,
            [
                self.tr("Rule"),
                self.tr("Tokens"),
                self.tr("Utility u"),
                self.tr("Use p"),
                self.tr("Density ×10⁻³"),
            ],
        )
        table.room_for = {3: 26.0, 4: 46.0}
        table.itemActivated.connect(lambda cell: self.opened.emit(cell.data(_UID)))
        table.itemDoubleClicked.connect(lambda cell: self.opened.emit(cell.data(_UID)))
        return table

    def _make_what_if(self) -> QVBoxLayout:
        look = theme()
        self.slider = named(
            QSlider(Qt.Orientation.Horizontal), self.tr("Try another budget B")
        )
        self.slider.setToolTip(self.tr("Try another budget; nothing is changed"))
        self.slider.valueChanged.connect(lambda _value: self._ask())
        self.answer = muted()
        label = QLabel(self.tr("Try a budget of"))
        label.setBuddy(self.slider)
        self.tried = heading("")
        self.tried.setMinimumWidth(look.px(6))
        return vbox(hbox(label, (self.slider, 1), self.tried), self.answer)

    def show_hot(self, view: HotView, departed: tuple[Departed, ...] = ()) -> None:
        """Show hot memory as it was read, and who left it last."""
        fresh = self._view is None or self._view.budget != view.budget
        self._view = view
        self.bar.set_tokens(
            [row.L_m for row in view.residents], view.tokens, view.budget
        )
        self._fill(self.residents, view.residents)
        self._fill(self.waiting, view.waiting)
        self._fill(self.left_behind, tuple(entry.row for entry in departed))
        for number, entry in enumerate(departed):
            cell = present(self.left_behind.item(number, 0))
            cell.setText(f"{entry.row.title} · {self._why(entry.reason)}")
        self.tabs.setTabText(0, self.tr("Residents {0}").format(len(view.residents)))
        self.tabs.setTabText(1, self.tr("Candidates {0}").format(len(view.waiting)))
        self.tabs.setTabText(2, self.tr("Removed {0}").format(len(departed)))
        if view.block != self.block.toPlainText():
            self.block.setPlainText(view.block)
        self._tell_others(len(view.unruled), view.blocked)
        needed = view.tokens + sum(row.L_m for row in view.waiting)
        self.slider.setRange(1, max(2 * view.budget, needed + _STEP) // _STEP)
        if fresh:
            self.slider.setValue(view.budget // _STEP)
        self._ask()

    def _tell_others(self, unruled: int, blocked: int) -> None:
        """Say which validated items are in none of the lists."""
        sentences = []
        if unruled:
            words = self.tr("Validated and waiting for a rule: {0}.")
            sentences.append(words.format(unruled))
        if blocked:
            words = self.tr(
                "Validated and kept out: {0}. Every prompt says them already, or a "
                "person blocked them."
            )
            sentences.append(words.format(blocked))
        self.note.setText(" ".join(sentences))
        self.note.setVisible(bool(sentences))

    def _why(self, reason: Absence) -> str:
        return {
            Absence.DISABLED: self.tr("its item is not active"),
            Absence.BLOCKED: self.tr("blocked"),
            Absence.DEMOTED: self.tr(
                "demoted by a person; newer evidence must pass the gates"
            ),
            Absence.UTILITY: self.tr("its utility is not above zero"),
            Absence.DISPLACED: self.tr("replaced by denser rules"),
        }[reason]

    def _budget(self) -> int:
        """The budget the slider stands at; the present one exactly where it belongs."""
        view, place = self._view, self.slider.value()
        if view is not None and place == view.budget // _STEP:
            return view.budget
        return place * _STEP

    def _ask(self) -> None:
        budget = self._budget()
        self.tried.setText(self.tr("{0:,} tokens").format(budget))
        self._operations.query(
            self, lambda db: hot_choice(db, budget), self._show_choice, topic="what-if"
        )

    def _show_choice(self, choice: HotChoice) -> None:
        words = self.tr(
            "Resident after the next consolidation: {0}, of {1:,} tokens; {2} enter, {3} leave."
        )
        self.answer.setText(
            words.format(
                choice.rules, choice.tokens, len(choice.entering), len(choice.leaving)
            )
        )
        for table, uids, drawing, role in (
            (self.residents, choice.leaving, "demote", "danger"),
            (self.waiting, choice.entering, "promote", "success"),
        ):
            for number in range(table.rowCount()):
                cell = present(table.item(number, 0))
                if cell.data(_UID) in uids:
                    cell.setIcon(icon(drawing, role))
                elif not cell.data(_PINNED):
                    cell.setIcon(QIcon())

    def _fill(self, table: QTableWidget, rows: tuple[ItemRow, ...]) -> None:
        fill(
            table,
            [
                (
                    row.title,
                    str(row.L_m),
                    signed(row.u_m),
                    f"{row.p_hat:.2f}",
                    f"{row.density * 1000:.2f}",
                )
                for row in rows
            ],
        )
        for number, row in enumerate(rows):
            for column in range(table.columnCount()):
                present(table.item(number, column)).setData(_UID, row.uid)
            cell = present(table.item(number, 0))
            cell.setToolTip(f"{row.title}\n{row.uid}")
            cell.setData(_PINNED, row.pinned)
            if row.pinned:
                cell.setIcon(icon("pin", "accent"))


class BudgetBar(QWidget):
    """A bar of segments with the numbers in words above it."""

    def __init__(self) -> None:
        super().__init__()
        self._segments: tuple[int, ...] = ()
        self._used = 0
        self._budget = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_tokens(self, segments: Sequence[int], used: int, budget: int) -> None:
        """Show residents of `segments` tokens each, and `used` tokens of `budget`."""
        self._segments, self._used, self._budget = tuple(segments), used, budget
        text = self.text()
        self.setAccessibleName(text)
        self.setToolTip(text)
        self.update()

    def text(self) -> str:
        """The numbers in words."""
        share = 100 * self._used / self._budget if self._budget else 0.0
        words = self.tr("{used:,} of {budget:,} tokens ({share:.1f} %)").format(
            used=self._used, budget=self._budget, share=share
        )
        heading = self._used - sum(self._segments)
        if heading <= 0:
            return words
        rest = self.tr("{0} of them the heading above the rules").format(heading)
        return f"{words}, {rest}"

    def sizeHint(self) -> QSize:
        return QSize(theme().px(10), theme().px(2.2))

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        words = QRectF(0, 0, self.width(), look.em * 1.2)
        write(painter, words, self.text(), "muted", look.small_font())
        bar = QRectF(0, look.em * 1.35, self.width(), look.em * 0.5)
        outline = QPainterPath()
        outline.addRoundedRect(bar, bar.height() / 2, bar.height() / 2)
        painter.setClipPath(outline)
        painter.fillRect(bar, look.tint("text", 0.09))
        x = bar.left()
        for index, tokens in enumerate(self._segments):
            width = bar.width() * tokens / max(self._budget, 1)
            painter.fillRect(
                QRectF(x, bar.top(), width, bar.height()),
                look.tint("accent", 1.0 - 0.3 * (index % 2)),
            )
            x += width
        if self._segments:
            painter.setPen(look.color("base"))
            painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))
        painter.end()
