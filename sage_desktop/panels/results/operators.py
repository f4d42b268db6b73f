"""The operators of one run: the figures of the paper, and a row for every operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QHeaderView, QWidget

from sage_desktop.panels.results.operator_table import OperatorModel
from sage_desktop.panels.results.reading import CostlyLine, OperatorRow
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import clear
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.stacking import vbox
from sage_desktop.ui.widgets.tables import RowTable, make_reading_table
from sage_desktop.ui.widgets.verdicts import origin_text, ratio_text

if TYPE_CHECKING:
    from core.analysis.results import RunResults
    from core.evaluation.metrics import Metrics


class OperatorsPage(QWidget):
    """Figures above, table below.

    Signals:
        opened: Uid of the trajectory whose rounds a person wants to see.
        line_opened: (trajectory, round, path, line from 1) a person wants to see.
    """

    opened = Signal(str)
    line_opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.figures = QHBoxLayout()
        self.notes = muted()
        self.model = OperatorModel(self)
        self.table = named(RowTable(), self.tr("Operators"))
        self.table.setModel(self.model)
        header = make_reading_table(self.table)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.setWordWrap(False)
        self.table.verticalHeader().setDefaultSectionSize(theme().px(1.7))
        self.table.setVerticalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        self.table.setHorizontalScrollMode(RowTable.ScrollMode.ScrollPerPixel)
        self.table.setSelectionMode(RowTable.SelectionMode.SingleSelection)
        self.table.setMouseTracking(True)
        self.table.activated.connect(self._open)
        self.table.clicked.connect(self._open_line)
        self.table.entered.connect(self._point)
        self._is_fitted = False
        vbox(
            self.figures,
            self.notes,
            (self.table, 1),
            owner=self,
            margins=(0.9, 0.9, 0.9, 0),
            spacing=0.7,
        )

    def show_run(self, run: RunResults | None, rows: Sequence[OperatorRow]) -> None:
        """Show the metrics of a run and its operators; order and selection stay."""
        if run is None:
            return
        clear(self.figures)
        for value, name, tip in self._values(run):
            self.figures.addWidget(_figure(value, name, tip), 1)
        self.notes.setText("\n".join(self._notes(run)))
        selected = self.selected()
        # Lines take longer to read than rows: those of before stay until then.
        lines = {
            row.costly.trajectory: row.costly
            for row in self.model.listed
            if row.costly is not None
        }
        self._show_rows(_with_lines(rows, lines))
        if selected is not None:
            self.choose(selected.result.trajectory)

    def show_costly_lines(self, lines: Mapping[str, CostlyLine]) -> None:
        """Say what holds each best kernel up, by trajectory."""
        rows = _with_lines(self.model.listed, lines)
        if rows != self.model.listed:
            selected = self.selected()
            self._is_fitted = False
            self._show_rows(rows)
            if selected is not None:
                self.choose(selected.result.trajectory)

    def _show_rows(self, rows: Sequence[OperatorRow]) -> None:
        self.model.show_rows(rows)
        for number, column in enumerate(self.model.columns):
            is_empty = not any(column.value(row) for row in rows)
            self.table.setColumnHidden(number, column.is_optional and is_empty)
        if not self._is_fitted and rows:
            self._is_fitted = True
            self.table.resizeColumnsToContents()

    def selected(self) -> OperatorRow | None:
        """The row selected."""
        rows = self.table.chosen_rows()
        return self.model.listed[rows[0]] if rows else None

    def choose(self, trajectory: str) -> None:
        """Select a row and go to it."""
        for number, row in enumerate(self.model.listed):
            if row.result.trajectory == trajectory:
                self.table.selectRow(number)
                self.table.scrollTo(self.model.index(number, 0))

    def _open(self, index: QModelIndex) -> None:
        if self._line_at(index) is None:  # a click has led to it already
            self.opened.emit(self.model.listed[index.row()].result.trajectory)

    def _open_line(self, index: QModelIndex) -> None:
        line = self._line_at(index)
        if line is not None:
            self.line_opened.emit((line.trajectory, line.round, line.file, line.line))

    def _line_at(self, index: QModelIndex) -> CostlyLine | None:
        """The line a cell names."""
        is_link = self.model.columns[index.column()].is_link
        return self.model.listed[index.row()].costly if is_link else None

    def _point(self, index: QModelIndex) -> None:
        """Show that a cell can be clicked."""
        if self._line_at(index) is not None:
            self.table.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.table.viewport().unsetCursor()

    def _notes(self, run: RunResults) -> list[str]:
        """Shares by level, and which operators are not final or not counted."""
        levels = []
        for level, rate in run.metrics.execution_rate_by_level.items():
            at_level = [result for result in run.results if result.level == level]
            solved = sum(result.correct for result in at_level)
            name = self.tr("level {0}").format(level) if level else self.tr("no level")
            levels.append(f"{name}: {percent(rate, '')} ({solved}/{len(at_level)})")
        notes = [self.tr("Correct by level: {0}").format(", ".join(levels))]
        if run.incomplete:
            words = self.tr("Incomplete, to be continued: {0}")
            notes.append(words.format(", ".join(run.incomplete)))
        if run.unconfined:
            words = self.tr("Excluded, evaluated without a sandbox: {0}")
            notes.append(words.format(", ".join(run.unconfined)))
        return notes

    def _values(self, run: RunResults) -> tuple[tuple[str, str, str], ...]:
        """(value, name, explanation) of every figure."""
        metrics = run.metrics
        missing = self.tr("n/a")
        compiled = self.tr("Share of {0} operators with a candidate that builds")
        gain = self.tr("median gain over the first correct kernel")
        origin = origin_text(run.latency_origin)
        if origin:
            gain = self.tr("median gain over the first correct kernel, {0}")
        gain_meaning = self.tr("Median of first correct latency / best latency; {0}")
        fast_meaning = self.tr(
            "Of {0} solved operators that have a latency of torch_npu from the "
            "same device"
        )
        reference = missing
        if metrics.reference_speedup is not None:
            reference = ratio_text(metrics.reference_speedup)
        reference_meaning = self.tr(
            "Median of torch_npu latency / best latency, both measured on the "
            "same device"
        )
        return (
            (
                percent(metrics.compilation_rate, missing),
                self.tr("have a kernel that compiles (CR)"),
                compiled.format(metrics.n),
            ),
            (
                percent(metrics.execution_rate, missing),
                self.tr("have a correct kernel (ER)"),
                self._solved(metrics),
            ),
            (
                ratio_text(metrics.self_speedup),
                gain.format(origin),
                gain_meaning.format(metrics.origin),
            ),
            (
                percent(metrics.fast, missing),
                self.tr("faster than torch_npu"),
                fast_meaning.format(metrics.with_reference),
            ),
            (reference, self.tr("median against torch_npu"), reference_meaning),
        )

    def _solved(self, metrics: Metrics) -> str:
        words = self.tr("{0} of {1} operators have a kernel that passes every case")
        return words.format(metrics.solved, metrics.n)


def _with_lines(
    rows: Sequence[OperatorRow], lines: Mapping[str, CostlyLine]
) -> list[OperatorRow]:
    """`rows` with the line of `lines` that holds each best kernel up, by trajectory."""
    return [replace(row, costly=lines.get(row.result.trajectory)) for row in rows]


def percent(share: float | None, missing: str) -> str:
    """A share as a whole percentage, `missing` when there is none."""
    return missing if share is None else f"{share * 100:.0f} %"


def _figure(value: str, name: str, tip: str) -> QWidget:
    card = named(QFrame(), f"{name}: {value}. {tip}")
    card.setProperty("card", "true")
    card.setToolTip(tip)
    vbox(heading(value, 1.7), muted(name), owner=card)
    return card
