"""The diagnostics of the CPU twin: the judge's own answer about one case, read for one question.

Their names are those under which the tools of CANN (msSanitizer, msprof, printf and DumpTensor) answer the
same questions; nothing here depends on time, so that equal kernels give equal answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.evaluation.records import (
    FAULTS,
    NOT_RUN,
    DiagnosticResult,
    Evaluation,
)
from remote.toolchains.answers import guarded, read_build
from remote.toolchains.port import Probe, Tool


@guarded
def read_sanitizer(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """Everything the checks of memory, queues, events and copies found, warnings included."""
    findings = tuple(one for one in evaluation.findings if one.rule != NOT_RUN)
    grave = [finding for finding in findings if finding.severity in FAULTS]
    counts = (
        f"errors and hazards: {len(grave)}, warnings and notes: "
        f"{len(findings) - len(grave)}"
    )
    return DiagnosticResult(
        tool,
        ok=not grave,
        summary=f"{_case(evaluation)}: {counts}",
        findings=findings,
    )


@guarded
def read_profile(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """Busy cycles by pipe and core of the launch, and calls that it did not make."""
    if evaluation.profile is None:
        summary = f"no profile: {evaluation.cause}"
        return DiagnosticResult(
            tool, ok=False, summary=summary, findings=evaluation.findings
        )
    latency = evaluation.cases[0].latency
    summary = _case(evaluation)
    if latency is not None:
        summary = f"{summary}, {latency.value:.2f} {latency.unit} {latency.origin}"
    unrun = tuple(one for one in evaluation.findings if one.rule == NOT_RUN)
    return DiagnosticResult(
        tool, ok=True, summary=summary, findings=unrun, profile=evaluation.profile
    )


@guarded
def read_output(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """What the kernel printed (printf, DumpTensor) and what op_host logged."""
    text = "\n".join(evaluation.notes)
    count = len(text.splitlines())
    length = f"{count} lines" if text else "nothing was printed"
    return DiagnosticResult(
        tool,
        ok=bool(text),
        summary=f"{_case(evaluation)}: {length}",
        log=text,
    )


def read_trace(tool: str, evaluation: Evaluation) -> DiagnosticResult:
    """What every pipe did and when, as an attachment `core.trace` unpacks; the profile beside it."""
    answer = read_profile(tool, evaluation)
    if not evaluation.attachments:
        summary = f"no trace: {evaluation.cause or answer.summary}"
        return replace(answer, ok=False, summary=summary)
    return replace(answer, ok=True, attachments=evaluation.attachments)


def _case(evaluation: Evaluation) -> str:
    case = evaluation.cases[0]
    if not case.detail or case.status == "pass":
        return f"case {case.case} {case.status}"
    return f"case {case.case} {case.status} ({case.detail})"


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
        "what bounds one case, cycles by pipe, the most expensive lines (modelled), lines it "
        "does not run",
        Probe(),
        read_profile,
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
