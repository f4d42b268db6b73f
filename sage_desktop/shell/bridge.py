"""Engine events come from the engine's thread; this is the one place where they enter the window's thread.

Events are gathered and handed on at most every 40 ms, so a chatty engine cannot make the window stutter.
"""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

GATHER_MS = 40


class EventBridge(QObject):
    """Carries events into the thread it was made in.

    Signals:
        arrived: A list of events in the order the engine sent them.
    """

    arrived = Signal(list)
    _wake = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[object] = deque()
        self._open = True
        self._timer = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._timer.timeout.connect(self.deliver)
        self._wake.connect(self._start, Qt.ConnectionType.QueuedConnection)

    def post(self, event: object) -> None:
        """Take an event from any thread; returns at once."""
        if not self._open:
            return
        self._waiting.append(event)
        self._wake.emit()

    def close(self) -> None:
        """Take and deliver nothing any more: the window goes."""
        self._open = False
        self._timer.stop()
        self._waiting.clear()

    @Slot()
    def _start(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def deliver(self) -> None:
        """Hand on everything gathered until now."""
        batch = []
        while self._waiting:
            batch.append(self._waiting.popleft())
        if batch:
            self.arrived.emit(batch)
