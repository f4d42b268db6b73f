"""What a person does to get work going: set up a run, queue operators, answer prompts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QWidget

from core.errors import SageError
from sage_desktop.services import wiring
from sage_desktop.services.places import demo_workspace
from sage_desktop.shell.opening.files import open_in_new_window
from sage_desktop.shell.part import ShellPart
from sage_desktop.ui.icons import application_icon
from sage_desktop.ui.typed import present

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog

    from core.models.manual import InboxDesk
    from core.replay.session_file import SessionHeader
    from core.workspace import Workspace
    from sage_desktop.panels.run.dialog import RunDialog
    from sage_desktop.services.run_setup import PreparedRun, RunSetup
    from sage_desktop.shell.late_pages import LatePages
    from sage_desktop.shell.main_window import MainWindow
    from sage_desktop.shell.session import WorkspaceSession

logger = logging.getLogger("engine")
_QUEUE = frozenset({"queue"})
_NAMED = 3  # operators in a message


class RunCommands(ShellPart):
    """Binds the commands that set up and feed a run."""

    _questions_changed = Signal()
    _retried = Signal(str, float)

    def __init__(
        self, window: MainWindow, session: WorkspaceSession, late: LatePages
    ) -> None:
        super().__init__(window)
        self._session = session
        self._late = late
        late.models_changed.connect(self.models_changed)
        self._desk: InboxDesk | None = None
        self.dialog: QObject | None = None
        # What waits for a model, with its label: a recording has no replies for it.
        self._held: list[tuple[Sequence[tuple[str, str]], str]] = []
        self._questions_changed.connect(
            self._show_questions, Qt.ConnectionType.QueuedConnection
        )
        self._retried.connect(self._tell_retry, Qt.ConnectionType.QueuedConnection)
        bind = window.actions_.bind
        bind("queue.setup", self.set_up)
        bind("queue.add", self.add_operators)
        bind("queue.custom", self.new_operator)
        bind("queue.import", self.import_benchmark)
        window.prompt_answered.connect(self._answer)
        session.writable.connect(self._allow)
        session.finished.connect(self._finished)
        window.queue.counted.connect(self._count_spending)
        self._allow(on=False)

    def _allow(self, on: bool) -> None:
        names = ("queue.setup", "queue.add", "queue.custom", "queue.import")
        self._window.actions_.enable(dict.fromkeys(names, on))

    # ---- the run

    def set_up(self) -> None:
        """Open the dialog that sets up a run."""
        from core.memory.frozen import claimed
        from sage_desktop.panels.run.dialog import RunDialog

        try:
            names = tuple(self._late.registry().settings())
        except SageError as error:
            self._window.toasts.show_error(error)
            names = ()
        dialog = RunDialog(self._preferences, names, self._window)
        dialog.submitted.connect(
            lambda setup, start: self._prepare(dialog, setup, start=start)
        )
        dialog.profiles_wanted.connect(lambda: self._late.show_settings("models"))
        dialog.agent.check_wanted.connect(
            lambda command, reads: self._try_agent(dialog, command, reads)
        )
        self._operations.ask(dialog, claimed, dialog.show_claim)
        self._open(dialog)

    def _try_agent(
        self, dialog: RunDialog, command: str, reads: tuple[Path, ...]
    ) -> None:
        from sage_desktop.services.models.agent_check import try_agent

        self._operations.run_in_background(
            dialog,
            lambda: try_agent(command, reads),
            dialog.agent.show_checks,
            dialog.refuse,
        )

    def models_changed(self) -> None:
        """Profiles were added or changed: a run dialog on screen offers them."""
        from sage_desktop.panels.run.dialog import RunDialog

        if shiboken6.isValid(self.dialog) and isinstance(self.dialog, RunDialog):
            self.dialog.fill_models()

    def _prepare(self, dialog: RunDialog, setup: RunSetup, *, start: bool) -> None:
        from sage_desktop.services.run_setup import prepare

        desk, workspace = self._the_desk(), self._operations.workspace

        def ready(prepared: PreparedRun) -> None:
            engine = self._session.engine
            if engine is not None:
                self._operations.run_in_background(
                    dialog,
                    engine.configure(prepared.config).result,
                    lambda _none: self._begin(
                        dialog, setup, prepared.replayed, start=start
                    ),
                    dialog.refuse,
                )

        self._operations.run_in_background(
            dialog,
            lambda: prepare(setup, workspace, desk, self._retried.emit),
            ready,
            dialog.refuse,
        )

    def open_demonstration(self) -> None:
        """Open it beside this window; in its own workspace, play the recorded session again."""
        workspace, engine = self._operations.workspace, self._session.engine
        if workspace.absolute() != demo_workspace().absolute():
            open_in_new_window(None)
            return
        if engine is None:
            self._window.toasts.show_message(
                self.tr("The demonstration is open in this window."),
                self.tr("It can only be read here, and not be run."),
            )
            return

        def work() -> PreparedRun:
            from sage_desktop.services.run_setup import prepare_demonstration

            prepared = prepare_demonstration(workspace)
            engine.configure(prepared.config).result()
            return prepared

        self._operations.run_in_background(self, work, self._play)

    def _play(self, prepared: PreparedRun) -> None:
        recording = present(prepared.replayed)
        self._session.equipped(recording.model, "", recording)
        self._window.refresh(_QUEUE | {"memory"})
        self._window.toasts.show_message(
            self.tr("The recorded session is played again: no model is running."),
            kind="success",
        )

    def _begin(
        self,
        dialog: RunDialog,
        setup: RunSetup,
        replayed: SessionHeader | None,
        *,
        start: bool,
    ) -> None:
        from sage_desktop.services.models.choice import ACP
        from sage_desktop.services.run_setup import MANUAL

        dialog.accept()
        waiting, self._held = self._held, []
        frozen = setup.frozen.name if setup.frozen is not None else ""
        self._session.equipped(setup.provider, frozen, replayed)
        self._window.refresh(_QUEUE | {"memory"})
        for operators, label in waiting:
            self.enqueue(operators, label)
        if setup.model == MANUAL:
            self._window.actions_["view.manual"].setChecked(True)
        if setup.model.startswith(ACP) and start:
            self._window.actions_[
                "view.trajectory"
            ].trigger()  # where it is seen at work
        if start:
            self._session.run()

    def _finished(self) -> None:
        """The queue came to its end: notify a person who works elsewhere, if they want it."""
        if self._preferences.flag("appearance/notify", default=True):
            states = [row.state for row in self._window.queue.model.rows()]
            words = self.tr("{0} done, {1} failed, {2} waiting").format(
                states.count("done"), states.count("failed"), states.count("queued")
            )
            notify(self._window, self.tr("The queue is finished"), words)

    def _count_spending(self) -> None:
        from sage_desktop.services.models.profiles import prices_of, profiles
        from sage_desktop.services.models.spending import read_spending

        prices = prices_of(profiles(self._preferences))
        self._operations.query(
            self,
            lambda db: read_spending(db, prices),
            self._window.status.show_spending,
            topic="spending",
        )

    # ---- the person as the model

    def _the_desk(self) -> InboxDesk:
        if self._desk is None:
            from core.models.manual import InboxDesk

            self._desk = InboxDesk(self._questions_changed.emit)
        return self._desk

    @Slot()
    def _show_questions(self) -> None:
        if self._desk is None:
            return
        waiting = self._desk.waiting
        self._window.manual.show_questions(waiting)
        self._window.queue.show_asked(
            {question.request.subject for question in waiting}
        )
        if waiting:
            self._window.status.show_activity(self.tr("A prompt waits for your reply"))
            self._window.actions_["view.manual"].setChecked(True)

    def _answer(self, key: str, text: str) -> None:
        if self._desk is not None and not self._desk.answer(key, text):
            self._window.toasts.show_message(
                self.tr("This prompt is no longer waiting."),
                self.tr("The operator was stopped in the meantime."),
                "warning",
            )

    @Slot(str, float)
    def _tell_retry(self, what: str, seconds: float) -> None:
        logger.warning("%s Waiting %.0f s.", what, seconds)
        self._window.status.show_activity(
            self.tr("{0} Waiting {1} s.").format(what, f"{seconds:.0f}")
        )

    # ---- operators

    def add_operators(self) -> None:
        """Open the catalogue."""
        from sage_desktop.panels.adding.catalogue_dialog import CatalogueDialog

        dialog = CatalogueDialog(
            self._operations, wiring.data_dir(), self._window, self._session.recorded
        )
        dialog.added.connect(self.enqueue)
        self._open(dialog)

    def new_operator(self) -> None:
        """Open the form for an operator of one's own."""
        from sage_desktop.panels.adding.custom_dialog import CustomDialog

        dialog = CustomDialog(self._operations, wiring.data_dir(), self._window)
        dialog.added.connect(self.enqueue)
        self._open(dialog)

    def import_benchmark(self) -> None:
        """Open the dialog that takes over a checkout."""
        from sage_desktop.panels.adding.import_dialog import ImportDialog

        dialog = ImportDialog(self._operations, wiring.data_dir(), self._window)
        dialog.imported.connect(self.enqueue)
        self._open(dialog)

    def enqueue(self, operators: Sequence[tuple[str, str]], label: str) -> None:
        """Append operators; those that the recording played has no replies for wait for a model."""
        from core.engine import queue

        unknown = unrecorded(operators, self._session.recorded)
        if unknown:
            self._hold(unknown, label)
            operators = [each for each in operators if each not in unknown]
        if not operators:
            return

        def change(workspace: Workspace) -> int:
            for source, name in operators:
                queue.check_written(source, name)
            for source, name in operators:
                queue.enqueue(workspace, name, source, label)
            return len(operators)

        self._operations.write(self, change, self._tell_added, topics=_QUEUE)

    def _hold(self, operators: Sequence[tuple[str, str]], label: str) -> None:
        """Keep operators until a model is chosen, and offer to choose one."""
        self._held.append((operators, label))
        names = [name for _source, name in operators]
        listed_names = ", ".join([*names[:_NAMED], *(["…"] if names[_NAMED:] else [])])
        self._window.toasts.show_message(
            self.tr("{0} cannot be added yet.").format(listed_names),
            self.tr(
                "This workspace plays a recording, which has no replies for that. It is "
                "added when you choose a model."
            ),
            "warning",
            offer=(self.tr("Set Up Run…"), self.set_up),
        )

    def _tell_added(self, number: int) -> None:
        self._window.toasts.show_message(
            self.tr("%n operator(s) were added to the queue.", "", number),
            kind="success",
        )

    def _open(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.open()


def unrecorded(
    operators: Sequence[tuple[str, str]], recorded: Sequence[str] | None
) -> list[tuple[str, str]]:
    """Those of some operators that a recording of others has no replies for; none for a live model."""
    if recorded is None:
        return []
    from core.operators.catalogue import CATALOGUE

    return [
        (source, name)
        for source, name in operators
        if source != CATALOGUE or name not in recorded
    ]


SHOWN_MS = 10_000


def notify(window: QWidget, title: str, words: str) -> bool:
    """Tell it unless the window is in front anyway; whether a message was shown.

    Desktops without a tray show it where they have `notify-send`, the freedesktop way; others get the mark on
    the window's entry in the task bar only.
    """
    if window.isActiveWindow():
        return False
    from PySide6.QtWidgets import QSystemTrayIcon

    QApplication.alert(window)
    if not (
        QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()
    ):
        return _sent(title, words)
    tray = QSystemTrayIcon(application_icon(), window)
    tray.messageClicked.connect(window.activateWindow)
    tray.show()
    tray.showMessage(title, words, application_icon(), SHOWN_MS)
    QTimer.singleShot(SHOWN_MS, tray, tray.deleteLater)
    return True


def _sent(title: str, words: str) -> bool:
    from PySide6.QtCore import QProcess, QStandardPaths

    program = QStandardPaths.findExecutable("notify-send")
    if not program:
        return False
    options = [
        "--app-name=sage-desktop",
        f"--expire-time={SHOWN_MS}",
        "--",
        title,
        words,
    ]
    return QProcess.startDetached(program, options)[0]
