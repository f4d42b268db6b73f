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
        # Of the traces shown; empty for one from a file.
        self.subjects: tuple[Subject, ...] = ()
        # What came while another operator was in front, and whose it is.
        self._kept: tuple[Sequence[Trace], Sequence[Subject]] = ((), ())
        self._working = False
        self._facts_text = ""  # what the traces shown are
        self.first, self.second = ComboBox(), ComboBox()
        self.trace = push(self.tr("Trace"), self._ask)
        self.stop = push(self.tr("Stop"), self.stopped)
        self.open = push(self.tr("Open Trace…"), self._ask_which)
        self.save = push(self.tr("Save for Perfetto…"), self._ask_where)
        self.core, self.memory = ComboBox(), ComboBox()
        self.facts = ElidingLabel()
        self.slice_words = QLabel()
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
        words = self.slice_words
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setMinimumHeight(2 * words.fontMetrics().height())
        words.setTextFormat(Qt.TextFormat.PlainText)
        foot = hbox((words, 1), self.core, self.memory, margins=(0.9, 0.3), spacing=0.5)
        full = stacked(QWidget(), views, foot, grows=0)
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
        """Offer the rounds of an operator.

        Args:
            row: The operator in front.
            round_number: To be chosen; 0 for what was chosen of it before, else the latest.
        """
        self._row = row
        operator = row.operator if row is not None else ""
        if not _is_of(self.subjects, operator):
            self._show_no_trace()
        traces, subjects = self._kept
        if traces and _is_of(subjects, operator):
            self.show_traces(traces, subjects)
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
        first, second = self._choices_before()
        self.offered = _subjects(self._row, rows)
        words = self.tr("{0}, round {1}")
        entries = [
            (words.format(subject.operator, number), number)
            for number, subject in self.offered.items()
        ]
        front = round_number or first
        if front not in self.offered:
            front = max(self.offered, default=0)
        self.first.offer(entries, front)
        self._offer_comparisons(second)
        self._may_trace(on=bool(self.offered) and not self._working)

    def _choices_before(self) -> tuple[int, int]:
        """The two rounds chosen until now; 0 where those were of another operator."""
        row = self._row
        operators = {subject.operator for subject in self.offered.values()}
        if row is None or row.operator not in operators:
            return 0, 0
        return self.first.currentData(), self.second.currentData()

    def _offer_comparisons(self, front: int) -> None:
        """Offer every round but the first one to be compared with it."""
        words = self.tr("Compare with round {0}")
        first = self.first.currentData()
        other_rounds = [number for number in self.offered if number != first]
        entries = [(words.format(number), number) for number in other_rounds]
        self.second.offer([(self.tr("No comparison"), 0), *entries], front)

    def _ask(self) -> None:
        """Have the rounds chosen traced; one chosen twice is traced once."""
        first, second = self.first.currentData(), self.second.currentData()
        numbers = [first] if second == first else [first, second]
        subjects = [
            self.offered[number] for number in numbers if number in self.offered
        ]
        if subjects:
            self.trace_wanted.emit(subjects)

    def show_work(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""
        pressed = (self.trace, self.stop, self._empty)
        front = self.focusWidget()
        was_pressed = front is not None and any(
            each.isAncestorOf(front) for each in pressed
        )
        self._working = bool(words)
        self._may_trace(on=not words and bool(self.offered))
        self.stop.setVisible(bool(words))
        if was_pressed:  # else the next press of a key would open a file
            (self.stop if words else self.first).setFocus()
        self.facts.set_text(translated(words) or self._facts_text)
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
        """Show one trace, or two over each other, once their operator is in front.

        Args:
            traces: One or two.
            subjects: The kernel of each; none for a trace from a file.
            name: Of the file.
        """
        if not _is_of(subjects, self._row.operator if self._row is not None else ""):
            self._kept = (traces, subjects)
            return
        self._kept = ((), ())
        self.subjects = tuple(subjects)
        self._stack.setCurrentIndex(_FULL)
        self.view.show_traces(*traces)
        self._facts_text = self._facts(traces, name)
        self.facts.set_text(self._facts_text)
        first = traces[0]
        cores = list(dict.fromkeys(counter.core for counter in first.counters))
        if not cores:
            cores = [first.lanes[0].core]
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
        self._facts_text = ""
        self.facts.set_text("")
        self._stack.setCurrentIndex(_EMPTY)
        self.save.setEnabled(False)

    def _facts(self, traces: Sequence[Trace], name: str) -> str:
        """What the traces are of, how long the kernels take, and who modelled them."""
        parts = [name, time_text(traces[0].kernel_ns)] if name else []
        halves = [self.tr("round {0}: {1}")]
        if len(traces) > 1:
            halves = [self.tr("above round {0}: {1}"), self.tr("below round {0}: {1}")]
        for trace, subject, half in zip(traces, self.subjects, halves, strict=False):
            words = half.format(subject.round, time_text(trace.kernel_ns))
            launch_us = float(trace.facts.get("launch_us") or 0.0)
            if launch_us:  # no slice shows it
                words += self.tr(" + {0} launch").format(time_text(1e3 * launch_us))
            if not parts:
                words = f"{subject.operator}, {words}"
            parts.append(words)
        first = traces[0]
        cores = len({lane.core for lane in first.lanes})
        slices = self.tr("{0:,} slices on one core")
        if cores > 1:
            slices = self.tr("{0:,} slices on {1} cores")
        parts.append(slices.format(len(first.start), cores))
        case = first.facts.get("case")
        if case:
            parts.append(self.tr("case {0}").format(case))
        evaluator = first.facts.get(EVALUATOR)
        if evaluator and isinstance(evaluator, str):
            parts.append(self.tr("modelled by {0}").format(translated(evaluator)))
        dropped = first.facts.get("dropped")
        if dropped:
            parts.append(self.tr("{0} records did not fit").format(dropped))
        return " · ".join(parts)

    def _show_memory(self) -> None:
        """Offer the memories of the core in front, and show the one chosen."""
        trace = self.view.trace
        if trace is None:
            return
        core = self.core.currentText()
        counters = [counter for counter in trace.counters if counter.core == core]
        names = memories_of(counters)
        with QSignalBlocker(self.memory):
            self.memory.offer((name, name) for name in names)
            self.memory.setVisible(bool(names))  # a trace of msprof tells of none
        self.memories.show_core(trace, core, self.memory.currentText())

    def _scroll(self) -> None:
        """Bring the scroll bar to where the view is."""
        view = self.view
        with QSignalBlocker(self.bar):
            self.bar.setRange(0, max(0, view.rows - view.rows_in_view))
            self.bar.setPageStep(view.rows_in_view)
            self.bar.setValue(view.top)
        self.bar.setVisible(self.bar.maximum() > 0)

    def _picked(self, number: int) -> None:
        """Describe a slice in two lines, and bring its core to the front."""
        if self.view.trace is None or number < 0:
            hint = self.tr("Click a slice to see what it did; Enter goes to its line.")
            self.slice_words.setText(hint)
            return
        front = self.view.front
        head, *details, place = described(front.trace, number).split("\n")
        if len(self.subjects) > 1:
            subject = self.subjects[self.view.trace_number]
            head = self.tr("round {0}: {1}").format(subject.round, head)
        below = " · ".join(details)
        self.slice_words.setText(f"{head} · {place}\n{below}")
        lane = front.trace.lanes[int(front.busy.lane[number])]
        is_offered = self.core.findText(lane.core) >= 0
        if is_offered and lane.core != self.core.currentText():
            self.core.setCurrentText(lane.core)
            self._show_memory()

    def _measured(self, begin: float, end: float) -> None:
        """Say how long the stretch between two times (ns) is."""
        if end <= begin:
            return
        words = self.tr("{0} from {1} to {2}")
        duration = time_text(end - begin)
        text = words.format(duration, time_text(begin), time_text(end))
        self.slice_words.setText(text)

    def _opened(self, number: int) -> None:
        """Go to the line of a slice."""
        if self.view.trace is None or number < 0:
            return
        trace = self.view.front.trace
        place = trace.places[trace.place[number]]
        subject = self.subjects[self.view.trace_number] if self.subjects else None
        self.line_wanted.emit(subject, place.file, place.line)


def _is_of(subjects: Sequence[Subject], operator: str) -> bool:
    """Whether these kernels are of an operator; none, as from a file, are of any."""
    return all(subject.operator == operator for subject in subjects)


def _subjects(row: QueueRow | None, rows: Sequence[RoundRow]) -> dict[int, Subject]:
    """The kernels of an operator by their round; rounds without one are left out."""
    if row is None:
        return {}
    return {
        entry.round: Subject(
            row.operator, row.source, entry.candidate, entry.round, row.id
        )
        for entry in rows
        if entry.candidate
    }
