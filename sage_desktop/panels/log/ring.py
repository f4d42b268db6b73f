"""The newest log records, kept in memory, and Qt's own messages led into the same stream."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)

from core.visible import visible

CAPACITY = 5000
_QT_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@dataclass(frozen=True)
class LogEntry:
    """One line of the log. `time` is seconds since the epoch."""

    time: float
    level: int
    source: str
    text: str


class LogRing(QObject):
    """A bounded list of log entries that may be filled from any thread.

    Signals:
        added: A new entry, delivered in the window's thread.
    """

    added = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.entries: deque[LogEntry] = deque(maxlen=CAPACITY)
        self._handler = _RingHandler(self)
        self._incoming.connect(self._append, Qt.ConnectionType.QueuedConnection)

    _incoming = Signal(object)

    def install(self) -> None:
        """Listen to the root logger and to Qt."""
        logging.getLogger().addHandler(self._handler)
        for name in ("core", "remote", "sage_desktop"):
            logging.getLogger(name).setLevel(logging.INFO)
        logging.getLogger("engine").setLevel(logging.DEBUG)  # every step of a round
        qInstallMessageHandler(_qt_message)

    def uninstall(self) -> None:
        """Stop listening."""
        logging.getLogger().removeHandler(self._handler)
        qInstallMessageHandler(None)

    def report(self, level: int, source: str, text: str, time: float) -> None:
        """Take an entry from any thread."""
        self._incoming.emit(LogEntry(time, level, source, visible(text)))

    def _append(self, entry: LogEntry) -> None:
        self.entries.append(entry)
        self.added.emit(entry)


class _RingHandler(logging.Handler):
    def __init__(self, ring: LogRing) -> None:
        super().__init__(logging.DEBUG)
        self._ring = ring

    def emit(self, record: logging.LogRecord) -> None:
        self._ring.report(
            record.levelno, record.name, record.getMessage(), record.created
        )


def _qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    if text.startswith(
        "This plugin does not support"
    ):  # off-screen platforms print it for every window
        return
    logging.getLogger("qt").log(_QT_LEVELS.get(kind, logging.WARNING), "%s", text)
    del context
