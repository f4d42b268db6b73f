"""f_t as text for the model: the cause first, then where, then the table of cases.

Hidden cases count but never speak: of them the model learns how many of a class fail
and how, never names, shapes, values or limits. What a definition lacks is explained all
the same: it is a fault of every call. Logs are cut to what names a cause; the whole
evaluation stays in the workspace for the person.
"""

from __future__ import annotations

from collections import Counter
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
    FAULTS,
    INSIDE_MODEL,
    CaseResult,
    DiagnosticResult,
    ErrorStatistics,
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
    """The cause of a kernel that builds: of the first failing case the model knows, or of hidden ones in general."""
    hidden = [case for case in evaluation.cases if case.hidden]
    failing = [case for case in evaluation.cases if case.status not in SETTLED]
    visible = [case for case in failing if not case.hidden]
    if failing and not visible:
        return _hidden_cause(evaluation, failing)
    hidden_names = {case.case for case in hidden}
    if visible and any(name in evaluation.cause for name in hidden_names):
        # The judge named the first failure, a hidden case; the model hears of the first it knows.
        case = visible[0]
        return f"{case.case}: {case.status}: {case.detail}"
    if not failing:
        hazards = (f for f in evaluation.findings if f.severity is Severity.HAZARD)
        hazard = next(hazards, None)
        if hazard is not None and hazard.case in hidden_names:
            return _hidden_finding(hazard).removeprefix("- ")
    return evaluation.cause


def _hidden_cause(evaluation: Evaluation, failing: Sequence[CaseResult]) -> str:
    """The cause where only hidden cases fail, with the first finding that may be explained all the same."""
    count = len(failing)
    who = f"{count} hidden test cases fail"
    if count == 1:
        who = "A hidden test case fails"
    line = f"{who} ({failing[0].status}); every visible case passes."
    for finding in evaluation.findings:
        if _is_told(finding):
            words = _OF_DEFINITION[finding.rule]
            return f"{line} {finding.rule}: {words}"
    return line


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
        rows = _cases(evaluation.cases, operator, failing_only=brief)
        parts.append("Cases:\n" + rows)
    if evaluation.latency is not None:
        parts.append(_latency(evaluation.latency, best))
    elif evaluation.correct:
        why = "it does work whose time is not known"
        if evaluation.notes:
            why = one_line(evaluation.notes[0], _LINE)
        parts.append(f"No latency: {why} A kernel without one never becomes the best.")
    if evaluation.profile is not None and not brief:
        parts.append(profile_text(evaluation.profile, of="the slowest timed case"))
        parts += further_line_rows(evaluation)
    return "\n".join(part for part in parts if part)


def diagnostic_text(result: DiagnosticResult) -> str:
    """Render the answer of a diagnostic.

    Equal answers give equal bytes, so nothing of time stands here.
    """
    summary = one_line(result.summary, _LINE)
    lines = [_finding(finding) for finding in result.findings]
    parts = [f"{result.tool}: {summary}", *_first(lines, _FINDINGS, "findings")]
    if result.profile is not None:
        parts += [profile_text(result.profile), *core_rows(result.profile)]
    if result.log:
        log = result.log
        if len(log) > _LOG:
            log = f"{log[:_LOG]}\n[… cut]"
        mark = fence_for(log)
        parts.append(f"{mark}\n{log.rstrip()}\n{mark}")
    return "\n".join(part for part in parts if part)


def _first(lines: Sequence[str], limit: int, what: str) -> list[str]:
    """The first lines, and how many more there are of `what`."""
    first = list(lines[:limit])
    rest = len(lines) - limit
    if rest > 0:
        first.append(f"- and {rest} more {what}")
    return first


def _build(evaluation: Evaluation, limit: int) -> str:
    """The stage that failed and the compiler's first errors; warnings are left out, they hide them."""
    errors = []
    for message in evaluation.build.messages:
        if message.severity == "error":
            place = "(no file)"
            if message.file:
                place = f"{message.file}:{message.line}"
            text = one_line(message.text, _LINE)
            errors.append(f"- {place}: {text}")
    head = f"Build failed at stage: {evaluation.build.stage}"
    return "\n".join([head, *_first(errors, limit, "errors")])


def _is_told(finding: Finding) -> bool:
    """Whether a hidden case may be explained by this finding."""
    return finding.rule in _OF_DEFINITION and finding.severity is Severity.ERROR


def _findings(
    evaluation: Evaluation, limit: int, cause: str, operator: OperatorSpec | None
) -> str:
    """What the judge found at single places, each once.

    Args:
        evaluation: What the environment answered.
        limit: How many are shown.
        cause: The cause line, which need not be said twice.
        operator: Whose cases they are.
    """
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
        elif finding.severity in FAULTS and not is_one_shown:
            is_one_shown = True
            lines.append(_hidden_finding(placed))
    distinct = list(dict.fromkeys(lines))
    return "\n".join(_first(distinct, limit, "findings"))


def _hidden_finding(finding: Finding) -> str:
    """One finding of a hidden case: its rule, and about where in the code, as the judge tells it."""
    line = f"- {finding.severity.value} {finding.rule}"
    line += _call(finding) + _place(finding, "near")
    # The rule comes from a process of the candidate.
    return one_line(f"{line} (in a hidden case)", 2 * _LINE)


def _finding(finding: Finding) -> str:
    """`- error rule in Call on x at file:12, core 3: message (limit: 32) (5 times)`."""
    line = f"- {finding.severity.value} {finding.rule}"
    line += _call(finding)
    if finding.tensor:
        line += f" on {finding.tensor}"
    line += _place(finding)
    if finding.core >= 0:
        line += f", core {finding.core}"
    line += f": {one_line(finding.message, _LINE)}"
    if finding.limit:
        line += f" (limit: {finding.limit})"
    if finding.count > 1:
        line += f" ({finding.count} times)"
    # Call, tensor and file come from a process of the candidate, too.
    return one_line(line, 2 * _LINE)


def _call(finding: Finding) -> str:
    return f" in {finding.call}" if finding.call else ""


def _place(finding: Finding, word: str = "at") -> str:
    if not finding.file:
        return ""
    line = f":{finding.line}" if finding.line else ""
    return f" {word} {finding.file}{line}"


def _cases(
    cases: Sequence[CaseResult], operator: OperatorSpec | None, *, failing_only: bool
) -> str:
    """A line for each visible case, and how many of the hidden ones pass."""
    visible = [case for case in cases if not case.hidden]
    if failing_only:
        visible = [case for case in visible if case.status not in SETTLED]
    lines = [_case(case) for case in visible]
    hidden = [case for case in cases if case.hidden]
    if hidden:
        lines.append(_hidden_counts(hidden))
        if operator is not None:
            lines += hidden_lines(operator, hidden)
    return "\n".join(lines)


def _hidden_counts(hidden: Sequence[CaseResult]) -> str:
    """How many hidden cases pass, and how many fail in each way."""
    passed = sum(case.status == "pass" for case in hidden)
    line = f"- hidden cases: {passed} of {len(hidden)} pass"
    failed = Counter(case.status for case in hidden if case.status not in SETTLED)
    if failed:
        counts = [f"{count} {status}" for status, count in failed.items()]
        line += "; " + ", ".join(counts)
    return line


def _case(case: CaseResult) -> str:
    """`- name (dtype): status, detail; how it differs, 12.34 us; what bounds it`."""
    line = f"- {case.case}"
    if case.dtype:
        line += f" ({case.dtype})"
    line += f": {case.status}"
    if case.detail:
        line += f", {one_line(case.detail, _LINE)}"
    if case.statistics and case.status == "wrong-result":
        # Of several outputs the one that is wrong in most elements.
        worst = max(case.statistics, key=lambda entry: entry.mismatched)
        line += f"; {_difference(worst)}"
    if case.latency is not None:
        value, unit = case.latency.value, case.latency.unit
        line += f", {value:.2f} {unit}{_launch(case.latency)}"
    if case.bound:
        line += f"; {one_line(case.bound, _LINE)}"
    return line


def _difference(output: ErrorStatistics) -> str:
    """How an output differs from the reference, and both values where it differs most."""
    return (
        f"{output.mismatched} of {output.elements} elements differ, "
        f"max abs {output.max_abs:.3g}, max rel {output.max_rel:.3g}, "
        f"first worst at index {output.worst_index}: "
        f"expected {output.worst_expected:.6g}, got {output.worst_actual:.6g}"
    )


def _launch(latency: Latency) -> str:
    """The share of a latency that starting the kernel costs."""
    if latency.launch is None or latency.value <= 0:
        return ""
    share = latency.launch / latency.value
    return f" ({share:.0%} of it launch)"


def _latency(latency: Latency, best: Latency | None) -> str:
    """The latency with its range, origin and device, beside the best one of the same origin."""
    line = f"Latency: {latency.value:.2f} {latency.unit}"
    if latency.range_text:
        line += f", {latency.range_text}"
    origin = origin_words(latency.stored_origin)
    line += f" ({origin}, {latency.device})"
    line += _launch(latency)
    # Times of a model and of a device are not compared.
    if best is not None and best.stored_origin == latency.stored_origin:
        line += f"; best correct kernel so far: {best.value:.2f} {best.unit}"
        difference = abs(best.value - latency.value)
        if difference and not is_proven_gain(difference, 0.0, latency.margin):
            line += f"; the difference lies {INSIDE_MODEL}"
    return line
