"""What holds an operator's rounds up: under the roofline, and pipe by pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePosixPath

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from core.analysis.queries import QueueRow
from core.evaluation.bottleneck import bottleneck, core_name
from core.evaluation.profile_text import MOST_LINES
from core.evaluation.records import LineTimes, PipeProfile
from core.evaluation.roofline import RooflinePoint
from sage_desktop.panels.results.pipe_bars import PipeBars
from sage_desktop.panels.results.reading import (
    PIPES,
    Bottleneck,
    TimedRound,
    read_bottleneck,
)
from sage_desktop.panels.results.roofline_plot import RooflinePlot, point_text
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.rounds.ask_bar import Subject
from sage_desktop.ui.translation import translated
from sage_desktop.ui.widgets.combo import ComboBox
from sage_desktop.ui.widgets.form import muted
from sage_desktop.ui.widgets.making import named, on_base, push, tool
from sage_desktop.ui.widgets.pages import scrolled
from sage_desktop.ui.widgets.stacking import boxed, hbox, split, stacked, vbox
from sage_desktop.ui.widgets.verdicts import latency_text, origin_text

_tr = partial(QCoreApplication.translate, "BottleneckView")


class BottleneckView(QWidget):
    """Operator and rounds to choose at the left; roofline and pipes at the right.

    Signals:
        profile_wanted: (`Subject`, case) of a kernel whose profile places its round here.

    Attributes:
        analysis: What was read of the operator in front, None until then.
        drawings: Roofline and pipes.
    """

    profile_wanted = Signal(object, str)
    line_opened = Signal(object)

    def __init__(self, operations: Operations) -> None:
        super().__init__()
        self._operations = operations
        self._entries: dict[str, QueueRow] = {}
        self._trajectory = ""  # of which `analysis` was read
        self.analysis: Bottleneck | None = None
        self.operator = ComboBox(_tr("Operator"), self._read)
        self.words = muted()
        self.profile = push("", self._ask_profile)
        self.list = named(QListWidget(), _tr("Timed rounds"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._show_round)
        self.plot = RooflinePlot()
        self.pipe_words = muted()
        self.pipes = PipeBars()
        self.pipes.clicked.connect(self._open_pipe)
        self.line_words = muted()
        self._costly: Sequence[LineTimes] = ()
        self.lines = [self._line_button(n) for n in range(MOST_LINES)]
        self._lay_out()

    def _line_button(self, number: int) -> QToolButton:
        """One of the expensive lines; it is as wide as there is room."""
        button = tool(partial(self._open_line, number), "")
        policy = QSizePolicy.Policy
        button.setSizePolicy(policy.Maximum, policy.Fixed)
        button.setMinimumWidth(1)
        return button

    def _open_line(self, number: int) -> None:
        """Lead to one of the lines listed, in the round they are of."""
        row = self._round_in_front()
        if row is not None and number < len(self._costly):
            line = self._costly[number]
            place = (self._trajectory, row.number, line.file, line.line)
            self.line_opened.emit(place)

    def _open_pipe(self, name: str) -> None:
        """Lead to the most expensive line of a pipe, in the round in front."""
        row = self._round_in_front()
        if row is None or row.profile is None:
            return
        core = bottleneck(row.profile).critical
        if core is None:
            return
        attribute = dict(PIPES)[name]
        of_pipe = [line for line in core.lines if line.pipe == attribute]
        if of_pipe:
            line = max(of_pipe, key=lambda line: line.cycles)
            place = (self._trajectory, row.number, line.file, line.line)
            self.line_opened.emit(place)

    def _lay_out(self) -> None:
        head = hbox(QLabel(_tr("Operator")), (self.operator, 1))
        profile = (self.profile, Qt.AlignmentFlag.AlignLeft)
        side = boxed(vbox(head, self.words, profile, (self.list, 1), margins=0.6))
        lines = vbox(self.line_words, *self.lines, spacing=0.1)
        column = vbox(self.pipe_words, self.pipes, lines, None, margins=0.6)
        pipes = scrolled(on_base(boxed(column)))
        self.drawings = split(
            Qt.Orientation.Vertical, self.plot, pipes, sizes=(30, 17), stretch=(1, 0)
        )
        halves = split(
            Qt.Orientation.Horizontal,
            side,
            self.drawings,
            sizes=(24, 60),
            stretch=(0, 1),
        )
        stacked(self, halves)

    def show_operators(self, rows: Sequence[QueueRow]) -> None:
        """Offer the operators that have a timed kernel; the one in front stays."""
        self._entries = {
            row.trajectory_uid: row for row in rows if row.t_best is not None
        }
        self.operator.offer((row.operator, uid) for uid, row in self._entries.items())
        self._read()

    def _read(self) -> None:
        trajectory = self.operator.currentData()
        if not trajectory:
            self._show("", None)
            return
        self._operations.query(
            self,
            lambda db: read_bottleneck(db, trajectory),
            lambda analysis: self._show(trajectory, analysis),
            topic="bottleneck",
        )

    def _ask_profile(self) -> None:
        row = self._entries.get(self.operator.currentData())
        question = self.analysis.question if self.analysis is not None else None
        if question is None or row is None:
            return
        self.profile.setEnabled(False)  # until the page is read again
        subject = Subject(
            row.operator, row.source, question.candidate, question.round, row.id
        )
        self.profile_wanted.emit(subject, question.case)

    def _show(self, trajectory: str, analysis: Bottleneck | None) -> None:
        # The round in front stays there when the same trajectory is read again.
        before = self._round_in_front() if trajectory == self._trajectory else None
        self._trajectory, self.analysis = trajectory, analysis
        self.words.setText(explanation(analysis))
        self._offer_profile(analysis)
        self._list_rounds(analysis)
        self.plot.show_bottleneck(analysis)
        # Rounds without a place under the roofline still have pipes.
        self.plot.setVisible(analysis is None or bool(analysis.points))
        best = analysis.best if analysis is not None else 0
        front = before.number if before is not None else best
        numbers = [row.number for row in self._listed()]
        self.list.setCurrentRow(numbers.index(front) if front in numbers else 0)
        if not numbers:
            self._show_round(-1)

    def _list_rounds(self, analysis: Bottleneck | None) -> None:
        """List the timed rounds, and describe the plot to a screen reader by them."""
        self.list.clear()
        sentences = [self.words.text()]
        for row in self._listed():
            words = _round_text(row, analysis)
            item = QListWidgetItem(words, self.list)
            if row.point is not None:
                item.setToolTip(_transfer_text(row.point))
            sentences.append(words)
        self.plot.setAccessibleDescription(" ".join(sentences))

    def _offer_profile(self, analysis: Bottleneck | None) -> None:
        question = None
        # A profile places its round only where the ceilings are known.
        if analysis is not None and analysis.ceilings is not None:
            question = analysis.question
        self.profile.setVisible(question is not None)
        self.profile.setEnabled(question is not None)
        if question is not None:
            words = _tr("Run “profile” on Round {0}").format(question.round)
            self.profile.setText(words)

    def _listed(self) -> tuple[TimedRound, ...]:
        return self.analysis.rounds if self.analysis is not None else ()

    def _round_in_front(self) -> TimedRound | None:
        rounds = self._listed()
        row = self.list.currentRow()
        return rounds[row] if 0 <= row < len(rounds) else None

    def _show_round(self, _row: int) -> None:
        """Mark the round in the drawing and show its pipes."""
        row = self._round_in_front()
        self.plot.mark(row.point if row is not None else None)
        profile = row.profile if row is not None else None
        self.pipe_words.setText(_pipes_text(row, profile))
        self.pipes.show_profile(profile)
        self._show_lines(profile)

    def _show_lines(self, profile: PipeProfile | None) -> None:
        """The most expensive lines of the critical core, none where they are not known."""
        core = bottleneck(profile).critical if profile is not None else None
        self._costly = core.costly_lines[: len(self.lines)] if core is not None else ()
        for widget in (self.line_words, *self.lines):
            widget.hide()
        if core is None or not self._costly:
            return
        heading = _tr("Most expensive lines of {0}")
        self.line_words.setText(heading.format(core_name(core)))
        self.line_words.show()
        tip = _tr("Show this line in the review")
        for button, line in zip(self.lines, self._costly, strict=False):
            button.setText(_line_text(line, core.total_cycles))
            button.setToolTip(tip)
            button.show()


def explanation(analysis: Bottleneck | None) -> str:
    """What the drawing shows, and which rounds have no place in it, and why."""
    if analysis is None:
        return _tr("No operator has a timed kernel yet.")
    if analysis.ceilings is None:
        device = translated(analysis.device) or "\N{EN DASH}"
        return _tr("No ceilings are known of {0}.").format(device)
    parts = []
    if analysis.points:
        words = _tr(
            "{0}: slowest timed case of each round ({2}), without the cost of the launch; {1}."
        )
        processor = analysis.ceilings.processor
        origins = _distinct(origin_text(point.origin) for point in analysis.points)
        cases = _distinct(point.case for point in analysis.points)
        parts.append(words.format(processor, origins, cases))
    mixed = [point.round for point in analysis.points if point.is_timed_elsewhere]
    if mixed:
        words = _tr(
            "The time of round {0} is measured; its operations and bytes are those the "
            "CPU twin counts for the same kernel and case."
        )
        parts.append(words.format(_distinct(map(str, mixed))))
    if analysis.moving:
        words = _tr(
            "Rounds that move data and compute nothing have no place here: {0}."
        )
        parts.append(words.format(_distinct(map(str, analysis.moving))))
    if analysis.silent:
        words = _tr(
            "Rounds that do not say what they moved and computed (earlier release, or a "
            "device): {0}. The diagnostic “profile” of the CPU twin on the slowest timed "
            "case of one places it here."
        )
        parts.append(words.format(_distinct(map(str, analysis.silent))))
    return " ".join(parts)


def _distinct(texts: Iterable[str]) -> str:
    """A list in words that names each text once."""
    return ", ".join(dict.fromkeys(texts))


def _transfer_text(point: RooflinePoint) -> str:
    """What a round moved, and in which time."""
    words = _tr("{0}: {1:.3g} MB from and to global memory in {2:.2f} µs")
    return words.format(point.case, point.bytes / 1e6, point.time_us)


def _round_text(row: TimedRound, analysis: Bottleneck | None) -> str:
    """A round in words: its place under the roofline, or its latency alone."""
    if row.point is not None and analysis is not None and analysis.ceilings is not None:
        best = row.number == analysis.best
        return point_text(row.point, analysis.ceilings, best=best)
    return _tr("Round {0}: {1}").format(row.number, latency_text(row.latency_us))


def _pipes_text(row: TimedRound | None, profile: PipeProfile | None) -> str:
    if row is None:
        return ""
    if profile is None:
        return _tr("There are no pipe times of round {0}.").format(row.number)
    words = _tr(
        "Round {0}: share of the time of the slowest of {1} cores, {2}; bound by {3}"
    )
    return words.format(
        row.number,
        len(profile.cores),
        origin_text(profile.stored_origin),
        profile.bound.upper() or "\N{EN DASH}",
    )


def _line_text(line: LineTimes, total_cycles: float) -> str:
    """A line of the kernel: what it calls, its part of the core's time, what a call costs."""
    calls = max(line.calls, 1)
    share = 100 * line.cycles / (total_cycles or 1.0)
    words = _tr("{0:.0f} % {1} · {2}:{3} {4} · {5} × {6:.0f} cycles")
    return words.format(
        share,
        line.pipe.upper(),
        PurePosixPath(line.file).name,
        line.line,
        line.call,
        calls,
        line.cycles / calls,
    )
