"""The dialog that queues operators: search, facets, many at once, a label for the batch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QWidget

from core.operators.catalogue import CATALOGUE
from sage_desktop.panels.adding.listing import (
    Listing,
    OperatorRow,
    counts,
    list_operators,
    matching,
)
from sage_desktop.services.operator_facts import FACETS
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.theme import theme
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.filter_box import FilterBox
from sage_desktop.ui.widgets.form import (
    FormDialog,
    fit_to_screen,
    framed,
    muted,
    row_layout,
)
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.tables import (
    Head,
    Index,
    RowModel,
    RowTable,
    make_reading_table,
)
from sage_desktop.ui.widgets.verdicts import baseline_text

_tr = partial(QCoreApplication.translate, "CatalogueDialog")


class OperatorTable(RowModel):
    """The rows that pass search and facets."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.listed: list[OperatorRow] = []
        titles = (
            _tr("Operator"),
            _tr("Level"),
            _tr("Category"),
            _tr("Benchmark"),
            _tr("Cases"),
            _tr("Data types"),
        )
        self.heads = tuple(map(Head, titles))

    def set_rows(self, rows: list[OperatorRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.listed = rows
        self.endResetModel()

    def data(self, index: Index, role: int = 0) -> object:
        row = self.listed[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            level = str(row.level) if row.level else "\N{EN DASH}"
            return (
                row.name,
                level,
                row.category,
                row.benchmark,
                str(row.cases),
                row.dtypes,
            )[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _facts(row)
        return None


def _facts(row: OperatorRow) -> str:
    """What it computes, and what CANN's own kernel took."""
    return "\n".join([row.summary, *map(baseline_text, row.baselines)])


class CatalogueDialog(FormDialog):
    """Lists what can be queued.

    Signals:
        added: (list of (source, name), label of the batch).

    Args:
        operations: Reads the catalogue in the background.
        data_dir: Holds imported and own operators.
        parent: The window.
        recorded: Names of the only operators that can be added, where a recording is played.
    """

    added = Signal(list, str)

    def __init__(
        self,
        operations: Operations,
        data_dir: Path,
        parent: QWidget | None = None,
        recorded: Sequence[str] | None = None,
    ) -> None:
        super().__init__(
            _tr("Add Operators"),
            _tr("Select with Shift and Ctrl, or all that are shown with Ctrl+A."),
            _tr("Add"),
            parent,
        )
        self._listing = Listing(())
        self._recorded = recorded
        self.search = FilterBox(_tr("Search operators"))
        self.facets = {name: ComboBox() for name in FACETS}
        self.model = OperatorTable(self)
        self.table = self._make_table()
        self.label = QLineEdit()
        self.summary = muted(small=True)
        self._lay_out()
        self.search.changed.connect(self._refilter)
        self.main_button.clicked.connect(self._add)
        self.search.setFocus()  # what is typed while they are read counts too
        self.set_working(_tr("Reading the operators…"))
        fit_to_screen(self, 58, 40)
        operations.run_in_background(
            self, lambda: list_operators(data_dir), self._show, self.refuse
        )

    def _make_table(self) -> RowTable:
        table = named(RowTable(), _tr("Operators"))
        table.setModel(self.model)
        framed(table)
        header = make_reading_table(table)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        table.verticalHeader().setDefaultSectionSize(theme().px(1.7))
        for column, ems in enumerate((13, 4, 8, 9, 4)):
            header.resizeSection(column, theme().px(ems))
        header.setSectionResizeMode(5, QHeaderView.ResizeMode.Stretch)
        table.selectionModel().selectionChanged.connect(lambda *_: self._selected())
        table.doubleClicked.connect(lambda _index: self._add())
        return table

    def _lay_out(self) -> None:
        bar = row_layout((self.search, 1))
        for name, box in self.facets.items():
            box.setAccessibleName(self._facet_words(name)[0])
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(self._refilter)
            bar.addWidget(box)
        self.body.addLayout(bar)
        self.body.addWidget(self.table, 1)
        self.summary.setMinimumHeight(theme().px(2.2))
        self.body.addWidget(self.summary)
        self.label.setPlaceholderText(_tr("Batch label, to tell runs apart (optional)"))
        self.label.setAccessibleName(_tr("Batch label"))
        self.body.addWidget(self.label)

    def _facet_words(self, name: str) -> tuple[str, str]:
        return {
            "benchmark": (_tr("Benchmark"), _tr("Any benchmark")),
            "level": (_tr("Level"), _tr("Any level")),
            "category": (_tr("Category"), _tr("Any category")),
        }[name]

    def _show(self, listing: Listing) -> None:
        self.set_working("")
        if self._recorded is not None:
            listing = self._of_recording(listing, self._recorded)
        self._listing = listing
        self._refilter()
        if listing.faults:
            warning = _tr("{0} folders could not be read: {1}")
            self.message.say(
                warning.format(len(listing.faults), listing.faults[0]), "warning"
            )

    def _of_recording(self, listing: Listing, recorded: Sequence[str]) -> Listing:
        """What a recording has replies for; the dialog says so."""
        rows = tuple(
            row
            for row in listing.rows
            if row.source == CATALOGUE and row.name in recorded
        )
        words = _tr(
            "This workspace plays a recording: only the {0} operators it has replies for are "
            "shown. For any other choose a model first, with Queue → Set Up Run."
        )
        self.message.say(words.format(len(rows)), "warning")
        return Listing(rows)

    def _refilter(self) -> None:
        text = self.search.text()
        facet_values = {
            name: box.currentData() or "" for name, box in self.facets.items()
        }
        for name, box in self.facets.items():
            value_counts = counts(self._listing.rows, text, facet_values, name)
            form = _tr("Level {0}") if name == "level" else "{0}"
            _title, everything = self._facet_words(name)
            entries = [(everything, "")]
            entries += [
                (f"{form.format(value)}  {number}", value)
                for value, number in value_counts.items()
            ]
            with QSignalBlocker(box):
                box.offer(entries)
        self.model.set_rows(matching(self._listing.rows, text, facet_values))
        self.search.set_count(self.model.rowCount() if text else None)
        self._selected()

    def selected(self) -> list[OperatorRow]:
        """Rows selected, in the order shown."""
        return [self.model.listed[number] for number in self.table.chosen_rows()]

    def _selected(self) -> None:
        rows = self.selected()
        self.main_button.setEnabled(bool(rows))
        add = _tr("Add")
        if len(rows) > 1:
            add = _tr("Add {0} Operators").format(len(rows))
        self.main_button.setText(add)
        facts = _facts(rows[0]) if len(rows) == 1 else ""
        self.summary.setText(facts)

    def _add(self) -> None:
        rows = self.selected()
        if rows:
            operators = [(row.source, row.name) for row in rows]
            self.added.emit(operators, self.label.text().strip())
            self.accept()
