"""Traces rounds for the timeline, one at a time in the background, and leads from a slice to its line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from core.engine import queries
from core.errors import SageError
from sage_desktop.services import settings_table
from sage_desktop.ui.operations import Operations
from sage_desktop.ui.preferences import Preferences
from sage_desktop.ui.widgets.ask_bar import Subject

if TYPE_CHECKING:
    import sqlite3

    from core.trace.columns import Trace
    from sage_desktop.panels.diagnosing.call import Answer, Call
    from sage_desktop.panels.timeline.panel import TimelinePanel
    from sage_desktop.shell.crash import CrashReporter
    from sage_desktop.shell.main_window import MainWindow

_KEPT = 4  # traces, of some 40 MB each for half a million slices


class Tracing(QObject):
    """Serves the timeline page."""

    _said = Signal(object)  # a `str` signal would lose the template of a sentence
    _ended = Signal(object)

    def __init__(
        self, window: MainWindow, operations: Operations, preferences: Preferences, crash: CrashReporter
    ) -> None:
        super().__init__(window)
        self._window = window
        self._operations = operations
        self._preferences = preferences
        self._crash = crash
        self._known: dict[str, Trace] = {}  # by candidate
        self._wanted: list[Subject] = []
        self._call: Call | None = None
        self.panel: TimelinePanel | None = None
        self._said.connect(self._say, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._end, Qt.ConnectionType.QueuedConnection)

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
        fits = row is not None and subject is not None and subject.operator == row.operator
        self.panel.show_operator(row, subject.round if fits and subject is not None else 0)

    # ---- tracing

    def ask(self, subjects: list[Subject]) -> None:
        """Trace these, those known already from memory, and show them."""
        if self._call is None:
            self._wanted = list(subjects)
            self._next()

    def _next(self) -> None:
        assert self.panel is not None
        missing = next((entry for entry in self._wanted if entry.candidate not in self._known), None)
        if missing is None:
            self.panel.show_work("")
            if self._wanted:
                traces = [self._known[entry.candidate] for entry in self._wanted]
                self.panel.show_traces(traces, [entry.round for entry in self._wanted])
            return
        self.panel.show_work(self.tr("Tracing round {0}").format(missing.round))
        self._operations.query(
            self, lambda db: _read(db, missing), lambda found: self._begin(missing, *found), topic="trace"
        )

    def _begin(self, subject: Subject, files: dict[str, str], case: str) -> None:
        from sage_desktop.panels.diagnosing.call import Call, DiagnosticRequest
        from sage_desktop.services.tracing import TOOL

        soc = str(settings_table.read(self._preferences, settings_table.setting("judge/soc")))
        request = DiagnosticRequest(subject, TOOL, case, soc=soc)
        self._call = Call(request, files, self._said.emit, self._ended.emit)

    def stop(self) -> None:
        """Call off what is under way."""
        if self._call is not None:
            self._call.stop()

    @Slot(object)
    def _say(self, words: str) -> None:
        if self.panel is not None and self._call is not None:
            self.panel.show_work(words)

    @Slot(object)
    def _end(self, answer: Answer) -> None:
        from sage_desktop.services.tracing import trace_in

        self._call = None
        subject, case, result = answer.question.subject, answer.question.case, answer.result
        if result is not None:
            self._operations.run_in_background(
                self,
                lambda: trace_in(result, subject.operator, subject.candidate, case, answer.judge),
                lambda trace: self._keep(subject, trace),
                self._refuse,
            )
        elif isinstance(answer.error, SageError):
            self._refuse(answer.error)
        else:
            self._wanted = []
            self._next()
            if answer.error is not None:
                self._crash.show_error(answer.error)

    def _keep(self, subject: Subject, trace: Trace) -> None:
        while len(self._known) >= _KEPT:
            del self._known[next(iter(self._known))]
        self._known[subject.candidate] = trace
        self._next()

    def _refuse(self, error: SageError) -> None:
        self._wanted = []
        self._next()
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
            panel.show_traces([trace], [0], path.name)

        self._operations.run_in_background(self, lambda: load_trace(path), show, self._refuse)

    def _save(self, trace: Trace, path: Path) -> None:
        from core.trace import write_trace
        from core.whole_file import whole_file

        def write() -> Path:
            with whole_file(path) as draft:
                write_trace(trace, draft)
            return path

        self._operations.run_in_background(self, write, self._tell_saved, self._window.toasts.show_error)

    def _tell_saved(self, path: Path) -> None:
        self._window.toasts.show_message(
            self.tr("The trace was saved."),
            self.tr("{0}; open it at ui.perfetto.dev.").format(path),
            "success",
        )

    def _show_line(self, number: int, file: str, line: int) -> None:
        from sage_desktop.shell.main_window import REVIEW

        if not number:
            self._window.toasts.show_message(file or self.tr("The trace names no line of source."))
            return
        self._window.tabs.setCurrentIndex(REVIEW)
        self._window.review.show_line(number, file, line)

    def close(self) -> None:
        """End what is under way."""
        if self._call is not None:
            self._call.stop()
            self._call.wait()
            self._call = None


def _read(db: sqlite3.Connection, subject: Subject) -> tuple[dict[str, str], str]:
    """The files of a candidate, and the timed visible case of its evaluation that took longest."""
    from sage_desktop.services.tracing import slowest_case

    row = db.execute(
        "SELECT evaluation FROM round WHERE candidate = ? AND evaluation <> '' LIMIT 1", (subject.candidate,)
    ).fetchone()
    evaluation = queries.evaluation(db, row[0]) if row is not None else None
    return queries.candidate_files(db, subject.candidate), slowest_case(evaluation) if evaluation else ""
