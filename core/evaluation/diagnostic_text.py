"""The answer of a diagnostic as text, for a terminal and for a page to read."""

from __future__ import annotations

from core.evaluation.bottleneck import bottleneck, core_name
from core.evaluation.records import DiagnosticResult


def diagnostic_text(answer: DiagnosticResult, *, with_log: bool = True) -> str:
    """Summary, findings with their places, busy cycles by core, and the log of the tool when asked for."""
    lines = [f"{answer.tool}: {answer.summary}"]
    for finding in answer.findings:
        place = f"{finding.file}:{finding.line}: " if finding.file else ""
        lines.append(
            f"  {finding.severity.value} {finding.rule}: {place}{finding.message}"
        )
    if answer.profile is not None:
        profile = answer.profile
        lines.append(
            f"  {bottleneck(profile).label}; busy cycles by core ({profile.origin.value}):"
        )
        lines.extend(
            f"  {core_name(core):>8} {core.total_cycles:>10.0f} total  vector {core.vector:.0f}  "
            f"mte2 {core.mte2:.0f}  mte3 {core.mte3:.0f}  scalar {core.scalar:.0f}  cube {core.cube:.0f}"
            for core in profile.cores
        )
    if with_log and answer.log:
        lines += ["", answer.log]
    return "\n".join(lines)
