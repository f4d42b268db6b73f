"""Editing an experience by hand, and the question for the reason of a change.

Undo brings the former content back.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from core.memory.records import CodeDiff, Experience, MemoryItem
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import (
    FormDialog,
    add_field,
    button_box,
    fit_to_screen,
)
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.pages import scrolled
from sage_desktop.ui.widgets.stacking import boxed, vbox


class ItemEditor(QDialog):
    """The fields of an experience, its rule, and a reason for the change."""

    def __init__(self, item: MemoryItem, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Edit {0}").format(item.uid))
        self.item = item
        look = theme()
        self.title = QLineEdit(item.title)
        self.type = QLineEdit(item.type)
        self.category = QLineEdit(item.category)
        self.error = QLineEdit(item.error_message)
        for long in (self.title, self.error):
            long.setCursorPosition(0)  # read from its beginning
        self.summary = self._box(item.summary, 4.5)
        self.wrong = self._box(item.code_diff.wrong_code, 5.5, code=True)
        self.correct = self._box(item.code_diff.correct_code, 5.5, code=True)
        self.rule = self._box(item.rule_text, 3.5)
        self.rule.setPlaceholderText(
            self.tr("Written by the model once the item passes the gates.")
        )
        self.reason = QLineEdit(
            placeholderText=self.tr("Why you change it (kept in the history)")
        )
        form = QFormLayout()
        form.setVerticalSpacing(look.px(0.4))
        for label, field in (
            (self.tr("&Title"), self.title),
            (self.tr("T&ype"), self.type),
            (self.tr("&Category"), self.category),
            (self.tr("&Symptom"), self.error),
            (self.tr("&Summary"), self.summary),
            (self.tr("&Wrong code"), self.wrong),
            (self.tr("C&orrect code"), self.correct),
            (self.tr("&Rule"), self.rule),
            (self.tr("R&eason"), self.reason),
        ):
            add_field(form, label, field)
        self.buttons = button_box(
            QDialogButtonBox.StandardButton.Save,
            QDialogButtonBox.StandardButton.Cancel,
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        for field in (self.title, self.type, self.category):
            field.textChanged.connect(self._check)
        vbox((scrolled(boxed(form)), 1), self.buttons, owner=self)
        fit_to_screen(self, 44, 40)

    def _box(self, text: str, lines: float, *, code: bool = False) -> QPlainTextEdit:
        box = QPlainTextEdit(text, tabChangesFocus=True)
        box.setMinimumHeight(theme().px(lines))
        if code:
            theme().letter(box, "code")
        return box

    def _check(self) -> None:
        complete = all(
            field.text().strip() for field in (self.title, self.type, self.category)
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(complete)

    def experience(self) -> Experience:
        """What the fields say now."""
        return replace(
            self.item.experience,
            title=self.title.text().strip(),
            type=self.type.text().strip(),
            category=self.category.text().strip(),
            error_message=self.error.text().strip(),
            summary=self.summary.toPlainText().strip(),
            code_diff=CodeDiff(self.wrong.toPlainText(), self.correct.toPlainText()),
        )

    def new_rule(self) -> str | None:
        """The rule, None when it was not changed or is empty."""
        text = " ".join(self.rule.toPlainText().split())
        return text if text and text != self.item.rule_text else None


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
        self.main_button.clicked.connect(self.accept)
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
