"""Hot memory.

How full the budget is, which rules are resident, who is next, what stands in the
prompt.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

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
_RESIDENTS, _CANDIDATES, _REMOVED = 0, 1, 2  # tabs


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
        self.removed = self._table(self.tr("Recently removed"))
        self.note = muted()
        self.block = code_box(self.tr("Hot block of the prompt"))
        self.block.setPlaceholderText(self.tr("No rule is resident yet."))
        self.tabs = AllTabs()
        self.tabs.addTab(self.residents, self.tr("Residents"))
        self.tabs.addTab(self.waiting, self.tr("Candidates"))
        self.tabs.addTab(self.removed, self.tr("Removed"))
        self.tabs.addTab(self.block, self.tr("Prompt"))
        what_if = self._make_what_if()
        head = vbox(self.bar, what_if, self.note, margins=(0.9, 0.9, 0.9, 0.3))
        vbox(head, (self.tabs, 1), owner=self, margins=0)

    def _table(self, name: str) -> PlainTable:
        columns = [
            self.tr("Rule"),
            self.tr("Tokens"),
            self.tr("Utility u"),
            self.tr("Use p"),
            self.tr("Density ×10⁻³"),
        ]
        table = plain_table(name, columns)
        table.room_for = {3: 26.0, 4: 46.0}  # column -> ems below which it is hidden
        table.itemActivated.connect(lambda cell: self.opened.emit(cell.data(_UID)))
        table.itemDoubleClicked.connect(lambda cell: self.opened.emit(cell.data(_UID)))
        return table

    def _make_what_if(self) -> QVBoxLayout:
        """The slider for another budget, and what that would change."""
        self.slider = named(
            QSlider(Qt.Orientation.Horizontal), self.tr("Try another budget B")
        )
        self.slider.setToolTip(self.tr("Try another budget; nothing is changed"))
        self.slider.valueChanged.connect(lambda _value: self._ask())
        self.answer = muted()
        label = QLabel(self.tr("Try a budget of"))
        label.setBuddy(self.slider)
        self.tried = heading("")
        self.tried.setMinimumWidth(theme().px(6))  # the slider keeps its width
        return vbox(hbox(label, (self.slider, 1), self.tried), self.answer)

    def show_hot(self, view: HotView, departed: tuple[Departed, ...] = ()) -> None:
        """Show hot memory as it was read, and who left it last."""
        is_other_budget = self._view is None or self._view.budget != view.budget
        self._view = view
        tokens = [row.L_m for row in view.residents]
        self.bar.set_tokens(tokens, view.tokens, view.budget)
        self._fill(self.residents, view.residents)
        self._fill(self.waiting, view.waiting)
        self._fill_removed(departed)
        residents = self.tr("Residents {0}").format(len(view.residents))
        candidates = self.tr("Candidates {0}").format(len(view.waiting))
        removed = self.tr("Removed {0}").format(len(departed))
        self.tabs.setTabText(_RESIDENTS, residents)
        self.tabs.setTabText(_CANDIDATES, candidates)
        self.tabs.setTabText(_REMOVED, removed)
        # The place one reads at would be lost.
        if view.block != self.block.toPlainText():
            self.block.setPlainText(view.block)
        self._show_unlisted(len(view.unruled), view.blocked)
        # The slider reaches to where every candidate would have room.
        needed = view.tokens + sum(row.L_m for row in view.waiting)
        largest = max(2 * view.budget, needed + _STEP)
        self.slider.setRange(1, largest // _STEP)
        if is_other_budget:
            self.slider.setValue(view.budget // _STEP)
        self._ask()

    def _fill_removed(self, departed: tuple[Departed, ...]) -> None:
        """List the rules that left last, each with the reason."""
        self._fill(self.removed, tuple(entry.row for entry in departed))
        for number, entry in enumerate(departed):
            cell = present(self.removed.item(number, 0))
            reason = self._why(entry.reason)
            cell.setText(f"{entry.row.title} · {reason}")

    def _show_unlisted(self, unruled: int, blocked: int) -> None:
        """Say how many validated items are in none of the lists."""
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
        place = self.slider.value()
        view = self._view
        # The present budget need not be a multiple of the step.
        if view is not None and place == view.budget // _STEP:
            return view.budget
        return place * _STEP

    def _ask(self) -> None:
        """Ask which rules would be resident with the budget of the slider."""
        budget = self._budget()
        self.tried.setText(self.tr("{0:,} tokens").format(budget))
        self._operations.query(
            self, lambda db: hot_choice(db, budget), self._show_choice, topic="what-if"
        )

    def _show_choice(self, choice: HotChoice) -> None:
        sentence = self.tr(
            "Resident after the next consolidation: {0}, of {1:,} tokens; {2} enter, {3} leave."
        )
        entering, leaving = len(choice.entering), len(choice.leaving)
        words = sentence.format(choice.rules, choice.tokens, entering, leaving)
        self.answer.setText(words)
        self._mark(self.residents, choice.leaving, icon("demote", "danger"))
        self._mark(self.waiting, choice.entering, icon("promote", "success"))

    @staticmethod
    def _mark(table: QTableWidget, uids: Collection[str], mark: QIcon) -> None:
        """Put `mark` before the rules that would change places, and on no other."""
        for number in range(table.rowCount()):
            cell = present(table.item(number, 0))
            if cell.data(_UID) in uids:
                cell.setIcon(mark)
            elif not cell.data(_PINNED):  # a pinned rule has its pin there
                cell.setIcon(QIcon())

    def _fill(self, table: QTableWidget, rows: tuple[ItemRow, ...]) -> None:
        fill(table, [_cells(row) for row in rows])
        for number, row in enumerate(rows):
            for column in range(table.columnCount()):
                present(table.item(number, column)).setData(_UID, row.uid)
            cell = present(table.item(number, 0))
            cell.setToolTip(f"{row.title}\n{row.uid}")
            cell.setData(_PINNED, row.pinned)
            if row.pinned:
                cell.setIcon(icon("pin", "accent"))


def _cells(row: ItemRow) -> tuple[str, ...]:
    """What a table of rules says of one, by column."""
    return (
        row.title,
        str(row.L_m),
        signed(row.u_m),
        f"{row.p_hat:.2f}",
        f"{row.density * 1000:.2f}",
    )


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
        words = self.tr("{used:,} of {budget:,} tokens ({share:.1f} %)")
        words = words.format(used=self._used, budget=self._budget, share=share)
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
        width = self.width()
        words_area = QRectF(0, 0, width, look.em * 1.2)
        write(painter, words_area, self.text(), "muted", look.small_font())
        top, height = look.em * 1.35, look.em * 0.5
        bar = QRectF(0, top, width, height)
        outline = QPainterPath()
        outline.addRoundedRect(bar, height / 2, height / 2)
        painter.setClipPath(outline)
        painter.fillRect(bar, look.tint("text", 0.09))
        x = 0.0
        token_width = width / max(self._budget, 1)
        for index, tokens in enumerate(self._segments):
            # Neighbours differ in strength: one sees where a rule ends.
            strength = 0.7 if index % 2 else 1.0
            segment = QRectF(x, top, tokens * token_width, height)
            painter.fillRect(segment, look.tint("accent", strength))
            x += tokens * token_width
        if self._segments:
            painter.setPen(look.color("base"))
            painter.drawLine(QPointF(x, top), QPointF(x, top + height))
        painter.end()
