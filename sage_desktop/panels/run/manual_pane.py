"""Prompts that wait for a person: copy each into any chat, paste the reply back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import push
from sage_desktop.ui.widgets.pages import DockHead
from sage_desktop.ui.widgets.stacking import boxed, hbox, stacked, vbox
from sage_desktop.ui.widgets.verdicts import purpose_text

if TYPE_CHECKING:
    from core.models.manual import WaitingPrompt


class ManualPane(QWidget):
    """The open questions of the manual model.

    Signals:
        answered: (key of the question, reply).
    """

    answered = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("pane", "base")
        self._questions: dict[str, WaitingPrompt] = {}
        self._drafts: dict[str, str] = {}
        self._shown = ""
        self.chooser = ComboBox(self.tr("Waiting prompt"))
        self.chooser.currentIndexChanged.connect(self._show)
        self.prompt, self.reply = QPlainTextEdit(), QPlainTextEdit()
        self.prompt.setReadOnly(True)
        self.prompt.setAccessibleName(self.tr("Prompt"))
        self.reply.setAccessibleName(self.tr("Reply"))
        self.reply.setPlaceholderText(
            self.tr("Paste the reply here, exactly as the model wrote it.")
        )
        self.copy = push(
            self.tr("Copy Prompt"),
            lambda: QGuiApplication.clipboard().setText(self.prompt.toPlainText()),
        )
        self.send = push(self.tr("Send Reply"), self._send)
        self.send.setDefault(True)
        self._lay_out()
        self.reply.textChanged.connect(self._typed)
        self.show_questions(())
        for edit in (self.prompt, self.reply):
            theme().letter(edit, "code")

    def _lay_out(self) -> None:
        self.head = DockHead(self.tr("Prompts waiting for you"))
        self._size = muted(small=True, wraps=False)
        self.head.row.addWidget(self.chooser)
        self.head.row.addStretch()
        self.head.row.addWidget(self._size)
        texts = QSplitter()
        for edit, button in ((self.prompt, self.copy), (self.reply, self.send)):
            half = vbox((edit, 1), hbox(None, button), margins=0)
            texts.addWidget(boxed(half))
        work = boxed(vbox((texts, 1), margins=(0.7, 0.5)))
        self.empty = EmptyState("edit", "", "")
        self.show_running(on=False)
        self._stack = QStackedWidget()
        self._stack.addWidget(work)
        self._stack.addWidget(self.empty)
        stacked(self, self.head, self._stack)

    def show_running(self, *, on: bool) -> None:
        """Say, where no prompt waits, whether one is to come."""
        hint = self.tr(
            "Choose “You, by hand” as the model in Queue → Set Up Run, then start."
        )
        if on:
            hint = self.tr("The run is at work. What it asks you appears here.")
        self.empty.say(self.tr("No prompt is waiting"), hint)

    def show_questions(self, questions: tuple[WaitingPrompt, ...]) -> None:
        """Show what waits now; what was typed for a question that still waits stays."""
        self._questions = {question.key: question for question in questions}
        self._drafts = {
            key: text for key, text in self._drafts.items() if key in self._questions
        }
        entries = []
        for key, question in self._questions.items():
            purpose = purpose_text(question.request.purpose.value)
            entries.append((f"{key} · {purpose}", key))
        with QSignalBlocker(self.chooser):
            self.chooser.offer(entries, self._shown)
        self._stack.setCurrentIndex(0 if questions else 1)
        self.chooser.setVisible(bool(questions))
        self._show()

    def _show(self) -> None:
        key = self.chooser.currentData() or ""
        # Filling the fields again would move the cursor of one who reads or writes.
        if key == self._shown and key:
            return
        self._shown = key
        question = self._questions.get(key)
        text = question.prompt if question is not None else ""
        self.prompt.setPlainText(text)
        size = ""
        if text:
            size = self.tr("{0} characters").format(f"{len(text):,}")
        self._size.setText(size)
        self.reply.setPlainText(self._drafts.get(key, ""))
        self.send.setEnabled(bool(self.reply.toPlainText().strip()))

    def _typed(self) -> None:
        text = self.reply.toPlainText()
        if self._shown:
            self._drafts[self._shown] = text
        self.send.setEnabled(bool(text.strip()))

    def _send(self) -> None:
        key, text = self._shown, self.reply.toPlainText()
        if key and text.strip():
            self._drafts.pop(key, None)
            self.answered.emit(key, text)
