"""The metrics of the paper over the finished operators, what they are made of and where they come from."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from core.evaluation.metrics import Metrics
from sage_desktop.operations import Operations
from sage_desktop.results.gain_chart import GainChart
from sage_desktop.results.model import Report, as_csv, read_reports
from sage_desktop.theme import theme
from sage_desktop.widgets.combo import ComboBox
from sage_desktop.widgets.empty_state import EmptyState
from sage_desktop.widgets.verdicts import ratio_text


class ResultsPanel(QWidget):
    """Origin chooser, five figures, gain chart."""

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("pane", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._operations = operations
        self._reports: tuple[Report, ...] = ()
        self.origin = ComboBox()
        self.origin.setAccessibleName(self.tr("Origin of the numbers"))
        self.origin.activated.connect(self._fill)
        self.copy = QPushButton(self.tr("Copy as CSV"))
        self.copy.clicked.connect(self._copy)
        self.figures = QHBoxLayout()
        self.levels = QLabel()
        self.levels.setProperty("muted", "true")
        self.chart = GainChart()
        self._lay_out()
        theme().changed.connect(self._fill)

    def _lay_out(self) -> None:
        look = theme()
        head = QHBoxLayout()
        title = QLabel(self.tr("Results"))
        title.setFont(look.strong_font(1.25))
        head.addWidget(title)
        head.addSpacing(look.px(0.8))
        head.addWidget(self.origin)
        head.addStretch()
        head.addWidget(self.copy)
        heading = QLabel(self.tr("First correct kernel against the best one, by operator"))
        heading.setFont(look.strong_font())
        inside = QWidget()
        inside.setProperty("pane", "base")
        column = QVBoxLayout(inside)
        margin = look.px(0.9)
        column.setContentsMargins(margin, margin, margin, margin)
        column.setSpacing(look.px(0.7))
        column.addLayout(head)
        column.addLayout(self.figures)
        column.addWidget(self.levels)
        column.addSpacing(look.px(0.4))
        column.addWidget(heading)
        column.addWidget(self.chart)
        column.addStretch()
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(inside)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        empty = EmptyState(
            "results",
            self.tr("No operator is finished yet"),
            self.tr("The metrics appear with the first one."),
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(scroll)

    def refresh(self) -> None:
        """Read the results again."""
        self._operations.query(self, read_reports, self._show, topic="results")

    def _show(self, reports: tuple[Report, ...]) -> None:
        chosen = self.origin.currentText()
        self._reports = reports
        self._stack.setCurrentIndex(1 if reports else 0)
        self.origin.clear()
        self.origin.addItems([report.origin for report in reports])
        self.origin.setCurrentIndex(max(0, self.origin.findText(chosen)))
        self._fill()

    def report(self) -> Report | None:
        """What is shown."""
        number = self.origin.currentIndex()
        return self._reports[number] if 0 <= number < len(self._reports) else None

    def _fill(self) -> None:
        report = self.report()
        if report is None:
            return
        while (item := self.figures.takeAt(0)) is not None:
            item.widget().deleteLater()
        for value, name, tip in self._values(report.metrics):
            self.figures.addWidget(_figure(value, name, tip), 1)
        by_level = report.metrics.execution_rate_by_level
        parts = [self.tr("level {0}: {1}").format(level, _percent(rate)) for level, rate in by_level.items()]
        self.levels.setText(self.tr("Correct by level: {0}").format(", ".join(parts)))
        self.chart.show_results(report.results)

    def _values(self, found: Metrics) -> tuple[tuple[str, str, str], ...]:
        return (
            (
                _percent(found.compilation_rate),
                self.tr("compile (CR)"),
                self.tr("Share of {0} operators with a candidate that builds").format(found.n),
            ),
            (
                _percent(found.execution_rate),
                self.tr("correct (ER)"),
                self.tr("{0} of {1} operators have a kernel that passes every case").format(
                    found.solved, found.n
                ),
            ),
            (
                ratio_text(found.self_speedup),
                self.tr("median gain (S_self)"),
                self.tr("Median of first correct latency / best latency; {0}").format(found.origin),
            ),
            (
                self.tr("n/a") if found.fast is None else _percent(found.fast),
                self.tr("faster than torch_npu (Fast 1.0)"),
                self.tr("Needs latencies of torch_npu measured on the same device"),
            ),
            (
                self.tr("n/a") if found.reference_speedup is None else ratio_text(found.reference_speedup),
                self.tr("median against torch_npu"),
                self.tr("Median of torch_npu latency / best latency, both measured on the same device"),
            ),
        )

    def _copy(self) -> None:
        report = self.report()
        if report is not None:
            QGuiApplication.clipboard().setText(as_csv(report))


def _percent(share: float | None) -> str:
    return QCoreApplication.translate("ResultsPanel", "n/a") if share is None else f"{share * 100:.0f} %"


def _figure(value: str, name: str, tip: str) -> QWidget:
    look = theme()
    card = QFrame()
    card.setProperty("card", "true")
    card.setToolTip(tip)
    card.setAccessibleName(f"{name}: {value}. {tip}")
    column = QVBoxLayout(card)
    number = QLabel(value)
    number.setFont(look.strong_font(1.7))
    caption = QLabel(name)
    caption.setProperty("muted", "true")
    column.addWidget(number)
    column.addWidget(caption)
    return card
