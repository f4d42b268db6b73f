"""Workspace files: a new one, another one, those opened lately, and a copy of the one that is open."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from core.errors import SageError
from sage_desktop.services.places import data_dir
from sage_desktop.shell.main_window import MainWindow
from sage_desktop.shell.part import ShellPart
from sage_desktop.ui.preferences import Preferences

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFileDialog

_RECENT, _MOST = "recent/workspaces", 10


def recent(preferences: Preferences) -> list[Path]:
    """Workspaces opened lately, the latest first; those that are gone are left out."""
    try:
        entries = json.loads(preferences.text(_RECENT, "[]"))
    except ValueError:
        entries = []
    paths = (
        [Path(path) for path in entries if isinstance(path, str)]
        if isinstance(entries, list)
        else []
    )
    return [path for path in paths if path.is_file()]


def remember(preferences: Preferences, path: Path) -> None:
    """`path` was opened now."""
    whole = path.absolute()
    other_paths = [other for other in recent(preferences) if other != whole]
    preferences.set(
        _RECENT, json.dumps([str(entry) for entry in [whole, *other_paths][:_MOST]])
    )


class WorkspaceFiles(ShellPart):
    """Serves New, Open, Open Recent and Back Up Workspace of the menu File."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.dialog: QFileDialog | None = None
        self.menu = QMenu(self.tr("Open &Recent"), window)
        self.menu.aboutToShow.connect(self.fill)
        window.insert_menu(self.menu, behind="file.open")
        window.actions_.bind("file.new", self.ask_new)
        window.actions_.bind("file.open", self.ask_which)
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

    def ask_new(self) -> None:
        """Begin an empty workspace in a window of its own."""
        from sage_desktop.ui.widgets.saving import ask_where

        self.dialog = ask_where(
            self._window,
            self.tr("New Workspace"),
            "workspace.sage",
            [self.tr("Workspaces (*.sage)")],
            self.begin,
        )
        self.dialog.setDirectory(str(data_dir()))

    def begin(self, path: Path) -> None:
        """Create an empty workspace, or take the one that is there, and open it in a window of its own."""
        from core.workspace import Workspace

        try:
            Workspace.open(path).close()
        except SageError as error:
            self._window.toasts.show_error(error)
            return
        open_in_new_window(path)

    def ask_which(self) -> None:
        """Open another workspace in a window of its own."""
        from sage_desktop.ui.widgets.saving import ask_which

        filters = [self.tr("Workspaces (*.sage)"), self.tr("All files (*)")]
        self.dialog = ask_which(
            self._window, self.tr("Open Workspace"), filters, open_in_new_window
        )
        self.dialog.setDirectory(str(self._operations.workspace.parent))

    def ask_backup(self) -> None:
        """Ask where the copy goes."""
        from PySide6.QtCore import QStandardPaths

        from sage_desktop.ui.widgets.saving import ask_where

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
        from core.workspace import Workspace

        source = self._operations.workspace

        def copy() -> Path:
            with Workspace.open_readonly(source) as opened:
                return opened.backup(target, replace=True)  # the dialog asked

        self._operations.run_in_background(self, copy, self._tell)

    def _tell(self, path: Path) -> None:
        size = path.stat().st_size / 1e6
        self._window.toasts.show_message(
            self.tr("The workspace was copied to {0}.").format(path),
            self.tr("{0:.1f} MB; it can be opened like any other.").format(size),
            "success",
        )


def open_in_new_window(path: Path | None) -> None:
    """One engine, one window: another workspace gets a process of its own.

    Without a path it is the demonstration.
    """
    from PySide6.QtCore import QProcess

    which = ["--workspace", str(path)] if path is not None else []
    QProcess.startDetached(sys.executable, ["-m", "sage_desktop.app", *which])
