"""The dialog that takes over a benchmark checkout: what it is, what would come in, what would not and why."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.operators.importers import ImportReport, import_benchmark, read_benchmark
from core.operators.importers.task import ImportedTask
from sage_desktop.panels.adding.listing import operator_root
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.form import (
    FormDialog,
    fit_to_screen,
    framed,
    row_layout,
)
from sage_desktop.ui.widgets.making import named, push
from sage_desktop.ui.widgets.saving import ask_folder

_tr = partial(QCoreApplication.translate, "ImportDialog")


class ImportDialog(FormDialog):
    """Reads the chosen folder at once and writes only on the button.

    Signals:
        imported: (list of (source, name), label of the batch); empty when nothing is to be queued.
    """

    imported = Signal(list, str)

    def __init__(
        self, operations: Operations, data_dir: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(
            _tr("Import Benchmark"),
            _tr(
                "A checkout of NPUKernelBench, MultiKernelBench, CANN Bench or KernelBench. Task code is "
                "read, never run; experts' answers are not opened."
            ),
            _tr("Import and Queue"),
            parent,
        )
        self._operations = operations
        self._data_dir = data_dir
        self._benchmark = ""
        self.enter_accepts = False  # it reads the folder
        self.folder = named(QLineEdit(), _tr("Folder of the checkout"))
        self.folder.setPlaceholderText(
            _tr("Folder of the checkout, or one near its top")
        )
        self.folder.returnPressed.connect(self.read)
        task_titles = (_tr("Category"), _tr("Tasks"), _tr("Cases"))
        self.tasks = self._tree(_tr("Tasks"), task_titles)
        fault_titles = (_tr("Task"), _tr("File"), _tr("Problem"))
        self.faults = self._tree(_tr("Faults"), fault_titles)
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self.tasks, _tr("Importable"))
        self._tabs.addTab(self.faults, _tr("Skipped"))
        browse = push(_tr("Browse…"), self._browse)
        self.body.addLayout(row_layout((self.folder, 1), browse))
        self.body.addWidget(self._tabs, 1)
        self.only = self.add_button(_tr("Import Only"))
        self.main_button.clicked.connect(lambda: self._import(queue=True))
        self.only.clicked.connect(lambda: self._import(queue=False))
        self._allow(on=False)
        fit_to_screen(self, 44, 34)
        self.folder.setFocus()

    def _tree(self, name: str, titles: tuple[str, ...]) -> QTreeWidget:
        tree = named(QTreeWidget(), name)
        framed(tree)
        tree.setHeaderLabels(list(titles))
        tree.setRootIsDecorated(True)
        header = tree.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, theme().px(17))
        return tree

    def _allow(self, *, on: bool) -> None:
        self.main_button.setEnabled(on)
        self.only.setEnabled(on)

    def _browse(self) -> None:
        ask_folder(self, _tr("Benchmark Checkout"), self._read_from, self.folder.text())

    def _read_from(self, folder: Path) -> None:
        self.folder.setText(str(folder))
        self.read()

    def read(self) -> None:
        """Say what the folder is and what would come in."""
        folder = Path(self.folder.text().strip()).expanduser()
        self.set_working(_tr("Reading the tasks…"))
        self._operations.run_in_background(
            self, lambda: read_benchmark(folder), self._show, self._unreadable
        )

    def _unreadable(self, error: Exception) -> None:
        self.tasks.clear()
        self.faults.clear()
        self.refuse(error)  # type: ignore[arg-type]
        self._allow(on=False)

    def _show(self, report: ImportReport) -> None:
        self.set_working("")
        self._benchmark = report.benchmark
        self._show_tasks(report)
        self.show_faults(report)
        summary = _tr(
            "{0}: {1} tasks with {2} cases, {3} tasks with faults are left out."
        )
        tasks, faults = len(report.tasks), len(report.faults)
        words = summary.format(report.benchmark, tasks, report.case_count, faults)
        self.message.say(words, "success" if tasks else "warning")
        self._allow(on=tasks > 0)

    def _show_tasks(self, report: ImportReport) -> None:
        """List the tasks below their level and category."""
        self.tasks.clear()
        groups: dict[tuple[int, str], list[ImportedTask]] = {}
        for task in report.tasks:
            groups.setdefault((task.level, task.category), []).append(task)
        for (level, category), tasks in sorted(groups.items()):
            title = category
            if level:
                title = _tr("Level {0} · {1}").format(level, category)
            cases = sum(len(task.cases) for task in tasks)
            group = QTreeWidgetItem(self.tasks, [title, str(len(tasks)), str(cases)])
            for task in tasks:
                notes = "; ".join(task.notes)
                facts = f"{len(task.cases)}  {notes}".strip()
                QTreeWidgetItem(group, [task.name, "", facts])

    def show_faults(self, report: ImportReport) -> None:
        """List what was left out, with file, field and problem."""
        self.faults.clear()
        for fault in report.faults:
            line = [fault.task, fault.file, f"{fault.field}: {fault.problem}"]
            QTreeWidgetItem(self.faults, line)
        kinds = Counter(fault.task for fault in report.faults)
        self._tabs.setTabText(1, _tr("Skipped ({0})").format(len(kinds)))

    def _import(self, *, queue: bool) -> None:
        folder = Path(self.folder.text().strip()).expanduser()
        # The name of a benchmark comes from its files: it must not lead elsewhere.
        name = self._benchmark.replace("/", " ").strip(". ")
        place = operator_root(self._data_dir) / name
        self.set_working(_tr("Writing the operators…"))
        self._operations.run_in_background(
            self,
            lambda: import_benchmark(folder, place),
            lambda result: self._show_result(*result, queue=queue),
            self.refuse,
        )

    def _show_result(
        self, report: ImportReport, folders: tuple[Path, ...], *, queue: bool
    ) -> None:
        rows = [(str(folder), folder.name) for folder in folders] if queue else []
        self.imported.emit(rows, report.benchmark)
        if not report.faults:
            self.accept()
            return
        self.set_working("")
        self.show_faults(report)
        self._tabs.setCurrentIndex(1)
        outcome = _tr("{0} operators were written; {1} faults are listed above.")
        self.message.say(outcome.format(len(folders), len(report.faults)), "warning")
