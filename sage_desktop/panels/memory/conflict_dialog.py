"""Texts that two memories changed apart, side by side: keep the one in use, or take the other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QListWidget, QWidget

from core.exchange.conflicts import Conflict
from sage_desktop.panels.memory.item_parts import text_view
from sage_desktop.ui.diff.document import FileView
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import FormDialog, framed, muted
from sage_desktop.ui.widgets.making import named


def _tr(text: str) -> str:
    return QCoreApplication.translate("ConflictDialog", text)


def _field_text(field: str) -> str:
    """What the editor of an item calls a field."""
    words = {
        "title": _tr("Title"),
        "type": _tr("Type"),
        "category": _tr("Category"),
        "summary": _tr("Summary"),
        "error_message": _tr("Symptom"),
        "code_diff": _tr("Wrong and correct code"),
        "rule_text": _tr("Rule"),
    }
    return words.get(field, field)


class ConflictDialog(FormDialog):
    """The open conflicts above, both texts of the chosen one below.

    Signals:
        decided: (uid, field, whether the other text is taken).
    """

    decided = Signal(str, str, bool)

    def __init__(
        self,
        found: Sequence[Conflict],
        parent: QWidget | None,
        *,
        writable: bool = True,
    ) -> None:
        super().__init__(
            _tr("Changed on Both Sides"),
            _tr(
                "The text that was written last is in use; the other one is on the right."
            ),
            _tr("Keep What Is in Use"),
            parent,
        )
        self._open = list(found)
        self._writable = writable
        self.list = named(QListWidget(), self.tr("Conflicts"))
        framed(self.list)
        self.list.setFixedHeight(theme().px(8))
        for one in self._open:
            self.list.addItem(f"{one.uid} · {_field_text(one.field)} · {one.source}")
        self.body.addWidget(self.list)
        self.view = text_view(self.tr("Both texts"))
        self.body.addWidget(self.view, 1)
        self.body.addWidget(
            muted(
                self.tr(
                    "Taking the other text is an edit like any other; Undo reverts it."
                ),
                small=True,
            )
        )
        self.take = self.add_button(self.tr("Take the Other"))
        self.take.clicked.connect(lambda: self._decide(take=True))
        self.do_it.clicked.connect(lambda: self._decide(take=False))
        self.list.currentRowChanged.connect(self._show)
        self.list.setCurrentRow(0)
        self._show(self.list.currentRow())
        self.resize(theme().px(78), theme().px(46))

    def _show(self, row: int) -> None:
        there = 0 <= row < len(self._open)
        for button in (self.take, self.do_it):
            button.setEnabled(there and self._writable)
        kept, other = (
            (self._open[row].kept, self._open[row].other) if there else ("", "")
        )
        self.view.show_file(FileView("", f"{kept}\n", f"{other}\n"))

    def _decide(self, *, take: bool) -> None:
        row = self.list.currentRow()
        one = self._open.pop(row)
        self.list.takeItem(row)
        self._show(self.list.currentRow())
        self.decided.emit(one.uid, one.field, take)
        if not self._open:
            self.accept()
