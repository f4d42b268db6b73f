"""Work beside the window that takes seconds to minutes and can be called off: what its owners share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal

from core.errors import SageError
from sage_desktop.services import settings_table, wiring
from sage_desktop.services.stoppable import Ended, Stoppable
from sage_desktop.shell.part import ShellPart

if TYPE_CHECKING:
    from core.evaluation.records import DiagnosticResult
    from sage_desktop.panels.diagnosing.dialog import DiagnosticRequest
    from sage_desktop.shell.main_window import MainWindow


class BackgroundWork(ShellPart):
    """Owns at most one `Stoppable`: subclasses start it as `_call`, and show its progress and its result.

    `progressed` and `_outcome_arrived` may be emitted in any thread; `_say` and `_end` run in the window's.
    """

    progressed = Signal(object)  # a `str` signal would lose the template of a sentence
    _outcome_arrived = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._call: Stoppable[Any] | None = None
        self._reading: DiagnosticRequest | None = None
        self.progressed.connect(self._say, Qt.ConnectionType.QueuedConnection)
        self._outcome_arrived.connect(self._end, Qt.ConnectionType.QueuedConnection)

    def _diagnose(
        self,
        request: DiagnosticRequest,
        topic: str = "",
        still: Callable[[], bool] = lambda: True,
    ) -> None:
        """Read the files of a kernel and run a diagnostic on them, if `still()` holds then."""
        from core.analysis.queries import candidate_files

        def begin(files: dict[str, str]) -> None:
            if self._reading is not request:
                return  # stopped, or asked again
            self._reading = None
            if self._call is None and still():
                self._call = DiagnosticCall(
                    request, files, self.progressed.emit, self._outcome_arrived.emit
                )

        self._reading = request
        digest = request.subject.candidate
        self._operations.query(
            self, lambda db: candidate_files(db, digest), begin, topic=topic
        )

    def _say(self, words: str) -> None:
        """Tell what is being done."""

    def _end(self, outcome: Any) -> None:
        """Take what came of it."""
        raise NotImplementedError

    def _tell(
        self, error: BaseException, refuse: Callable[[SageError], object]
    ) -> None:
        """Let `refuse` tell what a person can fix; anything else is a bug."""
        if isinstance(error, SageError):
            refuse(error)
        else:
            self._operations.crashed.emit(error)

    @property
    def is_working(self) -> bool:
        """Whether something is under way."""
        return self._call is not None

    @property
    def _soc(self) -> str:
        """The processor that the CPU twin is to model, except for tasks made of a profile."""
        return str(settings_table.value_of(self._preferences, "judge/soc"))

    def stop(self) -> None:
        """Call off what is under way, also while its files are still being read."""
        if self._call is not None:
            self._call.stop()
        elif self._reading is not None:
            request, self._reading = self._reading, None
            self._outcome_arrived.emit(Answer(request))

    def close(self) -> None:
        """End what is under way."""
        self._reading = None
        if self._call is not None:
            self._call.stop()
            self._call.wait()
            self._call = None


@dataclass(frozen=True)
class Answer:
    """What came of it: one of `result` and `error`, neither when it was called off."""

    question: DiagnosticRequest
    judge: str = ""
    result: DiagnosticResult | None = None
    error: BaseException | None = None
    seconds: float = 0.0


class DiagnosticCall(Stoppable[Answer]):
    """One diagnostic in a thread of its own; begins at once.

    Args:
        question: The diagnostic to run.
        files: The candidate's.
        progress: Called with progress, in the thread of this call.
        on_answer: Called with the answer, likewise.
    """

    def __init__(
        self,
        question: DiagnosticRequest,
        files: dict[str, str],
        progress: Callable[[str], None],
        on_answer: Callable[[Answer], object],
    ) -> None:
        def answered(end: Ended[Answer]) -> None:
            on_answer(end.result or Answer(question, error=end.error))

        super().__init__(
            lambda: _ask(question, files, progress), answered, "diagnostic"
        )


async def _ask(
    question: DiagnosticRequest, files: dict[str, str], progress: Callable[[str], None]
) -> Answer:
    from core.evaluation.records import Candidate
    from core.operators.catalogue import find_operator

    operator = find_operator(question.subject.source, question.subject.operator)
    soc = question.soc if question.toolchain == "twin" else ""
    async with wiring.judge(question.hosts, question.toolchain, usual=soc) as evaluator:
        if not evaluator.tools:
            raise SageError(
                "{evaluator} has no diagnostics.",
                "Use another toolchain.",
                evaluator=evaluator.label,
            )
        began = time.monotonic()
        result = await evaluator.diagnose(
            operator, Candidate(files), question.tool, question.case, progress
        )
        label, seconds = evaluator.label_for(operator), time.monotonic() - began
        return Answer(question, label, result, seconds=seconds)
