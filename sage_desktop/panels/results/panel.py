"""The results: metrics of the paper, latency over rounds, runs beside each other, pipes; all exported."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QStackedLayout,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from core.engine import queries
from core.engine.queries import QueueRow
from core.errors import SageError
from core.whole_file import write_text
from sage_desktop.panels.results.comparison import ComparisonView
from sage_desktop.panels.results.model import (
    Curve,
    as_csv,
    curves_csv,
    read_curves,
    run_name,
    table_text,
)
from sage_desktop.panels.results.overview import Overview
from sage_desktop.panels.results.pipes import PipesView
from sage_desktop.panels.results.runs import RunsPage
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import restyle_later
from sage_desktop.ui.typed import expect, present
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.empty_state import EmptyState
from sage_desktop.ui.widgets.form import heading
from sage_desktop.ui.widgets.lazy_page import LazyPage
from sage_desktop.ui.widgets.making import on_base, push
from sage_desktop.ui.widgets.saving import ask_where, write_picture
from sage_desktop.ui.widgets.stacking import boxed, hbox, vbox

if TYPE_CHECKING:
    from core.engine.results import RunResults
    from core.engine.run_table import Evaluated, Run
    from sage_desktop.panels.results.curves import CurvesView
    from sage_desktop.panels.results.roofline import RooflineView

logger = logging.getLogger("results")

Answer = tuple[tuple["RunResults", ...], tuple[Curve, ...], tuple[QueueRow, ...]]
Table = tuple[tuple["Run", ...], tuple["Evaluated", ...]]


class ResultsPanel(LazyPage):
    """Run chooser, six pages, export.

    Signals:
        profile_wanted: (`Subject`, case) of a kernel the roofline could place.

    Args:
        operations: Background reads.
        preferences: Where the models' prices are.
    """

    topics = frozenset({"queue", "rounds"})
    profile_wanted = Signal(object, str)

    def __init__(self, operations: Operations, preferences: Preferences) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._preferences = preferences
        self._runs: tuple[RunResults, ...] = ()
        self._curves: tuple[Curve, ...] = ()
        self.exporting: QFileDialog | None = None
        self.run = ComboBox(self.tr("Run shown"), self._fill)
        self.run.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        policy = self.run.sizePolicy()
        policy.setRetainSizeWhenHidden(
            True
        )  # else the buttons beside it grow on the pages without it
        self.run.setSizePolicy(policy)
        self.copy = push(self.tr("Copy as CSV"), self._copy)
        self.export = push(self.tr("Export…"), self._ask_where)
        self.overview = Overview()
        self.chart = self.overview.chart
        self.curves: CurvesView | None = (
            None  # its drawing library is loaded when it is first opened
        )
        self._curves_place, self._roofline_place = QWidget(), QWidget()
        self.roofline: RooflineView | None = None  # likewise
        self._rows: tuple[QueueRow, ...] = ()
        self._front, self._behind = (
            "",
            False,
        )  # run in front in the queue; whether it is still to be shown
        self.comparison = ComparisonView()
        self.pipes = PipesView(operations)
        self.table = RunsPage()
        self.picked = QLabel()
        self._lay_out()
        restyle_later(self, self._fill)

    def _lay_out(self) -> None:
        title = heading(self.tr("Results"), 1.25)
        head = hbox(
            title,
            0.8,
            (self.run, 1),
            self.picked,
            self.copy,
            self.export,
            margins=(0.9, 0.6, 0.9, 0),
        )
        for page in (self._curves_place, self._roofline_place):
            QVBoxLayout(page).setContentsMargins(0, 0, 0, 0)
        self.tabs = QTabWidget(documentMode=True)
        for page, name in (
            (self.overview, self.tr("Metrics")),
            (self._curves_place, self.tr("Best So Far")),
            (self.comparison, self.tr("Compare Runs")),
            (self.pipes, self.tr("Pipes")),
            (self._roofline_place, self.tr("Roofline")),
            (self.table, self.tr("Runs")),
        ):
            self.tabs.addTab(page, name)
        self.tabs.currentChanged.connect(lambda _number: self._turned())
        full = boxed(vbox(head, (self.tabs, 1), margins=0))
        empty = EmptyState(
            "results",
            self.tr("No operator is finished yet"),
            self.tr("The metrics appear with the first one."),
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(full)

    def follow(self, row: QueueRow | None) -> None:
        """Show the run chosen in the queue on the pages about one; what is chosen there stays till then."""
        front = row.trajectory_uid if row is not None else ""
        if front and front != self._front:
            self._front, self._behind = front, True
            self._catch_up()

    def _catch_up(self) -> None:
        if self._behind and self._rows:
            self._behind = False
            self.pipes.operator.choose(self._front)
            if self.roofline is not None:
                self.roofline.operator.choose(self._front)

    def activate(self) -> None:
        """Read the results again."""

        def read(db: sqlite3.Connection) -> Answer:
            from core.engine.results import (
                read_runs,
            )  # catalogue and msgspec: windows paint first

            rows = queries.queue_rows(db, queries.queue_ids(db))
            return read_runs(db), read_curves(db), tuple(rows.values())

        self._operations.query(self, read, self._show, topic="results")
        if self.tabs.currentWidget() is self.table:
            self._read_table()

    def _read_table(self) -> None:
        """Read the runs for their table; while another page is in front nobody needs them."""
        from sage_desktop.services.model_profiles import prices_of, profiles

        prices = prices_of(profiles(self._preferences))

        def read(db: sqlite3.Connection) -> Table:
            from core.engine.run_table import read_evaluations, read_run_table

            return read_run_table(db, prices), read_evaluations(db)

        self._operations.query(
            self, read, lambda found: self.table.show_runs(*found), topic="runs"
        )

    def _show(self, answer: Answer) -> None:
        runs, self._curves, rows = answer
        self._runs = tuple(
            sorted(runs, key=lambda run: -run.metrics.n)
        )  # the one with most operators first
        self._stack.setCurrentIndex(1 if runs or self._curves else 0)
        self.run.offer((run_name(run), run_name(run)) for run in self._runs)
        self.comparison.show_runs(tuple(reversed(runs)))
        self.pipes.show_operators(rows)
        self._rows = rows
        if self.roofline is not None:
            self.roofline.show_operators(rows)
        if self.curves is not None:
            self.curves.show_curves(self._curves)
        self._catch_up()
        self._fill()

    def chosen(self) -> RunResults | None:
        """The run that is shown."""
        number = self.run.currentIndex()
        return self._runs[number] if 0 <= number < len(self._runs) else None

    def _fill(self) -> None:
        self.overview.show_run(self.chosen())

    def _turned(self) -> None:
        """Another page is in front; the curves are made with their drawing library when first wanted."""
        self.run.setVisible(self.tabs.currentWidget() is self.overview)
        self.picked.clear()
        if self.tabs.currentWidget() is self.table:
            self._read_table()
        if self.tabs.currentWidget() is self._curves_place and self.curves is None:
            from sage_desktop.panels.results.curves import CurvesView

            self.curves = CurvesView()
            self.curves.clicked.connect(self.picked.setText)
            present(self._curves_place.layout()).addWidget(self.curves)
            self.curves.show_curves(self._curves)
        if self.tabs.currentWidget() is self._roofline_place and self.roofline is None:
            from sage_desktop.panels.results.roofline import RooflineView

            self.roofline = RooflineView(self._operations)
            present(self._roofline_place.layout()).addWidget(self.roofline)
            self.roofline.profile_wanted.connect(self.profile_wanted)
            self.roofline.show_operators(self._rows)
            self.roofline.operator.choose(self._front)

    def _csv(self) -> str:
        """What the page in front shows, as CSV."""
        page = self.tabs.currentWidget()
        if page is self._curves_place and self.curves is not None:
            return curves_csv(self.curves.chosen())
        if page is self.comparison:
            return table_text(self.comparison.rows())
        if page is self._roofline_place and self.roofline is not None:
            return table_text(self.roofline.rows())
        if page is self.pipes:
            return table_text(self.pipes.rows())
        if page is self.table:
            return table_text(self.table.rows())
        run = self.chosen()
        return as_csv(run) if run is not None else ""

    def _picture(self) -> QWidget:
        """The widget a picture of the page in front is made of."""
        page = self.tabs.currentWidget()
        if page is self._curves_place and self.curves is not None:
            return expect(self.curves.plot, QWidget)
        if page is self._roofline_place and self.roofline is not None:
            return expect(self.roofline.plot, QWidget)
        if page is self.overview:
            return self.chart
        if page is self.table:
            return self.table.picture()
        return self.pipes.bars if page is self.pipes else self.comparison.table

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._csv())

    def _ask_where(self) -> None:
        names = ("metrics", "best-so-far", "comparison", "pipes", "roofline", "runs")
        name = names[self.tabs.currentIndex()]
        filters = [
            self.tr("Table (*.csv)"),
            self.tr("Picture (*.png)"),
            self.tr("Drawing (*.svg)"),
        ]
        self.exporting = ask_where(
            self, self.tr("Export Results"), f"{name}.csv", filters, self.export_to
        )

    def export_to(self, path: Path) -> None:
        """Write what is in front as a table or as a picture, by the end of the name."""
        if path.suffix.lower() in (".png", ".svg"):
            try:
                write_picture(
                    path, self._picture()
                )  # widgets are drawn in this thread, within milliseconds
            except SageError as error:
                self._operations.failed.emit(error)
            else:
                self._exported(path)
        else:
            text = self._csv()
            self._operations.run_in_background(
                self, lambda: write_text(path, text), self._exported
            )

    def _exported(self, path: Path) -> None:
        logger.info("%s", self.tr("The results were exported to {0}.").format(path))
