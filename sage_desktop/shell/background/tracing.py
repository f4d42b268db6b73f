"""Traces rounds for the timeline, one at a time in the background, and leads from a slice to its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Signal

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
    """What shows traces."""

    def show_work(self, words: str) -> None:
        """Say what is being done; empty when nothing is."""

    def show_traces(self, traces: Sequence[Trace], subjects: Sequence[Subject]) -> None:
        """Show one trace, or two beside each other, and whose they are."""


@dataclass(frozen=True)
class _Request:
    """Kernels to trace.

    Attributes:
        subjects: The kernels.
        asker: Shows the traces.
        soc: Processor the twin models.
        case: Empty until it is settled.
    """

    subjects: tuple[Subject, ...]
    asker: Asker
    soc: str
    case: str = ""

    def key(self, subject: Subject) -> tuple[str, str, str]:
        return subject.candidate, self.case, self.soc


class Tracing(BackgroundWork):
    """Serves the timeline page and the gutter of the comparison.

    Signals:
        traced: (`Subject`, `Trace`) newly made, for any asker.
    """

    traced = Signal(object, object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        # by candidate, case and processor; the oldest first
        self._traces: dict[tuple[str, str, str], Trace] = {}
        self._request: _Request | None = None
        self.panel: TimelinePanel | None = None
        window.page_made.connect(self._serve_page)

    def _serve_page(self, number: int, _page: object) -> None:
        from sage_desktop.shell.main_window import REVIEW

        if number == REVIEW:
            times = self._window.review.code.times
            times.trace_wanted.connect(
                lambda subjects, case: self.trace(subjects, times, case)
            )
            times.stopped.connect(self.stop)
            self.traced.connect(times.take)

    def make_panel(self) -> TimelinePanel:
        """The page, when the user first turns to it."""
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
        number = 0
        if row is not None and subject is not None:
            number = subject.round if subject.operator == row.operator else 0
        self.panel.show_operator(row, number)
        if subject is not None and number and not self.panel.shows_trace:
            self._show_kept(self.panel, subject)

    def _show_kept(self, panel: TimelinePanel, subject: Subject) -> None:
        """Show the trace of the round under review where there is one already."""
        traces = [
            trace
            for (candidate, _case, soc), trace in self._traces.items()
            if (candidate, soc) == (subject.candidate, self._soc)
        ]
        if traces:
            panel.show_traces(traces[-1:], [subject])

    # ---- tracing

    def ask(self, subjects: list[Subject]) -> None:
        """Trace kernels and show them on the page."""
        if self.panel is not None:
            self.trace(subjects, self.panel)

    def trace(self, subjects: Sequence[Subject], asker: Asker, case: str = "") -> None:
        """Trace kernels on the same case, unless that was done already.

        Args:
            subjects: The kernels.
            asker: Gets the traces.
            case: Empty for the one that took longest.
        """
        if self._request is not None:
            self._window.toasts.show_message(
                self.tr("A trace is being recorded."), kind="warning"
            )
            return
        request = self._request = _Request(tuple(subjects), asker, self._soc, case)
        if case:
            self._next()
            return
        asker.show_work(self.tr("Choosing the case"))
        digests = [subject.candidate for subject in subjects]

        def settle(case: str) -> None:
            if self._request is request:
                self._request = replace(request, case=case)
                self._next()

        self._operations.query(
            self, lambda db: _case_of(db, digests), settle, topic="case"
        )

    def _next(self) -> None:
        """Trace the first kernel that has no trace yet; give them to the asker when all have one.

        Nothing begins before the last trace has ended, also where it was stopped.
        """
        request = self._request
        if request is None or self._call is not None:
            return
        keys = [request.key(subject) for subject in request.subjects]
        missing = [key not in self._traces for key in keys]
        if not any(missing):
            self._request = None
            request.asker.show_work("")
            traces = [self._traces[key] for key in keys]
            request.asker.show_traces(traces, request.subjects)
            return
        subject = request.subjects[missing.index(True)]
        words = self.tr("Tracing {0}, round {1}")
        request.asker.show_work(words.format(subject.operator, subject.round))
        from sage_desktop.panels.diagnosing.dialog import DiagnosticRequest

        question = DiagnosticRequest(subject, TOOL, request.case, soc=request.soc)
        self._diagnose(question, "trace", lambda: self._request is request)

    def stop(self) -> None:
        """Stop the trace that is running."""
        request, self._request = self._request, None
        if request is not None:
            request.asker.show_work("")
        super().stop()

    def _say(self, words: str) -> None:
        if self._request is not None and self._call is not None:
            self._request.asker.show_work(words)

    def _end(self, answer: Answer) -> None:
        self._call = None
        question, result = answer.question, answer.result
        if result is not None:
            subject = question.subject
            self._operations.run_in_background(
                self,
                lambda: trace_in(
                    result,
                    subject.operator,
                    subject.candidate,
                    question.case,
                    answer.judge,
                ),
                lambda trace: self._keep(question, trace),
                self._refuse,
            )
        elif isinstance(answer.error, SageError):
            self._refuse(answer.error)
        elif answer.error is not None:
            self.stop()
            self._operations.crashed.emit(answer.error)
        else:
            self._next()  # another request came after this one was stopped

    def _keep(self, question: DiagnosticRequest, trace: Trace) -> None:
        """Keep a trace; the oldest ones that the request does not need go."""
        request = self._request
        needed = set()
        if request is not None:
            needed = {request.key(subject) for subject in request.subjects}
        spare = [key for key in self._traces if key not in needed]
        excess = max(0, len(self._traces) + 1 - _KEPT)
        for key in spare[:excess]:
            del self._traces[key]
        subject = question.subject
        self._traces[subject.candidate, question.case, question.soc] = trace
        self.traced.emit(subject, trace)
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
    from core.analysis import queries

    for candidate in candidates:
        row = db.execute(
            "SELECT evaluation FROM round WHERE candidate = ? AND evaluation <> '' LIMIT 1",
            (candidate,),
        ).fetchone()
        evaluation = queries.evaluation(db, row[0]) if row is not None else None
        if evaluation is not None and (case := slowest_case(evaluation)):
            return case
    return ""
