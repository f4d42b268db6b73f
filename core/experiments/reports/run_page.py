"""The report of a run as one page that needs nothing else: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from core.evaluation.records import VerdictClass
from core.experiments.reports.page import figures_of, result_rows
from core.experiments.reports.run_report import RunReport
from core.templates import rendered

_MOST_CREDITS = 30  # experiences shown; those whose utility changed most
_KINDS = {"+": "add", "-": "del", "@": "hunk"}
_VERDICTS = {
    VerdictClass.PASS: "Correct",
    VerdictClass.PASS_WITH_HAZARD: "Correct, with a hazard",
    VerdictClass.FAIL_BUILD: "Does not build",
    VerdictClass.FAIL_RUN: "Fails while running",
    VerdictClass.FAIL_RESULT: "Wrong result",
    VerdictClass.FAIL_INTEGRITY: "Breaks an integrity rule",
    VerdictClass.VOID: "Void: the environment failed",
}
_OBJECTIVES = {"corr": "Correctness", "opt": "Speed"}
_STATES = {
    "queued": "Waiting",
    "failed": "Failed",
    "cancelled": "Cancelled",
}
_LEARNT = {
    "validated": "Validated: {items}.",
    "promoted": "Promoted: {items}.",
    "demoted": "Demoted: {items}.",
}


def run_page(report: RunReport) -> str:
    """The page of a run, as HTML."""
    levels = sorted(
        {level for arm in report.arms for level in arm.execution_rate_by_level}
    )
    return rendered(
        "report/run.html",
        report=report,
        levels=levels,
        rows=result_rows(report.arms, levels, ranked=False),
        figures=figures_of(report.arms, report.trials)[
            len(report.arms) == 1 :
        ],  # one arm's rates are above
        credits=report.credits[:_MOST_CREDITS],
        period=" – ".join(filter(None, map(_when, (report.began, report.ended)))),
        lines=patch_lines,
        when=_when,
        verdicts=_VERDICTS,
        objectives=_OBJECTIVES,
        states=_STATES,
        learnt=_LEARNT,
    )


def patch_lines(patch: str) -> Iterator[tuple[str, str]]:
    """The lines of a unified diff, each with its kind: add, del, hunk, file or empty."""
    for line in patch.splitlines():
        head = line.startswith(
            ("diff --git", "--- ", "+++ ", "new file", "deleted file")
        )
        yield ("file" if head else _KINDS.get(line[:1], "")), line


def _when(moment: str) -> str:
    """An ISO time in the reader's own clock, to the second."""
    return (
        datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")
        if moment
        else ""
    )
