"""The report of an experiment in the window, and of several beside each other: table, figure, tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QWidget,
)

from core.errors import SageError
from core.experiments.side_by_side import distinct_names
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import restyle_later, theme
from sage_desktop.ui.translation import core_word, translated
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import Message, heading, muted
from sage_desktop.ui.widgets.making import named, push
from sage_desktop.ui.widgets.rows import make_reading_table
from sage_desktop.ui.widgets.saving import ask_folder
from sage_desktop.ui.widgets.scrolled import scrolled
from sage_desktop.ui.widgets.stacking import boxed, hbox, vbox

if TYPE_CHECKING:
    from core.experiments.page import Cell
    from core.experiments.side_by_side import SideBySide

_LIST_EMS, _WIDTH_EMS, _HEIGHT_EMS = 15, 72, 44
_DOTS = 100  # an inch, of the figure's 7.2 by 3.2


class ExperimentsDialog(QDialog):
    """Experiments to tick, what they say, and a page of each to open.

    Args:
        operations: Reads them in the background.
        home: Where `sage experiment` puts them by default.
        parent: The window.
    """

    def __init__(
        self, operations: Operations, home: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Experiments"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._operations, self._home = operations, home
        self._found: SideBySide | None = None
        self._asked = 0
        self._lay_out()
        self._read_home()
        restyle_later(self, self._draw)
        self.resize(theme().px(_WIDTH_EMS), theme().px(_HEIGHT_EMS))

    # ---- what is on it

    def _lay_out(self) -> None:
        look = theme()
        self.list = named(QListWidget(), self.tr("Experiments"))
        self.list.setFixedWidth(look.px(_LIST_EMS))
        self.list.itemChanged.connect(lambda _item: self.refresh())
        self.add = push(self.tr("Add Folder…"), self._choose)
        self.add.setAutoDefault(False)  # Enter anywhere would ask for a folder
        self.title, self.marks, self.notes = heading("", 1.15), QLabel(), muted()
        self.fault = Message()
        self.fault.hide()
        for label in (self.title, self.marks, self.notes):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.table = self._table(self.tr("Results of the arms"))
        self.pairs = self._table(self.tr("Paired tests"))
        self.figure = QLabel(
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter
        )
        self.figure.setAccessibleName(self.tr("Rates of the arms"))
        self.against = ComboBox(
            self.tr("Arm the others are tested against"), lambda _number: self.refresh()
        )
        self.refused = muted()
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(self.table, self.tr("Results"))
        self.tabs.addTab(scrolled(self.figure), self.tr("Figure"))
        self.tabs.addTab(self._tests_page(), self.tr("Paired Tests"))
        whole = hbox(
            vbox(heading(self.tr("Experiments")), (self.list, 1), self.add),
            (vbox(self.fault, self.title, self.marks, (self.tabs, 1), self.notes), 1),
        )
        vbox((whole, 1), self._buttons(), owner=self)

    def _tests_page(self) -> QWidget:
        return boxed(
            vbox(
                hbox(QLabel(self.tr("Tested against")), (self.against, 1)),
                (self.pairs, 1),
                muted(
                    self.tr(
                        "p: exact McNemar, then Wilcoxon; corrected after Holm in brackets"
                    )
                ),
                self.refused,
            )
        )

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setDefault(True)
        self.page = push(
            self.tr("Open Report"),
            self._open_reports,
            tip=self.tr(
                "Write the whole report of each experiment and open it in the browser"
            ),
        )
        self.page.setAutoDefault(False)
        buttons.addButton(self.page, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        return buttons

    def _table(self, name: str) -> QTableWidget:
        table = named(QTableWidget(0, 0), name)
        make_reading_table(table)
        return table

    # ---- which experiments

    def _read_home(self) -> None:
        from core.experiments.side_by_side import experiments_in

        home = self._home
        self._operations.run_in_background(
            self, lambda: experiments_in(home), self._offer
        )

    def _offer(self, folders: tuple[Path, ...]) -> None:
        for number, folder in enumerate(folders):
            self._append(folder, ticked=number == 0)
        self.refresh()

    def _append(self, folder: Path, *, ticked: bool) -> None:
        item = QListWidgetItem(folder.name)
        item.setToolTip(str(folder))
        item.setData(Qt.ItemDataRole.UserRole, str(folder))
        with QSignalBlocker(self.list):
            item.setCheckState(
                Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
            )
            self.list.addItem(item)
            for row, name in enumerate(distinct_names(self._folders())):
                present(self.list.item(row)).setText(name)

    def _choose(self) -> None:
        self.asking = ask_folder(self, self.tr("Add an Experiment"), self.show_folder)
        if self._home.is_dir():
            self.asking.setDirectory(str(self._home))

    def show_folder(self, folder: Path) -> None:
        """Add an experiment that lies elsewhere, ticked; one that is listed is ticked only."""
        from core.experiments.folder import Experiment

        where = folder.resolve()

        def add(_experiment: Experiment) -> None:
            listed = [known.resolve() for known in self._folders()]
            if where not in listed:
                self._append(folder, ticked=True)
                self.refresh()
                return
            item = present(self.list.item(listed.index(where)))
            self.list.setCurrentItem(item)
            item.setCheckState(Qt.CheckState.Checked)

        self._operations.run_in_background(
            self, lambda: Experiment(folder), add, self._refuse
        )

    def _refuse(self, error: SageError) -> None:
        """Say it on the dialog, which hides the window's own messages."""
        self.fault.refuse(error)
        self.fault.show()

    def _items(self) -> list[QListWidgetItem]:
        return [present(self.list.item(row)) for row in range(self.list.count())]

    def _folders(self) -> list[Path]:
        return [Path(item.data(Qt.ItemDataRole.UserRole)) for item in self._items()]

    def ticked(self) -> list[Path]:
        """Folders of the experiments that are shown."""
        checked = (item.checkState() is Qt.CheckState.Checked for item in self._items())
        return [
            folder for folder, on in zip(self._folders(), checked, strict=True) if on
        ]

    # ---- what they say

    def refresh(self) -> None:
        """Read what is ticked again; an answer that is overtaken is dropped."""
        from core.experiments.side_by_side import side_by_side

        folders, against = self.ticked(), self.against.currentText()
        self._asked += 1
        number = self._asked

        def show(found: SideBySide) -> None:
            if number == self._asked:
                self._found = found
                self._fill(found)

        self._operations.run_in_background(
            self, lambda: side_by_side(folders, against), show, self._refuse
        )

    def _fill(self, found: SideBySide) -> None:
        reports = [report for _, report in found.reports]
        self.page.setEnabled(bool(reports))
        self.title.setText(
            " · ".join(dict.fromkeys(translated(report.title) for report in reports))
            or self.tr(
                "`sage experiment run PLAN` makes experiments; tick one, or add its folder."
            )
        )
        marks = dict.fromkeys(
            translated(mark) for report in reports for mark in report.watermarks
        )
        unranked = dict.fromkeys(translated(report.unranked) for report in reports)
        self.marks.setText("\n".join(filter(None, (" · ".join(marks), *unranked))))
        self.marks.setVisible(bool(self.marks.text()))
        notes = dict.fromkeys(
            translated(note) for report in reports for note in report.notes
        )
        self.notes.setText("\n".join(notes))
        self._fill_results(found)
        first = found.pairs[0][0] if found.pairs else None
        self.against.offer(((row.name, row.name) for row in found.arms), first)
        self._fill_pairs(found)
        self.refused.setText("\n".join(map(translated, found.refused)))
        self.fault.say("\n".join(map(translated, found.faults)), "danger")
        self.fault.setVisible(bool(found.faults))
        self._draw()

    def _fill_results(self, found: SideBySide) -> None:
        from core.experiments.page import Cell

        heads = [self.tr("Arm"), self.tr("Model"), self.tr("Solved")]
        heads += [
            self.tr("ER L{0}").format(level) if level != "0" else self.tr("ER other")
            for level in found.levels
        ]
        heads += ["CR", "ER", self.tr("Fast 1.0"), "S_self", self.tr("vs torch_npu")]
        rows = [
            [
                Cell(row.name),
                Cell(row.cells.model),
                Cell(row.cells.solved),
                *row.cells.cells,
            ]
            for row in found.arms
        ]
        self._fill_rows(self.table, heads, rows)

    def _fill_pairs(self, found: SideBySide) -> None:
        from core.experiments.page import Cell

        heads = [
            self.tr("First"),
            self.tr("Second"),
            self.tr("Operators"),
            self.tr("ER difference"),
            self.tr("Only first"),
            self.tr("Only second"),
            "p",
            self.tr("Both solved"),
            self.tr("Speed ratio"),
            "p",
        ]
        self._fill_rows(
            self.pairs, heads, [[Cell(text) for text in row] for row in found.pairs]
        )

    def _fill_rows(
        self, table: QTableWidget, heads: list[str], rows: Sequence[Sequence[Cell]]
    ) -> None:
        table.setColumnCount(len(heads))
        table.setHorizontalHeaderLabels(heads)
        table.setRowCount(len(rows))
        lines = 2 if any(cell.note for row in rows for cell in row) else 1
        table.verticalHeader().setDefaultSectionSize(theme().px(0.6 + 1.2 * lines))
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                item = QTableWidgetItem(
                    f"{translated(cell.text)}\n{translated(cell.note)}".rstrip()
                )
                if cell.best:
                    item.setFont(theme().strong_font())
                table.setItem(number, column, item)

    def _draw(self) -> None:
        found = self._found
        if found is None or not found.arms:
            self.figure.clear()
            return
        from core.experiments.figures import Ink, rates_picture

        look = theme()
        ground = self.palette().window().color().name()
        ink = Ink(look.color("text").name(), look.color("border").name(), ground)
        scale = self.devicePixelRatioF()
        arms, names = [row.arm for row in found.arms], [row.name for row in found.arms]

        def show(data: bytes) -> None:
            if found is self._found:
                picture = QPixmap()
                picture.loadFromData(data)
                picture.setDevicePixelRatio(scale)
                self.figure.setPixmap(picture)

        self._operations.run_in_background(
            self, lambda: rates_picture(arms, names, ink, round(_DOTS * scale)), show
        )

    def _open_reports(self) -> None:
        found = self._found
        if found is None:
            return

        def write() -> list[Path]:
            from core.experiments.page import write_report

            return [
                write_report(report, folder / "report", core_word)
                for folder, report in found.reports
            ]

        def show(pages: list[Path]) -> None:
            for page in pages:
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))

        self._operations.run_in_background(self, write, show, self._refuse)
