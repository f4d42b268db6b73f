"""The commands that take a version out of the window: editor, folder, patch, forms of benchmarks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from core.evaluation.patch import patch_of
from core.whole_file import write_files, write_text
from sage_desktop.panels.review import output
from sage_desktop.panels.review.versions import VersionPair
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.widgets.saving import ask_where

if TYPE_CHECKING:
    from core.engine.queries import QueueRow

logger = logging.getLogger(__name__)


class VersionExports(QObject):
    """Serves `review.editor`, `review.export`, `review.patch` and `review.export_for`.

    Args:
        window: Parent of dialogs.
        operations: Background work.
        preferences: Where the editor command is.
        actions: The commands.
        shown: Asked at use: (entry in front, versions compared, path in front), None while there is nothing.

    Signals:
        written: Words on what was written, and where.
    """

    written = Signal(str)

    def __init__(
        self,
        window: QWidget,
        operations: Operations,
        preferences: Preferences,
        actions: ActionRegistry,
        shown: Callable[[], tuple[QueueRow, VersionPair, str] | None],
    ) -> None:
        super().__init__(window)
        self._window, self._operations, self._preferences = (
            window,
            operations,
            preferences,
        )
        self._shown = shown
        self.dialog: QFileDialog | None = None
        self.question: QInputDialog | None = None
        actions.bind("review.editor", self._open_in_editor)
        actions.bind("review.export", self._export)
        actions.bind("review.patch", self._patch)
        actions.bind("review.export_for", self._ask_form)

    def _open_in_editor(self) -> None:
        shown = self._shown()
        if shown is None or shown[2] not in shown[1].right_files:
            return
        _row, pair, path = shown
        copy = output.copy_of(pair.right, path, pair.right_files[path])
        command = self._preferences.text("appearance/editor").strip()
        if not command:
            output.open_with_desktop(copy)
            return
        self._operations.run_in_background(
            self, lambda: output.run_editor(command, copy), lambda _none: None
        )

    def _export(self) -> None:
        shown = self._shown()
        if shown is not None:
            row, pair, _path = shown
            self.dialog = output.ask_for_folder(
                self._window,
                _name(row, pair),
                lambda folder: self._write(
                    lambda: output.write_project(folder, pair.right_files)
                ),
            )

    def _patch(self) -> None:
        shown = self._shown()
        if shown is None:
            return
        row, pair, _path = shown
        text = patch_of(pair.left_files, pair.right_files)
        self.dialog = ask_where(
            self._window,
            self.tr("Export Patch"),
            f"{_name(row, pair)}.patch",
            [self.tr("Patches (*.patch *.diff)")],
            lambda path: self._write(lambda: write_text(path, text)),
        )

    def _ask_form(self) -> None:
        shown = self._shown()
        if shown is None:
            return
        row, pair, _path = shown
        forms = {
            self.tr("MultiKernelBench: one Python file"): "multikernelbench",
            self.tr("NPUKernelBench: a folder with the answer"): "npukernelbench",
            self.tr("msopgen: a project that CANN builds"): "msopgen",
        }
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Export for a Benchmark"))
        dialog.setLabelText(self.tr("Form of {0}").format(_name(row, pair)))
        dialog.setComboBoxItems(list(forms))
        dialog.textValueSelected.connect(
            lambda chosen: self._ask_place(row, pair, forms[chosen])
        )
        self.question = dialog
        dialog.open()

    def _ask_place(self, row: QueueRow, pair: VersionPair, form: str) -> None:
        def write(path: Path) -> None:
            self.export_for(row, pair, form, path)

        name = _name(row, pair)
        if form == "multikernelbench":
            self.dialog = ask_where(
                self._window,
                self.tr("Export for a Benchmark"),
                f"{row.operator}.py",
                [self.tr("Python (*.py)")],
                write,
            )
        else:
            self.dialog = output.ask_for_folder(self._window, f"{name}-{form}", write)

    def export_for(
        self, row: QueueRow, pair: VersionPair, form: str, path: Path
    ) -> None:
        """Write the newer version of `pair` in the form of a benchmark to `path`."""

        def work() -> Path:
            from core.evaluation.records import Candidate
            from core.operators.catalogue import find_operator
            from core.operators.exporters import (
                export_answer_folder,
                export_msopgen_project,
                export_six_strings,
            )
            from sage_desktop.services.host_choice import DEFAULT_SOC

            spec, kernel = (
                find_operator(row.source, row.operator),
                Candidate(pair.right_files),
            )
            if form == "multikernelbench":
                return write_text(path, export_six_strings(spec, kernel))
            files = (
                export_msopgen_project(spec, kernel, DEFAULT_SOC)
                if form == "msopgen"
                else export_answer_folder(spec, kernel)
            )
            write_files(files, path)
            return path

        self._write(work)

    def _write(self, work: Callable[[], Path]) -> None:
        self._operations.run_in_background(self, work, self._tell)

    def _tell(self, path: Path) -> None:
        words = self.tr("The kernel was exported to {0}.").format(path)
        logger.info("%s", words)
        self.written.emit(words)


def _name(row: QueueRow, pair: VersionPair) -> str:
    return f"{row.operator}-round-{pair.right.round}"
