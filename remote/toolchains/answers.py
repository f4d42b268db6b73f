"""What the tools of every toolchain answer alike: the build, and that a kernel could not be looked into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from core.evaluation.records import (
    DiagnosticResult,
    Evaluation,
    Finding,
    Severity,
    VerdictClass,
)
from remote.diagnostics.tool_output import UnreadableOutput

RUN_LOG = "run.log"  # attachment with the output of a run on a device
LOG_SHOWN = 60_000

Read = Callable[[str, Evaluation], DiagnosticResult]


def guarded(read: Read) -> Read:
    """Answer for what keeps every tool from answering, and keep the log of the run then."""

    @wraps(read)
    def answer(tool: str, evaluation: Evaluation) -> DiagnosticResult:
        log = evaluation.attachments.get(RUN_LOG, "")[-LOG_SHOWN:]
        if spoiled := _unusable(tool, evaluation):
            return replace(spoiled, log=log)
        try:
            return read(tool, evaluation)
        except UnreadableOutput as error:
            return DiagnosticResult(tool, ok=False, summary=str(error), log=log)

    return answer


@guarded
def read_build(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """Whether it compiles, with every message of the compilers."""
    return DiagnosticResult(
        tool, ok=True, summary="it compiles and links", findings=_messages(evaluation)
    )


def _unusable(tool: str, evaluation: Evaluation) -> DiagnosticResult | None:
    """The answer where the kernel could not be looked into."""
    if evaluation.verdict is VerdictClass.VOID:
        return DiagnosticResult(
            tool,
            ok=False,
            summary=f"could not be made: {evaluation.cause}",
        )
    if evaluation.build.ok:
        return None
    summary = (
        f"the kernel does not compile ({evaluation.build.stage}): "
        f"{evaluation.build.cause}"
    )
    return DiagnosticResult(
        tool, ok=False, summary=summary, findings=_messages(evaluation)
    )


def _messages(evaluation: Evaluation) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            rule="compiler",
            severity=Severity.ERROR
            if message.severity == "error"
            else Severity.WARNING,
            message=message.text,
            file=message.file,
            line=message.line,
        )
        for message in evaluation.build.messages
        if message.severity in {"error", "warning"}
    )
