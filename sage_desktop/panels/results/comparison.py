"""Two runs beside each other: the metrics of each, and every operator with both best latencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.evaluation.metrics import OperatorResult
from sage_desktop.panels.results.model import ratio, run_name, why_not_compared
from sage_desktop.ui.icons import icon
from sage_desktop.ui.theme import theme
from sage_desktop.ui.typed import present
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import named
from sage_desktop.ui.widgets.rows import make_reading_table
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import latency_text, origin_text, ratio_text

if TYPE_CHECKING:
    from core.engine.results import RunResults


def percent(share: float | None, missing: str) -> str:
    """A share as a whole percentage, `missing` when there is none."""
    return missing if share is None else f"{share * 100:.0f} %"


class ComparisonView(QWidget):
    """Run A and run B to choose, metrics, table of operators."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: tuple[RunResults, ...] = ()
        self.first, self.second = ComboBox(), ComboBox()
        column = vbox(owner=self, margins=0.9, spacing=0.5)
        for words, box in (
            (self.tr("Run A"), self.first),
            (self.tr("Run B"), self.second),
        ):
            label = heading(words)
            box.setAccessibleName(words)
            box.setSizeAdjustPolicy(
                ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.activated.connect(self._fill)
            column.addLayout(hbox(label, (box, 1)))
        self.words = muted()
        column.addWidget(self.words)
        self.table = named(QTableWidget(0, 4), self.tr("Operators of both runs"))
        self.table.setHorizontalHeaderLabels(
            [
                self.tr("Operator"),
                self.tr("Best of A"),
                self.tr("Best of B"),
                self.tr("A / B"),
            ]
        )
        make_reading_table(self.table).setSectionResizeMode(
            QHeaderView.ResizeMode.Stretch
        )
        column.addWidget(self.table, 1)

    def show_runs(self, runs: tuple[RunResults, ...]) -> None:
        """Offer the runs; the latest two are compared until somebody chooses."""
        chosen = (self.first.currentText(), self.second.currentText())
        self._runs = runs
        for number, box in enumerate((self.first, self.second)):
            box.clear()
            box.addItems([run_name(run) for run in runs])
            place = box.findText(chosen[number])
            box.setCurrentIndex(place if place >= 0 else min(1 - number, len(runs) - 1))
        self._fill()

    def _pair(self) -> tuple[RunResults, RunResults] | None:
        first, second = self.first.currentIndex(), self.second.currentIndex()
        return (
            (self._runs[first], self._runs[second]) if min(first, second) >= 0 else None
        )

    def _fill(self) -> None:
        pair = self._pair()
        if pair is None or len(self._runs) < 2:
            self.words.setText(
                self.tr(
                    "A comparison needs two runs: another label, method, model, evaluator or repetition."
                )
            )
            self.table.setRowCount(0)
            return
        self.words.setText(
            "\n".join(
                f"{name}  {self._metrics(run)}"
                for name, run in zip("AB", pair, strict=True)
            )
        )
        self._fill_table(*pair)

    def _metrics(self, run: RunResults) -> str:
        found = run.metrics
        missing = self.tr("n/a")
        text = self.tr("{0} operators · CR {1} · ER {2} · S_self {3} {4}")
        return text.format(
            found.n,
            percent(found.compilation_rate, missing),
            percent(found.execution_rate, missing),
            ratio_text(found.self_speedup),
            origin_text(run.latency_origin),
        )

    def _fill_table(self, first: RunResults, second: RunResults) -> None:
        comparable = _comparable(first, second)
        if interrupted := why_not_compared(first, second):
            why = self.tr("Not compared until they are complete: {0}").format(
                ", ".join(interrupted)
            )
            self.words.setText(self.words.text() + "\n" + why)
        elif not comparable:
            self.words.setText(
                self.words.text()
                + "\n"
                + self.tr("Latencies of different origin are not compared.")
            )
        rows = _joined(first, second)
        self.table.setRowCount(len(rows))
        self.table.verticalHeader().setDefaultSectionSize(theme().px(1.8))
        for number, (operator, one, two) in enumerate(rows):
            gain = (
                ratio(one.t_best if one else None, two.t_best if two else None)
                if comparable
                else None
            )
            cells = (operator, self._state(one), self._state(two), ratio_text(gain))
            for column, text in enumerate(cells):
                cell = QTableWidgetItem(text)
                result = (None, one, two, None)[column]
                if result is not None:
                    cell.setIcon(
                        icon("done", "success")
                        if result.correct
                        else icon("failed", "danger")
                    )
                self.table.setItem(number, column, cell)
            if gain is not None and abs(gain - 1) > 0.005:
                last = present(self.table.item(number, 3))
                last.setForeground(theme().color("success" if gain > 1 else "danger"))

    def _state(self, result: OperatorResult | None) -> str:
        if result is None:
            return self.tr("not in this run")
        if result.incomplete:
            return self.tr("incomplete")
        if not result.correct:
            return self.tr("no correct kernel")
        return latency_text(result.t_best)

    def rows(self) -> list[list[object]]:
        """What is shown, as a table; latencies in microseconds."""
        header: list[object] = [
            "operator",
            "best_a_us",
            "best_b_us",
            "a_over_b",
            "run_a",
            "run_b",
        ]
        pair = self._pair()
        if pair is None:
            return [header]
        comparable = _comparable(*pair)
        number: Callable[[float | None], object] = lambda value: (  # noqa: E731
            "" if value is None else value
        )
        return [header] + [
            [
                operator,
                number(one.t_best if one else None),
                number(two.t_best if two else None),
                number(
                    ratio(one.t_best, two.t_best)
                    if one and two and comparable
                    else None
                ),
                run_name(pair[0]),
                run_name(pair[1]),
            ]
            for operator, one, two in _joined(*pair)
        ]


def _comparable(first: RunResults, second: RunResults) -> bool:
    """Whether latencies of one origin stand on both sides, and every operator came to its end."""
    same = first.latency_origin == second.latency_origin and bool(first.latency_origin)
    return same and not why_not_compared(first, second)


def _joined(
    first: RunResults, second: RunResults
) -> list[tuple[str, OperatorResult | None, OperatorResult | None]]:
    one = {result.operator: result for result in first.results}
    two = {result.operator: result for result in second.results}
    return [
        (name, one.get(name), two.get(name)) for name in sorted(one.keys() | two.keys())
    ]
