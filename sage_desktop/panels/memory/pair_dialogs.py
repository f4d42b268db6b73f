"""Two items or two texts side by side.

Near-duplicates, a comparison, texts changed on both sides.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QRadioButton,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from core.curation.duplicates import DuplicatePair
from core.exchange.conflicts import Conflict
from core.memory.records import MemoryItem
from sage_desktop.panels.memory.appearance import item_look
from sage_desktop.panels.memory.editor import reason_field
from sage_desktop.panels.memory.item_parts import text_view, wrapped
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import (
    FormDialog,
    fit_to_screen,
    framed,
    heading,
    muted,
)
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.stacking import vbox
from sage_desktop.ui.widgets.tables import fill, plain_table
from sage_desktop.ui.widgets.verdicts import category_text, kind_text, signed


class CompareDialog(FormDialog):
    """Evidence of both above, content as a comparison below.

    Signals:
        joined: (uid that stays, uid that is archived into it, reason).
    """

    joined = Signal(str, str, str)

    def __init__(
        self,
        first: MemoryItem,
        second: MemoryItem,
        parent: QWidget | None,
        *,
        writable: bool = True,
    ) -> None:
        title = QCoreApplication.translate("CompareDialog", "Compare {0} and {1}")
        super().__init__(
            title.format(first.uid, second.uid),
            "",
            QCoreApplication.translate("CompareDialog", "Join"),
            parent,
        )
        self._items = (first, second)
        self.keep = (
            QRadioButton(self.tr("Keep {0}").format(first.uid)),
            QRadioButton(self.tr("Keep {0}").format(second.uid)),
        )
        heads = QHBoxLayout()
        for item, button in zip(self._items, self.keep, strict=True):
            heads.addLayout(self._head(item, button), 1)
        # The content that proved itself more often is offered to stay.
        better = 0 if _evidence(first) >= _evidence(second) else 1
        self.keep[better].setChecked(True)
        self.body.addLayout(heads)
        self.view = text_view(self.tr("Content of both items"))
        self.view.show_file(FileView("", content_text(first), content_text(second)))
        self.body.addWidget(self.view, 1)
        self.reason = reason_field()
        self.body.addWidget(self.reason)
        effect = self.tr(
            "Joining keeps the content of the chosen item, counts the evidence of both once, "
            "and archives the other item. Undo reverts it."
        )
        self.body.addWidget(muted(effect, small=True))
        self.main_button.clicked.connect(self._join)
        self.main_button.setEnabled(writable)
        fit_to_screen(self, 78, 46)

    def _head(self, item: MemoryItem, keep: QRadioButton) -> QVBoxLayout:
        """Title, evidence and choice of one item."""
        title = heading(item.title)
        title.setWordWrap(True)
        title.setMinimumWidth(1)
        words = self.tr("utility {0}, adopted {1} of {2} retrievals, by {3} operators")
        if len(item.adopted_operators) == 1:
            words = self.tr(
                "utility {0}, adopted {1} of {2} retrievals, by one operator"
            )
        evidence = words.format(
            signed(item.u_m), item.n_ado, item.n_ret, len(item.adopted_operators)
        )
        state = item_look(item).text
        return vbox(title, muted(f"{state} · {evidence}"), keep)

    def _in_order(self) -> tuple[MemoryItem, MemoryItem]:
        """The item that stays, and the one that is joined into it."""
        first, second = self._items
        return (first, second) if self.keep[0].isChecked() else (second, first)

    def _join(self) -> None:
        survivor, other = self._in_order()
        reason = self.reason.text().strip()
        self.joined.emit(survivor.uid, other.uid, reason)
        self.accept()


def _evidence(item: MemoryItem) -> tuple[int, int, int]:
    """What items are compared by; of equal ones the older comes first."""
    return item.n_ado, item.n_ret, -item.id


def content_text(item: MemoryItem) -> str:
    """The content of an item as lines that can be compared."""
    kind, category = kind_text(item.type), category_text(item.category)
    parts = [
        f"{item.uid} · {kind} · {category}",
        wrapped(item.title),
        wrapped(item.error_message),
        wrapped(item.summary),
        item.code_diff.wrong_code,
        item.code_diff.correct_code,
        wrapped(item.rule_text),
        item.rule_example,
    ]
    text = "\n\n".join(part.strip("\n") for part in parts if part.strip())
    return f"{text}\n"


class DuplicatesDialog(FormDialog):
    """The pairs, the most alike first.

    Signals:
        compared: (uid, other uid): the person wants to see both.
        joined: (uid that stays, uid that is archived into it).
    """

    compared = Signal(str, str)
    joined = Signal(str, str)

    def __init__(self, parent: QWidget | None, *, writable: bool) -> None:
        super().__init__(
            QCoreApplication.translate("DuplicatesDialog", "Near-Duplicates"),
            QCoreApplication.translate(
                "DuplicatesDialog",
                "Pairs of active items of one type with the same title, the same meaning or four fifths of "
                "their words in common. Joining keeps the content of the first, counts the evidence of both "
                "once, and archives the second; Undo takes it back.",
            ),
            QCoreApplication.translate("DuplicatesDialog", "Join"),
            parent,
        )
        self._writable = writable
        self._pairs: list[DuplicatePair] = []
        self.table: QTableWidget = plain_table(
            self.tr("Near-duplicates"),
            (
                self.tr("Kept"),
                self.tr("Joined into it"),
                self.tr("Why"),
                self.tr("Similarity"),
            ),
            texts=2,
        )
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.cellDoubleClicked.connect(lambda _row, _column: self._compare())
        self.body.addWidget(self.table, 1)
        self.compare = self.add_button(self.tr("Compare…"))
        self.compare.clicked.connect(self._compare)
        self.main_button.clicked.connect(self._join)
        fit_to_screen(self, 64, 34)
        self.set_working(self.tr("Looking for near-duplicates…"))

    def show_pairs(self, pairs: Sequence[DuplicatePair]) -> None:
        """List the pairs."""
        self.set_working("")
        self._pairs = list(pairs)
        self._show()

    def _show(self) -> None:
        reasons = {
            "title": self.tr("same title"),
            "meaning": self.tr("same meaning"),
            "words": self.tr("same words"),
        }
        rows = [
            (
                f"{pair.kept}  {pair.kept_title}",
                f"{pair.other}  {pair.other_title}",
                reasons[pair.reason.split()[-1]],
                f"{100 * pair.likeness:.0f} %",
            )
            for pair in self._pairs
        ]
        place = max(0, min(self.table.currentRow(), len(rows) - 1))
        fill(self.table, rows, texts=2)
        if rows:
            self.table.setCurrentCell(place, 0)
        else:
            self.message.say(
                self.tr("No two active items of one type are alike."), "success"
            )
        self._enable()

    def _enable(self) -> None:
        selected = self._selected() is not None
        self.main_button.setEnabled(selected and self._writable)
        self.compare.setEnabled(selected)

    def _selected(self) -> DuplicatePair | None:
        row = self.table.currentRow()
        return self._pairs[row] if 0 <= row < len(self._pairs) else None

    def _compare(self) -> None:
        pair = self._selected()
        if pair is not None:
            self.compared.emit(pair.kept, pair.other)

    def _join(self) -> None:
        pair = self._selected()
        if pair is None:
            return
        self.joined.emit(pair.kept, pair.other)
        archived = pair.other
        self._pairs = [
            other for other in self._pairs if archived not in (other.kept, other.other)
        ]
        self._show()


class ConflictDialog(FormDialog):
    """The open conflicts above, both texts of the chosen one below.

    Signals:
        decided: (uid, field, whether the other text is taken).
    """

    decided = Signal(str, str, bool)

    def __init__(
        self,
        conflicts: Sequence[Conflict],
        parent: QWidget | None,
        *,
        writable: bool = True,
    ) -> None:
        super().__init__(
            QCoreApplication.translate("ConflictDialog", "Resolve Conflicts"),
            QCoreApplication.translate(
                "ConflictDialog",
                "The text that was written last is in use; the other one is on the right.",
            ),
            QCoreApplication.translate("ConflictDialog", "Keep What Is in Use"),
            parent,
        )
        self._open = list(conflicts)
        self._writable = writable
        self.list = named(QListWidget(), self.tr("Conflicts"))
        framed(self.list)
        self.list.setFixedHeight(theme().px(8))
        for conflict in self._open:
            field = self._field_text(conflict.field)
            self.list.addItem(f"{conflict.uid} · {field} · {conflict.source}")
        self.body.addWidget(self.list)
        self.view = text_view(self.tr("Both texts"))
        self.body.addWidget(self.view, 1)
        hint = self.tr(
            "Taking the other text is an edit like any other; Undo reverts it."
        )
        self.body.addWidget(muted(hint, small=True))
        self.take = self.add_button(self.tr("Take the Other"))
        self.take.clicked.connect(lambda: self._decide(take=True))
        self.main_button.clicked.connect(lambda: self._decide(take=False))
        self.list.currentRowChanged.connect(self._show)
        self.list.setCurrentRow(0)
        self._show(self.list.currentRow())
        fit_to_screen(self, 78, 46)

    def _field_text(self, field: str) -> str:
        """What the editor of an item calls a field."""
        words = {
            "title": self.tr("Title"),
            "type": self.tr("Type"),
            "category": self.tr("Category"),
            "summary": self.tr("Summary"),
            "error_message": self.tr("Symptom"),
            "code_diff": self.tr("Wrong and correct code"),
            "rule_text": self.tr("Rule"),
        }
        return words.get(field, field)

    def _show(self, row: int) -> None:
        is_there = 0 <= row < len(self._open)
        for button in (self.take, self.main_button):
            button.setEnabled(is_there and self._writable)
        in_use = other = ""
        if is_there:
            conflict = self._open[row]
            in_use, other = conflict.kept, conflict.other
        self.view.show_file(FileView("", f"{in_use}\n", f"{other}\n"))

    def _decide(self, *, take: bool) -> None:
        row = self.list.currentRow()
        conflict = self._open.pop(row)
        self.list.takeItem(row)
        self._show(self.list.currentRow())
        self.decided.emit(conflict.uid, conflict.field, take)
        if not self._open:
            self.accept()
