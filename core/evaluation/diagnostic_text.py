"""The answer of a diagnostic as text, for a terminal and for a page to read."""

from __future__ import annotations

from core.evaluation.profile_text import core_rows, profile_text
from core.evaluation.records import DiagnosticResult


def diagnostic_text(answer: DiagnosticResult, *, with_log: bool = True) -> str:
    """Summary, findings with their places, the profile, and the log of the tool when asked for."""
    lines = [f"{answer.tool}: {answer.summary}"]
    for finding in answer.findings:
        place = f"{finding.file}:{finding.line}: " if finding.file else ""
        lines.append(
            f"  {finding.severity.value} {finding.rule}: {place}{finding.message}"
        )
    if answer.profile is not None:
        lines += [profile_text(answer.profile), *core_rows(answer.profile)]
    if with_log and answer.log:
        lines += ["", answer.log]
    return "\n".join(lines)
