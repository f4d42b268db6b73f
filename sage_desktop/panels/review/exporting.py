"""The commands that take a version out of the window: editor, folder, patch, forms of benchmarks."""

from __future__ import annotations

import logging
import shlex
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QProcess, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QListView, QWidget

from core.diff.patch import patch_of
from core.errors import SageError
from core.whole_file import write_files, write_text
from sage_desktop.panels.review.versions import VersionPair
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.messages.opening import open_with_desktop
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.saving import ask_folder, ask_where

if TYPE_CHECKING:
    from core.analysis.queries import QueueRow, RoundRow

logger = logging.getLogger(__name__)
_tr = partial(QCoreApplication.translate, "ReviewOutput")


class VersionExports(QObject):
    """Serves `review.editor` and `review.export`.

    Args:
        window: Parent of dialogs.
        operations: Background work.
        preferences: Where the editor command is.
        actions: The commands.
        in_front: Gives entry, versions compared and path in front when a command is used; None without any.

    Signals:
        written: (words on what was written, the folder it is in).
    """

    written = Signal(str, Path)

    def __init__(
        self,
        window: QWidget,
        operations: Operations,
        preferences: Preferences,
        actions: ActionRegistry,
        in_front: Callable[[], tuple[QueueRow, VersionPair, str] | None],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._operations = operations
        self._preferences = preferences
        self._in_front = in_front
        self.dialog: QFileDialog | None = None
        self.question: QInputDialog | None = None
        actions.bind("review.editor", self._open_in_editor)
        actions.bind("review.export", self._ask_form)

    def _open_in_editor(self) -> None:
        in_front = self._in_front()
        if in_front is None:
            return
        _row, pair, path = in_front
        if path not in pair.newer_files:
            return
        copy = copy_of(pair.newer, path, pair.newer_files[path])
        command = self._preferences.text("appearance/editor").strip()
        if not command:
            self._open(copy)
            return
        self._operations.run_in_background(
            self, lambda: run_editor(command, copy), lambda _none: None
        )

    def _open(self, copy: Path) -> None:
        if not open_with_desktop(copy):
            self._operations.failed.emit(
                SageError(
                    "{path} could not be opened: the desktop has no program for it.",
                    "Name an editor in Settings → Appearance.",
                    path=copy,
                )
            )

    def _ask_form(self) -> None:
        in_front = self._in_front()
        if in_front is None:
            return
        row, pair, _path = in_front
        forms = {
            self.tr("The files of this version"): "files",
            self.tr("Patch: the difference of the two versions"): "patch",
            self.tr("MultiKernelBench: one Python file"): "multikernelbench",
            self.tr("NPUKernelBench: a folder with the answer"): "npukernelbench",
            self.tr("Package: a project that CANN builds and installs"): "package",
            self.tr("PyTorch: a project for a wheel, with the package"): "torch",
        }
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Export Version"))
        dialog.setLabelText(self.tr("Form of {0}").format(_name(row, pair)))
        dialog.setOption(QInputDialog.InputDialogOption.UseListViewForComboBoxItems)
        dialog.setComboBoxItems(list(forms))
        dialog.setTextValue(next(iter(forms)))
        for choices in dialog.findChildren(QListView):
            choices.setAccessibleName(dialog.labelText())
        dialog.resize(theme().px(32), theme().px(16))
        dialog.textValueSelected.connect(
            lambda form: self._ask_place(row, pair, forms[form])
        )
        self.question = dialog
        dialog.open()

    def _ask_place(self, row: QueueRow, pair: VersionPair, form: str) -> None:
        name, title = _name(row, pair), self.tr("Export Version")
        if form == "patch":
            text = patch_of(pair.older_files, pair.newer_files)
            self.dialog = ask_where(
                self._window,
                title,
                f"{name}.patch",
                [self.tr("Patches (*.patch *.diff)")],
                lambda path: self._write(lambda: write_text(path, text)),
            )
        elif form == "files":
            self.dialog = ask_for_folder(
                self._window,
                name,
                lambda folder: self._write(
                    lambda: write_project(folder, pair.newer_files)
                ),
            )
        elif form == "multikernelbench":
            self.dialog = ask_where(
                self._window,
                title,
                f"{row.operator}.py",
                [self.tr("Python (*.py)")],
                lambda path: self.export_for(row, pair, form, path),
            )
        else:
            self.dialog = ask_for_folder(
                self._window,
                f"{name}-{form}",
                lambda path: self.export_for(row, pair, form, path),
            )

    def export_for(
        self, row: QueueRow, pair: VersionPair, form: str, path: Path
    ) -> None:
        """Write the newer version of `pair` to `path`: as package, for PyTorch, or in the form of a benchmark."""

        def work() -> Path:
            from core.evaluation.records import Candidate
            from core.exporters import export_answer_folder, export_six_strings
            from core.operators.catalogue import find_operator
            from sage_desktop.services import kernel_export

            spec = find_operator(row.source, row.operator)
            candidate = Candidate(pair.newer_files)
            if form in kernel_export.FORMS:
                workspace = self._operations.workspace.name
                kernel = kernel_export.finished_kernel(
                    spec, candidate, pair.newer, workspace
                )
                export = kernel_export.export_kernels([kernel], form)
                write_files(export.files, path)
                return path
            if form == "multikernelbench":
                (cases,) = kernel_export.shapes_of([spec])
                return write_text(path, export_six_strings(spec, candidate, cases))
            write_files(export_answer_folder(spec, candidate), path)
            return path

        self._write(work)

    def _write(self, work: Callable[[], Path]) -> None:
        self._operations.run_in_background(self, work, self._tell)

    def _tell(self, path: Path) -> None:
        words = self.tr("The kernel was exported to {0}.").format(path)
        logger.info("%s", words)
        self.written.emit(words, path if path.is_dir() else path.parent)


def _name(row: QueueRow, pair: VersionPair) -> str:
    return f"{row.operator}-round-{pair.newer.round}"


def copy_of(row: RoundRow, path: str, text: str) -> Path:
    """Write a read-only copy of a file of a version; what is edited there stays there."""
    folder = Path(tempfile.gettempdir()) / f"sage-review-{row.candidate[:12]}"
    copy = folder / path
    if not copy.is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
        copy.chmod(0o444)
    return copy


def run_editor(command: str, file: Path) -> None:
    """Start the person's editor on a file; its words are split as a shell would, nothing is interpreted.

    Args:
        command: Program and arguments; the file stands where `{file}` is, or behind them.
        file: What to open.

    Raises:
        SageError: The command cannot be read or started.
    """
    remedy = _tr("Change Editor command in Settings → Appearance.")
    try:
        words = shlex.split(command)
    except ValueError as error:
        problem = _tr("The editor {0!r} cannot be started: {1}.").format(command, error)
        raise SageError(problem, remedy) from error
    if not any("{file}" in word for word in words):
        words.append("{file}")
    words = [word.replace("{file}", str(file)) for word in words]
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
    for path in files:
        if (folder / path).exists():
            raise SageError(
                _tr("{0} exists already.").format(folder / path),
                _tr("Choose an empty folder."),
            )
    try:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SageError(
            _tr("{0} cannot be written: {1}.").format(folder, error.strerror or error)
        ) from error
    return folder


def ask_for_folder(
    parent: QWidget, name: str, write: Callable[[Path], None]
) -> QFileDialog:
    """Ask for the folder the version `name` goes to, without blocking, then `write` there."""
    title = _tr("Export {0} to").format(name)
    return ask_folder(parent, title, lambda path: write(path / name))
