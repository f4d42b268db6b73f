"""Workspace files: those opened lately, and a safe copy of the one that is open."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from core.workspace import Workspace
from sage_desktop.shell.live import open_in_new_window
from sage_desktop.shell.main_window import MainWindow
from sage_desktop.shell.part import ShellPart
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.widgets.saving import ask_where

_RECENT, _MOST = "recent/workspaces", 10


def recent(preferences: Preferences) -> list[Path]:
    """Workspaces opened lately, the latest first; those that are gone are left out."""
    try:
        known = json.loads(preferences.text(_RECENT, "[]"))
    except ValueError:
        known = []
    paths = (
        [Path(path) for path in known if isinstance(path, str)]
        if isinstance(known, list)
        else []
    )
    return [path for path in paths if path.is_file()]


def remember(preferences: Preferences, path: Path) -> None:
    """`path` was opened now."""
    whole = path.absolute()
    others = [known for known in recent(preferences) if known != whole]
    preferences.set(
        _RECENT, json.dumps([str(known) for known in [whole, *others][:_MOST]])
    )


class WorkspaceFiles(ShellPart):
    """Serves File → Open Recent and File → Back Up Workspace."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.menu = QMenu(self.tr("Open &Recent"), window)
        self.menu.aboutToShow.connect(self.fill)
        window.insert_menu(self.menu, behind="file.open")
        window.actions_.bind("file.backup", self.ask_backup)
        window.actions_.enable({"file.backup": False})

    def opened(self, path: Path) -> None:
        """The window shows the workspace `path` now."""
        remember(self._preferences, path)
        self._window.actions_.enable({"file.backup": True})

    def fill(self) -> None:
        """List the workspaces there are now."""
        self.menu.clear()
        for number, path in enumerate(recent(self._preferences), start=1):
            mark = f"&{number} " if number < 10 else ""
            action = QAction(f"{mark}{path.name.replace('&', '&&')}", self.menu)
            action.setToolTip(str(path))
            action.setStatusTip(str(path))
            action.setEnabled(path.absolute() != self._operations.workspace.absolute())
            action.triggered.connect(
                lambda _on=False, path=path: open_in_new_window(path)
            )
            self.menu.addAction(action)
        self.menu.setToolTipsVisible(True)
        if self.menu.isEmpty():
            self.menu.addAction(self.tr("No workspace has been opened yet")).setEnabled(
                False
            )
            return
        self.menu.addSeparator()
        self.menu.addAction(
            self.tr("&Clear List"), lambda: self._preferences.forget(_RECENT)
        )

    def ask_backup(self) -> None:
        """Ask where the copy goes."""
        here = self._operations.workspace
        self.dialog = ask_where(
            self._window,
            self.tr("Back Up Workspace"),
            f"{here.stem}-backup.sage",
            [self.tr("Workspaces (*.sage)")],
            self.back_up,
        )
        home = QStandardPaths.writableLocation(
            QStandardPaths.StandardLocation.DocumentsLocation
        )
        self.dialog.setDirectory(str(here.parent) if here.parent.is_dir() else home)

    def back_up(self, target: Path) -> None:
        """Write a whole copy of the open workspace to `target`, whatever runs meanwhile."""
        source = self._operations.workspace

        def copy() -> Path:
            with Workspace.open_readonly(source) as opened:
                return opened.backup(target, replace=True)  # the dialog asked

        self._operations.run_in_background(self, copy, self._tell)

    def _tell(self, made: Path) -> None:
        size = made.stat().st_size / 1e6
        self._window.toasts.show_message(
            self.tr("The workspace was copied to {0}.").format(made),
            self.tr("{0:.1f} MB; it can be opened like any other.").format(size),
            "success",
        )
