"""The diagnostics of the CPU twin: the judge's own answer about one case, read for one question.

Their names are those under which the tools of CANN (msSanitizer, msprof, printf and DumpTensor) answer the
same questions; nothing here depends on time, so that equal kernels give equal answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps

from core.evaluation.records import (
    DiagnosticResult,
    Evaluation,
    Finding,
    Severity,
    VerdictClass,
)
from remote.diagnostics.reading import UnreadableOutput
from remote.toolchains.port import Probe, Tool

RUN_LOG = "run.log"  # attachment with the output of a run on a device
LOG_SHOWN = 60_000
_GRAVE = (Severity.ERROR, Severity.HAZARD)

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


@guarded
def read_sanitizer(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """Everything the checks of memory, queues, events and copies found, warnings included."""
    findings = evaluation.findings
    grave = [finding for finding in findings if finding.severity in _GRAVE]
    said = (
        f"errors and hazards: {len(grave)}, warnings and notes: "
        f"{len(findings) - len(grave)}"
    )
    return DiagnosticResult(
        tool,
        ok=not grave,
        summary=f"{_case(evaluation)}: {said}",
        findings=findings,
    )


@guarded
def read_profile(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """Busy cycles by pipe and core of the launch."""
    if evaluation.profile is None:
        summary = f"no profile: {evaluation.cause}"
        return DiagnosticResult(
            tool, ok=False, summary=summary, findings=evaluation.findings
        )
    latency = evaluation.cases[0].latency
    summary = _case(evaluation)
    if latency is not None:
        summary = f"{summary}, {latency.value:.2f} {latency.unit} {latency.origin}"
    return DiagnosticResult(tool, ok=True, summary=summary, profile=evaluation.profile)


@guarded
def read_output(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """What the kernel printed (printf, DumpTensor) and what op_host logged."""
    text = "\n".join(evaluation.notes)
    count = len(text.splitlines())
    said = f"{count} lines" if text else "nothing was printed"
    return DiagnosticResult(
        tool,
        ok=bool(text),
        summary=f"{_case(evaluation)}: {said}",
        log=text,
    )


def read_trace(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """What every pipe did and when, as an attachment `core.trace` unpacks; the profile beside it."""
    answer = read_profile(tool, evaluation)
    if not evaluation.attachments:
        summary = f"no trace: {evaluation.cause or answer.summary}"
        return replace(answer, ok=False, summary=summary)
    return replace(answer, ok=True, attachments=evaluation.attachments)


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


def _case(evaluation: Evaluation) -> str:
    case = evaluation.cases[0]
    if not case.detail or case.status == "pass":
        return f"case {case.case} {case.status}"
    return f"case {case.case} {case.status} ({case.detail})"


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


TWIN_TOOLS: Mapping[str, Tool] = {
    "build": Tool(
        "compiles the files and shows every message; nothing runs",
        Probe(build_only=True),
        read_build,
    ),
    "sanitizer": Tool(
        "memory, queue, event and copy checks on one case, warnings included, with file and line",
        Probe(strict=True),
        read_sanitizer,
    ),
    "profile": Tool(
        "cycles by pipe and core on one case (modelled)", Probe(), read_profile
    ),
    "output": Tool(
        "what printf and DumpTensor in the kernel write on one case",
        Probe(),
        read_output,
    ),
}
TRACE = "trace"
TRACE_TOOL = Tool(
    "what every pipe did and when on one case",
    Probe(trace=True),
    read_trace,
    offered=False,
)
