"""Questions of SSH servers (passphrase, password, second factor) and unknown keys, put to the person."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QWidget

from remote.connection.ssh.asking import LoginQuestion
from remote.connection.timeouts import PERSON
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import (
    FormDialog,
    fit_to_screen,
    form_layout,
    muted,
)
from sage_desktop.ui.widgets.making import named, push

if TYPE_CHECKING:
    from remote.connection.faults import HostKeyUnknown

_tr = partial(QCoreApplication.translate, "HostQuestions")

Answers = Sequence[str] | None


class QuestionDialog(FormDialog):
    """One question; what is typed is kept in memory only."""

    def __init__(
        self, question: LoginQuestion, answer: Future[Answers], parent: QWidget | None
    ) -> None:
        words = question.title or _tr("The server asks:")
        super().__init__(
            _tr("{0} asks").format(question.host), words, _tr("Answer"), parent
        )
        self.answer = answer
        form = form_layout()
        self.fields: list[QLineEdit] = []
        for text, is_echoed in question.prompts:
            field = named(QLineEdit(), text)
            if not is_echoed:
                field.setEchoMode(QLineEdit.EchoMode.Password)
            form.addRow(text.rstrip(": "), field)
            self.fields.append(field)
        self.body.addLayout(form)
        note = _tr("Kept in memory while the program runs, never written anywhere.")
        self.body.addWidget(muted(note, small=True))
        self.main_button.clicked.connect(self.accept)
        self.accepted.connect(
            lambda: self._give([field.text() for field in self.fields])
        )
        self.rejected.connect(lambda: self._give(None))
        fit_to_screen(self, 28)

    def _give(self, answers: Answers) -> None:
        if self.answer.set_running_or_notify_cancel():
            self.answer.set_result(answers)


class WindowAsker(QObject):
    """Implements `AskPerson`: called in threads of links, shows one dialog after another in the window's.

    Args:
        window: Owner of the dialogs.
    """

    _question_arrived = Signal(object, object)
    _late = Signal(object)  # the answer that is waited for no more

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waiting: list[tuple[LoginQuestion, Future[Answers]]] = []
        self.dialog: QuestionDialog | None = None
        queued = Qt.ConnectionType.QueuedConnection
        self._question_arrived.connect(self._take, queued)
        self._late.connect(self._give_up, queued)

    def __call__(self, question: LoginQuestion, /) -> Answers:
        """Wait for the person, as long as servers commonly do."""
        answer: Future[Answers] = Future()
        self._question_arrived.emit(question, answer)
        try:
            return answer.result(PERSON)
        except Late:
            answer.cancel()
            self._late.emit(answer)
            return None

    def close(self) -> None:
        """Decline everything: the window goes."""
        for _question, answer in self._waiting:
            if answer.set_running_or_notify_cancel():
                answer.set_result(None)
        self._waiting = []
        if self.dialog is not None:
            self.dialog.reject()

    @Slot(object, object)
    def _take(self, question: LoginQuestion, answer: Future[Answers]) -> None:
        self._waiting.append((question, answer))
        self._next()

    def _next(self) -> None:
        if self.dialog is None and self._waiting:
            question, answer = self._waiting.pop(0)
            self.dialog = QuestionDialog(question, answer, self._window)
            self.dialog.finished.connect(self._closed)
            self.dialog.open()

    @Slot()
    def _closed(self) -> None:
        self.dialog = None
        self._next()

    @Slot(object)
    def _give_up(self, answer: Future[Answers]) -> None:
        self._waiting = [entry for entry in self._waiting if entry[1] is not answer]
        if self.dialog is not None and self.dialog.answer is answer:
            self.dialog.reject()


class TrustDialog(FormDialog):
    """Shows a key that is not confirmed yet. Trusting takes a deliberate step, Enter does nothing."""

    trusted = Signal(object)

    def __init__(
        self, name: str, unknown: HostKeyUnknown, parent: QWidget | None
    ) -> None:
        super().__init__(
            _tr("Do you trust {0}?").format(name),
            _tr(
                "This key was never confirmed. Compare the fingerprint with what the administrator of the "
                "machine tells you. Whoever owns this key will see and run everything that is sent there."
            ),
            _tr("Trust This Key"),
            parent,
        )
        self.enter_accepts = False
        form = form_layout()
        form.addRow(_tr("Host"), QLabel(unknown.host))
        form.addRow(_tr("Key type"), QLabel(unknown.kind))
        self.fingerprint = QLabel(unknown.fingerprint)
        theme().letter(self.fingerprint, "code")
        self.fingerprint.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self.fingerprint.setAccessibleName(_tr("Fingerprint"))
        form.addRow(_tr("Fingerprint"), self.fingerprint)
        self.body.addLayout(form)
        copy = push(
            _tr("Copy Fingerprint"),
            lambda: QGuiApplication.clipboard().setText(unknown.fingerprint),
        )
        self.body.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
        self.compared = QCheckBox(
            _tr("I compared the fingerprint with the administrator's")
        )
        self.body.addWidget(self.compared)
        self.main_button.setDefault(False)
        self.main_button.setEnabled(False)
        self.compared.toggled.connect(self.main_button.setEnabled)
        self.main_button.clicked.connect(self.accept)
        self.accepted.connect(lambda: self.trusted.emit(unknown))
        fit_to_screen(self, 36)
