"""Reads a log a person chooses or drops on the window, in a thread of its own, and shows what it says."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog

from core.errors import SageError
from sage_desktop.ui.widgets.saving import ask_which

if TYPE_CHECKING:
    from remote.diagnostics.log_report import LogReport
    from sage_desktop.panels.diagnosing.log_dialog import LogDialog
    from sage_desktop.shell.crash import CrashReporter
    from sage_desktop.shell.main_window import MainWindow

_STOP_SECONDS = 5.0


class LogReading(QObject):
    """Serves the command and drops of files on the window.

    Signals:
        shown: The `LogDialog` that opened.
    """

    shown = Signal(object)
    _read = Signal(object, str)
    _failed = Signal(object)

    def __init__(self, window: MainWindow, crash: CrashReporter) -> None:
        super().__init__(window)
        self._window = window
        self._crash = crash
        self._thread: threading.Thread | None = None
        self.dialog: LogDialog | None = None
        self.asking: QFileDialog | None = None
        window.setAcceptDrops(True)
        window.installEventFilter(self)
        window.actions_.bind("review.diagnose_log", self._choose)
        self._read.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._failed.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files that are dropped on the window."""
        if event.type() in (QEvent.Type.DragEnter, QEvent.Type.Drop) and isinstance(event, QDropEvent):
            path = _file_in(event)
            if path is not None:
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
                if event.type() == QEvent.Type.Drop:
                    self.read(path)
                return True
        return super().eventFilter(watched, event)

    def _choose(self) -> None:
        kinds = self.tr("Logs (*.log *.txt *.out);;All files (*)").split(";;")
        self.asking = ask_which(self._window, self.tr("Diagnose a Log"), kinds, self.read)

    def read(self, path: Path) -> None:
        """Begin to read; the dialog opens when it is done. One log at a time."""
        if self._thread is not None:
            self._window.toasts.show_message(self.tr("A log is being read."), kind="warning")
            return
        self._thread = threading.Thread(target=self._work, args=(path,), name="diagnosis", daemon=True)
        self._thread.start()

    def _work(self, path: Path) -> None:
        from remote.diagnostics.log_report import read_log, report_log

        try:
            log = read_log(path)
            self._read.emit(report_log(log, path.name), log)
        except Exception as error:  # noqa: BLE001 - told in the window's thread
            self._failed.emit(error)

    @Slot(object, str)
    def _show(self, report: LogReport, log: str) -> None:
        from sage_desktop.panels.diagnosing.log_dialog import LogDialog

        self._thread = None
        self.dialog = LogDialog(report, log, self._window)
        self.dialog.open()
        self.shown.emit(self.dialog)

    @Slot(object)
    def _tell(self, error: Exception) -> None:
        self._thread = None
        if isinstance(error, SageError):
            self._window.toasts.show_error(error)
        else:
            self._crash.show_error(error)

    def close(self) -> None:
        """Wait for a log that is being read."""
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)


def _file_in(event: QDropEvent) -> Path | None:
    """The one local file that is dropped; None for anything else."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.is_file() else None
