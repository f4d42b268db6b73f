"""Bugs reach the user as a dialog with a report to copy; errors a user can fix are toasts, not bugs."""

from __future__ import annotations

import logging
import sys
import threading
from types import TracebackType

from PySide6 import __version__ as qt_version
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from core.errors import SageError
from sage_desktop.ui.messages.report_dialog import ReportDialog, trace_text

logger = logging.getLogger(__name__)


class CrashDialog(ReportDialog):
    """Says that the program made a mistake, and offers the report."""

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(
            QCoreApplication.translate("CrashDialog", "Error in SAGE Desktop"),
            QCoreApplication.translate("CrashDialog", "An unexpected error occurred."),
            QCoreApplication.translate(
                "CrashDialog",
                "Your workspace is safe: every step is stored before it is acted upon. You can "
                "continue; if the window behaves strangely, restart it. Please attach this report to "
                "a bug report.",
            ),
            report,
            parent,
        )


class CrashReporter(QObject):
    """Catches unhandled exceptions of every thread.

    Signals:
        known: A `SageError` that was not handled nearer to its cause; shown as a toast.
    """

    known = Signal(object)
    _caught = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._window = parent
        self._open: CrashDialog | None = None
        self._previous = (sys.excepthook, threading.excepthook)
        self._caught.connect(self.show_error, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """From now on uncaught exceptions of all threads come here."""
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    def uninstall(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._previous

    def _hook(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self._caught.emit(error)

    def _thread_hook(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self._caught.emit(caught.exc_value)

    @Slot(object)
    def show_error(self, error: BaseException) -> None:
        """Tell the user: a toast for errors they can fix, the dialog for bugs (one at a time)."""
        if isinstance(error, SageError):
            self.known.emit(error)
            return
        from sage_desktop.services.bug_report import described

        report = described(trace_text(error), f"PySide6 {qt_version}")
        logger.error("%s", report)
        if self._open is not None:
            return
        self._open = CrashDialog(report, self._window)
        self._open.destroyed.connect(self._forget)
        self._open.show()

    @Slot()
    def _forget(self) -> None:
        self._open = None
