"""When Python looks for unreachable cycles: in the window's thread, in portions.

Left alone Python does it in the middle of whatever allocates, in whatever thread. A
full search over all that the program has loaded takes 40 ms and more, which stops a
scroll; and one that runs in a worker may destroy a Qt object outside its thread.

Only the collector's counters are read. Listing its objects (`gc.get_objects`) would hold
references to tuples that another thread is still building, which CPython then refuses
to resize (SystemError).
"""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

CHECK_INTERVAL_MS = 400
YOUNG_OBJECTS = 700  # objects born since the last search, as Python's own limit
FLOOD_OBJECTS = 100_000  # a library was imported, a page read its rows
OLDER_AFTER = 10  # searches of a generation before the next older one is searched


def give_back() -> None:
    """Return what was freed to the system; glibc keeps it where anything above it is in use.

    Some 6 MB after the demonstration, in a few milliseconds.
    """
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)


class GarbageCollection(QObject):
    """Takes over from the automatic search between `install` and `uninstall`.

    A generation is searched after ten searches of the younger one. What survived the
    oldest stays for long: it is frozen, and later searches pass over it. So is a flood
    of new objects, unsearched. While another program is in front, when a pause disturbs
    nothing, everything is searched.
    """

    def __init__(self) -> None:
        super().__init__()
        self._timer = QTimer(self, interval=CHECK_INTERVAL_MS)
        self._timer.timeout.connect(self.collect_portion)

    def install(self, app: QGuiApplication) -> None:
        """From now on cycles are searched for here only."""
        gc.disable()
        self._timer.start()
        app.applicationStateChanged.connect(self._state_changed)

    def uninstall(self, app: QGuiApplication) -> None:
        """Give the search back to Python.

        What was frozen stays so: the program ends now, and Python would search all of
        it on its way out.
        """
        if not self._timer.isActive():
            return
        app.applicationStateChanged.disconnect(self._state_changed)
        self._timer.stop()
        gc.enable()

    def freeze(self) -> None:
        """Let later searches pass over what is alive now."""
        gc.freeze()

    def collect_portion(self) -> None:
        """Search the generations whose turn it is."""
        young, middle, old = gc.get_count()
        if young > FLOOD_OBJECTS:
            self.freeze()
        elif old > OLDER_AFTER:
            gc.collect(2)
            self.freeze()
        elif middle > OLDER_AFTER:
            gc.collect(1)
        elif young > YOUNG_OBJECTS:
            gc.collect(0)

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        in_background = (
            Qt.ApplicationState.ApplicationInactive,
            Qt.ApplicationState.ApplicationHidden,
        )
        if state in in_background:
            gc.unfreeze()
            gc.collect()
            self.freeze()
