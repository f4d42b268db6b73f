"""One diagnostic in a thread of its own, which can be called off. Knows no window."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import SageError
from core.evaluation.records import Candidate, DiagnosticResult
from core.operators.catalogue import find_operator
from sage_desktop.services import wiring
from sage_desktop.ui.widgets.ask_bar import Subject

_STOP_SECONDS = 5.0


@dataclass(frozen=True)
class DiagnosticRequest:
    """What is asked.

    Attributes:
        subject: The kernel.
        tool: Name of the diagnostic.
        case: A visible case; empty leaves the choice to the tool.
        hosts: As `--host` takes them.
        toolchain: One of `host_choice.TOOLCHAINS`.
        soc: Processor the twin models; CANN asks the host for its own.
    """

    subject: Subject
    tool: str
    case: str = ""
    hosts: str = "local"
    toolchain: str = "twin"
    soc: str = ""


@dataclass(frozen=True)
class Answer:
    """What came of it: one of `result` and `error`, neither when it was called off."""

    question: DiagnosticRequest
    judge: str = ""
    result: DiagnosticResult | None = None
    error: BaseException | None = None
    seconds: float = 0.0


class Call:
    """Begins at once.

    Args:
        question: What is asked.
        files: The candidate's.
        said: Hears of progress, in the thread of this call.
        ended: Gets the answer, likewise.
    """

    def __init__(
        self, question: DiagnosticRequest, files: dict[str, str], said: Callable[[str], None],
        ended: Callable[[Answer], object],
    ) -> None:  # fmt: skip
        self._question = question
        self._files = files
        self._said = said
        self._ended = ended
        self._lock = threading.Lock()
        self._stopped = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Answer] | None = None
        self._thread = threading.Thread(target=self._run, name="diagnostic", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Call it off: the processes of the job end, wherever they run."""
        with self._lock:
            self._stopped = True
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def wait(self) -> None:
        """Wait for the end of a call that was called off."""
        self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        try:
            answer = asyncio.run(self._guarded())
        except BaseException as error:  # noqa: BLE001 - told in the window's thread
            answer = Answer(self._question, error=error)
        self._ended(answer)

    async def _guarded(self) -> Answer:
        task = asyncio.ensure_future(self._ask())
        with self._lock:
            self._loop, self._task = asyncio.get_running_loop(), task
            if self._stopped:
                task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            return Answer(self._question)
        finally:
            with self._lock:
                self._loop = self._task = None

    async def _ask(self) -> Answer:
        asked = self._question
        operator = find_operator(asked.subject.source, asked.subject.operator)
        soc = asked.soc if asked.toolchain == "twin" else ""
        evaluator = wiring.evaluator_for(asked.hosts, asked.toolchain, soc)
        try:
            if not evaluator.tools:
                raise SageError(
                    "{evaluator} has no diagnostics.", "Use another toolchain.", evaluator=evaluator.label
                )
            began = time.monotonic()
            result = await evaluator.diagnose(
                operator, Candidate(self._files), asked.tool, asked.case, self._said
            )
            return Answer(asked, evaluator.label, result, seconds=time.monotonic() - began)
        finally:
            await evaluator.close()
