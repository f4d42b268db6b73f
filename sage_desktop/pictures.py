"""Pictures of the window for the documentation, taken of the real window showing a real workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer

from sage_desktop.main_window import MainWindow

_SETTLE_MS = 600


def save_pictures(window: MainWindow, folder: Path, done: Callable[[], object]) -> None:
    """Save `review.png` and `memory.png` into `folder`, then call `done`."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = ["review", "memory"]

    def take() -> None:
        window.grab().save(str(folder / f"{pages.pop(0)}.png"))
        if not pages:
            done()
            return
        window.tabs.setCurrentIndex(1)
        QTimer.singleShot(_SETTLE_MS, take)

    window.toasts.clear()
    window.tabs.setCurrentIndex(0)
    QTimer.singleShot(_SETTLE_MS, take)
