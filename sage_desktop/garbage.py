"""When Python looks for unreachable cycles: in the window's thread, in portions nobody notices.

Left alone Python does it in the middle of whatever allocates, in whatever thread. A full search over all that
the program has loaded takes 40 ms, which stops a scroll; and one that runs in a worker may take down a Qt
object outside its thread.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

LOOK_MS = 400
_OLDEST = 2  # generation


class Garbage(QObject):
    """Takes over from the automatic search between `install` and `uninstall`.

    What survived a search of the oldest generation is set aside: it was made to stay, and later searches need
    not look at it. While another program is in front, when a pause disturbs nobody, everything is searched.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._limits = gc.get_threshold()

    def install(self, app: QGuiApplication) -> None:
        """From now on cycles are searched for here only."""
        gc.disable()
        self._timer.start()
        app.applicationStateChanged.connect(self._state_changed)

    def uninstall(self, app: QGuiApplication) -> None:
        """Give the search back to Python, and everything set aside with it."""
        if not self._timer.isActive():
            return
        app.applicationStateChanged.disconnect(self._state_changed)
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def set_aside(self) -> None:
        """Let later searches pass over what is alive now."""
        gc.freeze()

    def look(self) -> None:
        """Search the youngest generations whose turn it is, as Python would have done."""
        counts = gc.get_count()
        due = [age for age, limit in enumerate(self._limits) if counts[age] > limit]
        if not due:
            return
        gc.collect(max(due))
        if max(due) == _OLDEST:
            self.set_aside()

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state in (Qt.ApplicationState.ApplicationInactive, Qt.ApplicationState.ApplicationHidden):
            gc.unfreeze()
            gc.collect()
            self.set_aside()
