"""The page of the timeline: a round's kernel traced by the CPU twin, another beside it, or a trace file."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QScrollBar,
    QStackedLayout,
    QWidget,
)

from core.analysis import queries
from core.analysis.queries import QueueRow, RoundRow
from core.trace.columns import Trace
from sage_desktop.services.tracing import EVALUATOR
from sage_desktop.ui.messages.empty_state import EmptyState
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.rounds.ask_bar import Subject
from sage_desktop.ui.timeline.memories import MemoryView, memories_of
from sage_desktop.ui.timeline.view import TimelineView
from sage_desktop.ui.timeline.words import described, time_text
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.eliding_label import ElidingLabel
from sage_desktop.ui.widgets.making import on_base, push
from sage_desktop.ui.widgets.pages import LazyPage, PageHead
from sage_desktop.ui.widgets.saving import ask_where, ask_which
from sage_desktop.ui.widgets.stacking import boxed, hbox, split, stacked

_EMPTY, _FULL = 0, 1


class TimelinePanel(LazyPage):
    """Chooses rounds, shows their traces, opens and writes trace files.

    Signals:
        trace_wanted: The subjects to trace, one or two.
        stopped: The person calls the trace under way off.
        line_wanted: (`Subject`, file, line) of the slice opened; None for a trace from a file.
        save_wanted: (trace, file): the person wants it written.
        file_wanted: A trace file to open.
        activated: The page was turned to, or the rounds changed while it is in front.
    """

    topics = frozenset({"queue", "rounds"})
    trace_wanted = Signal(list)
    stopped = Signal()
    line_wanted = Signal(object, str, int)
    save_wanted = Signal(object, object)
    file_wanted = Signal(object)
    activated = Signal()

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        on_base(self)
        self._operations = operations
        self._row: QueueRow | None = None
        self.offered: dict[int, Subject] = {}
        self.subjects: tuple[
            Subject, ...
        ] = ()  # of the traces shown, empty for one from a file
        self._working = False
        self._said = ""  # what the traces shown are
        self.first, self.second = ComboBox(), ComboBox()
        self.trace = push(self.tr("Trace"), self._ask)
        self.stop = push(self.tr("Stop"), self.stopped)
        self.open = push(self.tr("Open Trace…"), self._ask_which)
        self.save = push(self.tr("Save for Perfetto…"), self._ask_where)
        self.core, self.memory = ComboBox(), ComboBox()
        self.facts = ElidingLabel()
        self.told = QLabel()
        self.view = TimelineView()
        self.memories = MemoryView(self.view)
        self.bar = QScrollBar(Qt.Orientation.Vertical)
        self.asking: QFileDialog | None = None
        self._lay_out()
        self._bind()
        self.show_work("")

    def _lay_out(self) -> None:
        for box, name in (
            (self.first, self.tr("Round")),
            (self.second, self.tr("Compared with")),
            (self.core, self.tr("Core whose memory is shown")),
            (self.memory, self.tr("Memory")),
        ):
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToContents)
        head = PageHead(self.tr("Timeline"))
        self.facts.setProperty("muted", "true")
        head.state.addWidget(self.facts, 1)
        for control in (self.first, self.second, self.trace, self.stop):
            head.controls.addWidget(control)
        head.controls.addStretch()
        for control in (self.open, self.save):
            head.controls.addWidget(control)
        upper = boxed(hbox((self.view, 1), self.bar, margins=0, spacing=0))
        views = split(Qt.Orientation.Vertical, upper, self.memories, sizes=(40, 8))
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.told.setMinimumHeight(2 * self.told.fontMetrics().height())
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        full = stacked(
            QWidget(),
            views,
            hbox(
                (self.told, 1), self.core, self.memory, margins=(0.9, 0.3), spacing=0.5
            ),
            grows=0,
        )
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._trace_offer = QAction(self.trace.text(), self)
        self._trace_offer.triggered.connect(self.trace.click)
        open_offer = QAction(self.open.text(), self)
        open_offer.triggered.connect(self.open.click)
        self._empty = EmptyState("results", "", "", self._trace_offer, open_offer)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(full)
        stacked(self, head, body)

    def _bind(self) -> None:
        self.save.setEnabled(False)  # until there is a trace
        self.view.picked.connect(self._picked)
        self.view.opened.connect(self._opened)
        self.view.measured.connect(self._measured)
        self.view.moved.connect(self._scroll)
        self.bar.valueChanged.connect(self.view.show_rows)
        self.first.activated.connect(
            lambda _at: self._offer_comparisons(self.second.currentData())
        )
        self.core.activated.connect(self._show_memory)
        self.memory.activated.connect(self._show_memory)

    @property
    def shows_trace(self) -> bool:
        """Whether a trace is in front, from a round or from a file."""
        return self._stack.currentIndex() == _FULL

    def activate(self) -> None:
        """Ask for the operator in front."""
        self.activated.emit()

    # ---- which rounds

    def show_operator(self, row: QueueRow | None, round_number: int = 0) -> None:
        """Offer the rounds of an operator: chosen is `shown`, else what was chosen of it, else the latest."""
        self._row = row
        if any(row is None or row.operator != of.operator for of in self.subjects):
            self._show_no_trace()
        if row is None or not row.trajectory_uid:
            self._offer((), round_number)
            return
        uid = row.trajectory_uid
        self._operations.query(
            self,
            lambda db: queries.rounds(db, uid),
            lambda rows: self._offer(rows, round_number),
            topic="traces",
        )

    def _offer(self, rows: Sequence[RoundRow], round_number: int) -> None:
        row = self._row
        same = row is not None and any(
            old.operator == row.operator for old in self.offered.values()
        )
        before = (
            (self.first.currentData(), self.second.currentData()) if same else (0, 0)
        )
        self.offered = {
            entry.round: Subject(
                row.operator, row.source, entry.candidate, entry.round, row.id
            )
            for entry in rows
            if entry.candidate and row is not None
        }
        words = self.tr("{0}, round {1}")
        latest = max(self.offered, default=0)
        front = round_number or before[0]
        self.first.offer(
            [
                (words.format(subject.operator, number), number)
                for number, subject in self.offered.items()
            ],
            front if front in self.offered else latest,
        )
        self._offer_comparisons(before[1])
        self._may_trace(on=bool(self.offered) and not self._working)

    def _offer_comparisons(self, front: int) -> None:
        """Offer every round but the first one to be compared with it."""
        words = self.tr("Compare with round {0}")
        other_rounds = [
            (words.format(number), number)
            for number in self.offered
            if number != self.first.currentData()
        ]
        self.second.offer([(self.tr("No comparison"), 0), *other_rounds], front)

    def _ask(self) -> None:
        numbers = dict.fromkeys((self.first.currentData(), self.second.currentData()))
        subjects = [
            self.offered[number] for number in numbers if number in self.offered
        ]
        if subjects:
            self.trace_wanted.emit(subjects)

    def show_work(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""
        self._working = bool(words)
        self._may_trace(on=not words and bool(self.offered))
        self.stop.setVisible(bool(words))
        self.facts.set_text(translated(words) or self._said)
        if words:
            self._empty.say(self.tr("Tracing…"), translated(words), offers=())
            return
        self._empty.say(
            self.tr("No trace yet"),
            self.tr(
                "“Trace” runs the kernel of a round once more on the CPU twin; “Open Trace…” takes a "
                "file of SAGE or of msprof."
            ),
        )

    # ---- files

    def _may_trace(self, *, on: bool) -> None:
        self.trace.setEnabled(on)
        self._trace_offer.setEnabled(on)

    def _ask_which(self) -> None:
        filters = [self.tr("Traces (*.json *.json.gz)"), self.tr("All files (*)")]
        self.asking = ask_which(
            self, self.tr("Open Trace"), filters, self.file_wanted.emit
        )

    def _ask_where(self) -> None:
        trace = self.view.trace
        if trace is None:
            return
        name = f"{trace.facts.get('operator', 'kernel')}-trace.json.gz"
        filters = (
            self.tr("Compressed trace (*.json.gz)"),
            self.tr("Trace, for MindStudio Insight too (*.json)"),
        )
        self.asking = ask_where(
            self,
            self.tr("Save for Perfetto"),
            name,
            filters,
            lambda path: self.save_wanted.emit(trace, path),
        )

    # ---- what is shown

    def show_traces(
        self, traces: Sequence[Trace], subjects: Sequence[Subject], name: str = ""
    ) -> None:
        """Show one trace, or two over each other.

        Args:
            traces: One or two.
            subjects: The kernel of each; none for a trace from a file.
            name: Of the file.
        """
        self.subjects = tuple(subjects)
        self._stack.setCurrentIndex(_FULL)
        self.view.show_traces(*traces)
        self._said = self._facts(traces, name)
        self.facts.set_text(self._said)
        first = traces[0]
        cores = list(dict.fromkeys(counter.core for counter in first.counters)) or [
            first.lanes[0].core
        ]
        with QSignalBlocker(self.core):
            self.core.clear()
            self.core.addItems(cores)
        self._show_memory()
        self.save.setEnabled(True)
        self._operations.run_in_background(
            self, self.view.prepare, lambda _none: self.view.update()
        )
        self.view.setFocus()

    def _show_no_trace(self) -> None:
        """Another operator came to the front; the traces of the one before are kept."""
        self.subjects = ()
        self._said = ""
        self.facts.set_text("")
        self._stack.setCurrentIndex(_EMPTY)
        self.save.setEnabled(False)

    def _facts(self, traces: Sequence[Trace], name: str) -> str:
        parts = [name, time_text(traces[0].length_ns)] if name else []
        halves = (self.tr("above round {0}: {1}"), self.tr("below round {0}: {1}"))
        if len(traces) == 1:
            halves = (self.tr("round {0}: {1}"),) * 2
        for trace, subject, half in zip(traces, self.subjects, halves, strict=False):
            words = half.format(subject.round, time_text(trace.length_ns))
            if launch := float(
                trace.facts.get("launch_us") or 0.0
            ):  # no slice shows it
                words += self.tr(" + {0} launch").format(time_text(1e3 * launch))
            parts.append(words if parts else f"{subject.operator}, {words}")
        first = traces[0]
        cores = len({lane.core for lane in first.lanes})
        slices = (
            self.tr("{0:,} slices on {1} cores")
            if cores > 1
            else self.tr("{0:,} slices on one core")
        )
        parts.append(slices.format(len(first.start), cores))
        if case := first.facts.get("case"):
            parts.append(self.tr("case {0}").format(case))
        if isinstance(judged := first.facts.get(EVALUATOR), str) and judged:
            parts.append(self.tr("modelled by {0}").format(translated(judged)))
        if first.facts.get("dropped"):
            parts.append(
                self.tr("{0} records did not fit").format(first.facts["dropped"])
            )
        return " · ".join(parts)

    def _show_memory(self) -> None:
        trace = self.view.trace
        if trace is None:
            return
        core = self.core.currentText()
        there = memories_of(
            [counter for counter in trace.counters if counter.core == core]
        )
        with QSignalBlocker(self.memory):
            self.memory.offer(zip(there, there, strict=True))
            self.memory.setVisible(bool(there))  # a trace of msprof tells of none
        self.memories.show_core(trace, core, self.memory.currentText())

    def _scroll(self) -> None:
        with QSignalBlocker(self.bar):
            self.bar.setRange(0, max(0, self.view.rows - self.view.rows_in_view))
            self.bar.setPageStep(self.view.rows_in_view)
            self.bar.setValue(self.view.top)
        self.bar.setVisible(self.bar.maximum() > 0)

    def _picked(self, number: int) -> None:
        if self.view.trace is None or number < 0:
            self.told.setText(
                self.tr("Click a slice to see what it did; Enter goes to its line.")
            )
            return
        front = self.view.front
        words = described(front.trace, number).split("\n")
        if len(self.subjects) > 1:
            words[0] = self.tr("round {0}: {1}").format(
                self.subjects[self.view.part].round, words[0]
            )
        self.told.setText(f"{words[0]} · {words[-1]}\n{' · '.join(words[1:-1])}")
        core = front.trace.lanes[int(front.busy.lane[number])].core
        if self.core.findText(core) >= 0 and core != self.core.currentText():
            self.core.setCurrentText(core)
            self._show_memory()

    def _measured(self, begin: float, end: float) -> None:
        if end > begin:
            words = self.tr("{0} from {1} to {2}")
            self.told.setText(
                words.format(time_text(end - begin), time_text(begin), time_text(end))
            )

    def _opened(self, number: int) -> None:
        if self.view.trace is not None and number >= 0:
            trace = self.view.front.trace
            place = trace.places[trace.place[number]]
            subject = self.subjects[self.view.part] if self.subjects else None
            self.line_wanted.emit(subject, place.file, place.line)
