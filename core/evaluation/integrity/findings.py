"""How a broken rule becomes a finding, whether the text or the syntax tree shows it."""

from __future__ import annotations

from core.evaluation.records import Finding, Severity

PREFIX = "integrity/"


def finding(rule: str, paper: str, path: str, line: int, what: str) -> Finding:
    """The finding of a broken rule.

    Args:
        rule: Name in the rule file.
        paper: The constraint of the paper it enforces.
        path: File in the candidate.
        line: 1-based, 0 for the file as a whole.
        what: One sentence.
    """
    return Finding(
        rule=f"{PREFIX}{rule}",
        severity=Severity.ERROR,
        message=what,
        file=path,
        line=line,
        limit=paper,
    )


def shown(text: str) -> str:
    """Code as a message quotes it."""
    return " ".join(text.split()).rstrip("( ")
