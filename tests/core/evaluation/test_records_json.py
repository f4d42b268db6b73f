"""Records survive JSON, not-a-number included; other text is refused with the field named."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from core.errors import InvalidInput
from core.evaluation.records import (
    CaseResult,
    ErrorStatistics,
    Evaluation,
    VerdictClass,
)
from core.records_json import from_json, to_json
from tests.core.agent.scripted import judged


def test_an_evaluation_with_infinities_comes_back() -> None:
    statistics = ErrorStatistics(
        "y", 8, math.inf, 1.0, math.nan, 0.5, 0.1, 3.0, 2, 4, -math.inf, 1.0
    )
    case = CaseResult(
        "nan", hidden=False, timed=True, status="wrong-result", statistics=(statistics,)
    )
    evaluation = replace(
        judged("Lerp", "d", VerdictClass.FAIL_RESULT, "1.5"), cases=(case,)
    )
    back = from_json(to_json(evaluation), Evaluation, "test")
    found = back.cases[0].statistics[0]
    assert (found.max_abs, found.worst_expected) == (math.inf, -math.inf)
    assert math.isnan(found.max_rel)
    plain = replace(evaluation, cases=())
    assert from_json(to_json(plain), Evaluation, "test") == plain


def test_foreign_text_is_refused() -> None:
    with pytest.raises(InvalidInput, match="blob 12"):
        from_json("{", Evaluation, "blob 12")
    stored = to_json(judged("L", "d", VerdictClass.PASS)).replace(
        '"verdict":"pass"', '"verdict":"great"'
    )
    with pytest.raises(InvalidInput, match="verdict"):
        from_json(stored, Evaluation, "x")
