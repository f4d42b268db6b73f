"""`sage-desktop`: shows the window first, loads everything heavy after it is painted."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from core.errors import SageError
from sage_desktop.panels.log.ring import LogRing
from sage_desktop.services.places import demo_workspace
from sage_desktop.services.wiring import prepare_in_background
from sage_desktop.shell.background.diagnosing import Diagnosing
from sage_desktop.shell.background.forking import Forking
from sage_desktop.shell.background.log_reading import LogReading
from sage_desktop.shell.background.mismatches import MismatchWriters
from sage_desktop.shell.background.reporting import RunReports
from sage_desktop.shell.background.tracing import Tracing
from sage_desktop.shell.crash import CrashReporter
from sage_desktop.shell.garbage import GarbageCollection
from sage_desktop.shell.late_pages import LatePages
from sage_desktop.shell.main_window import REVIEW, START, TIMELINE, MainWindow
from sage_desktop.shell.memory_exchange import MemoryExchange
from sage_desktop.shell.opening.files import WorkspaceFiles, open_in_new_window
from sage_desktop.shell.opening.workspace import Opening
from sage_desktop.shell.run_commands import RunCommands
from sage_desktop.shell.session import WorkspaceSession
from sage_desktop.ui import theme, translation
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.typed import expect

if TYPE_CHECKING:
    from sage_desktop.services.wiring import EngineSession
    from sage_desktop.shell.opening.one_window import OneWindow

PICTURE_SIZE = (
    1600,
    1000,
)  # pixels of the pictures in the documentation, before scaling
_UNSEEN_MS = 1000


def arguments(argv: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="sage-desktop", description="The SAGE Desktop window."
    )
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="FILE",
        help="workspace to open; the demo by default",
    )
    parser.add_argument(
        "--autorun", action="store_true", help="start working through the queue at once"
    )
    parser.add_argument(
        "--screenshot",
        type=Path,
        metavar="DIR",
        help="save pictures of the window when the queue is finished",
    )
    parser.add_argument(
        "--exit-when-done", action="store_true", help="quit when the queue is finished"
    )
    parser.add_argument(
        "--version", action="store_true", help="tell the version and quit"
    )
    return parser.parse_args(argv)


class FirstPaint(QObject):
    """Watches a window that is about to be shown.

    Signals:
        over: It was painted, or nobody has seen it yet: it opened minimized or behind another.
    """

    over = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)
        self._unseen = QTimer(self, singleShot=True, interval=_UNSEEN_MS)
        self._unseen.timeout.connect(self._end)
        self._unseen.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            self._unseen.start(0)  # what is in the window is painted after this
        return super().eventFilter(watched, event)

    def _end(self) -> None:
        self._window.removeEventFilter(self)
        self.over.emit()


class Desktop:
    """The application's objects, made in the order in which they are needed.

    Args:
        app: The Qt application.
        options: See `arguments`.
        preferences: Where appearance and layout are remembered; the user's own file by default.
    """

    def __init__(
        self,
        app: QApplication,
        options: argparse.Namespace,
        preferences: Preferences | None = None,
    ) -> None:
        self._app = app
        self._options = options
        self.preferences = preferences or Preferences()
        self._language = translation.install(app, self.preferences)
        theme.install(app, self.preferences)
        self.garbage = GarbageCollection()
        self.ring = LogRing()
        self.ring.install()
        self.operations = Operations(options.workspace or Path())
        self.window = MainWindow(self.operations, self.preferences, self.ring)
        self.crash = CrashReporter(self.window)
        self.session = WorkspaceSession(self.window, self.crash)
        self.session.finished.connect(self._finished)
        self.late = LatePages(self.window, self.session)
        self.run_commands = RunCommands(self.window, self.session, self.late)
        # Whether the same workspace is to be opened again at the end.
        self.restarts = False
        self.late.restart_wanted.connect(self._restart)
        self.late.demonstration_wanted.connect(self.run_commands.open_demonstration)
        self.late.task_made.connect(self.run_commands.enqueue)
        self.window.stays.connect(self._stay)
        self.diagnosing = Diagnosing(self.window, self.late.registry)
        self.forking = Forking(self.window, self.session)
        self.tracing = Tracing(self.window)
        self.mismatches = MismatchWriters(self.window)
        self.window.provide_page(TIMELINE, self.tracing.make_panel)
        self.logs = LogReading(self.window)
        self.files = WorkspaceFiles(self.window)
        self.exchange = MemoryExchange(self.window, self.session)
        self.reports = RunReports(self.window, self.session)
        if options.screenshot is None:
            self.session.finished.connect(self.reports.offer)
        if options.workspace is None:
            self.window.first_page = START
        self._door: OneWindow | None = None
        self.opening = Opening(options.workspace, self.session.bridge.post, self.window)
        self.opening.readable.connect(self._show_content)
        self.opening.opened.connect(self._opened)
        self.opening.loaded.connect(self.late.count_hosts)
        self.opening.loaded.connect(self.diagnosing.offer_tools)
        self.opening.loaded.connect(self.garbage.freeze)
        self.opening.foreign.connect(self.session.view)
        self.opening.foreign.connect(self.files.opened)
        self.opening.failed.connect(self._failed)
        self.opening.crashed.connect(self.crash.show_error)
        actions = self.window.actions_
        actions.bind("help.guide", self._show_guide)
        actions.bind("help.about", self._show_about)

    def start(self) -> None:
        """Show the window; open the workspace as soon as it is painted."""
        self.crash.install()
        self.garbage.install(self._app)
        if self._options.screenshot is not None:
            self.window.resize(*PICTURE_SIZE)
        FirstPaint(self.window).over.connect(self._go_on)
        self.window.show()

    def _go_on(self) -> None:
        """What nobody sees of a start."""
        from sage_desktop.shell.opening.one_window import OneWindow

        self.opening.start()
        self._door = OneWindow(self._options.workspace or demo_workspace(), self.window)
        self._door.wanted.connect(self._come_forward)

    def _come_forward(self) -> None:
        """The program was started again: bring the window to the front."""
        self.window.setWindowState(
            self.window.windowState() & ~Qt.WindowState.WindowMinimized
        )
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self._app.alert(self.window)

    def _show_guide(self) -> None:
        from sage_desktop.shell.help import show_guide

        show_guide(self.window)

    def _show_about(self) -> None:
        from sage_desktop.shell.help import show_about

        show_about(self.window, str(self.operations.workspace))

    def _failed(self, error: SageError) -> None:
        self.window.status.show_state("failed")
        self.window.toasts.show_error(error)

    def _show_content(self, path: Path) -> None:
        """Show the review while the engine is loaded, which takes longer.

        Other pages wait for more than their workspace.
        """
        if self.window.last_page() == REVIEW:
            self.operations.workspace = path
            self.window.queue.refresh()
            self.window.open_last_page()

    def _opened(self, made: EngineSession) -> None:
        translation.tell_missing_font(self._language)
        self.files.opened(made.workspace_path)
        self.session.open(made)
        if self._options.autorun:
            self.session.run()

    def _restart(self) -> None:
        self.restarts = True
        self.window.close()

    def _stay(self) -> None:
        self.restarts = False

    def _finished(self) -> None:
        if self._options.screenshot is not None:
            from sage_desktop.shell.pictures import save_pictures

            save_pictures(self.window, self._options.screenshot, self._leave_if_asked)
            return
        self._leave_if_asked()

    def _leave_if_asked(self) -> None:
        if self._options.exit_when_done or self._options.screenshot is not None:
            self.window.close()

    def shut_down(self) -> None:
        """Undo everything in reverse order."""
        if self._door is not None:
            self._door.close()
        self.opening.wait()
        for work in (
            self.diagnosing,
            self.forking,
            self.tracing,
            self.mismatches,
        ):
            work.close()
        self.logs.close()
        self.late.close()
        self.session.shut_down()
        self.garbage.uninstall(self._app)
        self.crash.uninstall()
        self.ring.uninstall()
        translation.remove(self._app)


def _shown_already(options: argparse.Namespace) -> bool:
    """Whether another window of this workspace came to the front instead; one that is to do work does it."""
    if options.autorun or options.screenshot is not None or options.exit_when_done:
        return False
    from sage_desktop.shell.opening.one_window import raise_open_window

    return raise_open_window(options.workspace or demo_workspace())


def main(argv: list[str] | None = None) -> int:
    """Run the window; returns the exit code."""
    options = arguments(sys.argv[1:] if argv is None else argv)
    if options.version:
        from sage_desktop.services.bug_report import version

        sys.stdout.write(f"SAGE Desktop {version()}\n")
        return 0
    if _shown_already(options):
        return 0
    logging.getLogger().setLevel(logging.WARNING)
    app = expect(QApplication.instance() or QApplication(sys.argv[:1]), QApplication)
    app.setApplicationName("sage-desktop")
    app.setApplicationDisplayName("SAGE Desktop")
    app.setDesktopFileName("sage-desktop")
    desktop = Desktop(app, options)
    desktop.opening.loaded.connect(prepare_in_background)  # once nothing else loads
    # Qt quits by itself only while nothing holds its event loop; a window that closes in the moment the
    # queue has finished left the process behind, with no window.
    app.lastWindowClosed.connect(app.quit)
    desktop.start()
    try:
        return app.exec()
    finally:
        desktop.shut_down()
        if desktop.restarts:
            open_in_new_window(desktop.operations.workspace)


if __name__ == "__main__":
    sys.exit(main())
