"""Small dialogs of curation: a reason, the token counter."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from core.memory.records import MemoryItem
from sage_desktop.panels.memory.looks import counter_text
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import FormDialog, add_field, form_layout, muted
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


def split_dialog(item: MemoryItem, parent: QWidget) -> ReasonDialog:
    """Ask before the rule of an item gets a life of its own."""
    dialog = ReasonDialog(
        _tr("Split the Rule of {0}").format(item.uid),
        _tr(
            "The rule becomes a separate item without evidence and has to pass the gates by itself. "
            "The source keeps its evidence, leaves hot memory and may be given another rule."
        ),
        _tr("Split"),
        parent,
    )
    dialog.body.insertWidget(0, muted(item.rule_text))
    return dialog


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


class RecountDialog(FormDialog):
    """Which counter counts the tokens of rules from now on."""

    def __init__(self, present: str, parent: QWidget | None) -> None:
        super().__init__(
            _tr("Recount Tokens"),
            "",
            _tr("Recount"),
            parent,
        )
        self._present = present
        self.kind = ComboBox()
        name, _, rest = present.partition(":")
        self.kind.offer(
            ((counter_text(n), n) for n in ("estimate", "wordpiece", "file", "served")),
            name,
        )
        self.kind.activated.connect(self._check)
        self.place = QLineEdit(rest)
        self.place.textChanged.connect(self._check)
        self.reason = reason_field()
        form = form_layout()
        for label, field in (
            (self.tr("&Counter"), self.kind),
            (self.tr("&Where"), self.place),
            (self.tr("R&eason"), self.reason),
        ):
            add_field(form, label, field)
        words = self.tr(
            "Recounts every rule and selects hot memory again, as one change that Undo reverts. Costs "
            "of different counters are never mixed."
        )
        self.body.addWidget(muted(words))
        self.body.addLayout(form)
        self.do_it.clicked.connect(self.accept)
        self._check()

    def _check(self) -> None:
        kind = self.kind.currentData()
        self.place.setEnabled(kind in ("file", "served"))
        hints = {
            "file": self.tr("Path of a tokenizer.json"),
            "served": self.tr("MODEL@http://server:port"),
        }
        self.place.setPlaceholderText(hints.get(kind, ""))
        self.do_it.setEnabled(
            not self.place.isEnabled() or bool(self.place.text().strip())
        )

    def counter(self) -> str:
        """Name of the counter as core knows it; empty for the present one."""
        kind = str(self.kind.currentData())
        name = f"{kind}:{self.place.text().strip()}" if self.place.isEnabled() else kind
        return "" if name == self._present else name
