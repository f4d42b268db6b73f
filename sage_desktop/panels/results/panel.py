"""The results: operators with the metrics of the paper, best so far, and bottlenecks."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFileDialog,
    QStackedLayout,
    QTabWidget,
    QWidget,
)

from core.analysis import queries
from core.analysis.queries import QueueRow
from core.errors import SageError
from core.whole_file import write_text
from sage_desktop.panels.results.csv_tables import (
    bottleneck_csv,
    curves_csv,
    operators_csv,
)
from sage_desktop.panels.results.operators import OperatorsPage
from sage_desktop.panels.results.reading import (
    Curve,
    operator_rows,
    read_costly_lines,
    read_curves,
    run_name,
)
from sage_desktop.services.models.profiles import prices_of, profiles
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.theme import restyle_later
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.making import on_base, push
from sage_desktop.ui.widgets.pages import LazyPage, PageHead
from sage_desktop.ui.widgets.saving import ask_where, write_picture
from sage_desktop.ui.widgets.stacking import boxed, hbox, vbox

if TYPE_CHECKING:
    from core.analysis.effort import Effort
    from core.analysis.results import RunResults
    from sage_desktop.panels.results.bottleneck import BottleneckView
    from sage_desktop.panels.results.curves import CurvesView

logger = logging.getLogger("results")

OPERATORS, BEST_SO_FAR, BOTTLENECK = range(3)
_FILE_NAMES = ("operators", "best-so-far", "bottleneck")

Answer = tuple[
    tuple["RunResults", ...],
    dict[str, "Effort"],
    tuple[Curve, ...],
    tuple[QueueRow, ...],
]


class ResultsPanel(LazyPage):
    """Run to choose, three pages, export.

    The curves and the bottleneck are made when they are first shown.

    Signals:
        profile_wanted: (`Subject`, case) of a kernel the roofline could place.

    Args:
        operations: Background reads.
        preferences: Where the models' prices are.
    """

    topics = frozenset({"queue", "rounds"})
    profile_wanted = Signal(object, str)
    line_opened = Signal(object)

    def __init__(self, operations: Operations, preferences: Preferences) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._preferences = preferences
        self._runs: tuple[RunResults, ...] = ()
        self._efforts: dict[str, Effort] = {}
        self._curves: tuple[Curve, ...] = ()
        self._queue: tuple[QueueRow, ...] = ()
        self._front = ""  # trajectory in front in the queue
        self.exporting: QFileDialog | None = None
        self.run = ComboBox(self.tr("Run shown"), self._fill)
        self.run.setSizeAdjustPolicy(
            ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.copy = push(self.tr("Copy as CSV"), self._copy)
        self.export = push(self.tr("Export…"), self._ask_where)
        self.picked = ElidingLabel()
        self.operators = OperatorsPage()
        self.operators.line_opened.connect(self.line_opened)
        self.curves: CurvesView | None = None
        self.bottleneck: BottleneckView | None = None
        self._lay_out()
        restyle_later(self, self._fill)

    def _lay_out(self) -> None:
        head = PageHead(self.tr("Results"))
        head.state.addWidget(self.picked, 1)
        for button in (self.copy, self.export):
            head.state.addWidget(button)
        self.tabs = QTabWidget(documentMode=True)
        # The choice of a run stands on the page it is about: the tabs do not move.
        run = boxed(hbox((self.run, 1), margins=(0.9, 0.6, 0.9, 0)))
        operators = boxed(vbox(run, (self.operators, 1), margins=0, spacing=0))
        for page, name in (
            (operators, self.tr("Operators")),
            (boxed(vbox(margins=0)), self.tr("Best So Far")),
            (boxed(vbox(margins=0)), self.tr("Bottleneck")),
        ):
            self.tabs.addTab(page, name)
        self.tabs.currentChanged.connect(lambda _number: self._turned())
        full = boxed(vbox(head, (self.tabs, 1), margins=0, spacing=0))
        empty = EmptyState(
            "results",
            self.tr("No operator is finished yet"),
            self.tr("The metrics appear with the first one."),
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(full)

    def follow(self, row: QueueRow | None) -> None:
        """Show the operator in front in the queue; a choice made here stays till then."""
        front = row.trajectory_uid if row is not None else ""
        if front and front != self._front:
            self._front = front
            self._bring_to_front()

    def _bring_to_front(self) -> None:
        self.operators.choose(self._front)
        if self.bottleneck is not None:
            self.bottleneck.operator.choose(self._front)

    def activate(self) -> None:
        """Read the results again."""
        prices = prices_of(profiles(self._preferences))

        def read(db: sqlite3.Connection) -> Answer:
            # catalogue and msgspec: windows paint first
            from core.analysis.effort import read_efforts
            from core.analysis.results import read_runs

            rows = queries.queue_rows(db, queries.queue_ids(db))
            efforts = read_efforts(db, prices)
            return read_runs(db), efforts, read_curves(db), tuple(rows.values())

        self._operations.query(self, read, self._show, topic="results")

    def _show(self, answer: Answer) -> None:
        first = not self._queue
        runs, self._efforts, self._curves, self._queue = answer
        # the run with most operators first
        self._runs = tuple(sorted(runs, key=lambda run: -run.metrics.n))
        self._stack.setCurrentIndex(1 if runs or self._curves else 0)
        self.run.offer((run_name(run), run_name(run)) for run in self._runs)
        if self.curves is not None:
            self.curves.show_curves(self._curves)
        if self.bottleneck is not None:
            self.bottleneck.show_operators(self._queue)
        self._fill()
        if first:
            self._bring_to_front()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is finished yet, which the page then says."""
        return self._stack.currentIndex() == 0

    def shown_run(self) -> RunResults | None:
        """The run that is shown."""
        number = self.run.currentIndex()
        return self._runs[number] if 0 <= number < len(self._runs) else None

    def _fill(self) -> None:
        run = self.shown_run()
        rows = operator_rows(run, self._efforts) if run is not None else ()
        self.operators.show_run(run, rows)
        if run is not None:
            uids = tuple(row.result.trajectory for row in rows)
            self._operations.query(
                self,
                lambda db: read_costly_lines(db, uids),
                self.operators.show_costly_lines,
                topic="costly lines",
            )

    def _turned(self) -> None:
        """Another page is in front."""
        number = self.tabs.currentIndex()
        self.picked.set_text("")
        if number == BEST_SO_FAR and self.curves is None:
            self._make_curves()
        if number == BOTTLENECK and self.bottleneck is None:
            self._make_bottleneck()

    def _make_curves(self) -> None:
        from sage_desktop.panels.results.curves import CurvesView

        view = self.curves = CurvesView()
        view.clicked.connect(self.picked.set_text)
        self._put(BEST_SO_FAR, view)
        view.show_curves(self._curves)

    def _make_bottleneck(self) -> None:
        from sage_desktop.panels.results.bottleneck import BottleneckView

        view = self.bottleneck = BottleneckView(self._operations)
        view.profile_wanted.connect(self.profile_wanted)
        view.line_opened.connect(self.line_opened)
        self._put(BOTTLENECK, view)
        view.show_operators(self._queue)
        view.operator.choose(self._front)

    def _put(self, number: int, view: QWidget) -> None:
        """Put a page into its place."""
        present(present(self.tabs.widget(number)).layout()).addWidget(view)

    # ---- copy and export

    def csv(self) -> str:
        """What the page in front shows, as CSV."""
        number = self.tabs.currentIndex()
        if number == BEST_SO_FAR and self.curves is not None:
            return curves_csv(self.curves.selected())
        if number == BOTTLENECK and self.bottleneck is not None:
            return bottleneck_csv(self.bottleneck.analysis)
        run = self.shown_run()
        return operators_csv(run, self.operators.model.listed) if run else ""

    def _picture(self) -> QWidget:
        """The widget a picture of the page in front is made of."""
        number = self.tabs.currentIndex()
        if number == BEST_SO_FAR and self.curves is not None:
            return self.curves.drawing
        if number == BOTTLENECK and self.bottleneck is not None:
            return self.bottleneck.drawings
        return self.operators

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.csv())

    def _ask_where(self) -> None:
        name = _FILE_NAMES[self.tabs.currentIndex()]
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
        if path.suffix.lower() not in (".png", ".svg"):
            text = self.csv()
            self._operations.run_in_background(
                self, lambda: write_text(path, text), self._exported
            )
            return
        try:
            # widgets are drawn in this thread, within milliseconds
            write_picture(path, self._picture())
        except SageError as error:
            self._operations.failed.emit(error)
        else:
            self._exported(path)

    def _exported(self, path: Path) -> None:
        logger.info("%s", self.tr("The results were exported to {0}.").format(path))
