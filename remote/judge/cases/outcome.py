"""What a test case of a candidate needs to be judged, and what it gave."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from core.evaluation.records import CaseResult, Finding, Severity
from core.operators.spec import TestCase
from remote.judge.building.built_program import Programs
from remote.judge.comparing.acceptance import OwnCheck
from remote.judge.inputs.case_data import WIDTHS, CaseData
from remote.judge.job import Operator
from remote.judge.processes.launcher import Launcher
from remote.judge.running.answers import Launch
from remote.judge.running.launch import RunSettings, finding_of_judge

_SMALL, _LARGE = 10_000, 1_000_000


@dataclass
class CaseOutcome:
    """What one case gave: the row of the result, findings, and the launch for the profile."""

    row: CaseResult
    findings: list[Finding] = field(default_factory=list)
    launch: Launch | None = None
    log: str = ""
    trace: bytes = b""
    tiling_key: int = 0
    orders: int = 0
    orders_s: float = 0.0

    def fail(self, case: TestCase, status: str, detail: str) -> None:
        """Let the case fail, even if it passed before."""
        verdicts = self.row.verdicts
        self.row = replace(
            self.row,
            status=status,
            detail=row_detail(case, detail),
            verdicts=None if verdicts is None else replace(verdicts, passed=False),
        )

    def weigh(self, changed: Finding, severity: Severity) -> Finding:
        """Give a finding of the case another weight; the finding as it is now."""
        weighed = replace(changed, severity=severity)
        self.findings = [
            weighed if finding is changed else finding for finding in self.findings
        ]
        return weighed

    @property
    def hit_time_limit(self) -> bool:
        """Whether the kernel did not end: it computed or slept beyond a limit of time."""
        return any(
            finding.rule == "time-limit"
            or (finding.rule == "deadlock" and finding.limit)
            for finding in self.findings
        )


@dataclass(frozen=True)
class ComparedCase:
    """A case with everything its results are compared with: operator, its own checker, expected data."""

    operator: Operator
    case: TestCase
    data: CaseData
    own_check: OwnCheck

    def finding(
        self, rule: str, message: str, severity: Severity = Severity.ERROR
    ) -> Finding:
        """A finding of the judge about this case."""
        finding = finding_of_judge(rule, message, severity=severity)
        return replace(finding, kernel=self.operator.snake, case=self.case.name)


@dataclass(frozen=True)
class CaseTask(ComparedCase):
    """A case that is run here by `launcher`, in the `programs` a candidate was built into.

    `again` is what it is tried with once more when it passed, outputs then holding anything; None for nothing.
    """

    programs: Programs
    launcher: Launcher
    settings: RunSettings
    again: CaseData | None = None


def shape_class(case: TestCase) -> str:
    """What may be said about a hidden case: rank, tail and size class of its first input, never values."""
    first = next(iter(case.inputs.values()), None)
    if first is None:
        return "no input"
    shape = first.all_shapes[0]
    row_bytes = (shape[-1] if shape else 1) * WIDTHS.get(first.dtype, 1)
    tail = (
        "a last dimension that is no multiple of 32 bytes"
        if row_bytes % 32
        else "whole 32-byte blocks"
    )
    total = math.prod(shape)
    size = "10 thousand to 1 million"
    if total < _SMALL or total > _LARGE:
        size = "under 10 thousand" if total < _SMALL else "over 1 million"
    parts = [first.dtype, f"{len(shape)}-D", tail, f"{size} elements"]
    parts += [first.layout] if first.layout != "contiguous" else []
    parts += ["special values"] if first.fill == "special" else []
    return ", ".join(parts)


def row_detail(case: TestCase, detail: str) -> str:
    """What the row of a case says: of a hidden one only its class."""
    return f"hidden case ({shape_class(case)})" if case.hidden else detail


def make_row(case: TestCase, status: str, detail: str) -> CaseResult:
    """The row of a case in the result."""
    dtypes = list(dict.fromkeys(spec.dtype for spec in case.inputs.values()))
    return CaseResult(
        case.name,
        case.hidden,
        case.timed,
        status,
        detail,
        "/".join(dtypes[:2]),
        weight=case.weight,
    )


def skipped(case: TestCase, why: str) -> CaseOutcome:
    """Row of a case that was not run."""
    return CaseOutcome(make_row(case, "skipped", why))


def failed(case: TestCase, rule: str, why: str) -> CaseOutcome:
    """Outcome of a case whose run counts as failed, with any result."""
    finding = replace(finding_of_judge(rule, why), case=case.name)
    return CaseOutcome(make_row(case, "run-error", row_detail(case, why)), [finding])


def place_of(finding: Finding) -> tuple[object, ...]:
    """What makes two findings one: the rule and the line of code.

    Where there is no line, what else it is about.
    """
    if finding.file and finding.line:
        return finding.rule, finding.file, finding.line
    return finding.rule, finding.file, finding.call, finding.tensor


def describe_finding(finding: Finding) -> str:
    """One line with place, kernel, core and limit, for causes and case details."""
    place = f"{finding.file}:{finding.line}: " if finding.file else ""
    facts = [f"kernel {finding.kernel}"] if finding.core >= 0 else []
    facts += [finding.call] if finding.call else []
    facts += [f"core {finding.core}"] if finding.core >= 0 else []
    facts += [f"limit {finding.limit}"] if finding.limit else []
    suffix = f" [{', '.join(facts)}]" if facts else ""
    return f"{place}{finding.rule}: {finding.message}{suffix}"
