"""Findings of all cases as one list: one for each line, causes first, visible cases first."""

from __future__ import annotations

from dataclasses import replace

from core.evaluation.records import CaseResult, Finding, Severity
from remote.judge.cases.outcome import CaseOutcome
from remote.judge.cases.verdict import fold_findings, keep_own_places

KERNEL = "op_kernel/k.cpp"


def finding(
    rule: str, severity: Severity, line: int, *, case: str = "small", call: str = "Add"
) -> Finding:
    return Finding(rule, severity, "message", KERNEL, line, 0, call, case=case)


def outcome(case: str, *findings: Finding, hidden: bool = False) -> CaseOutcome:
    row = CaseResult(case, hidden=hidden, timed=False, status="pass")
    return CaseOutcome(row, list(findings))


def test_a_line_is_told_once_with_the_count_of_all_cases_and_calls() -> None:
    first = finding("race", Severity.HAZARD, 9)
    again = finding("race", Severity.HAZARD, 9, case="large", call="Mul")
    other = finding("race", Severity.HAZARD, 10, case="large")
    folded = fold_findings([outcome("small", first), outcome("large", again, other)])
    assert [(f.line, f.count, f.call) for f in folded] == [
        (9, 2, "Add"),
        (10, 1, "Add"),
    ]


def test_the_graver_occurrence_of_a_line_is_told() -> None:
    warned = finding("tensor-overwrite", Severity.WARNING, 9)
    hazard = finding("tensor-overwrite", Severity.HAZARD, 9, case="large")
    (folded,) = fold_findings([outcome("small", warned), outcome("large", hazard)])
    assert (folded.severity, folded.case, folded.count) == (Severity.HAZARD, "large", 2)


def test_a_cause_comes_before_the_unwritten_bytes_it_leaves() -> None:
    read = finding("uninitialised-read", Severity.WARNING, 5)
    tail = finding("copy-tail", Severity.WARNING, 9, case="large")
    hazard = finding("tensor-overwrite", Severity.HAZARD, 30, case="large")
    folded = fold_findings([outcome("small", read), outcome("large", tail, hazard)])
    rules = [entry.rule for entry in folded]
    assert rules == ["tensor-overwrite", "copy-tail", "uninitialised-read"]


def test_what_a_visible_case_shows_too_is_told_of_that_case() -> None:
    secret = finding("race", Severity.HAZARD, 9, case="hidden-large")
    shown = finding("race", Severity.HAZARD, 9)
    hidden = outcome("hidden-large", secret, hidden=True)
    (folded,) = fold_findings([hidden, outcome("small", shown)])
    assert (folded.case, folded.count) == ("small", 2)


def test_findings_without_a_line_stay_apart_by_what_they_are_about() -> None:
    outputs = [
        Finding("gm-unwritten", Severity.WARNING, "message", tensor=name, case="small")
        for name in ("y", "z")
    ]
    folded = fold_findings([outcome("small", *outputs)])
    assert [entry.tensor for entry in folded] == ["y", "z"]


def test_a_place_that_the_text_has_not_is_not_told_of_a_hidden_case() -> None:
    """The kernel's process writes it, and knows the sizes of the case."""
    text = "int a;\n  Add(y, x);  // Mul\n"
    own, *spelt = (
        finding("race", Severity.HAZARD, 2),
        finding("race", Severity.HAZARD, 1),
        finding("race", Severity.HAZARD, 2310),
        finding("race", Severity.HAZARD, 2, call="Mul"),
        finding("race", Severity.HAZARD, 2, call="2310"),
    )
    hidden, shown = (
        outcome("secret", own, *spelt, hidden=True),
        outcome("small", spelt[1]),
    )
    keep_own_places([hidden, shown], {KERNEL: text})
    assert [(each.file, each.line, each.call) for each in hidden.findings] == [
        (KERNEL, 2, ""),
        *[("", 0, "")] * 4,
    ]
    assert shown.findings[0].line == 2310


def test_a_line_for_every_size_is_no_place_of_a_hidden_case() -> None:
    text = "\n".join(["if (size == 9000) Trap();"] * 1280)
    told = set()
    for number in range(1, 1280, 5):
        trap = finding("trap", Severity.ERROR, number, call="Trap")
        hidden = outcome("secret", trap, hidden=True)
        keep_own_places([hidden], {KERNEL: text})
        told.add(hidden.findings[0].line)
    assert len(told) == 128


def test_nor_are_files_for_every_size() -> None:
    def places(files: int) -> set[tuple[str, int]]:
        text = "\n".join(["if (size == 9000) Trap();"] * 20)
        texts = {f"op_kernel/{number}.h": text for number in range(files)}
        traps = [
            replace(finding("trap", Severity.ERROR, line, call="Trap"), file=path)
            for path in texts
            for line in range(1, 21)
        ]
        hidden = outcome("secret", *traps, hidden=True)
        keep_own_places([hidden], texts)
        return {(each.file, each.line) for each in hidden.findings}

    assert len(places(100)) == 100
    assert places(129) == {("", 0)}
