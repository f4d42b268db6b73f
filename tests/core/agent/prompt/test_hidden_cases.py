"""A hidden case tells its class, how many of it fail and how wrong, and nothing more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.agent.prompt.feedback import feedback_text
from core.evaluation.records import (
    CaseResult,
    ErrorStatistics,
    Evaluation,
    Finding,
    Severity,
    VerdictClass,
)
from core.operators.catalogue import catalogue_operator, operator_names
from core.operators.spec import OperatorSpec, TestCase
from tests.core.agent.scripted import judged

HALF_WRONG = ErrorStatistics(
    "y", 1237, 2.27, 0.1, 0.25, 0.1, 0.9, 9.0, 618, 993, 1.25, 0.75
)
NOT_A_NUMBER = replace(HALF_WRONG, worst_actual=float("nan"), max_abs=float("inf"))


def fails(
    operator: OperatorSpec, bad: set[str], statistics: ErrorStatistics = HALF_WRONG
) -> Evaluation:
    """An evaluation in which exactly the cases of `bad` have a wrong result."""
    rows = tuple(
        CaseResult(
            case.name,
            hidden=case.hidden,
            timed=case.timed,
            status="skipped"
            if case.big
            else "wrong-result"
            if case.name in bad
            else "pass",
            detail="hidden case (float32, 2-D)"
            if case.hidden
            else "all elements are wrong",
            statistics=(statistics,) if case.name in bad else (),
        )
        for case in operator.cases
    )
    verdict = VerdictClass.FAIL_RESULT
    return replace(
        judged(operator.name, "d", verdict),
        cases=rows,
        cause="All 16 elements are wrong.",
    )


def strided(case: TestCase) -> bool:
    return any(spec.layout != "contiguous" for spec in case.inputs.values())


def test_a_failed_hidden_case_tells_class_counts_share_and_magnitude() -> None:
    operator = catalogue_operator("Swish")
    bad = {"hidden-strided-float16", "hidden-strided-float32"}
    text = feedback_text(fails(operator, bad), None, operator=operator)
    lines = [line for line in text.splitlines() if line.startswith("  - ")]
    assert len(lines) == 2
    assert lines[0].startswith("  - 1 of 1 non-contiguous float16 case")
    assert (
        "50% of the elements wrong, none of them NaN; largest absolute error about 2e+00"
        in lines[0]
    )
    broken = feedback_text(fails(operator, bad, NOT_A_NUMBER), None, operator=operator)
    assert "50% of the elements wrong, NaN among them" in broken


@pytest.mark.parametrize("name", operator_names()[::6])
def test_no_shape_value_or_name_of_a_hidden_case_is_told(name: str) -> None:
    operator = catalogue_operator(name)
    hidden = [case for case in operator.cases if case.hidden]
    visible = " ".join(repr(case) for case in operator.cases if not case.hidden)
    evaluation = fails(operator, {case.name for case in hidden})
    text = feedback_text(evaluation, None, operator=operator)
    for case in hidden:
        assert case.name not in text
        for attribute, value in case.attributes.items():
            if f"{attribute!r}: {value!r}" not in visible:
                assert f"`{attribute}` = {value!r}" not in text
        for spec in case.inputs.values():
            assert not spec.shape or str(list(spec.shape)) not in text
    for number in ("1237", "618", "993", "0.75", "2.27"):
        assert number not in text


def test_where_wrong_elements_lie_is_not_told_of_a_non_contiguous_case() -> None:
    operator = catalogue_operator("BatchedMatmul")
    finding = Finding(
        "result-tail",
        Severity.ERROR,
        "c: only the last 3 elements are wrong. Check the tail.",
        "op_kernel/k.cpp",
        9,
        tensor="c",
        case="hidden-transposed",
    )
    name = next(case.name for case in operator.cases if case.hidden and strided(case))
    evaluation = fails(operator, {name})
    evaluation = replace(evaluation, findings=(replace(finding, case=name),))
    text = feedback_text(evaluation, None, operator=operator)
    assert "result-tail" not in text
    assert "error result-wrong near op_kernel/k.cpp:9 (in a hidden case)" in text
    shown = replace(evaluation, findings=(replace(finding, case="non-contiguous"),))
    assert "places tell nothing" in feedback_text(shown, None, operator=operator)
