"""What a judge answers: an evaluation, and what only the side that asked can use.

The evaluation is the record that the application stores. Of whom it is says the application: it knows which
candidate, host and toolchain it asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.evaluation.records import (
    BuildReport,
    CompilerMessage,
    Evaluation,
    VerdictClass,
)


@dataclass(frozen=True)
class Device:
    """A device a job used: `unit` is empty when it was not borrowed, `fault` when it did its work."""

    unit: str
    fault: str = ""


@dataclass(frozen=True)
class Answer:
    """The answer to a job.

    Attributes:
        evaluation: All about the candidate; host, toolchain and device are left empty.
        logs: What `build` and `run` wrote, for the toolchain that knows how to read it.
        devices: Those that were used.
    """

    evaluation: Evaluation
    logs: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[Device, ...] = ()


def void_answer(operator: str, cause: str, notes: tuple[str, ...] = ()) -> Answer:
    """The answer to a job that the environment spoiled."""
    build = BuildReport(ok=False, cause=cause)
    evaluation = Evaluation("", operator, VerdictClass.VOID, cause, build, notes=notes)
    return Answer(evaluation)


def failed_answer(
    operator: str, cause: str, file: str, notes: tuple[str, ...]
) -> Answer:
    """The answer to a job whose candidate the judge's own code fails at; `file` of it where one is known."""
    message = CompilerMessage("error", cause, file)
    build = BuildReport(ok=False, stage="judge", cause=cause, messages=(message,))
    verdict = VerdictClass.FAIL_BUILD
    return Answer(Evaluation("", operator, verdict, cause, build, notes=notes))


@dataclass(frozen=True)
class OperatorCheck:
    """What the gates say of an operator.

    Attributes:
        name: Operator.
        cases: Cases whose reference was computed.
        skipped: Cases marked big, which were not.
        seconds: Time the reference took over all these cases, on one core.
        problems: What is wrong, in words; empty when the operator passes.
        weak: Cases that accept an answer which costs a kernel nothing, where other cases reject it.
    """

    name: str
    cases: int = 0
    skipped: int = 0
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
