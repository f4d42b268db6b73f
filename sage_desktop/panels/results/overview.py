"""The figures of the paper for one run, and one bar an operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from core.evaluation.metrics import Metrics
from sage_desktop.panels.results.comparison import percent
from sage_desktop.panels.results.gain_chart import GainChart
from sage_desktop.ui.typed import clear
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import heading, muted
from sage_desktop.ui.widgets.making import named, on_base
from sage_desktop.ui.widgets.stacking import hbox, vbox
from sage_desktop.ui.widgets.verdicts import origin_text, ratio_text

if TYPE_CHECKING:
    from core.engine.results import RunResults


class Overview(QScrollArea):
    """Figures, shares by level, bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: RunResults | None = None
        self.figures = QHBoxLayout()
        self.levels = muted()
        self.against = ComboBox(
            self.tr("What the bars compare the best kernel with"), self._fill
        )
        self.against.addItem(
            self.tr("First correct kernel against the best one, by operator"), "first"
        )
        self.against.addItem(
            self.tr("torch_npu against the best kernel, by operator"), "reference"
        )
        self.note = muted(wraps=False)
        self.chart = GainChart()
        inside = on_base(QWidget())
        vbox(
            self.figures,
            self.levels,
            0.4,
            hbox(self.against, (self.note, 1)),
            self.chart,
            None,
            owner=inside,
            margins=0.9,
            spacing=0.7,
        )
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(inside)

    def show_run(self, run: RunResults | None) -> None:
        """Show the metrics of one run."""
        self._run = run
        self._fill()

    def _fill(self) -> None:
        run = self._run
        if run is None:
            return
        found = run.metrics
        clear(self.figures)
        for value, name, tip in self._values(found, origin_text(run.latency_origin)):
            self.figures.addWidget(_figure(value, name, tip), 1)
        parts = []
        for level, rate in found.execution_rate_by_level.items():
            at_level = [result for result in run.results if result.level == level]
            solved = sum(result.correct for result in at_level)
            name = self.tr("level {0}").format(level) if level else self.tr("no level")
            parts.append(f"{name}: {percent(rate, '')} ({solved}/{len(at_level)})")
        lines = [self.tr("Correct by level: {0}").format(", ".join(parts))]
        if run.incomplete:
            lines.append(
                self.tr("Incomplete, to be continued: {0}").format(
                    ", ".join(run.incomplete)
                )
            )
        if run.unconfined:
            lines.append(
                self.tr("Excluded, evaluated without a sandbox: {0}").format(
                    ", ".join(run.unconfined)
                )
            )
        self.levels.setText("\n".join(lines))
        against = self.against.currentData()
        known = sum(result.t_reference is not None for result in run.results)
        if against == "reference":
            self.note.setText(
                self.tr(
                    "{0} of {1} operators have a latency of torch_npu from the same device"
                ).format(known, len(run.results))
            )
        else:
            self.note.setText(origin_text(run.latency_origin))
        self.chart.show_results(run.results, against=against)

    def _values(self, found: Metrics, timed: str) -> tuple[tuple[str, str, str], ...]:
        missing = self.tr("n/a")
        gain = (
            self.tr("median gain (S_self), {0}").format(timed)
            if timed
            else self.tr("median gain (S_self)")
        )
        needs = self.tr(
            "Of {0} solved operators that have a latency of torch_npu from the same device"
        ).format(found.with_reference)
        return (
            (
                percent(found.compilation_rate, missing),
                self.tr("compile (CR)"),
                self.tr("Share of {0} operators with a candidate that builds").format(
                    found.n
                ),
            ),
            (
                percent(found.execution_rate, missing),
                self.tr("correct (ER)"),
                self.tr(
                    "{0} of {1} operators have a kernel that passes every case"
                ).format(found.solved, found.n),
            ),
            (
                ratio_text(found.self_speedup),
                gain,
                self.tr("Median of first correct latency / best latency; {0}").format(
                    found.origin
                ),
            ),
            (
                percent(found.fast, missing),
                self.tr("faster than torch_npu (Fast 1.0)"),
                needs,
            ),
            (
                missing
                if found.reference_speedup is None
                else ratio_text(found.reference_speedup),
                self.tr("median against torch_npu"),
                self.tr(
                    "Median of torch_npu latency / best latency, both measured on the same device"
                ),
            ),
        )


def _figure(value: str, name: str, tip: str) -> QWidget:
    card = named(QFrame(), f"{name}: {value}. {tip}")
    card.setProperty("card", "true")
    card.setToolTip(tip)
    number = heading(value, 1.7)
    caption = muted(name)
    vbox(number, caption, owner=card)
    return card
