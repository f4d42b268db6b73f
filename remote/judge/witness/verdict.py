"""What the header sets of a user say of a candidate, as a part of its build report and of its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.evaluation.records import NOT_CHECKED, BuildReport
from remote.judge.witness.check import HeaderCheck


def with_refusals(build: BuildReport, checks: Sequence[HeaderCheck]) -> BuildReport:
    """The report of a build that CANN's headers may refuse, though the twin takes it.

    What the twin itself refuses is told in the twin's words.

    Args:
        build: How the twin's build went.
        checks: What each header set says.
    """
    refusing = [check for check in checks if check.messages]
    if not build.ok or not refusing:
        return build
    first = refusing[0]
    return replace(
        build,
        ok=False,
        stage=first.stage,
        cause=f"{first.cause} (headers of {_listed(refusing)})",
        messages=first.messages,
        log="\n".join(str(message) for message in first.messages),
        digest="",
    )


def words_of(checks: Sequence[HeaderCheck]) -> str:
    """The checks in a line, for the facts of a verdict."""
    kinds = (
        ("refused by the headers of", [one for one in checks if one.messages]),
        ("accepted by the headers of", [one for one in checks if one.is_accepted]),
    )
    parts = [f"{what} {_listed(which)}" for what, which in kinds if which]
    parts += [
        f"not checked against {check.headers} ({check.unusable})"
        for check in checks
        if check.unusable
    ]
    return "; ".join(parts) or NOT_CHECKED


def _listed(checks: Sequence[HeaderCheck]) -> str:
    return ", ".join(check.headers for check in checks)
