"""When Python looks for unreachable cycles: in the window's thread, in portions nobody notices.

Left alone Python does it in the middle of whatever allocates, in whatever thread. A full search over all that
the program has loaded takes 40 ms, which stops a scroll; and one that runs in a worker may take down a Qt
object outside its thread.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 400


class Garbage(QObject):
    """Takes over from the automatic search between `install` and `uninstall`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._limits = gc.get_threshold()

    def install(self) -> None:
        """From now on cycles are searched for by `look` only."""
        gc.disable()
        self._timer.start()

    def uninstall(self) -> None:
        """Give the search back to Python, and everything set aside with it."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def set_aside(self) -> None:
        """What is alive now was loaded to stay: later searches need not look at it."""
        gc.freeze()

    def look(self) -> None:
        """Search the youngest generations whose turn it is, as Python would have done."""
        counts = gc.get_count()
        due = [age for age, limit in enumerate(self._limits) if counts[age] > limit]
        if due:
            gc.collect(max(due))
