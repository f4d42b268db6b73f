"""A kernel that one rule refused may be right under another, and one that crashed is right under none."""

from __future__ import annotations

from dataclasses import replace

from core.analysis.rules import RULES, passes_under
from core.evaluation.records import (
    BuildReport,
    CaseResult,
    Evaluation,
    RuleVerdicts,
    VerdictClass,
)


def case(name: str, status: str, **verdicts: bool) -> CaseResult:
    """One case; rules that are not named refuse it."""
    by_rule = {rule: verdicts.get(rule, False) for rule in RULES}
    found = RuleVerdicts(**by_rule, deciding="ulp", passed=by_rule["ulp"])
    return CaseResult(name, hidden=False, timed=False, status=status, verdicts=found)


REFUSED = Evaluation(
    "candidate",
    "operator",
    VerdictClass.FAIL_RESULT,
    "",
    BuildReport(ok=True),
    cases=(
        case("a", "pass", paper=True, benchmark=True, ulp=True),
        case("b", "wrong-result", paper=False, benchmark=True),
        CaseResult("big", hidden=False, timed=False, status="skipped"),
    ),
)


def under(evaluation: Evaluation) -> list[str]:
    return [rule for rule in RULES if passes_under(evaluation, rule)]


def test_every_rule_judges_all_cases() -> None:
    assert under(REFUSED) == ["benchmark"]
    assert under(replace(REFUSED, cases=REFUSED.cases[:1])) == list(RULES)


def test_what_is_not_about_numbers_no_rule_forgives() -> None:
    crashed = case("c", "run-error", paper=True, benchmark=True, ulp=True)
    assert under(replace(REFUSED, cases=(*REFUSED.cases, crashed))) == []
    assert under(replace(REFUSED, verdict=VerdictClass.FAIL_RUN)) == []
    assert under(replace(REFUSED, cases=())) == []
