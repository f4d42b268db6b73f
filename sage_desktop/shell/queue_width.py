"""How wide the queue is: its share of the window until a person drags its border, from then on theirs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow

from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme

_MOST = 0.36  # of the window, where nobody chose another width
_CHOSEN = "window/queue_chosen"


class QueueWidth(QObject):
    """Watches a window and its dock.

    Args:
        window: The window; borders of docks are dragged in it, so that it gets the mouse's events.
        dock: Of the queue.
        preferences: Keep whether a person chose the width; the layout keeps the width.
    """

    def __init__(
        self, window: QMainWindow, dock: QDockWidget, preferences: Preferences
    ) -> None:
        super().__init__(window)
        self._window, self._dock, self._preferences = window, dock, preferences
        self._pressed_at = 0
        window.installEventFilter(self)

    def reset(self) -> None:
        """Room for every column, at most three tenths of the window; the kernel has the rest."""
        self._preferences.set(_CHOSEN, False)  # noqa: FBT003 - a value
        self._size()

    def _size(self) -> None:
        wanted = min(theme().px(30), round(0.3 * self._window.width()))
        self._window.resizeDocks([self._dock], [wanted], Qt.Orientation.Horizontal)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        narrower = (
            isinstance(event, QResizeEvent)
            and event.size().width() < event.oldSize().width()
        )
        if kind == QEvent.Type.Show or narrower:
            QTimer.singleShot(
                0, self, self._shrink
            )  # the docks are laid out after this
        elif kind == QEvent.Type.MouseButtonPress:
            self._pressed_at = self._dock.width()
        elif kind == QEvent.Type.MouseButtonRelease:
            QTimer.singleShot(0, self, self._notice)
        return super().eventFilter(watched, event)

    def _notice(self) -> None:
        if self._dock.width() != self._pressed_at and not self._dock.isFloating():
            self._preferences.set(_CHOSEN, True)  # noqa: FBT003 - a value

    def _shrink(self) -> None:
        """A window narrower than before, or than its stored layout, takes room from the queue too."""
        chosen = self._preferences.flag(_CHOSEN, default=False)
        if (
            not chosen
            and not self._dock.isFloating()
            and self._dock.width() > _MOST * self._window.width()
        ):
            self._size()
