"""Several runs beside each other: a column a run, a row a field, what differs is strong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from sage_desktop.panels.results.run_columns import Column
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.rows import make_reading_table
from sage_desktop.ui.widgets.stacking import vbox

if TYPE_CHECKING:
    from core.engine.run_table import Run


class RunCompareDialog(QDialog):
    """Parameters, metrics and cost of the runs selected."""

    def __init__(
        self,
        runs: Sequence[Run],
        columns: Sequence[Column],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Compare Runs"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._rows = [
            (column.title, [column.text(run) for run in runs])
            for column in columns
            if column.key != "operator"
        ]
        names = sorted(
            {name for run in runs for name in run.parameters}
            - {column.key for column in columns}
        )
        self._rows += [
            (name, [str(run.parameters.get(name, "")) for run in runs])
            for name in names
        ]
        self.only = QCheckBox(self.tr("Only what differs"))
        self.only.setChecked(True)
        self.only.toggled.connect(self._fill)
        self.table = named(
            QTableWidget(0, 1 + len(runs)), self.tr("Fields of the runs")
        )
        self.table.setHorizontalHeaderLabels(
            [self.tr("Field"), *(run.operator for run in runs)]
        )
        header = make_reading_table(self.table)
        self.table.verticalHeader().setDefaultSectionSize(theme().px(1.7))
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setMinimumSectionSize(theme().px(7))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        vbox(self.only, self.table, buttons, owner=self)
        self._fill()
        self.resize(theme().px(min(70, 16 + 12 * len(runs))), theme().px(34))

    def _fill(self) -> None:
        rows = [
            row
            for row in self._rows
            if not self.only.isChecked() or len(set(row[1])) > 1
        ]
        self.table.setRowCount(len(rows))
        for number, (field, texts) in enumerate(rows):
            differs = len(set(texts)) > 1
            for place, text in enumerate((field, *texts)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if place and differs:
                    item.setFont(theme().strong_font())
                elif not place:
                    item.setForeground(theme().color("muted"))
                self.table.setItem(number, place, item)
