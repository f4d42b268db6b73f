"""The report of a run: opened in the browser, saved elsewhere, offered when a run has ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SageError
from core.private import private_folder
from sage_desktop.services.places import data_dir
from sage_desktop.shell.background.kernel_use import KernelUse
from sage_desktop.shell.part import ShellPart
from sage_desktop.ui.messages.opening import open_with_desktop
from sage_desktop.ui.messages.toast import Toast

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFileDialog

    from sage_desktop.shell.main_window import MainWindow
    from sage_desktop.shell.session import Stopped, WorkspaceSession


class RunReports(ShellPart):
    """Serves Queue → Run Report, and offers it at the end of a run."""

    def __init__(self, window: MainWindow, session: WorkspaceSession) -> None:
        super().__init__(window)
        self._session = session
        self.use = KernelUse(window)
        self.dialog: QFileDialog | None = None
        self._ending: Toast | None = None  # how the last run ended
        session.begun.connect(self._take_back)
        window.actions_.bind("queue.report", self.open)

    def ask_where(self) -> None:
        """Ask where the page goes, and write it there."""
        from sage_desktop.ui.widgets.saving import ask_where

        name = f"{self._operations.workspace.stem}-report.html"
        pages = [self.tr("Web pages (*.html)")]
        self.dialog = ask_where(
            self._window, self.tr("Save Run Report"), name, pages, self.save
        )

    def save(self, path: Path) -> None:
        """Write what all runs of the workspace did."""
        self._write(path, "", self._tell)

    def open(self, since: str = "") -> None:
        """Write the page to the data folder, of what was done since then, and open it in the browser."""
        folder = private_folder(data_dir() / "reports", ours=True)
        self._write(
            folder / f"{self._operations.workspace.stem}.html", since, self._show
        )

    def _write(self, path: Path, since: str, success: Callable[[Path], None]) -> None:
        source, preferences = self._operations.workspace, self._preferences

        def work() -> Path:
            from sage_desktop.services.models.profiles import profiles
            from sage_desktop.services.run_report import write_run_report

            return write_run_report(source, path, profiles(preferences), since)

        self._window.status.show_activity(self.tr("Writing the run report"))
        self._operations.run_in_background(
            self, work, lambda path: self._finish(path, success), self._refuse
        )

    def _finish(self, path: Path, success: Callable[[Path], None]) -> None:
        self._window.status.show_activity("")
        success(path)

    def _refuse(self, error: SageError) -> None:
        self._window.status.show_activity("")
        self._operations.failed.emit(error)

    def _show(self, page: Path) -> None:
        words, hint = self.tr("The run report is open in the browser."), ""
        kind = "success"
        if not open_with_desktop(page):
            words = self.tr("The run report was written to {0}.").format(page)
            hint = self.tr("It could not be opened: the desktop has no browser.")
            kind = "warning"
        self._window.toasts.show_message(
            words,
            hint,
            kind,
            offer=(self.tr("Save As…"), self.ask_where),
            brief=True,
        )

    def _tell(self, path: Path) -> None:
        self._window.toasts.show_message(
            self.tr("The run report was saved to {0}.").format(path),
            self.tr("It needs no network and can be sent as it is."),
            "success",
            offer=(self.tr("Open"), lambda: self._window.toasts.open(path)),
            brief=True,
        )

    def offer(self) -> None:
        """A run has ended: why, and its report and its kernels are one click away."""
        stopped, waiting = self._session.stopped, self._window.queue.unfinished
        if stopped is not None and waiting:
            if not stopped.by_hand:  # who stopped it sees the card of the queue
                self._tell_stopped(stopped, waiting)
        elif self._session.worked:
            self._tell_ended()
        else:
            self._tell_nothing_to_do(stopped)

    def _take_back(self) -> None:
        """Take back how the last run ended: another one works."""
        self._window.toasts.take_back(self._ending)
        self._ending = None

    def _tell_stopped(self, stopped: Stopped, waiting: int) -> None:
        setup = self._window.actions_["queue.setup"]  # where another model is needed
        self._ending = self._window.toasts.show_message(
            self.tr("The run has stopped; %n operator(s) wait.", "", waiting),
            stopped.reason,
            "warning",
            offer=(self.tr("Go On"), self._window.actions_["queue.run"].trigger),
            second=(self.tr("Set Up Run…"), setup.trigger),
        )

    def _tell_nothing_to_do(self, stopped: Stopped | None) -> None:
        """Run was pressed in vain: because of the engine's reason, or nothing waits."""
        add = self._window.actions_["queue.add"]
        hint = self.tr("Add operators, or retry one that has ended.")
        failed = self._window.queue.failed()
        again = (
            self.tr("Retry Failed Operators"),
            lambda: self._window.queue.retry(failed, self._session.run),
        )
        self._ending = self._window.toasts.show_message(
            self.tr("No operator waits: nothing was run."),
            hint if stopped is None else stopped.reason,
            offer=(self.tr("Add Operators…"), add.trigger),
            second=again if failed else None,
            brief=True,
        )

    def _tell_ended(self) -> None:
        began = self._session.began
        operators = self._window.queue.finished_operators(began)
        use = (self.tr("Use This Kernel…"), lambda: self.use.ask(operators))
        failures = self._session.failures
        words = self.tr("The run has ended.")
        if failures:
            words = self.tr("The run has ended; %n operator(s) failed.", "", failures)
        self._ending = self._window.toasts.show_message(
            words,
            kind="warning" if failures else "success",
            offer=(self.tr("Open Run Report"), lambda: self.open(began)),
            second=use if operators else None,
            brief=True,
        )
