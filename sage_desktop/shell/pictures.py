"""Pictures of the window for the documentation, taken of the real window showing a real workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer

from sage_desktop.shell.main_window import PAGES, MainWindow
from sage_desktop.ui.theme import ThemeMode, theme

_SETTLE_MS = 900


def save_pictures(
    window: MainWindow, folder: Path, on_saved: Callable[[], object]
) -> None:
    """Save one picture of every page into `folder`, in the light and in the dark theme, then call `done`."""
    folder.mkdir(parents=True, exist_ok=True)
    shots = [
        (mode, number, name)
        for mode in (ThemeMode.LIGHT, ThemeMode.DARK)
        for number, name in enumerate(PAGES)
    ]
    before = theme().mode

    def prepare() -> None:
        mode, number, _name = shots[0]
        if theme().mode is not mode:
            theme().set_mode(mode)
        window.toasts.clear()
        window.tabs.setCurrentIndex(number)
        QTimer.singleShot(_SETTLE_MS, take)

    def take() -> None:
        mode, _number, name = shots.pop(0)
        window.grab().save(str(folder / f"{name}-{mode.value}.png"))
        if shots:
            prepare()
            return
        theme().set_mode(before)
        on_saved()

    prepare()
