"""The page Workload: a table of operators, above it the workload shown and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from threading import Event

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QStackedLayout, QWidget

from core.errors import SageError
from core.workload.importing import import_profile, profile_bytes
from core.workload.ranking import RankedOperator, Worth
from core.workload.records import Workload
from core.workload.store import load_workload, save_workload, saved_workloads
from core.workload.tasks import MadeTask, make_task
from sage_desktop.services.workloads import (
    default_name,
    gain_text,
    known_processors,
    lacks_processor,
    ranked,
    remark,
    saving_text,
    workload_folder,
)
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.rounds.progress_strip import ProgressStrip
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import on_base, push
from sage_desktop.ui.widgets.pages import LazyPage, PageHead
from sage_desktop.ui.widgets.saving import ask_folder
from sage_desktop.ui.widgets.stacking import boxed, hbox, stacked, vbox
from sage_desktop.ui.widgets.tables import fill, plain_table

SAMPLE = "sample"
_MS = 1000.0  # microseconds


@dataclass(frozen=True)
class _Answer:
    """What was read: names of all workloads, and the one that is shown.

    Attributes:
        fault: Why another one than was asked for is shown.
    """

    names: tuple[str, ...]
    workload: Workload | None = None
    rows: tuple[RankedOperator, ...] = ()
    fault: SageError | None = None


class _ImportStopped(Exception):
    """The person stopped the import."""


class WorkloadPanel(LazyPage):
    """Which operators of a model are worth a kernel.

    Signals:
        refused: A `SageError` the person should see.
        notice: Words worth a toast.
        unwritten: Folder of a task whose summary and reference the person writes.
        created: Operators that can be queued, as (folder, name) pairs, and a label.
        moved: (name of what is imported, percent that was read).

    Args:
        operations: Background work.
        tasks: Folder of operators that tasks are made in.
    """

    refused = Signal(object)
    notice = Signal(str)
    unwritten = Signal(object)
    created = Signal(list, str)
    moved = Signal(str, int)

    def __init__(self, operations: Operations, tasks: Path) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._tasks = tasks
        self._shown = _Answer(())
        self._is_working = False
        self._stop = Event()
        self.progress = ProgressStrip()
        self.progress.stopped.connect(self._stop.set)
        self.moved.connect(self._show_progress, Qt.ConnectionType.QueuedConnection)
        self.asking: QFileDialog | None = None
        self.workload = ComboBox(self.tr("Workload shown"), self._select)
        self.workload.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.processor = ComboBox(
            self.tr("Processor the profile was made on"), self._name_processor
        )
        self.processor.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        self.processor.setToolTip(self.processor.accessibleName())
        self.summary = ElidingLabel(muted=True)
        self.importing = push(self.tr("Import…"), self._ask_where)
        self.make = push(
            self.tr("Make Task"),
            self.make_task,
            tip=self.tr("Make an operator of the row, with the shapes of the model"),
        )
        self.notes = muted()
        self.table = plain_table(
            self.tr("Operators by what a kernel could save"),
            (
                self.tr("Operator"),
                self.tr("What to do"),
                self.tr("Calls"),
                self.tr("ms a step"),
                self.tr("Computing"),
                self.tr("Saves ms"),
                self.tr("Of the step"),
                self.tr("Exposed"),
            ),
            texts=2,
            tips=(
                self.tr("CANN's type of the kernel"),
                self.tr("What the numbers at the right say of a kernel of your own"),
                self.tr("How often a step calls it"),
                self.tr("What these calls take on the device, measured"),
                self.tr("Their part of all that computes in a step"),
                self.tr(
                    "What a kernel at the pace of the processor would save in a step, modelled: "
                    "the least one can count on, and the most"
                ),
                self.tr("The same as a part of the whole step, communication included"),
                self.tr(
                    "Part of its time directly after which the device began something else: "
                    "of the rest, time that is saved may turn into waiting"
                ),
            ),
        )
        self.table.itemSelectionChanged.connect(self._enable)
        self._lay_out()
        restyle_later(self, self._fill)

    def _lay_out(self) -> None:
        head = PageHead(self.tr("Workload"))
        head.state.addWidget(self.summary, 1)
        controls = (self.workload, self.processor, None, self.importing, self.make)
        self._controls = boxed(hbox(*controls, margins=0, spacing=0.4))
        self._controls.hide()
        head.controls.addWidget(self._controls, 1)
        whole = vbox(self.notes, (self.table, 1), margins=(0.9, 0, 0.9, 0.5))
        self.open_folder = QAction(self.tr("Import a Profile…"), self)
        self.open_folder.triggered.connect(self._ask_where)
        self.sample = QAction(self.tr("Show a Sample"), self)
        self.sample.triggered.connect(self.import_sample)
        empty = EmptyState(
            "workload",
            self.tr("No profile of a model yet"),
            self.tr(
                "A profile of torch_npu or msprof says which operators are worth a kernel."
            ),
            self.open_folder,
            self.sample,
        )
        pages = QWidget()
        self._stack = QStackedLayout(pages)
        self._stack.addWidget(empty)
        self._stack.addWidget(boxed(whole))
        stacked(self, head, self.progress, pages)

    def activate(self) -> None:
        """Read the workload in front again."""
        name = self.workload.currentData() or ""
        self._work(lambda: _read(name), self._show)

    def _select(self) -> None:
        self.activate()

    def _ask_where(self) -> None:
        title = self.tr("Folder of a profile")
        self.asking = ask_folder(self, title, self.import_folder)

    def import_folder(self, folder: Path) -> None:
        """Read the profiles in a folder and show them."""
        self._import(folder, default_name(folder))

    def import_sample(self) -> None:
        """Show a step of an invented model."""
        sample = resources.files("resources") / "baselines" / "sample_profile.csv"
        self._import(Path(str(sample)), SAMPLE)

    def _import(self, path: Path, name: str) -> None:
        if self._is_working:
            return
        workload_name = self.workload.currentData() or ""
        self._stop.clear()

        def work() -> _Answer:
            try:
                workload = import_profile(
                    [path],
                    name,
                    known_processors(),
                    progress=self._reporting(path, name),
                )
            except _ImportStopped:
                return _read(workload_name)
            if self._stop.is_set():  # while what was read was summed up
                return _read(workload_name)
            save_workload(workload, workload_folder())
            return _read(name)

        self._work(work, self._show)
        self._show_progress(name, 0)

    def _reporting(self, path: Path, name: str) -> Callable[[int], None]:
        """What hears the bytes read, tells them, and ends the import of `path` when told to.

        Raises:
            InvalidInput: There is no profile.
        """
        total, read_bytes = profile_bytes([path]), 0

        def report(read: int) -> None:
            nonlocal read_bytes
            if self._stop.is_set():
                raise _ImportStopped
            read_bytes += read
            self.moved.emit(name, 100 * read_bytes // max(1, total))

        return report

    def _show_progress(self, name: str, percent: int) -> None:
        words = self.tr("Reading {0}: {1} %").format(name, percent)
        self.progress.show_progress(words, percent, 100)

    def _name_processor(self) -> None:
        """Keep the processor a person named, and rank with it."""
        workload, part = self._shown.workload, self.processor.currentData()
        if workload is None or not part or workload.parts == (part,):
            return
        named = replace(workload, parts=(part,), part_is_named=True)

        def work() -> _Answer:
            save_workload(named, workload_folder())
            return _read(named.name)

        self._work(work, self._show)

    def _work(
        self, work: Callable[[], _Answer], success: Callable[[_Answer], None]
    ) -> None:
        """One piece of work at a time; what it cannot do is reported."""
        if self._is_working:
            return
        self._is_working = True
        self._enable()

        def on_answer(answer: _Answer) -> None:
            self._end_work()
            success(answer)

        self._operations.run_in_background(self, work, on_answer, self._refuse)

    def _refuse(self, error: SageError) -> None:
        self._end_work()
        self._enable()
        self.refused.emit(error)

    def _end_work(self) -> None:
        self._is_working = False
        self.progress.hide()

    def _show(self, answer: _Answer) -> None:
        self._shown = answer
        if answer.fault is not None:
            self.refused.emit(answer.fault)
        self._stack.setCurrentIndex(1 if answer.workload is not None else 0)
        self._controls.setVisible(answer.workload is not None)
        if answer.workload is None:
            self._enable()
            return
        entries = ((name, name) for name in answer.names)
        self.workload.offer(entries, answer.workload.name)
        self._tell_step()
        self._offer_processors(answer.workload)
        notes = " ".join(answer.workload.warnings)
        if answer.workload.name == SAMPLE:
            invented = self.tr(
                "An invented model of four layers. Import a profile of yours for numbers that count."
            )
            notes = f"{invented} {notes}".strip()
        if lacks_processor(answer.workload):
            request = self.tr(
                "The profile does not tell the processor it was made on. Choose it above: "
                "what a kernel could save depends on it."
            )
            notes = f"{request} {notes}".strip()
        self.notes.setText(notes)
        self.notes.setVisible(bool(notes))
        self._fill()
        if answer.rows:
            self.table.selectRow(0)
        self._enable()

    def _offer_processors(self, workload: Workload) -> None:
        """Offer what can be named; hidden where the profile tells the processor."""
        lacks = lacks_processor(workload)
        self.processor.setVisible(lacks or workload.part_is_named)
        entries = [(one.name, one.name) for one in known_processors()]
        if lacks:
            entries.insert(0, (self.tr("Processor…"), ""))
        part = "" if lacks else workload.parts[0]
        self.processor.offer(entries, part)

    def _fill(self) -> None:
        """Show the ranking; what is better left alone is grey."""
        fill(self.table, [_cells(row) for row in self._shown.rows], texts=2)
        for number, row in enumerate(self._shown.rows):
            if row.worth not in (Worth.SERVED, Worth.SMALL):
                continue
            for column in range(self.table.columnCount()):
                cell = self.table.item(number, column)
                if cell is not None:
                    cell.setForeground(theme().color("muted"))

    def _tell_step(self) -> None:
        workload = self._shown.workload
        if workload is None:
            self.summary.set_text("")
            return
        is_lacking = lacks_processor(workload)
        part = self.tr("processor unknown") if is_lacking else workload.parts[0]
        computing = f"{workload.computing_us / _MS:,.1f}"
        talking = f"{workload.communication_us / _MS:,.1f}"
        words = self.tr("A step: {0} ms computing, {1} ms communication · {2}")
        text = words.format(computing, talking, part)
        if workload.step_us is not None:
            whole = f"{workload.step_us / _MS:,.1f}"
            words = self.tr(
                "A step of {0} ms: {1} ms computing, {2} ms communication · {3}"
            )
            text = words.format(whole, computing, talking, part)
        self.summary.set_text(text)

    @property
    def selected(self) -> RankedOperator | None:
        """The operator of the selected row."""
        rows = {index.row() for index in self.table.selectedIndexes()}
        return self._shown.rows[min(rows)] if rows else None

    def _enable(self) -> None:
        row = self.selected
        can_make = row is not None and row.worth is not Worth.NO_SHAPES
        self.make.setEnabled(can_make and not self._is_working)
        for each in (
            self.importing,
            self.open_folder,
            self.sample,
            self.processor,
            self.workload,
        ):
            each.setEnabled(not self._is_working)

    def make_task(self) -> None:
        """Make an operator of the selected row; one with a reference is queued."""
        row, workload = self.selected, self._shown.workload
        if row is None or workload is None:
            return
        folder = self._tasks / workload.name

        def on_task(task: MadeTask) -> None:
            spec = task.spec
            if not task.from_catalogue:
                self.unwritten.emit(spec.folder)
                return
            if not task.is_new:
                words = self.tr("{0} was made before and is unchanged.")
                self.notice.emit(words.format(spec.name))
            self.created.emit([(str(spec.folder), spec.name)], workload.name)

        self._operations.run_in_background(
            self,
            lambda: make_task(workload, row.operator, folder),
            on_task,
            self.refused.emit,
        )


def _read(name: str) -> _Answer:
    """The workload of that name and its ranking.

    Without one, or where it cannot be read, the newest that can.
    """
    names = tuple(file.stem for file in saved_workloads(workload_folder()))
    order = [name, *names] if name in names else names
    fault = None
    for each in order:
        try:
            workload = load_workload(each, workload_folder())
            rows = () if lacks_processor(workload) else ranked(workload)
        except SageError as error:
            fault = fault or error
        else:
            return _Answer(names, workload, rows, fault)
    return _Answer(names, fault=fault)


def _cells(row: RankedOperator) -> tuple[str, ...]:
    exposed = "?" if row.exposed is None else f"{row.exposed:.0%}"
    return (
        row.operator,
        translated(remark(row)),
        f"{row.calls:g}",
        f"{row.time_us / _MS:.2f}",
        f"{row.share:.1%}",
        translated(saving_text(row)),
        translated(gain_text(row)),
        exposed,
    )
