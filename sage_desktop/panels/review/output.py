"""A version outside the window: a copy in the user's editor, its files in a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QProcess, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from core.engine.queries import RoundRow
from core.errors import SageError
from sage_desktop.ui.widgets.saving import ask_folder

_tr = partial(QCoreApplication.translate, "ReviewOutput")


def copy_of(row: RoundRow, path: str, text: str) -> Path:
    """Write a read-only copy of a file of a version; what is edited there stays there."""
    folder = Path(tempfile.gettempdir()) / f"sage-review-{row.candidate[:12]}"
    copy = folder / path
    if not copy.is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
        copy.chmod(0o444)
    return copy


def open_with_desktop(file: Path) -> None:
    """Let the desktop open a file with what it has for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(file)))


def run_editor(command: str, file: Path) -> None:
    """Start the person's editor on a file; its words are split as a shell would, nothing is interpreted.

    Args:
        command: Program and arguments; the file stands where `{file}` is, or behind them.
        file: What to open.

    Raises:
        SageError: The command cannot be read or started.
    """
    import shlex  # wanted by nobody before the first click

    remedy = _tr("Change Editor command in Settings → Appearance.")
    try:
        words = shlex.split(command)
    except ValueError as error:
        problem = _tr("The editor {0!r} cannot be started: {1}.").format(command, error)
        raise SageError(problem, remedy) from error
    named = any("{file}" in word for word in words)
    words = [word.replace("{file}", str(file)) for word in words] + (
        [] if named else [str(file)]
    )
    if not QProcess.startDetached(words[0], words[1:])[0]:
        reason = _tr("there is no such program")
        raise SageError(
            _tr("The editor {0!r} cannot be started: {1}.").format(command, reason),
            remedy,
        )


def write_project(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a candidate into a folder that has none of its files yet.

    Raises:
        SageError: A file of that name is there, or the folder cannot be written.
    """
    taken = next((path for path in files if (folder / path).exists()), None)
    if taken is not None:
        raise SageError(
            _tr("{0} exists already.").format(folder / taken),
            _tr("Choose an empty folder."),
        )
    try:
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SageError(
            _tr("{0} cannot be written: {1}.").format(folder, error.strerror or error)
        ) from error
    return folder


def ask_for_folder(
    parent: QWidget, name: str, chosen: Callable[[Path], None]
) -> QFileDialog:
    """Ask for the folder the version `name` goes to, without blocking; `chosen` gets it."""
    return ask_folder(
        parent, _tr("Export {0} to").format(name), lambda path: chosen(path / name)
    )
