"""Traces rounds for the timeline, one at a time in the background, and leads from a slice to its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Signal

from core.analysis import queries
from core.errors import SageError
from sage_desktop.services.tracing import TOOL, slowest_case, trace_in
from sage_desktop.shell.background.work import Answer, BackgroundWork
from sage_desktop.ui.rounds.ask_bar import Subject

if TYPE_CHECKING:
    import sqlite3

    from core.trace.columns import Trace
    from sage_desktop.panels.diagnosing.dialog import DiagnosticRequest
    from sage_desktop.panels.timeline.panel import TimelinePanel
    from sage_desktop.shell.main_window import MainWindow

_KEPT = 4  # traces, of some 40 MB each for half a million slices


class Asker(Protocol):
    """Who shows traces."""

    def show_work(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""

    def show_traces(self, traces: Sequence[Trace], subjects: Sequence[Subject]) -> None:
        """Show one trace, or two beside each other, and whose they are."""


@dataclass(frozen=True)
class _Wanted:
    """What is being traced, for whom, on which case (empty: the first timed one), of which processor."""

    subjects: tuple[Subject, ...]
    asker: Asker
    soc: str
    case: str = ""

    def key(self, subject: Subject) -> tuple[str, str, str]:
        return subject.candidate, self.case, self.soc


class Tracing(BackgroundWork):
    """Serves the timeline page and the gutter of the comparison.

    Signals:
        traced: (`Subject`, `Trace`) newly made, for whoever asked.
    """

    traced = Signal(object, object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._known: dict[
            tuple[str, str, str], Trace
        ] = {}  # by candidate, case, processor
        self._wanted: _Wanted | None = None
        self.panel: TimelinePanel | None = None
        times = window.review.code.times
        times.wanted.connect(lambda subjects: self.trace(subjects, times))
        times.stopped.connect(self.stop)
        self.traced.connect(times.take)

    def make_panel(self) -> TimelinePanel:
        """The page, when somebody first turns to it."""
        from sage_desktop.panels.timeline.panel import TimelinePanel

        panel = TimelinePanel(self._operations)
        panel.trace_wanted.connect(self.ask)
        panel.stopped.connect(self.stop)
        panel.line_wanted.connect(self._show_line)
        panel.save_wanted.connect(self._save)
        panel.file_wanted.connect(self.open)
        panel.activated.connect(self._offer)
        self._window.queue.selected.connect(self._offer_in_front)
        self.panel = panel
        return panel

    def _offer_in_front(self) -> None:
        if self.panel is not None and self.panel.isVisible():
            self._offer()

    def _offer(self) -> None:
        """Rounds of the operator in front, the one under review first."""
        assert self.panel is not None
        row, subject = self._window.queue.current_row(), self._window.review.subject
        fits = (
            row is not None and subject is not None and subject.operator == row.operator
        )
        self.panel.show_operator(
            row, subject.round if fits and subject is not None else 0
        )

    # ---- tracing

    def ask(self, subjects: list[Subject]) -> None:
        """Trace these, those known already from memory, and show them on the page."""
        if self.panel is not None:
            self.trace(subjects, self.panel)

    def trace(self, subjects: Sequence[Subject], asker: Asker) -> None:
        """Trace kernels on the same case, those known already from memory, and give them to `asker`."""
        if self._wanted is not None:
            self._window.toasts.show_message(
                self.tr("A trace is being recorded."), kind="warning"
            )
            return
        wanted = self._wanted = _Wanted(tuple(subjects), asker, self._soc)
        asker.show_work(self.tr("Choosing the case"))
        digests = [subject.candidate for subject in subjects]

        def settle(case: str) -> None:
            if self._wanted is wanted:
                self._wanted = replace(wanted, case=case)
                self._next()

        self._operations.query(
            self, lambda db: _case_of(db, digests), settle, topic="case"
        )

    def _next(self) -> None:
        """Trace what is missing; nothing is begun before the last one, where it was called off, has ended."""
        wanted = self._wanted
        if wanted is None or self._call is not None:
            return
        missing = next(
            (
                subject
                for subject in wanted.subjects
                if wanted.key(subject) not in self._known
            ),
            None,
        )
        if missing is None:
            self._wanted = None
            wanted.asker.show_work("")
            wanted.asker.show_traces(
                [self._known[wanted.key(one)] for one in wanted.subjects],
                wanted.subjects,
            )
            return
        wanted.asker.show_work(
            self.tr("Tracing {0}, round {1}").format(missing.operator, missing.round)
        )
        from sage_desktop.panels.diagnosing.dialog import DiagnosticRequest

        request = DiagnosticRequest(missing, TOOL, wanted.case, soc=wanted.soc)
        self._diagnose(
            request, "trace", lambda: self._wanted is wanted
        )  # else it was called off

    def stop(self) -> None:
        """Call off what is under way."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted.asker.show_work("")
        super().stop()

    def _say(self, words: str) -> None:
        if self._wanted is not None and self._call is not None:
            self._wanted.asker.show_work(words)

    def _end(self, answer: Answer) -> None:
        self._call = None
        asked, result = answer.question, answer.result
        if result is not None:
            subject = asked.subject
            self._operations.run_in_background(
                self,
                lambda: trace_in(
                    result,
                    subject.operator,
                    subject.candidate,
                    asked.case,
                    answer.judge,
                ),
                lambda trace: self._keep(asked, trace),
                self._refuse,
            )
        elif isinstance(answer.error, SageError):
            self._refuse(answer.error)
        elif answer.error is not None:
            self.stop()
            self._operations.crashed.emit(answer.error)
        else:
            self._next()  # what was asked for after this one had been called off

    def _keep(self, asked: DiagnosticRequest, trace: Trace) -> None:
        wanted = (
            {self._wanted.key(one) for one in self._wanted.subjects}
            if self._wanted is not None
            else set()
        )
        for key in [key for key in self._known if key not in wanted][
            : max(0, len(self._known) + 1 - _KEPT)
        ]:
            del self._known[key]
        self._known[asked.subject.candidate, asked.case, asked.soc] = trace
        self.traced.emit(asked.subject, trace)
        self._next()

    def _refuse(self, error: SageError) -> None:
        self.stop()
        self._window.toasts.show_error(error)

    # ---- files and lines

    def open(self, path: Path) -> None:
        """Show a trace file of SAGE or of msprof."""
        from core.trace import load_trace

        panel = self.panel
        assert panel is not None
        panel.show_work(self.tr("Reading {0}").format(path.name))

        def show(trace: Trace) -> None:
            panel.show_work("")
            panel.show_traces([trace], [], path.name)

        self._operations.run_in_background(
            self, lambda: load_trace(path), show, self._refuse
        )

    def _save(self, trace: Trace, path: Path) -> None:
        from core.trace import write_trace
        from core.whole_file import whole_file

        def write() -> Path:
            with whole_file(path) as draft:
                write_trace(trace, draft)
            return path

        self._operations.run_in_background(
            self, write, self._tell_saved, self._window.toasts.show_error
        )

    def _tell_saved(self, path: Path) -> None:
        self._window.toasts.show_message(
            self.tr("The trace was saved."),
            self.tr("{0}; open it at ui.perfetto.dev.").format(path),
            "success",
        )

    def _show_line(self, subject: Subject | None, file: str, line: int) -> None:
        if subject is None:
            self._window.toasts.show_message(
                file or self.tr("The trace names no line of source.")
            )
            return
        self._window.show_line(subject.entry, subject.round, file, line)


def _case_of(db: sqlite3.Connection, candidates: Sequence[str]) -> str:
    """The timed visible case that took longest for the first of these that has one, empty without any."""
    for candidate in candidates:
        row = db.execute(
            "SELECT evaluation FROM round WHERE candidate = ? AND evaluation <> '' LIMIT 1",
            (candidate,),
        ).fetchone()
        evaluation = queries.evaluation(db, row[0]) if row is not None else None
        if evaluation is not None and (case := slowest_case(evaluation)):
            return case
    return ""
