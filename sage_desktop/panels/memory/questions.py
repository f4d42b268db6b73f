"""Small dialogs of curation: the reason of a change."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from core.memory.records import MemoryItem
from sage_desktop.ui.widgets.form import FormDialog
from sage_desktop.ui.widgets.making import named

_tr = partial(QCoreApplication.translate, "MemoryQuestions")


def reason_field() -> QLineEdit:
    """A field for the reason of a change."""
    return named(
        QLineEdit(placeholderText=_tr("Why you change it (kept in the history)")),
        _tr("Reason"),
    )


class ReasonDialog(FormDialog):
    """Says what will happen and asks why."""

    def __init__(
        self, title: str, words: str, accept: str, parent: QWidget | None
    ) -> None:
        super().__init__(title, words, accept, parent)
        self.reason = reason_field()
        self.body.addWidget(self.reason)
        self.do_it.clicked.connect(self.accept)
        self.reason.setFocus()


def reset_dialog(item: MemoryItem, parent: QWidget) -> ReasonDialog:
    """Ask before the evidence of an item is forgotten."""
    return ReasonDialog(
        _tr("Reset the Evidence of {0}").format(item.uid),
        _tr(
            "Utility, counts and adopting operators are reset and the item leaves hot memory. Undo "
            "restores them."
        ),
        _tr("Reset"),
        parent,
    )
