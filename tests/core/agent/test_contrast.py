"""What tells failing from passing cases comes first, and a hidden case tells its class and nothing more."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from core.agent.context import ContextBuilder, RoundView, TaskView
from core.agent.feedback import feedback_text, visible_cause
from core.evaluation.records import (
    CaseResult,
    ErrorStatistics,
    Evaluation,
    Finding,
    Severity,
    VerdictClass,
)
from core.method.objective import Objective
from core.operators.catalogue import catalogue_operator, operator_names
from core.operators.spec import OperatorSpec, TestCase
from tests.core.agent.scripted import files, judged

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


def where(operator: OperatorSpec, holds) -> set[str]:  # type: ignore[no-untyped-def]
    return {case.name for case in operator.cases if not case.big and holds(case)}


def strided(case: TestCase) -> bool:
    return any(spec.layout != "contiguous" for spec in case.inputs.values())


@pytest.mark.parametrize(
    "name", ["Swish", "BatchedMatmul", "AddRmsNorm", "MulSigmoidMulAddCustom"]
)
def test_that_all_non_contiguous_cases_fail_comes_first(name: str) -> None:
    operator = catalogue_operator(name)
    bad = where(operator, strided)
    judged_cases = [case for case in operator.cases if not case.big]
    cause = visible_cause(fails(operator, bad), operator)
    wanted = f"All {len(bad)} non-contiguous cases fail, all {len(judged_cases) - len(bad)} others pass."
    assert cause.startswith(wanted)
    text = feedback_text(fails(operator, bad), None, operator=operator)
    assert text.splitlines()[1].startswith(f"Cause: {wanted}")


def test_an_absent_optional_that_separates_is_named() -> None:
    operator = catalogue_operator("MoeGatingTopKRemap")
    bad = where(operator, lambda case: "bias" not in case.inputs)
    assert bad
    assert f"All {len(bad)} cases without `bias` fail" in visible_cause(
        fails(operator, bad), operator
    )
    rest = where(operator, lambda case: "bias" in case.inputs)
    assert f"All {len(rest)} cases with `bias` fail" in visible_cause(
        fails(operator, rest), operator
    )


def test_dtype_attribute_alignment_and_pairs_are_told_apart() -> None:
    swish = catalogue_operator("Swish")
    of_half = where(swish, lambda case: case.inputs["x"].dtype.value == "float16")
    assert f"All {len(of_half)} float16 cases fail" in visible_cause(
        fails(swish, of_half), swish
    )
    tails = where(
        swish,
        lambda c: (
            (
                c.inputs["x"].shape[-1]
                * (4 if c.inputs["x"].dtype.value == "float32" else 2)
            )
            % 32
        ),
    )
    tiny = where(
        swish, lambda case: math.prod(case.inputs["x"].shape) < 2
    )  # of these a tail means nothing
    said = visible_cause(fails(swish, tails - tiny), swish)
    assert "no multiple of 32 bytes" in said
    both = where(
        swish, lambda case: case.inputs["x"].dtype.value == "float32" and strided(case)
    )
    assert f"All {len(both)} non-contiguous float32 cases fail" in visible_cause(
        fails(swish, both), swish
    )
    norm = catalogue_operator("Cross")
    of_dim = where(norm, lambda case: case.attributes["dim"] == 1)
    assert "with `dim` = 1 fail" in visible_cause(fails(norm, of_dim), norm)


def test_failures_nothing_separates_get_no_sentence() -> None:
    swish = catalogue_operator("Swish")
    some = {"aligned-float16", "tail-bfloat16", "feature-maps"}
    assert visible_cause(fails(swish, some), swish).startswith(
        "All 16 elements are wrong"
    )
    everything = where(swish, lambda _case: True)
    assert visible_cause(fails(swish, everything), swish).startswith(
        f"All {len(everything)} cases fail."
    )


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
    assert (
        "error result-wrong on c at op_kernel/k.cpp:9 (in a hidden non-contiguous case)"
        in text
    )
    shown = replace(evaluation, findings=(replace(finding, case="non-contiguous"),))
    assert "places tell nothing" in feedback_text(shown, None, operator=operator)


def test_the_sentence_stands_in_the_prompt() -> None:
    operator = catalogue_operator("Swish")
    evaluation = fails(operator, where(operator, strided))
    state = RoundView((), files("Swish", "k"), evaluation, None)
    view = TaskView(operator, Objective.CORR, 12, "this computer", "")
    text = ContextBuilder().diagnose(view, state).messages[-1].content
    assert "Cause: All 3 non-contiguous cases fail, all 23 others pass." in text
