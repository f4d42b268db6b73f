"""When Python looks for unreachable cycles: in the window's thread, in portions nobody notices.

Left alone Python does it in the middle of whatever allocates, in whatever thread. A full search over all that
the program has loaded takes 40 ms and more, which stops a scroll; and one that runs in a worker may take down
a Qt object outside its thread.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

LOOK_MS = 400
YOUNG = 700  # objects, as Python's own limit
PORTION = 12_000  # objects of an older generation: half a microsecond each when they lie scattered
FLOOD = 100_000


class Garbage(QObject):
    """Takes over from the automatic search between `install` and `uninstall`.

    Generations are searched when they have grown to a portion, not after so many searches of the younger.
    What survived the oldest was made to stay: it is set aside, and later searches need not look at it. So is
    a flood (a library was imported, a page read its rows), unsearched. While another program is in front,
    when a pause disturbs nobody, everything is searched.
    """

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)

    def install(self, app: QGuiApplication) -> None:
        """From now on cycles are searched for here only."""
        gc.disable()
        self._timer.start()
        app.applicationStateChanged.connect(self._state_changed)

    def uninstall(self, app: QGuiApplication) -> None:
        """Give the search back to Python.

        What was set aside stays so: the program ends now, and Python would search all of it on its way out.
        """
        if not self._timer.isActive():
            return
        app.applicationStateChanged.disconnect(self._state_changed)
        self._timer.stop()
        gc.enable()

    def set_aside(self) -> None:
        """Let later searches pass over what is alive now."""
        gc.freeze()

    def look(self) -> None:
        """Search the generations that have grown enough."""
        born = gc.get_count()[0]
        if born > FLOOD:
            self.set_aside()
            return
        if born > YOUNG:
            gc.collect(0)
        if _size(1) > PORTION:
            gc.collect(1)
        if _size(2) > PORTION:
            gc.collect(2)
            self.set_aside()

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state in (Qt.ApplicationState.ApplicationInactive, Qt.ApplicationState.ApplicationHidden):
            gc.unfreeze()
            gc.collect()
            self.set_aside()


def _size(generation: int) -> int:
    return len(gc.get_objects(generation=generation))
