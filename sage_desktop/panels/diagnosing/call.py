"""One diagnostic in a thread of its own, which can be called off. Knows no window."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import SageError
from core.evaluation.records import Candidate, DiagnosticResult
from core.operators.catalogue import find_operator
from sage_desktop.services import wiring
from sage_desktop.services.stoppable import Ended, Stoppable
from sage_desktop.ui.widgets.ask_bar import Subject


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


class Call(Stoppable[Answer]):
    """Begins at once.

    Args:
        question: What is asked.
        files: The candidate's.
        said: Hears of progress, in the thread of this call.
        ended: Gets the answer, likewise.
    """

    def __init__(
        self,
        question: DiagnosticRequest,
        files: dict[str, str],
        said: Callable[[str], None],
        ended: Callable[[Answer], object],
    ) -> None:
        def answered(end: Ended[Answer]) -> None:
            ended(end.result or Answer(question, error=end.error))

        super().__init__(lambda: _ask(question, files, said), answered, "diagnostic")


async def _ask(
    asked: DiagnosticRequest, files: dict[str, str], said: Callable[[str], None]
) -> Answer:
    operator = find_operator(asked.subject.source, asked.subject.operator)
    soc = asked.soc if asked.toolchain == "twin" else ""
    async with wiring.judge(asked.hosts, asked.toolchain, soc) as evaluator:
        if not evaluator.tools:
            raise SageError(
                "{evaluator} has no diagnostics.",
                "Use another toolchain.",
                evaluator=evaluator.label,
            )
        began = time.monotonic()
        result = await evaluator.diagnose(
            operator, Candidate(files), asked.tool, asked.case, said
        )
        return Answer(asked, evaluator.label, result, seconds=time.monotonic() - began)
