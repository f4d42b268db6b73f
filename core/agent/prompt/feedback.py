"""f_t as text for the model: the cause first, then where, then the table of cases.

Hidden cases count but never speak: of them the model learns how many of a class fail
and how, never names, shapes, values or limits. What a definition lacks is explained all
the same: it is a fault of every call. Logs are cut to what names a cause; the whole
evaluation stays in the workspace for the person.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.prompt.hidden_cases import (
    SETTLED,
    hidden_lines,
    without_place,
)
from core.agent.reply.markdown import fence_for
from core.evaluation.profile_text import (
    core_rows,
    further_line_rows,
    profile_text,
)
from core.evaluation.records import (
    CANN_HEADERS,
    INSIDE_MODEL,
    CaseResult,
    DiagnosticResult,
    Evaluation,
    Finding,
    Latency,
    Severity,
    VerdictClass,
    is_proven_gain,
    origin_words,
)
from core.operators.spec import OperatorSpec
from core.visible import one_line

# Rules that speak of the definition alone, never of shapes or values: with these words they may explain a
# hidden case. Their own come from a process of the candidate, which knows its shapes.
_OF_DEFINITION = {
    "contiguity": "an input is not contiguous in this call (a transposed or sliced view), which CANN refuses "
    "unless the OpDef says AutoContiguous or IgnoreContiguous. Add .AutoContiguous() to every Input without "
    "either: it is then made contiguous before the kernel runs; nothing else changes. IgnoreContiguous is only "
    "for an operator that reads the strides itself."
}
_FAULTS = frozenset({Severity.ERROR, Severity.HAZARD})
_MESSAGES = 8
_FINDINGS = 10
_LINE = 480
_LOG = 4000  # characters of what a diagnostic printed


def visible_cause(evaluation: Evaluation) -> str:
    """The cause line without anything a hidden case would give away.

    Empty when the kernel is correct.

    Args:
        evaluation: What the environment answered.
    """
    if evaluation.verdict is VerdictClass.PASS:
        return ""
    if not evaluation.build.ok:
        return one_line(evaluation.cause or evaluation.build.cause, _LINE)
    return one_line(_cause(evaluation), _LINE)


def _cause(evaluation: Evaluation) -> str:
    hidden = [case for case in evaluation.cases if case.hidden]
    failing = [case for case in evaluation.cases if case.status not in SETTLED]
    visible = [case for case in failing if not case.hidden]
    if failing and not visible:
        who = (
            "A hidden test case fails"
            if len(failing) == 1
            else f"{len(failing)} hidden test cases fail"
        )
        line = f"{who} ({failing[0].status}); every visible case passes."
        public_findings = (
            f"{f.rule}: {_OF_DEFINITION[f.rule]}"
            for f in evaluation.findings
            if _is_told(f)
        )
        return " ".join([line, next(public_findings, "")]).rstrip()
    if visible and any(case.case in evaluation.cause for case in hidden):
        return f"{visible[0].case}: {visible[0].status}: {visible[0].detail}"
    hazards = (f for f in evaluation.findings if f.severity is Severity.HAZARD)
    hazard = next(hazards, None)
    if not failing and hazard is not None and hazard.case in {c.case for c in hidden}:
        return _hidden_finding(hazard).removeprefix("- ")
    return evaluation.cause


def feedback_text(
    evaluation: Evaluation,
    best: Latency | None,
    *,
    brief: bool = False,
    operator: OperatorSpec | None = None,
) -> str:
    """Render `evaluation` for the next prompt.

    Args:
        evaluation: What the environment answered.
        best: Latency of the best correct kernel so far, None before there is one.
        brief: The shrunk form: cause, first message or finding, failing cases only.
        operator: Whose cases they are, to tell failures by class.
    """
    parts = [f"Verdict: {evaluation.verdict.value}"]
    cause = visible_cause(evaluation)
    if cause:
        parts.append(f"Cause: {cause}")
    headers = evaluation.facts.get(CANN_HEADERS, "")
    if evaluation.build.ok and headers:
        parts.append(f"Build: {one_line(headers, _LINE)}")
    if not evaluation.build.ok:
        parts.append(_build(evaluation, 1 if brief else _MESSAGES))
    findings = _findings(evaluation, 1 if brief else _FINDINGS, cause, operator)
    if findings:
        parts.append("Findings:\n" + findings)
    if evaluation.cases:
        parts.append(
            "Cases:\n" + _cases(evaluation.cases, operator, failing_only=brief)
        )
    if evaluation.latency is not None:
        parts.append(_latency(evaluation.latency, best))
    elif evaluation.correct:
        why = next(iter(evaluation.notes), "it does work whose time is not known")
        parts.append(
            f"No latency: {one_line(why, _LINE)} A kernel without one never becomes the best."
        )
    if evaluation.profile is not None and not brief:
        parts.append(profile_text(evaluation.profile, of="the slowest timed case"))
        parts += further_line_rows(evaluation)
    return "\n".join(part for part in parts if part)


def diagnostic_text(result: DiagnosticResult) -> str:
    """Render the answer of a diagnostic.

    Equal answers give equal bytes, so nothing of time stands here.
    """
    parts = [f"{result.tool}: {one_line(result.summary, _LINE)}"]
    lines = [_finding(finding) for finding in result.findings]
    rest = len(lines) - _FINDINGS
    parts += lines[:_FINDINGS] + ([f"- and {rest} more findings"] if rest > 0 else [])
    if result.profile is not None:
        parts += [profile_text(result.profile), *core_rows(result.profile)]
    if result.log:
        cut = result.log if len(result.log) <= _LOG else f"{result.log[:_LOG]}\n[… cut]"
        mark = fence_for(cut)
        parts.append(f"{mark}\n{cut.rstrip()}\n{mark}")
    return "\n".join(part for part in parts if part)


def _build(evaluation: Evaluation, limit: int) -> str:
    lines = [f"Build failed at stage: {evaluation.build.stage}"]
    errors = [
        message for message in evaluation.build.messages if message.severity == "error"
    ]
    for message in errors[:limit]:
        place = f"{message.file}:{message.line}" if message.file else "(no file)"
        lines.append(f"- {place}: {one_line(message.text, _LINE)}")
    if len(errors) > limit:
        lines.append(f"- and {len(errors) - limit} more errors")
    return "\n".join(lines)


def _is_told(finding: Finding) -> bool:
    """Whether a hidden case may be explained by this finding."""
    return finding.rule in _OF_DEFINITION and finding.severity is Severity.ERROR


def _findings(
    evaluation: Evaluation, limit: int, cause: str, operator: OperatorSpec | None
) -> str:
    hidden = {case.case for case in evaluation.cases if case.hidden}
    lines = []
    # Of hidden cases one finding is shown, that of a fault: many would spell their values.
    is_one_shown = False
    for finding in evaluation.findings:
        placed = without_place(operator, finding)
        if finding.case not in hidden:
            lines.append(_finding(placed))
        elif _is_told(finding) and _OF_DEFINITION[finding.rule] not in cause:
            words = one_line(_OF_DEFINITION[finding.rule], _LINE)
            lines.append(f"- {finding.severity.value} {finding.rule}: {words}")
        elif finding.severity in _FAULTS and not is_one_shown:
            is_one_shown = True
            lines.append(_hidden_finding(placed))
    distinct = list(dict.fromkeys(lines))
    rest = len(distinct) - limit
    return "\n".join(
        distinct[:limit] + ([f"- and {rest} more findings"] if rest > 0 else [])
    )


def _hidden_finding(finding: Finding) -> str:
    """One finding of a hidden case: its rule, and the place in the code."""
    place = f"{_call(finding)}{_place(finding)}"
    return f"- {finding.severity.value} {finding.rule}{place} (in a hidden case)"


def _finding(finding: Finding) -> str:
    tensor = f" on {finding.tensor}" if finding.tensor else ""
    head = f"- {finding.severity.value} {finding.rule}{_call(finding)}{tensor}{_place(finding)}"
    core = f", core {finding.core}" if finding.core >= 0 else ""
    limit = f" (limit: {finding.limit})" if finding.limit else ""
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    return f"{head}{core}: {one_line(finding.message, _LINE)}{limit}{times}"


def _call(finding: Finding) -> str:
    return f" in {finding.call}" if finding.call else ""


def _place(finding: Finding) -> str:
    if not finding.file:
        return ""
    line = f":{finding.line}" if finding.line else ""
    return f" at {finding.file}{line}"


def _cases(
    cases: Sequence[CaseResult], operator: OperatorSpec | None, *, failing_only: bool
) -> str:
    lines = [
        _case(case)
        for case in cases
        if not case.hidden and not (failing_only and case.status in SETTLED)
    ]
    hidden = [case for case in cases if case.hidden]
    if hidden:
        failed = [case.status for case in hidden if case.status not in SETTLED]
        counts = ", ".join(
            f"{failed.count(status)} {status}" for status in dict.fromkeys(failed)
        )
        passed = sum(case.status == "pass" for case in hidden)
        lines.append(
            f"- hidden cases: {passed} of {len(hidden)} pass"
            + (f"; {counts}" if counts else "")
        )
        lines += hidden_lines(operator, hidden) if operator else []
    return "\n".join(lines)


def _case(case: CaseResult) -> str:
    name = f"{case.case} ({case.dtype})" if case.dtype else case.case
    line = f"- {name}: {case.status}"
    if case.detail:
        line += f", {one_line(case.detail, _LINE)}"
    worst = max(case.statistics, key=lambda entry: entry.mismatched, default=None)
    if worst is not None and case.status == "wrong-result":
        line += (
            f"; {worst.mismatched} of {worst.elements} elements differ, max abs {worst.max_abs:.3g}, "
            f"max rel {worst.max_rel:.3g}, first worst at index {worst.worst_index}: "
            f"expected {worst.worst_expected:.6g}, got {worst.worst_actual:.6g}"
        )
    if case.latency is not None:
        line += f", {case.latency.value:.2f} {case.latency.unit}{_launch(case.latency)}"
    if case.bound:
        line += f"; {one_line(case.bound, _LINE)}"
    return line


def _launch(latency: Latency) -> str:
    """The share of a latency that starting the kernel costs."""
    if latency.launch is None or latency.value <= 0:
        return ""
    return f" ({latency.launch / latency.value:.0%} of it launch)"


def _latency(latency: Latency, best: Latency | None) -> str:
    line = f"Latency: {latency.value:.2f} {latency.unit}"
    line += f", {latency.range_text}" if latency.range_text else ""
    line += f" ({origin_words(latency.stored_origin)}, {latency.device})"
    line += _launch(latency)
    if best is not None and best.stored_origin == latency.stored_origin:
        line += f"; best correct kernel so far: {best.value:.2f} {best.unit}"
        difference = abs(best.value - latency.value)
        if difference and not is_proven_gain(difference, 0.0, latency.margin):
            line += f"; the difference lies {INSIDE_MODEL}"
    return line
