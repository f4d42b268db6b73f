"""*Use This Kernel…*: the best kernels of operators, written as a project for PyTorch or CANN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from core.errors import SageError
from sage_desktop.shell.part import ShellPart
from sage_desktop.ui.icons import icon
from sage_desktop.ui.messages.toast import Toast
from sage_desktop.ui.theme import theme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFileDialog, QMessageBox

    from sage_desktop.services.kernel_export import KernelExport
    from sage_desktop.shell.main_window import MainWindow

_NAMED = 3  # operators that the question names


class KernelUse(ShellPart):
    """Serves Queue → Use This Kernel, and the offer at the end of a run."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.question: QMessageBox | None = None
        self.dialog: QFileDialog | None = None
        self._writing: Toast | None = None
        window.actions_.bind(
            "queue.use", lambda: self.ask(window.queue.selected_operators())
        )

    def ask(self, operators: Sequence[str]) -> None:
        """Ask for the form and the folder, and write the best kernels of `operators` there."""
        if not operators:
            return
        from PySide6.QtWidgets import QMessageBox

        names = ", ".join(operators[:_NAMED])
        if len(operators) > _NAMED:
            more = len(operators) - _NAMED
            names = self.tr("{0} and {1} more").format(names, more)
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.tr("Use This Kernel"))
        side = theme().px(2)
        box.setIconPixmap(icon("info", "accent").pixmap(side, side))
        box.setText(self.tr("Write the best kernel of {0} as a project?").format(names))
        box.setInformativeText(
            self.tr(
                "For PyTorch: a wheel, and the package that it calls.\n"
                "For CANN: the package alone, which CANN builds and installs."
            )
        )
        role = QMessageBox.ButtonRole.AcceptRole
        torch = box.addButton(self.tr("For PyTorch…"), role)
        package = box.addButton(self.tr("For CANN…"), role)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(torch)
        torch.clicked.connect(lambda: self._ask_place(operators, "torch"))
        package.clicked.connect(lambda: self._ask_place(operators, "package"))
        self.question = box
        box.open()

    def _ask_place(self, operators: Sequence[str], form: str) -> None:
        from sage_desktop.ui.widgets.saving import ask_folder

        name = f"{operators[0]}-{form}" if len(operators) == 1 else f"kernels-{form}"
        title = self.tr("Write {0} to").format(name)
        self.dialog = ask_folder(
            self._window, title, lambda path: self.write(operators, form, path / name)
        )

    def write(self, operators: Sequence[str], form: str, folder: Path) -> None:
        """Write the project into a new folder."""
        workspace = self._operations.workspace

        def work() -> KernelExport:
            from core.whole_file import write_files
            from sage_desktop.services import kernel_export

            kernels = [
                kernel_export.kernel_of_run(workspace, each, None) for each in operators
            ]
            export = kernel_export.export_kernels(kernels, form)
            write_files(export.files, folder)
            return export

        self._window.status.show_activity(self.tr("Writing the project"))
        self._writing = self._window.toasts.show_message(
            self.tr("Writing {0}…").format(folder)
        )
        self._operations.run_in_background(
            self, work, lambda export: self._tell(export, folder), self._refuse
        )

    def _no_longer_writing(self) -> None:
        self._window.status.show_activity("")
        self._window.toasts.take_back(self._writing)
        self._writing = None

    def _refuse(self, error: SageError) -> None:
        self._no_longer_writing()
        self._operations.failed.emit(error)

    def _tell(self, export: KernelExport, folder: Path) -> None:
        self._no_longer_writing()
        hint = self.tr("README.md there says how to build, install and call it.")
        if export.notes:
            hint = self.tr("To be written before it works: {0}").format(
                " ".join(export.notes)
            )
        self._window.toasts.show_message(
            self.tr("The project was written to {0}.").format(folder),
            hint,
            "warning" if export.notes else "success",
            offer=self._window.toasts.folder_offer(folder),
            brief=True,
        )
