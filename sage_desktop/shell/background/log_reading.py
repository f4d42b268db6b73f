"""Reads a log a person chooses or drops on the window, in the background, and shows what it says."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QDropEvent

from sage_desktop.shell.part import ShellPart

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFileDialog

    from remote.diagnostics.log_report import LogReport
    from sage_desktop.panels.diagnosing.log_dialog import LogDialog
    from sage_desktop.shell.main_window import MainWindow

_STOP_SECONDS = 5.0


class LogReading(ShellPart):
    """Serves the command and drops of files on the window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._reading = threading.Lock()
        self.dialog: LogDialog | None = None
        self.asking: QFileDialog | None = None
        window.setAcceptDrops(True)
        window.installEventFilter(self)
        window.actions_.bind("review.diagnose_log", self._choose)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files that are dropped on the window."""
        if event.type() in (QEvent.Type.DragEnter, QEvent.Type.Drop) and isinstance(
            event, QDropEvent
        ):
            path = _file_in(event)
            if path is not None:
                event.setDropAction(Qt.DropAction.CopyAction)
                event.accept()
                if event.type() == QEvent.Type.Drop:
                    self.read(path)
                return True
        return super().eventFilter(watched, event)

    def _choose(self) -> None:
        from sage_desktop.ui.widgets.saving import ask_which

        kinds = self.tr("Logs (*.log *.txt *.out);;All files (*)").split(";;")
        self.asking = ask_which(
            self._window, self.tr("Diagnose a Log"), kinds, self.read
        )

    def read(self, path: Path) -> None:
        """Begin to read; the dialog opens when it is done. One log at a time."""
        if not self._reading.acquire(blocking=False):
            self._window.toasts.show_message(
                self.tr("A log is being read."), kind="warning"
            )
            return

        def read() -> tuple[LogReport, str]:
            try:
                from remote.diagnostics.log_report import read_log, report_log

                log = read_log(path)
                return report_log(log, path.name), log
            finally:
                self._reading.release()

        self._operations.run_in_background(self, read, self._show)

    def _show(self, reading: tuple[LogReport, str]) -> None:
        from sage_desktop.panels.diagnosing.log_dialog import LogDialog

        self.dialog = LogDialog(*reading, self._window)
        self.dialog.open()

    def close(self) -> None:
        """Wait for a log that is being read."""
        if self._reading.acquire(timeout=_STOP_SECONDS):
            self._reading.release()


def _file_in(event: QDropEvent) -> Path | None:
    """The one local file that is dropped; None for anything else."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    return path if path.is_file() else None
